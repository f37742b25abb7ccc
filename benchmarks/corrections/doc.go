// Package corrections measures what a few corrected labels are worth to the items that nobody corrected, and what a mistaken correction costs them.
//
//	oatta bench corrections --shared ../shared --sets hapt_lr_noisy
//
// The folder holds data/predictions: real predictions on people whom the predictor was not trained on. A share of each stream's items gets its true label,
// as a label that is known for certain; scores are those of the others, and changes are against the same filter on the same items without
// corrections. Corrected are random items, or random ones among those that the filter had wrong, as people correct what they see to be wrong. The
// negative control is the items of each stream in random order, where a known label says nothing of others. A mistake is one random item of a stream that
// is given another class than its own, beside nothing else: its cost is in items of the rest that were right and are not, less those that were
// wrong and are right. The same settings give the same bytes.
package corrections
