// Package scores says how good predictions are before and after the filter, given the true classes: the metrics that `oatta eval`
// and `oatta filter` print, with intervals.
//
// A [Tally] holds the counts and sums of one predictor, from which [Tally.Scores] makes accuracy, F1, kappa, likelihood, Brier score
// and calibration error. A [Comparison] holds a [Pair] of tallies, raw and adapted, over all items and for each stream;
// [Comparison.Grouped] puts streams of one person or camera together, and [Comparison.Bootstrap] draws streams anew for intervals.
// Memory does not grow with the number of items.
//
// A short example:
//
//	c := scores.NewComparison(len(labels))
//	for _, item := range items {
//		c.Add(item.Stream, item.Truth, item.Raw, item.Adapted)
//	}
//	evaluation := c.Evaluate(labels)
//	intervals, err := c.Bootstrap(labels, scores.BootstrapOptions{})
package scores
