package predictions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// JSONLines reads and writes one JSON object a line.
type JSONLines struct {
	name    string
	o       Options
	lines   *lineReader
	scan    *scanner
	classes map[string]int

	item       Item
	probs      []float64
	top        []score
	skip       int    // bytes of a byte order mark before the object
	field      fields // where the values of the line stand
	own        []placed
	last       int // end of the last value of the object
	labelField string
}

// fields are the places of the values that are read, in the text of the object.
type fields struct{ stream, id, file, time, truth, probs, logits, top, failure span }

// NewJSONLines returns a reader of r; name stands in messages.
func NewJSONLines(name string, r io.Reader, o Options) *JSONLines {
	o = o.filled()
	j := &JSONLines{name: name, o: o, lines: newLineReader(r, o.MaxLine), scan: newScanner(), labelField: "label"}
	if len(o.Classes) > 0 {
		j.classes = classIndex(o.Classes)
	}
	if o.TruthField == "label" {
		j.labelField = "raw_label"
	}
	return j
}

var (
	_ Lines = (*JSONLines)(nil)
	_ Lines = (*CSV)(nil)
)

// Begin implements [Lines].
func (j *JSONLines) Begin() ([]string, error) { return j.o.Classes, nil }

// Head implements [Lines].
func (j *JSONLines) Head(dst []byte) []byte { return dst }

// Line implements [Lines].
func (j *JSONLines) Line() int { return j.lines.at }

// Unchanged implements [Lines].
func (j *JSONLines) Unchanged(w io.Writer) error { return j.lines.unchanged(w) }

// Hold implements [Lines].
func (j *JSONLines) Hold() Held { return j.lines.hold() }

// Recall implements [Lines].
func (j *JSONLines) Recall(h Held) (*Item, error) { return j.understand(j.lines.recall(h)) }

// Open implements [Lines].
func (j *JSONLines) Open() bool { return j.lines.open() }

// Offset implements [Lines].
func (j *JSONLines) Offset() Offset { return j.lines.offset() }

// SkipTo implements [Lines].
func (j *JSONLines) SkipTo(o Offset) error { return j.lines.skipTo(o) }

// Next implements [Lines].
func (j *JSONLines) Next() (*Item, error) {
	record, err := j.lines.next(false)
	switch {
	case err == nil:
		return j.understand(record)
	case errors.Is(err, errLong):
		err = &LineError{j.name, j.lines.at, err}
	}
	return nil, err
}

func (j *JSONLines) understand(record []byte) (*Item, error) {
	if err := j.read(record); err != nil {
		return nil, &LineError{j.name, j.lines.at, err}
	}
	return &j.item, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// read understands a line.
func (j *JSONLines) read(record []byte) error {
	j.skip = 0
	if j.lines.at == 1 && bytes.HasPrefix(record, byteOrderMark) {
		j.skip = len(byteOrderMark)
	}
	text := record[j.skip:]
	j.item, j.field, j.own, j.last = Item{}, fields{}, j.own[:0], 0
	if len(trimJSON(text)) == 0 {
		j.item.Blank = true
		return nil
	}
	j.scan.reset(text)
	if err := j.scan.object(j.member); err != nil {
		return err
	}
	if err := j.scan.finish(); err != nil {
		return err
	}
	return j.fill(text)
}

// member notes where a value stands.
func (j *JSONLines) member(name []byte) error {
	kind, own := j.kindOf(name)
	to := j.placeOf(name)
	isLabel := string(name) == "label"
	at, err := j.scan.value()
	if err != nil {
		return err
	}
	j.last = at.end
	if to != nil {
		*to = at
	}
	if own {
		j.own = append(j.own, placed{kind, at})
	}
	if isLabel && own {
		j.item.Label, _ = word(at.of(j.scan.text)) // what is no word is no label
	}
	return nil
}

// placeOf returns where the place of a field is kept, nil for one that is of no interest.
func (j *JSONLines) placeOf(name []byte) *span {
	switch string(name) {
	case j.o.StreamField:
		return &j.field.stream
	case j.o.IDField: // before the fixed names; "" is no name that is looked for
		if j.o.IDField != "" {
			return &j.field.id
		}
	case j.o.TruthField:
		return &j.field.truth
	}
	switch string(name) {
	case "id":
		if j.o.IDField == "" {
			return &j.field.id
		}
	case "file":
		return &j.field.file
	case "time":
		return &j.field.time
	case "probs":
		return &j.field.probs
	case "logits":
		return &j.field.logits
	case "top":
		return &j.field.top
	case "failure":
		return &j.field.failure
	}
	return nil
}

// fill makes the item of the values.
func (j *JSONLines) fill(text []byte) error {
	for _, f := range []struct {
		name string
		at   span
		to   *[]byte
	}{
		{j.o.StreamField, j.field.stream, &j.item.Stream},
		{"file", j.field.file, &j.item.ID},
		{"id", j.field.id, &j.item.ID},
		{"time", j.field.time, &j.item.Time},
		{j.o.TruthField, j.field.truth, &j.item.Truth},
	} {
		if !f.at.there() {
			continue
		}
		value, err := word(f.at.of(text))
		if err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
		if len(value) > 0 {
			*f.to = value
		}
	}
	if err := j.vector(text); err != nil || j.item.Probs == nil {
		return err
	}
	if len(j.item.Stream) == 0 {
		if j.o.Stream == "" {
			return fmt.Errorf("no field %s", j.o.StreamField)
		}
		j.item.Stream = []byte(j.o.Stream)
	}
	return nil
}

// vector reads the probabilities.
func (j *JSONLines) vector(text []byte) (err error) {
	f := j.field
	switch {
	case present(text, f.probs):
		if j.probs, err = numbers(j.probs[:0], f.probs.of(text)); err != nil {
			return fmt.Errorf("field probs: %w", err)
		}
	case present(text, f.logits):
		if j.probs, err = numbers(j.probs[:0], f.logits.of(text)); err == nil {
			err = softmax(j.probs)
		}
		if err != nil {
			return fmt.Errorf("field logits: %w", err)
		}
	case present(text, f.top):
		if err = j.topVector(text); err != nil {
			return fmt.Errorf("field top: %w", err)
		}
	case present(text, f.failure):
		return nil
	default:
		return errors.New("no field probs, logits, top or failure")
	}
	if len(j.probs) == 0 {
		return errors.New("a vector of no class")
	}
	j.item.Probs = j.probs
	return nil
}

func present(text []byte, s span) bool { return s.there() && text[s.start] != 'n' } // null
