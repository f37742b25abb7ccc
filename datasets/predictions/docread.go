package predictions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/oatta/oatta/datasets/internal/rawjson"
	"github.com/oatta/oatta/datasets/megadetector"
)

// documentReader makes items of a document.
type documentReader struct {
	d           *Document
	streams     *streamer
	results     megadetector.File
	predictions bool             // of SpeciesNet
	scan        *rawjson.Scanner // of lists of scores

	seen     map[string]int // classes of the lists, numbered as they come
	names    []string
	streamOf map[string]string // one string a stream, not one an item
}

// member reads what is of interest of the document's object.
func (r *documentReader) member(s *rawjson.Scanner, name []byte) error {
	format := r.d.format
	if string(name) == "predictions" && format != FormatMegaDetector {
		r.predictions = true
		return s.Array(func(i int) error {
			if err := r.prediction(s, i); err != nil {
				return fmt.Errorf("predictions[%d]: %w", i, err)
			}
			return nil
		})
	}
	if format != FormatSpeciesNet {
		if known, err := r.results.Member(s, name); known || err != nil {
			return err
		}
	}
	_, err := s.Value()
	return err
}

// finish gives the items of a picture, those from the first on, what they share. A picture without any is an item without probabilities.
func (r *documentReader) finish(picture rawjson.Object, object rawjson.Value, index, first int) {
	d := r.d
	if len(d.entries) == first {
		d.entries = append(d.entries, entry{index: index, part: whole, objects: []rawjson.Value{object}})
	}
	of := entry{}
	given := ""
	for _, m := range picture {
		switch m.Name {
		case "file", "filepath":
			of.file = m.Value.String()
		case d.o.StreamField:
			given = m.Value.String()
		case "datetime":
			of.time = m.Value.String()
		case d.o.TruthField:
			of.truth = m.Value.String()
		}
	}
	stream, bad := r.streams.of(of.file, given)
	if of.file == "" {
		bad = errors.New("no file name")
	}
	if known, ok := r.streamOf[stream]; ok {
		stream = known
	} else {
		r.streamOf[stream] = stream
	}
	name := strings.ReplaceAll(of.file, `\`, "/")
	for i := range d.entries[first:] {
		e := &d.entries[first+i]
		e.stream, e.file, e.time, e.truth, e.name = stream, of.file, of.time, of.truth, name
		if e.err == nil && len(e.top) > 0 {
			e.err = bad
		}
	}
}

// number numbers the classes as they come.
func (r *documentReader) number(class []byte) int {
	if i, ok := r.seen[string(class)]; ok {
		return i
	}
	r.seen[string(class)] = len(r.names)
	r.names = append(r.names, string(class))
	return len(r.names) - 1
}

// renumber turns the numbers of the reader into classes.
func (r *documentReader) renumber(classOf map[string]int) {
	for i := range r.d.entries {
		e := &r.d.entries[i]
		for k := range e.top {
			name := r.names[e.top[k].class]
			class, ok := classOf[name]
			if !ok && e.err == nil {
				e.err = fmt.Errorf("class %q is none of the %d", rawjson.Clip([]byte(name)), len(r.d.classes))
			}
			e.top[k].class = class
		}
	}
}
