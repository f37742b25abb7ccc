package predictions

import (
	"io"
	"slices"

	"github.com/oatta/oatta/datasets/megadetector"
)

// edit replaces a piece of the text.
type edit struct {
	span
	by []byte
}

// Adapt notes the adapted values of item i, which must have probabilities.
func (d *Document) Adapt(i int, a Adapted) {
	e := &d.entries[i]
	n := d.o.Top
	if n == 0 {
		n = len(e.top)
	}
	ranked := megadetector.Ranked(a.Probs, n)
	if d.format == FormatMegaDetector {
		d.adaptMegaDetector(e, a, ranked)
		return
	}
	d.adaptSpeciesNet(e, a, ranked)
}

// adaptMegaDetector puts the adapted list where tools look for it and the raw one beside it.
func (d *Document) adaptMegaDetector(e *entry, a Adapted, ranked []int) {
	list := []byte("[")
	for k, class := range ranked {
		if k > 0 {
			list = append(list, ", "...)
		}
		list = append(list, '[')
		list = appendString(list, d.ids[class])
		list = append(list, ", "...)
		list = append(megadetector.Decimal(a.Probs[class]).Append(list), ']')
	}
	list = append(list, ']')
	raw := e.ends.raw.of(d.text)
	d.put(e.ends.at, []field{
		{e.ends.classifications, "classifications", list},
		{e.ends.rawCopy, "raw_classifications", raw},
		{e.ends.gate, "gate", megadetector.Decimal(a.Gate).Append(nil)},
		{e.ends.mode, "adapted_mode", appendString(nil, a.Mode)},
	})
}

// adaptSpeciesNet adds the adapted list beside the raw one.
func (d *Document) adaptSpeciesNet(e *entry, a Adapted, ranked []int) {
	list := []byte(`{"classes": [`)
	for k, class := range ranked {
		if k > 0 {
			list = append(list, ", "...)
		}
		list = appendString(list, d.classes[class])
	}
	list = append(list, `], "scores": [`...)
	for k, class := range ranked {
		if k > 0 {
			list = append(list, ", "...)
		}
		list = megadetector.Decimal(a.Probs[class]).Append(list)
	}
	list = append(list, "]}"...)
	d.put(e.ends.at, []field{
		{e.ends.classifications, "adapted_classifications", list},
		{e.ends.label, "adapted_label", appendString(nil, a.AdaptedLabel)},
		{e.ends.gate, "gate", megadetector.Decimal(a.Gate).Append(nil)},
		{e.ends.mode, "adapted_mode", appendString(nil, a.Mode)},
	})
}

// field is a member of an object that is written, and where it stands if it is there.
type field struct {
	old  span
	name string
	by   []byte
}

// put replaces the fields that are there and adds the others at one place.
func (d *Document) put(at span, fields []field) {
	var more []byte
	for _, f := range fields {
		if f.old.there() {
			d.edits = append(d.edits, edit{f.old, f.by})
			continue
		}
		more = append(more, ", "...)
		more = appendString(more, f.name)
		more = append(more, ": "...)
		more = append(more, f.by...)
	}
	if more != nil {
		d.edits = append(d.edits, edit{span{at.end, at.end}, more})
	}
}

// WriteTo implements [io.WriterTo]: the document with all that was adapted.
func (d *Document) WriteTo(w io.Writer) (n int64, err error) {
	// By their ends, as a field may be added exactly where another ends.
	slices.SortStableFunc(d.edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	from := 0
	write := func(b []byte) {
		if err == nil {
			var k int
			k, err = w.Write(b)
			n += int64(k)
		}
	}
	for _, e := range d.edits {
		write(d.text[from:e.start])
		write(e.by)
		from = e.end
	}
	write(d.text[from:])
	return n, err
}
