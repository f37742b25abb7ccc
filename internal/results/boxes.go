package results

import (
	"bytes"

	"github.com/oatta/oatta/datasets/megadetector"
)

// Boxes is the file of a detector whose boxes are the items of a run. It is written again with the answers in it: what was not
// classified stays as it was, and so do the order of a picture's detections, if it is that of falling confidence, and all fields but
// those of an earlier classifier. Pictures come in the order of the run, those without an item behind them. What is appended is compact
// JSON.
type Boxes interface {
	// AppendInfo appends "info", open for more members; it has some.
	AppendInfo(dst []byte) []byte
	// AppendCategories appends "detection_categories".
	AppendCategories(dst []byte) []byte
	// Around returns what of the file stands before the members that record n adds to its detection, and behind the end of that: the
	// picture's beginning and end are with its first and its last record. Without a detection, before is all; without both, the file
	// does not know the item. The comma that divides it from the record before, of whichever picture, is not among it.
	Around(n int) (before, after []byte, detection bool)
	// AppendRest appends, divided by commas, the pictures that no record was of; a comma before the first, if any came before.
	AppendRest(dst []byte, any bool) []byte
}

// answer is what a detection gets.
type answer struct {
	Classifications []megadetector.Classification `json:"classifications,omitempty"`
	Raw             []megadetector.Classification `json:"raw_classifications,omitempty"`
	Gate            *megadetector.Decimal         `json:"gate,omitempty"`
	Mode            string                        `json:"adapted_mode,omitempty"`
	Failure         string                        `json:"failure,omitempty"`
}

// boxed appends the record of a box; false if it is of none.
func (f megaDetector) boxed(dst []byte, n int, r *Record) ([]byte, bool, error) {
	before, after, detection := f.Boxes.Around(n)
	if before == nil {
		return dst, false, nil
	}
	if n > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, '\n')
	if !detection {
		return append(dst, before...), true, nil
	}
	a := answer{Failure: r.Failure}
	if !r.Failed() {
		gate := megadetector.Decimal(r.Gate)
		a.Classifications, a.Raw, a.Gate, a.Mode = f.adapted(r), f.top(r.Raw), &gate, r.Mode
	}
	added, err := appendJSON(nil, a)
	if err != nil {
		return dst, false, err
	}
	dst = append(append(dst, before...), ',')
	dst = append(dst, bytes.TrimSpace(added)[1:]...)
	return append(dst, after...), true, nil
}
