// Package plasticity is the paper's study of how fast a filter notices that the order of a stream has changed: on the regime switch S4,
// which is sticky at 0.7 until its middle and at 0.5 from there on, it follows the structural gain of the learned matrix,
//
//	G_t = 1/K sum_i A_ii - 1/K
//
// and its exponential mean of span 300, which weighs G_{t-k} by (1 - 2/301)^k.
//
//	oatta bench plasticity --shared DIR
//
// The predictions are those of the project's ResNet-18. The same settings give the same numbers.
package plasticity
