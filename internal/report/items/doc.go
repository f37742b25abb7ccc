// Package items reads the outputs of run, eval and filter back, item by item: JSON lines, CSV, MegaDetector and SpeciesNet JSON, gzipped or
// not, and the manifest beside them.
//
// # Contract
//
// [Open] looks at a file and says what it is; [File.Each] reads it, as often as it is asked to, in memory that does not grow with the
// number of items. What of an item is not told is NaN or empty, never guessed: an output without full vectors has none. A line that cannot
// be understood is a [LineError] for whoever listens, and the next one is read.
//
// A file without adapted labels is none of this program's results, and is refused by an error that says so.
//
// A short example:
//
//	f, err := items.Open("night.jsonl", items.Options{})
//	err = f.Each(items.Handler{Item: func(it *items.Item) error { ... }})
package items
