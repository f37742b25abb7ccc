package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/oatta/oatta/adapt/population"
)

// Calibration is what was fitted to labelled predictions of a model.
type Calibration struct {
	Temperature float64
	Prior       []float64         // in the order of the labels; nil leaves the old one
	Transitions *population.Order // nil leaves the old ones
}

// Calibrate returns the text of a manifest with another temperature, and another prior and other transitions unless these are nil. All
// else stays byte for byte: the values are put where the old ones stand, else behind the field output.
//
// The result is read again before it is returned: it is a valid manifest that differs in these fields only.
func Calibrate(manifest []byte, c Calibration) ([]byte, error) {
	out, err := calibrated(manifest, c)
	if err != nil {
		return nil, fmt.Errorf("models: manifest: %w", err)
	}
	return out, nil
}

func calibrated(manifest []byte, c Calibration) ([]byte, error) {
	before, err := readManifest(bytes.NewReader(manifest))
	if err != nil {
		return nil, err
	}
	fields, err := topFields(manifest)
	if err != nil {
		return nil, err
	}
	edits := []manifestEdit{edit(manifest, fields, "temperature", decimal(c.Temperature))}
	if c.Prior != nil {
		edits = append(edits, edit(manifest, fields, "prior", decimals(c.Prior)))
	}
	if c.Transitions != nil {
		value, err := json.Marshal(c.Transitions)
		if err != nil {
			return nil, err
		}
		edits = append(edits, edit(manifest, fields, "transitions", string(value)))
	}
	out := apply(manifest, edits)
	after, err := readManifest(bytes.NewReader(out))
	if err != nil {
		return nil, err
	}
	before.Temperature = after.Temperature
	if c.Prior != nil {
		before.Prior = after.Prior
	}
	if c.Transitions != nil {
		before.Transitions = after.Transitions
	}
	if !reflect.DeepEqual(before, after) {
		return nil, errors.New("another field would change")
	}
	return out, nil
}

// decimal has more digits than a fit knows.
func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }

func decimals(values []float64) string {
	var out []byte
	for i, v := range values {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, decimal(v)...)
	}
	return "[" + string(out) + "]"
}

// manifestField is where a field of the outer object stands: from the first byte of its name to the end of its value.
type manifestField struct {
	name              string
	begin, value, end int
}

// topFields finds the fields of a text that was read as a manifest.
func topFields(text []byte) (fields []manifestField, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		f := manifestField{name: name, begin: bytes.LastIndexByte(text[:dec.InputOffset()-1], '"')}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		f.end = int(dec.InputOffset())
		f.value = f.end - len(raw)
		fields = append(fields, f)
	}
	return fields, nil
}

// manifestEdit puts text in place of what stands from begin to end.
type manifestEdit struct {
	begin, end int
	text       string
}

// edit gives a field its value, as a new field behind output if it is not there; output always is.
func edit(text []byte, fields []manifestField, name, value string) manifestEdit {
	for _, f := range fields {
		if f.name == name {
			return manifestEdit{f.value, f.end, value}
		}
	}
	output := fields[slices.IndexFunc(fields, func(f manifestField) bool { return f.name == "output" })]
	lead := output.begin // what leads to its name: a line and its indentation, as a rule
	for lead > 0 && isJSONSpace(text[lead-1]) {
		lead--
	}
	colon := ": "
	if !isJSONSpace(text[output.value-1]) {
		colon = ":"
	}
	return manifestEdit{output.end, output.end, "," + string(text[lead:output.begin]) + strconv.Quote(name) + colon + value}
}

func isJSONSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// apply makes edits that do not overlap; those at one place come in their order.
func apply(text []byte, edits []manifestEdit) []byte {
	slices.SortStableFunc(edits, func(a, b manifestEdit) int { return a.begin - b.begin })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.begin]...), e.text...)
		at = e.end
	}
	return append(out, text[at:]...)
}
