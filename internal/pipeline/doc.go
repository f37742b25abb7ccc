// Package pipeline runs a predictor and the filter over streams of items: loading beside inference, batches across streams, and an
// output that survives any interruption.
//
//	loaders (many)      runners (few)       stepper (one)               output
//	raw item -> input   input -> outputs    outputs -> q -> filter      record, journal
//
// Items come in processing order, stream after stream. They are cut into batches at fixed places, whatever stream they belong to;
// loading and inference may overtake each other, but the stepper takes the batches in order, so that every stream's filter sees its
// items in order, and an output is the same whatever the number of loaders and runners.
//
// # Interruption
//
// An output file is accompanied by a journal. After every batch the journal holds the network's outputs for it and the length and
// checksum of the output so far, in one checksummed frame. A run that was killed at any moment is continued by cutting the output
// at the last frame that agrees with it and by stepping the filter of the stream in hand through the outputs in the journal: its
// state is then, to the bit, what it was. Batches are cut at the same places again, so that the finished output equals that of a run
// that was never interrupted.
package pipeline
