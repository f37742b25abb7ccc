// Package corruption is the paper's study of what a filter needs of its predictor: the gain on sticky streams (S2, alpha 0.7) against the
// base accuracy, over the fifteen corruptions of CIFAR-10-C at severity 5, with a line fitted to it and the accuracy at which that line
// crosses zero, the break-even point or adaptation threshold.
//
//	oatta bench corruption --shared DIR
//	oatta bench threshold --shared DIR
//
// The second has the same for other settings of the paper's filter and of its gate, of which the paper prints none, and what each does
// where there is no order (S1). The predictions are those of the project's ResNet-18 for the first 1000 pictures of each corruption. The
// same settings give the same numbers.
package corruption
