package train

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/graph"
)

// mask is an input of masks, the shape of what a Dropout takes.
type mask struct {
	p     float64
	sizes []extent
}

// extent is a size that follows from those of the inputs: a number times some of them.
type extent struct {
	number int64
	of     []place
}

// place is an axis of one of the network's inputs.
type place struct{ input, axis int }

// dropouts makes every Dropout a multiplication by a mask that is an input.
func (b *builder) dropouts(d *draft) error {
	for _, l := range dropout.Find(d.Graph) {
		if b.s.NoDropout || l.P == 0 {
			continue
		}
		if err := b.dropout(d, l); err != nil {
			return fmt.Errorf("%v: %w", l.Node, err)
		}
	}
	return d.Sort()
}

func (b *builder) dropout(d *draft, l dropout.Layer) error {
	x, t := l.Node.Inputs[0], d.TypeOf(l.Node.Inputs[0])
	if !(l.P > 0 && l.P < 1) {
		return fmt.Errorf("the probability is computed or out of range: want a constant between 0 and 1")
	}
	if len(l.Node.Outputs) > 1 && l.Node.Outputs[1] != graph.None && len(d.Uses(l.Node.Outputs[1])) > 0 {
		return fmt.Errorf("its mask is used")
	}
	if t.Shape == nil {
		return fmt.Errorf("the rank of %q is not known", d.NameOf(x))
	}
	m := mask{p: l.P}
	for i, size := range t.Shape {
		e, ok := b.extent(size)
		if !ok {
			return fmt.Errorf("size %d of %q, %v, does not follow from the inputs", i, d.NameOf(x), t)
		}
		m.sizes = append(m.sizes, e)
	}
	in := d.Input(d.Fresh(numbered("mask", len(b.p.masks))), graph.Type{Elem: graph.Float32, Shape: t.Shape})
	d.takes(in, isMask, len(b.p.masks))
	b.p.masks = append(b.p.masks, m)
	d.Replace(l.Node.Outputs[0], d.Op("Mul", []graph.Value{x, in}))
	d.Remove(l.Node)
	return nil
}

// extent reads a size: a number, the name of an input's size, or a product of such.
func (b *builder) extent(d graph.Dim) (e extent, ok bool) {
	if d.Known() {
		return extent{number: d.Size}, true
	}
	e.number = 1
	for factor := range strings.SplitSeq(d.Name, "*") {
		if n, err := strconv.ParseInt(factor, 10, 64); err == nil {
			e.number *= n
			continue
		}
		at, ok := b.named(factor)
		if !ok {
			return e, false
		}
		e.of = append(e.of, at)
	}
	return e, true
}

func (b *builder) named(name string) (place, bool) {
	for i, t := range b.p.data {
		for axis, d := range t.Shape {
			if !d.Known() && d.Name == name && name != "" {
				return place{i, axis}, true
			}
		}
	}
	return place{}, false
}

func (e extent) size(shapes [][]int64) int64 {
	n := e.number
	for _, at := range e.of {
		n *= shapes[at.input][at.axis]
	}
	return n
}
