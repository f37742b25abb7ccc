package predictions

import (
	"fmt"

	"github.com/oatta/oatta/datasets/internal/rawjson"
	"github.com/oatta/oatta/datasets/megadetector"
)

// prediction reads an element of SpeciesNet's predictions.
func (r *documentReader) prediction(s *rawjson.Scanner, index int) error {
	at := s.Next()
	fields, err := s.Members()
	if err != nil {
		return err
	}
	e := entry{index: index, part: whole, object: s.Since(at)}
	if list := fields.Value("classifications"); list.Set() {
		if e.top, e.err = r.classesAndScores(list); e.err != nil {
			e.err = fmt.Errorf("classifications: %w", e.err)
		}
	}
	first := len(r.d.entries)
	r.d.entries = append(r.d.entries, e)
	r.finish(fields, e.object, index, first)
	return nil
}

// classesAndScores reads {"classes": [...], "scores": [...]}.
func (r *documentReader) classesAndScores(v rawjson.Value) (top []score, err error) {
	var classes []int
	var scores []float64
	r.scan.Reset(v.Text)
	lists, err := r.scan.Members()
	for _, m := range lists {
		switch m.Name {
		case "classes":
			classes, err = r.classList(m.Value)
		case "scores":
			scores, err = rawjson.Numbers(nil, m.Value.Text)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	if len(classes) != len(scores) {
		return nil, fmt.Errorf("%d classes and %d scores", len(classes), len(scores))
	}
	for i, c := range classes {
		top = append(top, score{c, scores[i]})
	}
	return top, nil
}

func (r *documentReader) classList(list rawjson.Value) (out []int, _ error) {
	r.scan.Reset(list.Text)
	err := r.scan.Array(func(int) error {
		v, err := r.scan.Value()
		if err != nil {
			return err
		}
		name, err := rawjson.Unquoted(v.Text)
		if err == nil {
			out = append(out, r.number(name))
		}
		return err
	})
	return out, err
}

// nameSpecies decides which classes there are, and gives every entry their indices.
func (r *documentReader) nameSpecies() {
	r.d.classes = r.d.o.Classes
	if r.d.classes == nil {
		r.d.classes = r.names
	}
	r.renumber(classIndex(r.d.classes))
}

// adaptSpeciesNet adds the adapted list beside the raw one.
func (d *Document) adaptSpeciesNet(object rawjson.Object, a Adapted, ranked []int) {
	list := appendJoined([]byte(`{"classes": [`), len(ranked), func(dst []byte, k int) []byte {
		return rawjson.AppendString(dst, d.classes[ranked[k]])
	})
	list = appendJoined(append(list, `], "scores": [`...), len(ranked), func(dst []byte, k int) []byte {
		return megadetector.Decimal(a.Probs[ranked[k]]).Append(dst)
	})
	at := object.Value("classifications")
	d.file.Put(object, "adapted_classifications", append(list, "]}"...), at)
	d.file.Put(object, "adapted_label", rawjson.AppendString(nil, a.AdaptedLabel), at)
	d.file.Put(object, "gate", megadetector.Decimal(a.Gate).Append(nil), at)
	d.file.Put(object, "adapted_mode", rawjson.AppendString(nil, a.Mode), at)
}
