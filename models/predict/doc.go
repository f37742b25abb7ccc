// Package predict holds the predictors that need no gradient: the network itself, Monte Carlo dropout and test-time augmentation. Tent
// and MEMO have packages of their own.
//
// # Contract
//
// A predictor turns ready inputs into raw predictions, which [Kind.Probabilities] turns into q_t, the probability vector that the
// filter of package adapt takes. It is wrapped, never changed, by the filter: predictor and filter are two independent choices.
//
// All of them are used in the same way ([Predictor]): Predict writes dst [n, Classes] for src [n, InputLen]; the caller owns both,
// and nothing is kept. Any n will do; Size says how many items one run takes. The order of items does not matter, calls may be made
// from many goroutines, and what is random in item i depends on seeds[i] alone. A slice of a wrong length is the caller's bug, and
// panics. MEMO is used so, too; one that learns along streams, as Tent, is a [StreamPredictor].
//
//   - [Base] runs the network once. Its outputs are of the kind that the network's are.
//   - [MCDropout] is the mean over passes with random masks, in one run of a graph that package models/dropout makes: what does not
//     lie behind a dropout runs once. Its outputs are probabilities.
//   - [Augmented] merges the predictions for several views of each item, which come from outside. Its outputs are probabilities. It
//     wraps any predictor, MC dropout too.
//
// A network of texts has several inputs of integers; [Tokens] makes them of one input of float32, so that it is a network like all
// others here.
//
//	base, err := predict.NewBase(session, []int64{3, 224, 224}, 0, 1000)
//	...
//	views, err := predict.NewAugmented(base, predict.AugmentSettings{Views: 8, Kind: predict.Logits, Merge: predict.MergeGeometric})
//	...
//	err = views.Predict(ctx, raw, inputs, seeds) // raw [n, 1000], inputs [n, 8*3*224*224]
//	...
//	err = views.Kind().Probabilities(q, raw[:1000]) // of the first item; NaN and the like are its error
//
// # The same bits
//
// Masks, and the parts into which passes are cut, depend on no other item, so that an item's prediction is the same in every batch as
// far as the engine's sums are. ONNX Runtime on a CPU adds up each row of a convolution, a matrix product and the mean over passes
// alike in batches of any size: on the ResNet-20 of CIFAR-10, results are equal to the bit. Texts are cut to the longest of a run, which
// changes the order of sums over padding: there they agree within float32 rounding.
package predict
