// Package pipeline runs a predictor and the filter over streams of items: loading beside inference, batches across streams, and an
// output that survives any interruption.
//
//	loaders (many)      runners (few)       stepper (one)               output
//	raw item -> input   input -> outputs    outputs -> q -> filter      record, journal
//
// Items come in processing order, stream after stream. Loading and inference may overtake each other, but the stepper takes the
// outcomes in the order of the items, so that every stream's filter sees its items in order, and an output is the same whatever the
// number of loaders and runners. What is random in an item follows from the job's seed and the item's names.
//
// The stepper passes predictions through the filters by package internal/streams, as `oatta filter` does with the predictions of other
// programs: causally, with a lag, or each stream as a whole. Whenever the answers come, records are written in the order of the items; of
// streams that are answered as a whole, one is in memory at a time.
//
// # Two kinds of predictors
//
// A [predict.Predictor] does not care for the order of items: they are cut into batches at fixed places, whatever stream they belong to, and
// several batches may run at the same time.
//
// A [predict.StreamPredictor] learns along each stream. Its streams are dealt out to lanes, and each run advances every lane by one item, in
// lockstep; for instance, three lanes on four streams a to d:
//
//	run      1    2    3    4
//	lane 0   a0   a1   a2   a3
//	lane 1   b0   b1
//	lane 2   c0   d0   d1   d2
//	written  a0   a1   a2   a3 and what was held, b0 b1 c0 d0 d1 d2
//
// What comes of later streams is held until theirs is written. The oldest unfinished stream goes on in every run and is never held; when as much
// is held as may be, it goes on alone, so that memory stays within bounds beside a stream of any length. Which items a run advances
// depends on the lengths of the streams, the number of lanes and that limit, never on time, and so do the bits of an output.
//
// # Failures
//
// An item that cannot be loaded or predicted is a record with the reason, and no step of the filter. Where a run fails as a whole, its
// items are tried alone. If nothing succeeds three runs in a row, whatever had succeeded before, the engine is taken for broken, and the run of the job ends; those
// items are tried again when it is resumed.
//
// # Interruption
//
// An output file is accompanied by a journal. With every piece of output the journal gets, in one checksummed frame, the network's
// outputs for it and the length and checksum of the output so far. A run that was killed at any moment is continued by cutting the
// output at the last frame that agrees with it and by stepping the filter of the current stream through the outputs in the journal: its
// state is then, to the bit, what it was, and so is what waits for items to come. Batches are cut at the same places again, so that the finished output equals that of a run
// that was never interrupted.
//
// What a stream predictor has learned is not in the journal. It repeats the runs from the first on that a state still depends on: since
// the current stream began, or since the predictor last took the source's state, if it is a [predict.Restarter]; and since later streams began
// of which nothing is written yet. They are the same runs as before, rows of streams that are done included, so that the bits are the
// same, too. With no other stream begun, that costs at most as much as the stream had cost.
package pipeline
