package predictions

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/oatta/oatta/datasets/internal/plainjson"
)

// Document is a JSON file of predictions in memory.
type Document struct {
	name    string
	o       Options
	text    []byte
	plain   plainjson.Text // of the text behind the byte order mark
	format  Format
	list    string // name of the list of elements
	classes []string
	ids     []string // of the categories of the classes, in MegaDetector results
	entries []entry
	edits   []edit
}

// Format names a format of predictions.
type Format string

// The formats. JSON is one of the two after it, told apart by what is in it.
const (
	FormatJSONLines    Format = "jsonl"
	FormatCSV          Format = "csv"
	FormatJSON         Format = "json"
	FormatMegaDetector Format = "megadetector"
	FormatSpeciesNet   Format = "speciesnet"
)

// Formats lists the names of the formats.
func Formats() []Format {
	return []Format{FormatJSONLines, FormatCSV, FormatJSON, FormatMegaDetector, FormatSpeciesNet}
}

// entry is one item of a document and the places where its results go.
type entry struct {
	stream, file, time, truth string
	name                      string // file with slashes, for the order
	index, part               int    // element of the list, and detection in it or whole
	top                       []score
	err                       error // why the item cannot be used
	frame                     float64
	ends                      place
}

// whole is the part of an entry that is all of its element.
const whole = -1

// place is where the results of an entry go.
type place struct {
	object                                int  // beginning of the object that the entry is, for messages
	raw                                   span // the list of raw classifications as it stands
	classifications, rawCopy, label, gate span // what stands there already
	mode                                  span
	at                                    span // the field behind which others can be added
}

// ReadDocument reads a whole document. An error is of the file as a whole; what is wrong with one item is told when it is asked for.
func ReadDocument(name string, r io.Reader, format Format, o Options) (*Document, error) {
	o = o.filled()
	streams, err := newStreamer(o)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, o.MaxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(text)) > o.MaxDocument {
		return nil, fmt.Errorf("%s: document is over %d bytes", name, o.MaxDocument)
	}
	d := &Document{name: name, o: o, text: text, format: format}
	if err := d.parse(streams); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.sort()
	return d, nil
}

// parse walks the document by the format.
func (d *Document) parse(streams *streamer) error {
	w := &docWalk{
		scanner: newScanner(), inner: newScanner(), innermost: newScanner(), d: d, streams: streams,
		categories: map[string]string{}, seen: map[string]int{}, streamOf: map[string]string{},
	}
	skip := 0
	if bytes.HasPrefix(d.text, byteOrderMark) {
		skip = len(byteOrderMark)
	}
	d.plain = plainjson.New(d.text[skip:])
	w.base, w.read = skip, d.plain.Offset
	w.reset(d.plain.Text)
	if err := w.object(w.root); err != nil {
		return err
	}
	if err := w.finish(); err != nil {
		return err
	}
	switch {
	case d.format == FormatJSON && w.images == w.predictions:
		return errors.New("neither MegaDetector results (images) nor SpeciesNet predictions (predictions)")
	case d.format == FormatMegaDetector && !w.images:
		return errors.New("no images: not MegaDetector results")
	case d.format == FormatSpeciesNet && !w.predictions:
		return errors.New("no predictions: not those of SpeciesNet")
	case w.images:
		d.format = FormatMegaDetector
	default:
		d.format = FormatSpeciesNet
	}
	return w.nameClasses()
}

// Note says of which values JSON does not know, for people; "" if there are none. They are written as they came.
func (d *Document) Note() string { return plainjson.Note(d.plain.Unknown) }

// Format returns the format that the document is in.
func (d *Document) Format() Format { return d.format }

// Classes returns the names of the classes.
func (d *Document) Classes() []string { return d.classes }

// Len returns the number of items.
func (d *Document) Len() int { return len(d.entries) }

// Item returns item i in the order of steps. The error, a *[LineError], tells where it stands in the document and what is wrong with it. probs [K] is
// overwritten and becomes Item.Probs.
func (d *Document) Item(i int, probs []float64) (Item, error) {
	e := &d.entries[i]
	item := Item{Stream: []byte(e.stream), ID: []byte(e.file), Time: []byte(e.time), Truth: []byte(e.truth)}
	if e.err != nil {
		return item, d.Fail(i, e.err)
	}
	if len(e.top) == 0 {
		return item, nil
	}
	if err := spread(probs, e.top); err != nil {
		return item, d.Fail(i, err)
	}
	item.Probs = probs
	return item, nil
}

// Fail puts the place of item i before a cause.
func (d *Document) Fail(i int, cause error) error {
	e := &d.entries[i]
	where := fmt.Sprintf("%s[%d]", d.list, e.index)
	if e.part != whole {
		where += fmt.Sprintf(".detections[%d]", e.part)
	}
	at := e.ends.object // the end of the value before it
	for at < len(d.text) && (isSpace(d.text[at]) || d.text[at] == ',') {
		at++
	}
	return &LineError{d.name, 1 + bytes.Count(d.text[:at], newline), fmt.Errorf("%s (%s): %w", where, clip([]byte(e.file)), cause)}
}
