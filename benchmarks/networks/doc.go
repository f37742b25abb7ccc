// Package networks has what real networks say of pictures, by each of the five predictors, for studies: predicted once, and kept on disk.
//
// # Contract
//
// A [Runner] predicts the pictures of a [Set] ([Runner.Predict]), where order does not count, or the items of a [Stream] in their order
// ([Runner.Along]), which Tent learns along. What it has predicted lies in its folder, and comes from there the next time: a run that was
// killed goes on, and more pictures cost only what is new. What lies there is known by the network's bytes, every setting, the picture's
// bytes and the revision of the predictor, see [Candidate.Key]; so pictures and streams may be called as one likes. Predictions are
// rounded to float32. They do not depend on the number of workers, nor on what was there before.
//
// The folder does not know the engine: another version of ONNX Runtime rounds otherwise.
package networks
