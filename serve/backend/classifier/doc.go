// Package classifier makes a model's folder a network of the server: tensors in, or encoded pictures and texts, and any predictor of
// package method.
//
// # What is random
//
// Views and dropout of an item depend on its bytes and on the seed of the settings: the same item gets the same prediction, whatever is in
// its batch, and whenever it is given again.
//
// # Predictors that learn along streams
//
// Tent holds what it learned of a stream in memory, beside the filter: for as many streams as a run takes, in the engine's terms lanes, and of
// others as a snapshot, the last used up to [Options.Memory]. It is not durable. A stream that has left memory, or whose server was started anew, goes
// on from the network as it was trained, while its filter goes on from what it had learned.
package classifier
