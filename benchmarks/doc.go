// Package benchmarks is the study: streams x predictors x filters, their metrics, statistics, tables and figures. Now it holds the
// metrics that `oatta eval` prints; the studies of the paper's tables join it here.
package benchmarks
