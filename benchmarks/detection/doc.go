// Package detection measures how well the label-free watch for over-confidence (adapt.Starvation) does: how often it warns where a
// hotter temperature would gain accuracy through the filter, and how often where none would, on calibrated predictions and on streams
// without order.
//
//	oatta bench detection --shared DIR
//
// With --transfer it measures instead what a temperature is worth on data that it was not fitted to.
//
// The predictions are those of the project's ResNet-18 on the CIFAR-10 test set and fifteen corruptions of it, on controlled streams,
// and of logistic regressions on real streams, in order and shuffled. The labels decide what a warning was worth and reach neither
// filter nor watch. The same settings give the same numbers.
package detection
