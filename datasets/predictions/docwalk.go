package predictions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// docWalk finds the items of a document.
type docWalk struct {
	*scanner
	d                   *Document
	streams             *streamer
	base                int // of the text that was made plain in the document
	images, predictions bool

	categories map[string]string // names of MegaDetector's classes by id
	order      []string          // their ids as they come
	seen       map[string]int    // classes of the lists, numbered as they come
	names      []string
	streamOf   map[string]string // one string a stream, not one an item

	inner, innermost *scanner // of a list, and of a list in it
}

// root takes what is of interest from the document's object.
func (w *docWalk) root(name []byte) error {
	switch string(name) {
	case "images":
		w.images = w.d.format != FormatSpeciesNet
		if w.images {
			w.d.list = "images"
			return w.elements(w.image)
		}
	case "predictions":
		w.predictions = w.d.format != FormatMegaDetector
		if w.predictions {
			w.d.list = "predictions"
			return w.elements(w.prediction)
		}
	case "classification_categories":
		return w.object(w.category)
	}
	_, err := w.skip()
	return err
}

// elements walks the list of pictures.
func (w *docWalk) elements(element func(index int) error) error {
	return w.array(func(i int) error {
		if err := element(i); err != nil {
			return fmt.Errorf("%s[%d]: %w", w.d.list, i, err)
		}
		return nil
	})
}

// skip passes over a value; its place is in the document.
func (w *docWalk) skip() (span, error) {
	at, err := w.value()
	return w.place(at), err
}

// place returns where a piece of the scanned text is in the document.
func (w *docWalk) place(at span) span { return span{w.offset(at.start), w.offset(at.end)} }

func (w *docWalk) offset(i int) int { return w.d.plain.Offset(i) + w.base }

// here is the place in the document that the walk has come to.
func (w *docWalk) here() int { return w.offset(int(w.dec.InputOffset())) }

// string reads a value that should be a string or a number; anything else is nothing.
func (w *docWalk) string(to *string) error {
	at, err := w.value()
	if err != nil {
		return err
	}
	text, _ := word(at.of(w.text)) // a field of another type is not ours
	*to = string(text)
	return nil
}

// picture is what the items of one element share.
type picture struct {
	file, stream, time, truth string
	start                     int
}

// field reads one of the fields that all formats have; false if it is none of them.
func (w *docWalk) field(p *picture, name []byte) (bool, error) {
	switch string(name) {
	case "file", "filepath":
		return true, w.string(&p.file)
	case w.d.o.StreamField:
		return true, w.string(&p.stream)
	case "datetime":
		return true, w.string(&p.time)
	case w.d.o.TruthField:
		return true, w.string(&p.truth)
	}
	return false, nil
}

// finishPicture gives the items of a picture what they share. A picture without any is an item without probabilities.
func (w *docWalk) finishPicture(p picture, index, first int) error {
	if len(w.d.entries) == first {
		w.d.entries = append(w.d.entries, entry{index: index, part: whole, ends: place{object: p.start}})
	}
	stream, bad := w.streams.of(p.file, p.stream)
	if p.file == "" {
		bad = errors.New("no file name")
	}
	if known, ok := w.streamOf[stream]; ok {
		stream = known
	} else {
		w.streamOf[stream] = stream
	}
	name := strings.ReplaceAll(p.file, `\`, "/")
	for i := range w.d.entries[first:] {
		e := &w.d.entries[first+i]
		e.stream, e.file, e.time, e.truth, e.name = stream, p.file, p.time, p.truth, name
		if e.err == nil && len(e.top) > 0 {
			e.err = bad
		}
	}
	return nil
}

func (w *docWalk) number(to *float64) error {
	at, err := w.value()
	if err != nil {
		return err
	}
	if v, bad := jsonNumber(at.of(w.text)); bad == nil {
		*to = v
	}
	return nil
}

// numberOf numbers the classes as they come.
func (w *docWalk) numberOf(class []byte) int {
	if i, ok := w.seen[string(class)]; ok {
		return i
	}
	w.seen[string(class)] = len(w.names)
	w.names = append(w.names, string(class))
	return len(w.names) - 1
}

// nameClasses decides which classes there are, and gives every entry their indices.
func (w *docWalk) nameClasses() error {
	d := w.d
	if d.format == FormatSpeciesNet {
		d.classes = d.o.Classes
		if d.classes == nil {
			d.classes = w.names
		}
		w.renumber(classIndex(d.classes))
		return nil
	}
	byID := map[string]int{}
	if d.o.Classes == nil {
		for _, id := range w.order {
			if _, occurs := w.seen[id]; occurs {
				byID[id] = len(d.classes)
				d.classes, d.ids = append(d.classes, w.categories[id]), append(d.ids, id)
			}
		}
		w.renumber(byID)
		return nil
	}
	d.classes = d.o.Classes
	for i, name := range d.classes {
		k := slices.IndexFunc(w.order, func(id string) bool { return w.categories[id] == name })
		if k < 0 {
			return fmt.Errorf("class %q is none of classification_categories", name)
		}
		d.ids = append(d.ids, w.order[k])
		byID[w.order[k]] = i
	}
	w.renumber(byID)
	return nil
}

// renumber turns the numbers of the walk into classes.
func (w *docWalk) renumber(classOf map[string]int) {
	for i := range w.d.entries {
		e := &w.d.entries[i]
		for k := range e.top {
			name := w.names[e.top[k].class]
			class, ok := classOf[name]
			if !ok && e.err == nil {
				e.err = fmt.Errorf("class %q is none of the %d", clip([]byte(name)), len(w.d.classes))
			}
			e.top[k].class = class
		}
	}
}
