// Package baselines is the study of the filter beside what people use in its place, on the same predictions: real ones on real streams, in
// their order and, as the negative control, shuffled. What answers at once and what waits for later items are kept apart.
//
//	oatta bench baselines --shared DIR
//
// The others are votes and means of windows, the vote of a sequence of pictures as MegaDetector's tools have it, hidden Markov models with the
// transitions of a population, by filter, smoother, and Viterbi on predicted labels as in OxWearables' stepcount, LAME, and the label-shift
// EM of Saerens and others. None of them is tuned here, nor is the filter: spans and thresholds are the usual ones, and what a method is told
// of a population is the same for all.
package baselines
