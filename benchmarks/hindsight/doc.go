// Package hindsight measures what looking back is worth: accuracy of the causal filter, of fixed lags, of whole recordings smoothed,
// and of the centred vote of five that people use today, on real recordings and on the controlled streams.
//
//	oatta bench hindsight --shared ../shared --seeds 6 --sets elastic_transform
//
// The folder holds data/predictions and data/cifar10. All numbers are changes in points against the base predictor; a recording is
// harmed if it loses anything.
package hindsight
