// Package calibration fits what the filter needs to know about a predictor from labelled predictions: its temperature and the class
// prior of its training data.
//
// # What the two do in the filter
//
// The filter multiplies its prior by the likelihood q^(1/T)/rho. A predictor that says .99 and is right nine times in ten leaves the
// order of a stream nothing to decide: T > 1 flattens q until its probabilities are those with which it is right. And q already holds
// the class frequencies rho of the training data once: dividing them out keeps them from being counted at every step.
//
// # The fit
//
// T minimises the mean negative log-likelihood of the truth under q^(1/T), normalised (Guo et al., "On Calibration of Modern Neural
// Networks", 2017). In b = 1/T that is convex,
//
//	f(b) = mean_i [ log sum_j exp(b l_ij) - b l_iy ],   f'(b) = mean_i [ E_b l_i - l_iy ],   l = log q,
//
// so that a bracketed Newton on f' ends at the one minimum. Where there is none inside [MinTemperature, MaxTemperature] the answer is
// the bound, and [Fit.Bound] says which: all predictions right (T falls without end), or no better than chance (T rises without end).
// Probabilities under [Floor] count as Floor, and [Fit.Floored] counts the items whose truth had less: each has an infinite loss at
// any temperature, and in the filter, which has no floor, a probability of zero stays zero.
//
// Items of a stream depend on each other. The interval is therefore a bootstrap over whole streams; with a single stream it is one
// over items, which is too narrow, and [Fit.Unit] says so. The scores after the fit are of the data that it was fitted to.
//
// # Which temperature the filter gets
//
// The paper's gates take T as it is. The gate auto tries several multiples of its temperature, of which T shall be the hottest:
// adapt.Settings.Calibrated says how, and what happens otherwise. Measured by
//
//	oatta bench detection --transfer
//
// with the T = 1.60 of clean CIFAR-10 on fifteen corruptions of it, in points against no temperature, mean and worst corruption: auto
// as it is, +0.0; off, S1 -3.8 (-5.8), S2(.7) -3.1 (-6.7), S2(.98) +2.8 (+1.2); ewma, S1 -0.0 (-0.1), S2(.7) +0.1 (-0.1), S2(.98)
// +0.8 (+0.3). A T fitted on data unlike those of the stream is worth less than one of its own.
//
// # Memory
//
// A [Set] keeps the log-probabilities in float32, four bytes a class and item, up to the limit that it was made with. An item beyond
// is refused by [Set.Add] and counted by no metric.
//
// A short example:
//
//	set := calibration.NewSet(len(labels), calibration.DefaultMaxBytes)
//	for _, item := range items {
//		set.Add(item.Stream, item.Truth, item.Probs)
//	}
//	fit, err := set.Fit(calibration.Options{})
//	prior, err := calibration.Prior(set.Counts(), calibration.Pseudocount)
package calibration
