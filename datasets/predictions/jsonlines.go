package predictions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/oatta/oatta/datasets/internal/rawjson"
)

// JSONLines reads and writes one JSON object a line.
type JSONLines struct {
	*lineReader
	name    string
	o       Options
	scan    *rawjson.Scanner
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
type fields struct{ stream, id, file, time, truth, probs, logits, top, failure rawjson.Value }

// NewJSONLines returns a reader of r; name stands in messages.
func NewJSONLines(name string, r io.Reader, o Options) *JSONLines {
	o = o.filled()
	j := &JSONLines{name: name, o: o, lineReader: newLineReader(r, o.MaxLine), scan: rawjson.NewScanner(), labelField: "label"}
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

// Begin implements [Lines]. Where the options do not name the classes, the field classes of the first line may, as `oatta run --vectors`
// writes it; where both do, they must agree.
func (j *JSONLines) Begin() ([]string, error) {
	names := j.classesOf(bytes.TrimPrefix(j.peek(), rawjson.ByteOrderMark))
	switch given := j.o.Classes; {
	case names == nil || slices.Equal(names, given):
		return given, nil
	case len(given) > 0:
		return nil, &LineError{j.name, 1, fmt.Errorf("the line names the classes %q, and %q are asked for: want the same, in the same order", names, given)}
	}
	j.o.Classes = names
	if err := j.o.Validate(); err != nil {
		return nil, &LineError{j.name, 1, err}
	}
	j.classes = classIndex(names)
	return names, nil
}

// classesOf returns the names in the field classes of a line; nil if it has no such list of words, or one that does not fit its vector. What
// is wrong with the line, its reading will tell.
func (j *JSONLines) classesOf(text []byte) (names []string) {
	if !bytes.Contains(text, []byte(`"classes"`)) {
		return nil
	}
	j.scan.Reset(text)
	all, err := j.scan.Members()
	if err != nil {
		return nil
	}
	words, err := all.Value("classes").Elements()
	if err != nil {
		return nil
	}
	for _, field := range []string{"probs", "logits"} {
		if v := all.Value(field); v.Set() {
			if vector, err := v.Elements(); err != nil || len(vector) != len(words) {
				return nil
			}
		}
	}
	for _, w := range words {
		name, err := rawjson.Word(w.Text)
		if err != nil {
			return nil
		}
		names = append(names, string(name))
	}
	return names
}

// Head implements [Lines].
func (j *JSONLines) Head(dst []byte) []byte { return j.in.appendMark(dst) }

// Notes implements [Lines].
func (j *JSONLines) Notes() []string { return nil }

// Recall implements [Lines].
func (j *JSONLines) Recall(h Held) (*Item, error) { return j.understand(j.recall(h)) }

// Next implements [Lines].
func (j *JSONLines) Next() (*Item, error) {
	record, err := j.next(false)
	switch {
	case err == nil:
		return j.understand(record)
	case errors.Is(err, errLong):
		err = &LineError{j.name, j.at, err}
	}
	return nil, err
}

func (j *JSONLines) understand(record []byte) (*Item, error) {
	if err := j.read(record); err != nil {
		return nil, &LineError{j.name, j.at, err}
	}
	return &j.item, nil
}

// read understands a line.
func (j *JSONLines) read(record []byte) error {
	j.skip = 0
	if j.at == 1 && bytes.HasPrefix(record, rawjson.ByteOrderMark) {
		j.skip = len(rawjson.ByteOrderMark)
	}
	text := record[j.skip:]
	j.item, j.field, j.own, j.last = Item{}, fields{}, j.own[:0], 0
	if len(rawjson.Trim(text)) == 0 {
		j.item.Blank = true
		return nil
	}
	j.scan.Reset(text)
	if err := j.scan.Object(j.member); err != nil {
		return err
	}
	if err := j.scan.Finish(); err != nil {
		return err
	}
	return j.fill()
}

// member notes where a value stands.
func (j *JSONLines) member(name []byte) error {
	kind, own := j.kindOf(name)
	to := j.placeOf(name)
	isLabel := string(name) == "label"
	value, err := j.scan.Value()
	if err != nil {
		return err
	}
	j.last = value.End()
	if to != nil {
		*to = value
	}
	if own {
		j.own = append(j.own, placed{kind, value})
	}
	if isLabel && own {
		j.item.Label, _ = rawjson.Word(value.Text) // what is no word is no label
	}
	return nil
}

// placeOf returns where the place of a field is kept, nil for one that is of no interest.
func (j *JSONLines) placeOf(name []byte) *rawjson.Value {
	switch string(name) {
	case j.o.StreamField:
		return &j.field.stream
	case j.o.IDField: // before the fixed names; "" is no name that is looked for
		if j.o.IDField != "" {
			return &j.field.id
		}
	case j.o.TruthField:
		return &j.field.truth
	case j.o.TimeField:
		return &j.field.time
	}
	switch string(name) {
	case "id":
		if j.o.IDField == "" {
			return &j.field.id
		}
	case "file":
		return &j.field.file
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
func (j *JSONLines) fill() error {
	for _, f := range []struct {
		name string
		from rawjson.Value
		to   *[]byte
	}{
		{j.o.StreamField, j.field.stream, &j.item.Stream},
		{"file", j.field.file, &j.item.ID},
		{"id", j.field.id, &j.item.ID},
		{j.o.TimeField, j.field.time, &j.item.Time},
		{j.o.TruthField, j.field.truth, &j.item.Truth},
	} {
		value, err := rawjson.Word(f.from.Text)
		if err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
		if len(value) > 0 {
			*f.to = value
		}
	}
	if err := j.vector(); err != nil || j.item.Probs == nil {
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
func (j *JSONLines) vector() (err error) {
	f := j.field
	switch {
	case f.probs.Set():
		if j.probs, err = rawjson.Numbers(j.probs[:0], f.probs.Text); err != nil {
			return fmt.Errorf("field probs: %w", err)
		}
	case f.logits.Set():
		if j.probs, err = rawjson.Numbers(j.probs[:0], f.logits.Text); err == nil {
			err = softmax(j.probs)
		}
		if err != nil {
			return fmt.Errorf("field logits: %w", err)
		}
	case f.top.Set():
		if err = j.topVector(f.top); err != nil {
			return fmt.Errorf("field top: %w", err)
		}
	case f.failure.Set():
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

// topVector spreads a list of top classes.
func (j *JSONLines) topVector(list rawjson.Value) (err error) {
	if j.classes == nil {
		return ErrNeedsClasses
	}
	j.top, err = readScores(j.scan, j.top[:0], list, "entry", func(class []byte) (int, error) { return classOf(class, j.classes) })
	if err != nil {
		return err
	}
	j.probs = slices.Grow(j.probs[:0], len(j.classes))[:len(j.classes)]
	return spread(j.probs, j.top, nil, len(j.probs)-len(j.top))
}
