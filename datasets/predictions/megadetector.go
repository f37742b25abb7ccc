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
				e.index, e.part, e.objects = i, k, []rawjson.Value{detection.Raw}
				d.join(e, first)
			}
		}
		if own := r.listed(im.Fields); own.top != nil || own.err != nil {
			own.index, own.part, own.objects = i, whole, []rawjson.Value{im.Raw}
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

// join adds the item of a box to those of its picture. Boxes with one and the same list, down to the last digit, were not looked at one by
// one: a classifier of whole pictures gave it, and it was copied. It is one observation, and one item.
func (d *Document) join(e entry, first int) {
	at := slices.IndexFunc(d.entries[first:], func(other entry) bool {
		return e.err == nil && other.err == nil && e.frame == other.frame && e.prediction == other.prediction && slices.Equal(e.top, other.top)
	})
	if at < 0 {
		d.entries = append(d.entries, e)
		return
	}
	of := &d.entries[first+at]
	if len(of.objects) == 1 {
		d.copied++
	}
	of.objects = append(of.objects, e.objects...)
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
			classOf[id] = len(d.classes)
			d.classes, d.ids = append(d.classes, names[id]), append(d.ids, id)
		}
		d.declared = len(d.classes)
		r.renumber(classOf)
		return nil
	}
	d.classes, d.declared = d.o.Classes, len(d.o.Classes)
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
func (d *Document) adaptMegaDetector(object rawjson.Object, a Adapted, ranked []score) {
	list := appendJoined([]byte("["), len(ranked), func(dst []byte, k int) []byte {
		dst = append(rawjson.AppendString(append(dst, '['), d.ids[ranked[k].class]), ", "...)
		return append(megadetector.Decimal(ranked[k].p).Append(dst), ']')
	})
	raw, at := lists(object)
	d.file.Put(object, "classifications", append(list, ']'), at)
	d.file.Put(object, "raw_classifications", d.file.Original(raw), at)
	d.file.Put(object, "gate", megadetector.Decimal(a.Gate).Append(nil), at)
	d.file.Put(object, "adapted_mode", rawjson.AppendString(nil, a.Mode), at)
}
