// Package benchmarks is the study: streams x predictors x filters, their statistics and tables; the metrics are those of the program,
// of package scores. It holds the controlled streams of the paper on ready predictions ([RunControlled]); real predictions on real
// streams and replays of real label orders ([RunStreams], [RunReplay]), beside what people use today; real predictions in their order and
// shuffled, which is the negative control ([RunReal]), and streams of unequal classes without order ([RunUnequal]). The programs study, real and
// hindsight below it print the tables, gaps those of times, detection those of the watch for over-confidence, peers what NumPy takes
// and peers/torch what PyTorch takes.
package benchmarks
