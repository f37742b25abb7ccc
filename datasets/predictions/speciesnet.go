package predictions

import (
	"fmt"

	"github.com/oatta/oatta/datasets/internal/rawjson"
	"github.com/oatta/oatta/datasets/megadetector"
)

// speciesNetClasses is how many classes SpeciesNet's classifiers have (v4.0.1a and v4.0.1b; a document lists the five best of each picture and
// names no others).
const speciesNetClasses = 2498

// prediction reads an element of SpeciesNet's predictions. Up to version 4 it has a list of its own; since version 5 each of its detections
// has one.
func (r *documentReader) prediction(s *rawjson.Scanner, index int) error {
	at := s.Next()
	fields, err := s.Members()
	if err != nil {
		return err
	}
	object := s.Since(at)
	first := len(r.d.entries)
	if list := fields.Value("classifications"); list.Set() || !fields.Value("detections").Set() {
		e := r.speciesOf(list, fields.Value("prediction"), fields.Value("prediction_source"))
		e.index, e.part, e.objects = index, whole, []rawjson.Value{object}
		r.d.entries = append(r.d.entries, e)
	} else if err := r.boxesOfSpecies(fields.Value("detections"), index, &pictureLabel{fields, whole}); err != nil {
		return err
	}
	r.finish(fields, object, index, first)
	return nil
}

// boxesOfSpecies reads the detections of version 5.
func (r *documentReader) boxesOfSpecies(list rawjson.Value, index int, picture *pictureLabel) error {
	boxes, err := list.Elements()
	if err != nil {
		return err
	}
	first := len(r.d.entries)
	for k, box := range boxes {
		fields, err := box.Members()
		if err != nil {
			return err
		}
		raw := fields.Value("raw_classifications")
		if conf, err := rawjson.Float(fields.Value("conf").Text); !raw.Set() || err == nil && conf < r.d.o.MinConf {
			continue
		}
		said, err := fields.Value("processed_classification").Members()
		if err != nil {
			return err
		}
		e := r.speciesOf(raw, said.Value("class"), said.Value("source"))
		e.index, e.part, e.objects, e.picture = index, k, []rawjson.Value{box}, picture
		r.d.join(e, first)
	}
	for _, e := range r.d.entries[first:] {
		if e.err == nil && len(e.top) > 0 {
			picture.part = e.part
			break
		}
	}
	return nil
}

// speciesOf reads a list, and what the ensemble made of it. Where its detector decided, the list had no say, and the item has no probabilities.
func (r *documentReader) speciesOf(list, prediction, source rawjson.Value) (e entry) {
	e.prediction, e.source = prediction.String(), source.String()
	if list.Set() {
		if e.top, e.err = r.classesAndScores(list); e.err != nil {
			e.err = fmt.Errorf("classifications: %w", e.err)
		}
	}
	if e.byDetector() && len(e.top) > 0 {
		e.top = nil
		r.d.detector++
	}
	return e
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
	r.d.classes, r.d.declared = r.d.o.Classes, len(r.d.o.Classes)
	if r.d.classes == nil {
		r.d.classes, r.d.declared = r.names, max(speciesNetClasses, len(r.names))
	}
	r.renumber(classIndex(r.d.classes))
}

// adaptSpeciesNet adds the adapted list beside the raw one.
func (d *Document) adaptSpeciesNet(object rawjson.Object, a Adapted, ranked []score) {
	list := appendJoined([]byte(`{"classes": [`), len(ranked), func(dst []byte, k int) []byte {
		return rawjson.AppendString(dst, d.classes[ranked[k].class])
	})
	list = appendJoined(append(list, `], "scores": [`...), len(ranked), func(dst []byte, k int) []byte {
		return megadetector.Decimal(ranked[k].p).Append(dst)
	})
	at := object.Value("classifications")
	if !at.There() {
		at = object.Value("raw_classifications")
	}
	d.file.Put(object, "adapted_classifications", append(list, "]}"...), at)
	d.file.Put(object, "adapted_label", rawjson.AppendString(nil, a.AdaptedLabel), at)
	d.file.Put(object, "gate", megadetector.Decimal(a.Gate).Append(nil), at)
	d.file.Put(object, "adapted_mode", rawjson.AppendString(nil, a.Mode), at)
}

// pictureLabel is a picture of version 5, which gets the adapted label of its first box beside those of the boxes: SpeciesNet writes boxes by
// falling confidence.
type pictureLabel struct {
	fields rawjson.Object
	part   int // the first box that is an item with probabilities
}

// labelPicture gives the picture of its first box the label of that.
func (d *Document) labelPicture(e *entry, a Adapted) {
	if e.picture != nil && e.picture.part == e.part {
		d.file.Put(e.picture.fields, "adapted_label", rawjson.AppendString(nil, a.AdaptedLabel), e.picture.fields.Value("detections"))
	}
}
