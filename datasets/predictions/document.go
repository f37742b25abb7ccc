package predictions

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/oatta/oatta/datasets/internal/message"
	"github.com/oatta/oatta/datasets/internal/rawjson"
	"github.com/oatta/oatta/datasets/megadetector"
)

// Document is a JSON file of predictions in memory.
type Document struct {
	name    string
	o       Options
	file    *rawjson.File
	format  Format
	classes []string // that have names
	ids     []string // of the categories of the classes, in MegaDetector results
	entries []entry

	index            map[string]int // of the classes by name
	declared         int            // classes that there are, those without a name among them
	copied, detector int            // entries of a list on several boxes, and of a decision of an ensemble's detector

	mixed      int    // streams of which some times have a zone and some have none
	firstMixed string // the first of them
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
	onWall                    bool            // see Item
	objects                   []rawjson.Value // in which its results go
	space                     *Space          // of its stream

	// What SpeciesNet's ensemble says of it; "" if there is none.
	prediction, source string
	picture            *pictureLabel // that gets its adapted label, too; nil: none
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
	d.index = classIndex(d.classes)
	d.makeSpaces()
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

// Notes say, for people, what of the document is not as it looks: values that JSON does not know, which are written as they came, lists that
// count once, and decisions that stay.
func (d *Document) Notes() (out []string) {
	if note := d.file.Note(); note != "" {
		out = append(out, note)
	}
	if d.copied > 0 {
		out = append(out, fmt.Sprintf("the boxes of %d lists of classes share them with other boxes of their picture: each list is one observation", d.copied))
	}
	if d.detector > 0 {
		out = append(out, fmt.Sprintf("%d predictions are those of the ensemble's detector: they stay, and the filter does not see them", d.detector))
	}
	if d.mixed > 0 {
		out = append(out, fmt.Sprintf("times with a zone among some without in %s, ordered by the clock on the wall; the first is %s", message.Count(d.mixed, "stream"), message.Show(d.firstMixed)))
	}
	return out
}

// Format returns the format that the document is in.
func (d *Document) Format() Format { return d.format }

// Classes returns the names of the classes: those that the options or the document declare, or, where neither does, those that occur.
func (d *Document) Classes() []string { return d.classes }

// Declared returns how many classes there are, those that have no name in the document among them.
func (d *Document) Declared() int { return d.declared }

// Space returns the classes that the filter of item i works on; it is the same for all items of a stream.
func (d *Document) Space(i int) *Space { return d.entries[i].space }

// Len returns the number of items.
func (d *Document) Len() int { return len(d.entries) }

// Item returns item i in the order of steps. The error, a *[LineError], tells where it stands in the document and what is wrong with it. probs, of
// the length of its [Space] or more, is overwritten and becomes Item.Probs.
func (d *Document) Item(i int, probs []float64) (Item, error) {
	return d.item(i, probs, func(e *entry) ([]float64, error) {
		probs = probs[:e.space.Len()]
		return probs, e.space.fill(probs, e.top)
	})
}

// Whole returns item i with a probability for each of the document's classes: probs [len(Classes)] is overwritten and becomes Item.Probs. What a
// list leaves out is shared by those classes that it does not name.
func (d *Document) Whole(i int, probs []float64) (Item, error) {
	return d.item(i, probs, func(e *entry) ([]float64, error) { return probs, spread(probs, e.top, nil, len(probs)-len(e.top)) })
}

func (d *Document) item(i int, probs []float64, fill func(e *entry) ([]float64, error)) (_ Item, err error) {
	e := &d.entries[i]
	item := Item{Stream: []byte(e.stream), ID: []byte(e.file), Time: []byte(e.time), OnWall: e.onWall, Truth: []byte(e.truth)}
	if e.err != nil {
		return item, d.Fail(i, e.err)
	}
	if len(e.top) == 0 {
		return item, nil
	}
	if item.Probs, err = fill(e); err != nil {
		item.Probs = nil
		return item, d.Fail(i, err)
	}
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
	return &LineError{d.name, d.file.Line(e.objects[0]), fmt.Errorf("%s (%s): %w", where, rawjson.Clip([]byte(e.file)), cause)}
}

// Adapt notes the adapted values of item i, which must have probabilities. Those of a are restored ones ([Space.Restore]).
func (d *Document) Adapt(i int, a Adapted) {
	e := &d.entries[i]
	named := e.space.Classes
	ranked := megadetector.Ranked(a.Probs[:len(named)], cmp.Or(d.o.Top, len(e.top)))
	list := make([]score, len(ranked))
	for k, at := range ranked {
		list[k] = score{named[at], a.Probs[at]}
	}
	for _, object := range e.objects {
		members, err := object.Members()
		if err != nil {
			panic("predictions: what was read cannot be read again: " + err.Error())
		}
		if d.format == FormatMegaDetector {
			d.adaptMegaDetector(members, a, list)
		} else {
			d.adaptSpeciesNet(members, a, list)
		}
	}
	d.labelPicture(e, a)
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
