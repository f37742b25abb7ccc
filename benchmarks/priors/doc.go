// Package priors is the paper's study of the class prior that likelihoods are divided by: the source prior, which is that of the training
// set, against the uniform one, on streams whose classes are balanced (a label shift) and on streams that keep the imbalance of the
// training set (none).
//
//	oatta bench priors --shared DIR
//
// The predictions are those of the project's ResNet-18 that was trained on CIFAR-10 with classes 5 to 9 at a tenth, for the lossless test
// set, and for corruptions of its first thousand pictures at severity 5, on which it is as good as the paper's network or worse: those it
// predicts when the study runs, and --cache keeps them. The streams without shift follow the matrices that the paper prints. Beside the
// filters stands the base predictor divided by the source prior and nothing else, so that what the prior does is told from what the order
// does. The same settings give the same numbers.
package priors
