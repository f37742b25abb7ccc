// Package streams passes the predictions of many interleaved streams through their filters: causally, with a fixed lag, or each stream
// as a whole.
//
// # Contract
//
// A [Runner] takes predictions in the order of the input ([Runner.Add]) and answers each exactly once, by a call of the function that it
// was made with, on the goroutine of the caller:
//
//   - Filtered: at once. What the item refers to is never held.
//   - Lagged: when the lag's items of the same stream have followed, or at [Runner.Flush]. The order within a stream is that of its items;
//     items of different streams may change places, as a stream that pauses does not hold up the others. What is passed or left out comes
//     at once.
//   - Smoothed: at Flush, in the order of the input. Until then everything is held, and Options.MaxHeld bounds what that takes.
//
// What an item refers to, R, is the caller's: a line to be written, an index. It is asked for, once, when the item has to wait.
//
// Items that have no prediction are passed with [Runner.Pass], so that they keep their place where the input's order is kept.
//
// A short example, for items that answer at once:
//
//	r, err := streams.New(streams.Options{Classes: 10}, func(a streams.Answer[int]) error { ... })
//	err = r.Add(streams.Item[int]{Stream: camera, Probs: q, Ref: func() int { return i }})
//	err = r.Flush()
package streams
