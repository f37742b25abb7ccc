package predictions

import (
	"fmt"
	"slices"
)

func (w *docWalk) category(id []byte) error {
	at, err := w.value()
	if err != nil {
		return err
	}
	name, err := unquoted(at.of(w.text))
	if err != nil {
		return fmt.Errorf("classification_categories %q: %w", clip(id), err)
	}
	w.categories[string(id)] = string(name)
	w.order = append(w.order, string(id))
	return nil
}

// image reads an element of MegaDetector's images: its detections, or its own classifications, become items.
func (w *docWalk) image(index int) error {
	p := picture{start: w.here()}
	first := len(w.d.entries)
	own := entry{index: index, part: whole}
	err := w.object(func(name []byte) error {
		if string(name) == "detections" {
			if w.dec.PeekKind() != '[' { // null after a failure
				_, err := w.skip()
				return err
			}
			return w.array(func(i int) error { return w.detection(index, i) })
		}
		if known, err := w.field(&p, name); known || err != nil {
			return err
		}
		return w.listMember(&own, name)
	})
	if err != nil {
		return err
	}
	if own.top != nil || own.err != nil {
		own.ends.object = p.start
		w.d.entries = append(w.d.entries, own)
	}
	return w.finishPicture(p, index, first)
}

// detection reads one detection. Without classifications it is no item.
func (w *docWalk) detection(index, part int) error {
	e := entry{index: index, part: part, ends: place{object: w.here()}}
	conf := 1.0
	err := w.object(func(name []byte) error {
		switch string(name) {
		case "conf":
			return w.number(&conf)
		case "frame_number":
			return w.number(&e.frame)
		}
		return w.listMember(&e, name)
	})
	if err == nil && conf >= w.d.o.MinConf && (e.top != nil || e.err != nil) {
		w.d.entries = append(w.d.entries, e)
	}
	return err
}

// listMember reads a field of an object that may have classifications as MegaDetector has them. What has been filtered before has the raw ones in a field
// of their own.
func (w *docWalk) listMember(e *entry, name []byte) (err error) {
	switch string(name) {
	case "classifications":
		rawThere := e.ends.rawCopy.there()
		e.ends.classifications, err = w.list(e, !rawThere)
		if !rawThere {
			e.ends.raw = e.ends.classifications
		}
		e.ends.at = e.ends.classifications
	case "raw_classifications":
		e.ends.rawCopy, err = w.list(e, true)
		e.ends.raw = e.ends.rawCopy
		if !e.ends.at.there() {
			e.ends.at = e.ends.rawCopy
		}
	case "gate":
		e.ends.gate, err = w.skip()
	case "adapted_mode":
		e.ends.mode, err = w.skip()
	default:
		_, err = w.skip()
	}
	return err
}

// list reads [["3", 0.9], ...] into the entry if it is wanted. What is wrong with it is the entry's error, not the document's.
func (w *docWalk) list(e *entry, wanted bool) (span, error) {
	at, err := w.value()
	in := w.place(at)
	if err != nil || !wanted {
		return in, err
	}
	e.top, e.err = nil, nil
	if w.text[at.start] == 'n' { // null
		return in, nil
	}
	inner := w.inner
	inner.reset(at.of(w.text))
	e.err = inner.array(func(i int) error {
		var class []byte
		var p float64
		n := 0
		err := inner.array(func(k int) (err error) {
			at, err := inner.value()
			if err != nil {
				return err
			}
			n++
			switch k {
			case 0:
				class, err = word(at.of(inner.text))
				class = slices.Clone(class)
			case 1:
				p, err = jsonNumber(at.of(inner.text))
			}
			return err
		})
		if err == nil && n != 2 {
			err = fmt.Errorf("%d values: want a class and its score", n)
		}
		if err != nil {
			return fmt.Errorf("classification %d: %w", i, err)
		}
		e.top = append(e.top, score{w.numberOf(class), p})
		return nil
	})
	return in, nil
}
