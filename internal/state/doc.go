// Package state keeps the filters of many streams in one file, so that a program can be stopped at any point, killed even, and go on
// as if it had never been.
//
// # Contract
//
//   - State and position are one. [Store.Commit] writes every filter used since the last commit, and the position of the input up
//     to which they were fed, in one transaction of bbolt (a B+ tree of copied pages, fsynced before the root moves). Whoever opens
//     the file after a crash finds the filters of some commit and the position of the same one: feed the input from there, and
//     nothing is lost or counted twice.
//   - Beside a filter there may be a companion, bytes that the store keeps and does not read ([Store.SetCompanion]): it is committed, sealed
//     and forgotten with the filter.
//   - One process at a time: the file is locked while it is open, and [Open] waits a little, then gives up with an error.
//   - [Store.Filter] gives the live filter of a stream, from memory, from the file, or new. It is good until the next Commit, Forget
//     or Close. Filters of different streams may step at the same time, but not during a Commit.
//   - At most [Options.Cache] filters are in memory. Those stepped since the last commit must stay, as their state may reach the
//     file with the position only: when they fill the cache, Filter returns [ErrFull] and the caller commits. The others leave in the
//     order of their last use. A million streams thus take the file's space and the cache's memory, not a million filters.
//   - A state whose settings or number of classes are not those of [Options] is an error that names what differs.
//   - [Store.Forget] removes: when it returns, neither the name of the stream nor any state or companion it ever had is in the file.
//   - [Store.Remove] is the cheap form, as a part of the next Commit: what is removed is gone from the streams, and its traces at the next Forget or
//     Open. [Store.Discard] takes back everything since the last Commit.
//   - Damage is an error that names the file, never a panic, and never a stream less: after it the store only closes. [Open] reads heads, tables
//     and keys of all pages itself before bbolt may follow them, and compares the streams with the number that was committed; what is stored
//     has checksums. So Open takes the time of reading the file, and the memory of a bit a page. That holds for accidents: against forgery
//     there is a key. A full disk is an error of Commit: the file is as it was, the filters are still in memory, and Commit may be tried again.
//
// With [Options.Key] everything is sealed (see [adapt.Seal]): states, companions, names and position. What remains to be seen is the number of
// streams, the sizes of their states, and which change together. Whoever can write the file can still put back an older one whole.
//
// # Memory
//
// A live filter takes an eighth more than its snapshot and 6 KB: 13 KB for ten classes under the auto gate; and its companion, once
// that was set or asked for. Commit needs, for each
// filter it writes, the snapshot once more and its pages: about three times the snapshot.
//
// A short example:
//
//	store, err := state.Open("cameras.state", state.Options{Classes: 10})
//	if err != nil { ... }
//	defer store.Close()
//	for item := range input.From(store.Position()) {
//		f, err := store.Filter(item.Camera)
//		if errors.Is(err, state.ErrFull) { ... } // commit, and ask again
//		f.Step(posterior, item.Probabilities)
//		if item.Last {
//			err = store.Commit(input.Position())
//		}
//	}
package state
