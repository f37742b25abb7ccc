// Package bench is `oatta bench`: the studies of what the filter, its settings and its predictors are worth, and how fast they are.
//
// It is wiring alone: flags become the settings of a study, which is package benchmarks or one below it. A study that returns sections is
// registered by a line in the table of studies. The same arguments give the same numbers, on any number of cores, but for what is timed.
// Only those that run networks need ONNX Runtime.
package bench
