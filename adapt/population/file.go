package population

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/oatta/oatta/adapt"
)

// The limits of a file.
const (
	Version    = 1
	MaxBytes   = 64 << 20
	MaxClasses = 2048 // whose matrix still fits
)

// Order is what labelled streams taught of the order of classes.
type Order struct {
	Version     int         `json:"oatta_transitions"` // 1
	Classes     []string    `json:"classes"`           // by name, each once
	Transitions [][]float64 `json:"transitions"`       // row i: probabilities of the classes that follow class i, one item later
	Frequencies []float64   `json:"frequencies"`       // of the classes; over 0, sum 1
	Dwell       []Dwell     `json:"dwell,omitempty"`   // of each class; none if there were too few runs
	// Rhythm is the median time from one item to the next, in seconds; 0 if it is not known.
	Rhythm  float64 `json:"rhythm_seconds,omitempty"`
	Streams int     `json:"streams"` // that taught
	Items   int     `json:"items"`   // with a label
	Pairs   int     `json:"pairs"`   // that were counted
}

// Dwell says how many items a class lasts.
type Dwell struct {
	Mean   float64   `json:"mean"`
	Shares []float64 `json:"shares"` // [Bins] of runs of 1, 2, 3 to 4, 5 to 8, ... items, and of all longer ones
}

// Read reads and checks a file. A field that the format does not have is an error, as is anything behind the object.
func Read(r io.Reader) (*Order, error) {
	o, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("population: transitions: %w", err)
	}
	return o, nil
}

func read(r io.Reader) (*Order, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("more than %d bytes", MaxBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var o Order
	if err := dec.Decode(&o); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	return &o, o.validate()
}

// ReadFile reads and checks a file.
func ReadFile(path string) (*Order, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	o, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

// Validate reports the first field that is missing or out of range, by its name in the file.
func (o *Order) Validate() error {
	if err := o.validate(); err != nil {
		return fmt.Errorf("population: transitions: %w", err)
	}
	return nil
}

func (o *Order) validate() error {
	if o.Version != Version {
		return fmt.Errorf("oatta_transitions: version %d, this program reads version %d", o.Version, Version)
	}
	if len(o.Classes) < 1 || len(o.Classes) > MaxClasses {
		return fmt.Errorf("classes: %d names, want 1 to %d", len(o.Classes), MaxClasses)
	}
	places := map[string]int{}
	for i, class := range o.Classes {
		if first, repeated := places[class]; repeated {
			return fmt.Errorf("classes[%d]: %q is classes[%d] already", i, class, first)
		}
		places[class] = i
	}
	if err := o.checkNumbers(); err != nil {
		return err
	}
	if !(o.Rhythm >= 0 && o.Rhythm <= 1e10) {
		return fmt.Errorf("rhythm_seconds: %g, want 0 (not known) to 1e10", o.Rhythm)
	}
	if o.Streams < 1 || o.Items < 1 || o.Pairs < 0 {
		return fmt.Errorf("streams, items, pairs: %d, %d, %d: want 1, 1 and 0, or more", o.Streams, o.Items, o.Pairs)
	}
	return nil
}

func (o *Order) checkNumbers() error {
	classes := len(o.Classes)
	if len(o.Transitions) != classes {
		return fmt.Errorf("transitions: %d rows for %d classes", len(o.Transitions), classes)
	}
	for i, row := range o.Transitions {
		if err := distribution(fmt.Sprintf("transitions[%d]", i), row, classes, 0); err != nil {
			return err
		}
	}
	if err := distribution("frequencies", o.Frequencies, classes, 1e-12); err != nil {
		return err
	}
	if o.Dwell != nil && len(o.Dwell) != classes {
		return fmt.Errorf("dwell: of %d classes, want %d", len(o.Dwell), classes)
	}
	for i, d := range o.Dwell {
		if !(d.Mean >= 1 && d.Mean <= 1e15) {
			return fmt.Errorf("dwell[%d].mean: %g items, want 1 or more", i, d.Mean)
		}
		if err := distribution(fmt.Sprintf("dwell[%d].shares", i), d.Shares, Bins, 0); err != nil {
			return err
		}
	}
	return nil
}

// distribution checks probabilities [n] of at least the least. Rounded ones sum to 1 nearly.
func distribution(name string, x []float64, n int, least float64) error {
	if len(x) != n {
		return fmt.Errorf("%s: %d numbers, want %d", name, len(x), n)
	}
	for j, v := range x {
		if !(v >= least && v <= 1) {
			return fmt.Errorf("%s[%d]: %g, want %g to 1", name, j, v, least)
		}
	}
	if total := sum(x); !(math.Abs(total-1) <= 1e-3) {
		return fmt.Errorf("%s: sums to %g, want 1", name, total)
	}
	return nil
}

// For returns the population in the order of a predictor's classes, which must be the same ones, or an error that names those which are not.
func (o *Order) For(classes []string) (*adapt.Population, error) {
	places := make(map[string]int, len(o.Classes))
	for i, class := range o.Classes {
		places[class] = i
	}
	from := make([]int, len(classes)) // place in o of each class
	var missing []string
	for i, class := range classes {
		at, ok := places[class]
		if !ok {
			missing = append(missing, class)
		}
		from[i] = at
		delete(places, class)
	}
	var strange []string
	for _, class := range o.Classes {
		if _, left := places[class]; left {
			strange = append(strange, class)
		}
	}
	if len(missing) > 0 || len(strange) > 0 {
		return nil, fmt.Errorf("population: the %d classes of the transitions are not the %d that are predicted: only there: %s; only here: %s",
			len(o.Classes), len(classes), some(strange), some(missing))
	}
	p := &adapt.Population{Frequencies: picked(o.Frequencies, from)}
	for _, i := range from {
		p.Transitions = append(p.Transitions, picked(o.Transitions[i], from))
	}
	return p, nil
}

func picked(x []float64, places []int) []float64 {
	out := make([]float64, len(places))
	for i, at := range places {
		out[i] = x[at]
	}
	return out
}

// some quotes the first names.
func some(names []string) string {
	const most = 8
	if len(names) == 0 {
		return "none"
	}
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	if len(names) > most {
		quoted = append(quoted, "...")
	}
	return strings.Join(quoted, ", ")
}

// Write checks the file and writes it, a row of the matrix a line.
func (o *Order) Write(w io.Writer) error {
	if err := o.Validate(); err != nil {
		return err
	}
	var b bytes.Buffer
	field := func(name string, v any) {
		fmt.Fprintf(&b, ",\n  %q: %s", name, compact(v))
	}
	fmt.Fprintf(&b, "{\n  %q: %d", "oatta_transitions", o.Version)
	field("classes", o.Classes)
	fmt.Fprintf(&b, ",\n  %q: %s", "transitions", rows(o.Transitions))
	field("frequencies", o.Frequencies)
	if o.Dwell != nil {
		fmt.Fprintf(&b, ",\n  %q: %s", "dwell", rows(o.Dwell))
	}
	if o.Rhythm > 0 {
		field("rhythm_seconds", o.Rhythm)
	}
	field("streams", o.Streams)
	field("items", o.Items)
	field("pairs", o.Pairs)
	b.WriteString("\n}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// rows writes an array with a line for each of its values.
func rows[T any](values []T) string {
	lines := make([]string, len(values))
	for i, v := range values {
		lines[i] = "    " + compact(v)
	}
	return "[\n" + strings.Join(lines, ",\n") + "\n  ]"
}

// compact is JSON on one line, names as they are.
func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // what was checked is strings and finite numbers
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// rounded leaves six digits, more than counts can tell.
func rounded(v float64) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		panic(err) // of what was formatted
	}
	return out
}
