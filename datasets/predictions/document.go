package predictions

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/oatta/oatta/datasets/internal/rawjson"
	"github.com/oatta/oatta/datasets/megadetector"
)

// Document is a JSON file of predictions in memory.
type Document struct {
	name    string
	o       Options
	file    *rawjson.File
	format  Format
	classes []string
	ids     []string // of the categories of the classes, in MegaDetector results
	entries []entry
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

// entry is one item of a document.
type entry struct {
	stream, file, time, truth string
	name                      string // file with slashes, for the order
	index, part               int    // element of the list, and detection in it or whole
	top                       []score
	err                       error // why the item cannot be used
	frame                     float64
	object                    rawjson.Value // in which its results go
}

// whole is the part of an entry that is all of its element.
const whole = -1

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
	d := &Document{name: name, o: o, file: rawjson.NewFile(text), format: format}
	if err := d.read(streams); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.sort()
	return d, nil
}

// read makes items of the document by its format.
func (d *Document) read(streams *streamer) error {
	r := &documentReader{d: d, streams: streams, scan: rawjson.NewScanner(), seen: map[string]int{}, streamOf: map[string]string{}}
	if err := d.file.Scan(r.member); err != nil {
		return err
	}
	images, predictions := r.results.Images != nil, r.predictions
	switch {
	case d.format == FormatJSON && images == predictions:
		return errors.New("neither MegaDetector results (images) nor SpeciesNet predictions (predictions)")
	case d.format == FormatMegaDetector && !images:
		return errors.New("no images: not MegaDetector results")
	case d.format == FormatSpeciesNet && !predictions:
		return errors.New("no predictions: not those of SpeciesNet")
	case images:
		d.format = FormatMegaDetector
		return r.megaDetector()
	}
	d.format = FormatSpeciesNet
	r.nameSpecies()
	return nil
}

// Note says of which values JSON does not know, for people; "" if there are none. They are written as they came.
func (d *Document) Note() string { return d.file.Note() }

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
	list := "predictions"
	if d.format == FormatMegaDetector {
		list = "images"
	}
	where := fmt.Sprintf("%s[%d]", list, e.index)
	if e.part != whole {
		where += fmt.Sprintf(".detections[%d]", e.part)
	}
	return &LineError{d.name, d.file.Line(e.object), fmt.Errorf("%s (%s): %w", where, rawjson.Clip([]byte(e.file)), cause)}
}

// Adapt notes the adapted values of item i, which must have probabilities.
func (d *Document) Adapt(i int, a Adapted) {
	e := &d.entries[i]
	object, err := e.object.Members()
	if err != nil {
		panic("predictions: what was read cannot be read again: " + err.Error())
	}
	ranked := megadetector.Ranked(a.Probs, cmp.Or(d.o.Top, len(e.top)))
	if d.format == FormatMegaDetector {
		d.adaptMegaDetector(object, a, ranked)
		return
	}
	d.adaptSpeciesNet(object, a, ranked)
}

// WriteTo implements [io.WriterTo]: the document with all that was adapted.
func (d *Document) WriteTo(w io.Writer) (int64, error) { return d.file.WriteTo(w) }

// appendJoined appends n values with ", " between them.
func appendJoined(dst []byte, n int, value func(dst []byte, k int) []byte) []byte {
	for k := range n {
		if k > 0 {
			dst = append(dst, ", "...)
		}
		dst = value(dst, k)
	}
	return dst
}
