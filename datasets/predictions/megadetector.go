package predictions

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/datasets/internal/rawjson"
	"github.com/oatta/oatta/datasets/megadetector"
)

// megaDetector makes items of the detections, or the pictures, that have classifications.
func (r *documentReader) megaDetector() error {
	d := r.d
	for i := range r.results.Images {
		im := &r.results.Images[i]
		first := len(d.entries)
		for k := range im.Detections {
			detection := &im.Detections[k]
			fields, err := detection.Raw.Members()
			if err != nil {
				return err
			}
			if e := r.listed(fields); (e.top != nil || e.err != nil) && !(detection.Conf < d.o.MinConf) {
				e.frame, _ = rawjson.Number(fields.Value("frame_number").Text)
				e.index, e.part, e.object = i, k, detection.Raw
				d.entries = append(d.entries, e)
			}
		}
		if own := r.listed(im.Fields); own.top != nil || own.err != nil {
			own.index, own.part, own.object = i, whole, im.Raw
			d.entries = append(d.entries, own)
		}
		r.finish(im.Fields, im.Raw, i, first)
	}
	return r.nameMegaDetector()
}

// lists returns the raw classifications of an object and the list behind which others can be added. What has been filtered before has the
// raw ones in a field of their own.
func lists(object rawjson.Object) (raw, at rawjson.Value) {
	classifications, before := object.Value("classifications"), object.Value("raw_classifications")
	raw, at = before, classifications
	if !raw.There() {
		raw = classifications
	}
	if !at.There() {
		at = before
	}
	return raw, at
}

// listed reads the raw classifications of an object, [["3", 0.9], ...]. What is wrong with them is the entry's error, not the document's.
func (r *documentReader) listed(object rawjson.Object) (e entry) {
	raw, _ := lists(object)
	if !raw.Set() {
		return e
	}
	e.top, e.err = readScores(r.scan, nil, raw, "classification", func(class []byte) (int, error) {
		id, err := rawjson.Word(class)
		if err != nil {
			return 0, err
		}
		return r.number(id), nil
	})
	return e
}

// nameMegaDetector decides which classes there are, and gives every entry their indices.
func (r *documentReader) nameMegaDetector() error {
	d := r.d
	ids, names, err := r.results.Classes()
	if err != nil {
		return err
	}
	classOf := map[string]int{}
	if d.o.Classes == nil {
		for _, id := range ids {
			if _, occurs := r.seen[id]; occurs {
				classOf[id] = len(d.classes)
				d.classes, d.ids = append(d.classes, names[id]), append(d.ids, id)
			}
		}
		r.renumber(classOf)
		return nil
	}
	d.classes = d.o.Classes
	for i, name := range d.classes {
		k := slices.IndexFunc(ids, func(id string) bool { return names[id] == name })
		if k < 0 {
			return fmt.Errorf("class %q is none of classification_categories", name)
		}
		d.ids = append(d.ids, ids[k])
		classOf[ids[k]] = i
	}
	r.renumber(classOf)
	return nil
}

// adaptMegaDetector puts the adapted list where tools look for it and the raw one beside it.
func (d *Document) adaptMegaDetector(object rawjson.Object, a Adapted, ranked []int) {
	list := appendJoined([]byte("["), len(ranked), func(dst []byte, k int) []byte {
		dst = append(rawjson.AppendString(append(dst, '['), d.ids[ranked[k]]), ", "...)
		return append(megadetector.Decimal(a.Probs[ranked[k]]).Append(dst), ']')
	})
	raw, at := lists(object)
	d.file.Put(object, "classifications", append(list, ']'), at)
	d.file.Put(object, "raw_classifications", d.file.Original(raw), at)
	d.file.Put(object, "gate", megadetector.Decimal(a.Gate).Append(nil), at)
	d.file.Put(object, "adapted_mode", rawjson.AppendString(nil, a.Mode), at)
}
