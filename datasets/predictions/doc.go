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
// Which classes there are, Options.Classes says, else the document: all of MegaDetector's "classification_categories", whether they occur or not,
// and the 2,498 of SpeciesNet's classifiers, most of which a document never names. The filter of a stream has all of up to 64 classes. Of more
// it has those that the lists of its own stream name, and one more for the others, which no list tells apart ([Space]): the same arithmetic at a
// cost that does not grow with what is declared, and no stream that depends on another. That class is never a label, and never
// gets more than the list left to all that it stands for. A stream whose lists name one class only offers no choice, and stays as it is; where no list names more than
// one, auto learns no order of classes, for it would learn the guess above ([adapt.Settings.TopOnly]). `oatta bench
// truncation` measures what lists of 1 to 5 classes keep of the gain of whole vectors.
//
// Boxes of a picture that share a list down to the last digit were not classified one by one: the list is one observation, and all of the boxes
// get its answer.
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
// adapted_label, gate, adapted_mode and a column a:CLASS a class. Words that are not UTF-8 are taken for Windows-1252, and the table is written as it was.
//
// Tables and JSON lines may be UTF-16 with its mark, as Excel and PowerShell write them; they are written back as that. What is no UTF-16 in them,
// as half of a pair, becomes U+FFFD.
//
// # MegaDetector results, format 1.x
//
// https://lila.science/megadetector-output-format. An item is a "classifications" list, of a detection or of an image. "classifications" becomes the adapted
// ones, which is what every tool shows; the raw ones move to "raw_classifications", and are taken from there if they are there
// already; "gate" and "adapted_mode" stand beside them, as in the results of `oatta run`. The detector's "conf" stays. The crops of one picture are steps in the order of
// the file, frames of a video in that of their numbers.
//
// NaN and Infinity, which Python writes, are unknown values, as null is: [Document.Note] tells of them, and they are written as they came.
// One in the place of a score is the failure of that item. The same holds for SpeciesNet's predictions.
//
// # SpeciesNet predictions
//
// https://github.com/google/cameratrapai. Up to version 4, an item is an element of "predictions" with "classifications" (top five "classes" and
// "scores"); since version 5, a box of its "detections" with "raw_classifications". Added beside the list are "adapted_classifications", of the same
// form, "adapted_label", "gate" and "adapted_mode"; in version 5 the picture, too, gets the "adapted_label" of its first box. The format knows no times,
// so the order is that of names.
//
// What the ensemble says ("prediction" and "prediction_source", or "processed_classification") stays as it is and bounds the filter. Where its
// detector decided, the filter does not see the item. A taxon that the geofence or the rollup chose, a blank, a human, a vehicle keep
// their label, as steps of the stream. Of all others the label is one that the ensemble gave in the stream by its classifier alone, for what it
// never gave the geofence may forbid.
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
