// Package explain records what the filter did on one stream, and shows it: figures over time, the learned matrix, and the numbers.
//
// # Contract
//
// A [Recorder] is told of every step of the one stream that was asked for, after the step. It works in bounded memory and never changes
// the filter. At the end, [Recorder.Write] makes the files that [Files] lists, each of which appears whole or not at all, and none of
// which replaces a file unless Settings.Overwrite says so.
//
// The learned transition matrix can reveal a routine. It leaves the process in these files, on request, and in no other output of a run.
//
// # Long streams
//
// Up to Settings.MaxRecords steps each step is a record of its own. When the records are full, each two neighbours become one, and from
// then on as many steps as a record then holds make one: a power of two, the same for all but the last. A record of several steps has
// the classes, the truth and the time of its first step, the mean of each number (of the evidence the geometric one), and all events
// of its steps. Counts and accuracies are of all steps, however many records there are.
//
// A short example:
//
//	r, err := explain.New(explain.Settings{Stream: "cam1", Classes: names})
//	for ... {
//		d := f.Step(posterior, q)
//		r.Add(f, d, explain.Step{Raw: q, Adapted: posterior, Truth: -1})
//	}
//	files, err := r.Write("out/cam1")
package explain
