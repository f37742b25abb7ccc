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
	shape graph.Shape
}

// dropouts makes every Dropout a multiplication by a mask that is an input.
func (b *builder) dropouts(d *draft) error {
	for _, l := range dropout.Find(d.Graph) {
		if b.s.NoDropout || l.P == 0 {
			continue
		}
		x, y := l.Node.Inputs[0], l.Node.Outputs[0]
		place := fmt.Sprintf("%v", l.Node)
		if !(l.P > 0 && l.P < 1) {
			return fmt.Errorf("%s: the probability is computed or out of range: want a constant between 0 and 1", place)
		}
		if len(l.Node.Outputs) > 1 && l.Node.Outputs[1] != graph.None && len(d.Uses(l.Node.Outputs[1])) > 0 {
			return fmt.Errorf("%s: its mask is used", place)
		}
		t := d.TypeOf(x)
		for i, size := range t.Shape {
			if _, err := b.p.size(size, nil); t.Shape == nil || err != nil {
				return fmt.Errorf("%s: size %d of %q, %v, does not follow from the inputs", place, i, d.NameOf(x), t)
			}
		}
		m := d.Input(d.Fresh(numbered("mask", len(b.p.masks))), graph.Type{Elem: graph.Float32, Shape: t.Shape})
		d.takes(m, isMask, len(b.p.masks))
		b.p.masks = append(b.p.masks, mask{l.P, t.Shape})
		d.Replace(y, d.Op("Mul", []graph.Value{x, m}))
		d.Remove(l.Node)
	}
	return d.Sort()
}

// size returns a size for inputs of the given shapes: a number, a name that an input has, or a product of such. Without shapes it only says
// whether it could.
func (p *Program) size(d graph.Dim, shapes [][]int64) (int64, error) {
	if d.Known() {
		return d.Size, nil
	}
	product := int64(1)
	for factor := range strings.SplitSeq(d.Name, "*") {
		n, err := p.factor(factor, shapes)
		if err != nil {
			return 0, err
		}
		product *= n
	}
	return product, nil
}

func (p *Program) factor(name string, shapes [][]int64) (int64, error) {
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		return n, nil
	}
	for i, t := range p.data {
		for axis, d := range t.Shape {
			if d.Known() || d.Name != name || name == "" {
				continue
			}
			if shapes == nil {
				return 1, nil
			}
			return shapes[i][axis], nil
		}
	}
	return 0, fmt.Errorf("size %q is none of an input", name)
}
