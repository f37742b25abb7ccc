package predictions

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Item is one prediction. Its slices belong to the reader and are valid until it moves on.
type Item struct {
	Stream []byte    // never empty
	ID     []byte    // name of the item; empty if it has none
	Time   []byte    // as it stands in the input, quotes undone; empty if there is none
	OnWall bool      // only some times of the stream have a zone: they compare by what the clock on the wall showed
	Truth  []byte    // true label, a name or an index; empty if there is none
	Probs  []float64 // by class; nil for an item that the predictor itself gave up on, which is no step of the filter
	Label  []byte    // what "label" was in a JSON line, which Append replaces; empty if there was none
	Blank  bool      // a line of white space, which is no item
}

// Adapted is what a filter made of an item.
type Adapted struct {
	Label        string    // most probable class before
	AdaptedLabel string    // and after the filter
	Probs        []float64 // by class, after the filter
	Gate         float64   // share of it that owes itself to order, 0 to 1
	Mode         string    // how much of the stream the filter knew: filtered, lagged or smoothed
}

// Offset is a place in an input between two lines.
type Offset struct {
	Bytes int64 `json:"bytes"` // before it, after decompression
	Lines int   `json:"lines"` // that end before it
}

// Held is a line of [Lines] that is kept after the reader moved on.
type Held struct {
	text []byte
	line int
}

// Size returns the bytes of the line.
func (h Held) Size() int { return len(h.text) }

// Options says how to read predictions. The zero value reads the fields that the package names.
type Options struct {
	// Classes are the names of the classes, in the order of the probabilities. Without them JSON lines have only indices, and CSV and
	// documents take the names from the input.
	Classes []string
	// Stream is the stream of items that name none. Without it such an item is an error.
	Stream string
	// StreamField, IDField and TruthField are names of fields or columns; default "stream", "id" (or "file") and "truth". A truth that is in
	// "label" stays there; the label of the raw probabilities is then written as "raw_label".
	StreamField, IDField, TruthField string
	// TimeField is the field or column of the time; default "time", "-": none.
	TimeField string
	// Columns are the columns of a CSV table that hold probabilities, in the order of the classes; one that ends in * stands for all
	// that begin like it.
	Columns []string
	// Logits tells that the columns hold logits.
	Logits bool
	// StreamPattern makes a stream of the file name in a document, in place of its folder: a group named "stream", else the first group,
	// else the whole match.
	StreamPattern string
	// MinConf passes over detections of MegaDetector results with a lower confidence: no step, and written as they are.
	MinConf float64
	// Most is how many classes a document may declare for the filters of its streams to have all of them; of more, they have those that
	// lists of their stream name, and one that stands for the others ([Space]). Default 64.
	Most int
	// Also, if set, names classes that the filter of a stream has although no list of the stream may name them; names that are no classes are ignored.
	Also func(stream string) []string
	// Top is how many classes the adapted lists of a document have; default: as many as the raw list.
	Top int
	// MaxLine is the most bytes that a line may have; default 16 MiB.
	MaxLine int
	// MaxDocument is the most bytes that a document may have; default 2 GiB.
	MaxDocument int64
}

// The limits of the zero Options.
const (
	DefaultMaxLine     = 16 << 20
	DefaultMaxDocument = 2 << 30
)

// Validate returns the first thing that is wrong with the options.
func (o Options) Validate() error {
	switch {
	case o.MaxLine < 0 || o.MaxLine > 0 && o.MaxLine < 64 || o.MaxLine > 1<<30:
		return fmt.Errorf("predictions: longest line %d: want 64 to %d bytes", o.MaxLine, 1<<30)
	case o.MaxDocument < 0:
		return fmt.Errorf("predictions: largest document %d: want 0 or more bytes", o.MaxDocument)
	case o.Top < 0:
		return fmt.Errorf("predictions: top %d: want 0 or more", o.Top)
	case !(o.MinConf >= 0 && o.MinConf <= 1):
		return fmt.Errorf("predictions: least confidence %g: want 0 to 1", o.MinConf)
	}
	for _, name := range []string{o.StreamField, o.IDField, o.TruthField, o.TimeField} {
		if slices.Contains(written, name) && (name != "label" || name != o.TruthField) {
			return fmt.Errorf("predictions: field %q cannot be read: it is one of those that are written", name)
		}
	}
	seen := map[string]int{}
	for i, name := range o.Classes {
		if name == "" {
			return fmt.Errorf("predictions: class %d has no name", i)
		}
		if j, ok := seen[name]; ok {
			return fmt.Errorf("predictions: classes %d and %d both have the name %q", j, i, name)
		}
		seen[name] = i
	}
	_, err := newStreamer(o)
	return err
}

// written are the fields that are added or replaced.
var written = []string{"label", "raw_label", "adapted_label", "gate", "adapted", "adapted_prob", "adapted_mode", "adapted_classifications", "raw_classifications"}

func (o Options) filled() Options {
	o.MaxLine = cmp.Or(o.MaxLine, DefaultMaxLine)
	o.MaxDocument = cmp.Or(o.MaxDocument, DefaultMaxDocument)
	o.Most = cmp.Or(o.Most, 64)
	o.StreamField = cmp.Or(o.StreamField, "stream")
	o.TruthField = cmp.Or(o.TruthField, "truth")
	o.TimeField = cmp.Or(o.TimeField, "time")
	return o
}

// LineError is what is wrong with one line; the lines after it can be read.
type LineError struct {
	Name string // of the input
	Line int    // from 1; the first line of a record that has several
	Err  error
}

// Error implements error: place, then cause.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// ErrNeedsClasses is the cause of a line that only a list of the classes makes readable.
var ErrNeedsClasses = errors.New("which classes there are is not told: a line with \"top\" needs the list of all of them")

// Lines is a format of one item a line.
type Lines interface {
	// Grow, called before Begin, tells that more may be written to the input: its last record counts only when its line end is there, as what is there
	// of it may be understood, and be wrong.
	Grow()
	// Begin reads what stands before the first item and returns the names of the classes, nil if the format does not tell them.
	Begin() (classes []string, err error)
	// Head appends what is written before the first item.
	Head(dst []byte) []byte
	// Next reads a line. The error is io.EOF at the end, a *LineError for a line that cannot be understood, anything else if the input
	// cannot be read on. An item without probabilities is not to be stepped.
	Next() (*Item, error)
	// Line is the number of the line that Next read.
	Line() int
	// Hold keeps the line that Next understood, for Recall.
	Hold() Held
	// Recall makes a line that was held the one in hand, until Next reads the next: Line, Append and Unchanged are of it.
	Recall(Held) (*Item, error)
	// Open tells, after io.EOF of an input that may grow, that there is a record without its line end, which was left.
	Open() bool
	// Offset tells where the line that Next read ends, after Append or Unchanged.
	Offset() Offset
	// SkipTo, called after Begin, goes on where an earlier reader of the same input was.
	SkipTo(Offset) error
	// Append appends the line with the adapted values.
	Append(dst []byte, a Adapted) []byte
	// Unchanged writes the line as it came, after an error or for an item without probabilities. A table gets empty cells in the added columns.
	Unchanged(w io.Writer) error
	// Notes say, for people, what was taken for what so far.
	Notes() []string
}

// softmax turns logits into probabilities, in place.
func softmax(x []float64) error {
	top := math.Inf(-1)
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("logit of class %d is %g: want a finite number", i, v)
		}
		top = max(top, v)
	}
	sum := 0.0
	for i, v := range x {
		x[i] = math.Exp(v - top)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
	return nil
}
