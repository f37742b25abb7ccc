package predictions

import (
	"fmt"
)

// prediction reads an element of SpeciesNet's predictions.
func (w *docWalk) prediction(index int) error {
	p := picture{start: w.here()}
	e := entry{index: index, part: whole, ends: place{object: p.start}}
	err := w.object(func(name []byte) (err error) {
		if known, err := w.field(&p, name); known || err != nil {
			return err
		}
		switch string(name) {
		case "classifications":
			e.ends.at, err = w.classesAndScores(&e)
		case "adapted_classifications":
			e.ends.classifications, err = w.skip()
		case "adapted_label":
			e.ends.label, err = w.skip()
		case "gate":
			e.ends.gate, err = w.skip()
		case "adapted_mode":
			e.ends.mode, err = w.skip()
		default:
			_, err = w.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	first := len(w.d.entries)
	w.d.entries = append(w.d.entries, e)
	return w.finishPicture(p, index, first)
}

// classesAndScores reads {"classes": [...], "scores": [...]}.
func (w *docWalk) classesAndScores(e *entry) (span, error) {
	at, err := w.value()
	in := w.place(at)
	if err != nil || w.text[at.start] == 'n' {
		return in, err
	}
	inner := w.inner
	inner.reset(at.of(w.text))
	var classes []int
	var scores []float64
	e.err = inner.object(func(name []byte) error {
		isClasses, isScores := string(name) == "classes", string(name) == "scores"
		at, err := inner.value()
		switch {
		case err != nil:
			return err
		case isClasses:
			classes, err = w.classList(at.of(inner.text))
		case isScores:
			scores, err = numbers(nil, at.of(inner.text))
		}
		return err
	})
	switch {
	case e.err != nil:
		e.err = fmt.Errorf("classifications: %w", e.err)
	case len(classes) != len(scores):
		e.err = fmt.Errorf("classifications: %d classes and %d scores", len(classes), len(scores))
	default:
		for i, c := range classes {
			e.top = append(e.top, score{c, scores[i]})
		}
	}
	return in, nil
}

func (w *docWalk) classList(raw []byte) (out []int, err error) {
	inner := w.innermost
	inner.reset(raw)
	err = inner.array(func(int) error {
		at, err := inner.value()
		if err != nil {
			return err
		}
		name, err := unquoted(at.of(inner.text))
		if err == nil {
			out = append(out, w.numberOf(name))
		}
		return err
	})
	return out, err
}
