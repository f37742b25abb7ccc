// Package predictions reads what other programs predicted, item by item, and writes it back with adapted values beside the raw ones:
// JSON lines, CSV, MegaDetector results and SpeciesNet predictions.
//
// # The contract
//
// What is read is written back byte for byte and in its order, apart from the values that are added or replaced: nothing is decoded
// into a structure and encoded again, values are spliced into the text. A field or column that has one of the added names is
// replaced where it stands, so that a second pass over an output gives that output again.
//
// [JSONLines] and [CSV] are [Lines]: one line in, one line out, in memory that does not grow with their number. A line that cannot be
// read is a [LineError] and can still be written back by [Lines.Unchanged]. A [Document] is a whole JSON file in memory, whose items come stream
// by stream in order of time, wherever they stand in the file.
//
// Probabilities are as they stand in the input. Whether a vector sums to one is for whoever uses it to check; only classifications of
// the top few classes are completed here.
//
// # The mass of classes that are not listed
//
// A list of the top few classes, sum s, says nothing of the others but that they share 1-s: each of the classes that are not listed
// gets an equal part. A list of all classes is divided by its sum. A sum over 1 by more than 0.01 is an error; by less, it is divided out.
//
// # JSON lines
//
// Read are "stream" and "id" or "file" (strings or numbers), "time", one of "probs", "logits" and "top" (the first of them that is
// there), "failure" and "truth". "top" is [["deer", 0.8], [3, 0.1]], names or indices of classes, and needs Options.Classes: a line by itself
// does not tell what classes there are. A line with "failure" and without a prediction is no error and no prediction. Added
// are "label", "adapted_label", "gate", "adapted_mode", "adapted"; "adapted_prob", which `oatta run` writes, is replaced where it is.
//
// # CSV
//
// A header, then a row an item; comma, semicolon or tab, whichever the header has most of. Probabilities are in the columns of
// Options.Columns, else in those whose names begin with "p:", else in those that bear the names of the classes. Added are
// adapted_label, gate, adapted_mode and a column a:CLASS a class. The table is taken as bytes: names may be in any encoding that has ASCII in it.
//
// # MegaDetector results, format 1.x
//
// https://lila.science/megadetector-output-format. An item is a "classifications" list, of a detection or of an image. "classifications" becomes the adapted
// ones, which is what every tool shows; the raw ones move to "raw_classifications", and are taken from there if they are there
// already; "gate" and "adapted_mode" stand beside them, as in the results of `oatta run`. The detector's "conf" stays. The crops of one picture are steps in the order of
// the file, frames of a video in that of their numbers. Classes are those that occur, in the order of "classification_categories".
//
// NaN and Infinity, which Python writes, are unknown values, as null is: [Document.Note] tells of them, and they are written as they came.
// One in the place of a score is the failure of that item. The same holds for SpeciesNet's predictions.
//
// # SpeciesNet predictions
//
// https://github.com/google/cameratrapai. An item is an element of "predictions" with "classifications" (top five "classes" and "scores"). Added beside it are
// "adapted_classifications", of the same form, "adapted_label", "gate" and "adapted_mode". "prediction", which is the ensemble's and not the classifier's,
// stays as it is. The format knows no times, so the order is that of names. Classes are those that occur, in order of first appearance.
//
// # Example
//
//	lines := predictions.NewJSONLines("in.jsonl", file, predictions.Options{})
//	for {
//		item, err := lines.Next()
//		if err == io.EOF {
//			break
//		}
//		...
//		out = lines.Append(out[:0], predictions.Adapted{Label: "deer", AdaptedLabel: "deer", Probs: adapted, Gate: 0.7, Mode: "filtered"})
//	}
package predictions
