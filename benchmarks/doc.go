// Package benchmarks is the study: streams x predictors x filters, their statistics and tables; the metrics are those of the program,
// of package scores. It holds the controlled streams of the paper on ready predictions ([RunControlled]); real predictions on real
// streams and replays of real label orders ([RunStreams], [RunReplay]), beside what people use today; real predictions in their order and
// shuffled, which is the negative control ([RunReal]), and streams of unequal classes without order ([RunUnequal]).
//
// `oatta bench` runs them. Packages below are studies of their own: hindsight of looking back, gaps of times, detection of the watch for
// over-confidence, controlled of the paper's main table with networks in the loop, predictors of networks, the paper's side experiments
// (priors, corruption, plasticity and flops), peers and peers/torch of speed beside NumPy and PyTorch. Package networks predicts for
// them, and significance has their tests.
package benchmarks
