package autodiff

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// manyPlaces is from how many places of dy on convolutions are faster than [call.convInputProducts], which copies what they do not.
const manyPlaces = 32

// convInput is the adjoint of a convolution by its input. At stride 1 a convolution with the weight turned around is faster than a
// ConvTranspose (0.57 against 0.79 ms; depthwise 0.67 against 4.2; with a weight that is turned at run time, 64 rows of 128 channels and
// 19 places, 2.2 against 2.7). A weight that is no constant is a sign of training on batches: where places are few, engines are slow at
// both, because they go row by row.
func (c *call) convInput(dy, weight, x graph.Value, w window, group int64) (graph.Value, error) {
	form := c.forms.Input
	if form == "" {
		form = c.inputForm(dy, weight, x, w, group)
	} else if has := c.inputForms(dy, x, w, group); !slices.Contains(has, form) {
		return graph.None, fmt.Errorf("no form %q of the derivative by the input: want one of %v", form, has)
	}
	switch form {
	case products:
		return c.convInputProducts(dy, weight, x, w)
	case turnedConv:
		return c.convInputTurned(dy, weight, w, group)
	}
	return c.spread(dy, weight, x, w, group), nil
}

// inputForm is the form where nobody asks for another.
func (c *call) inputForm(dy, weight, x graph.Value, w window, group int64) string {
	constant := c.g.ConstOf(weight) != nil
	switch {
	case !constant && group == 1 && c.fewPlaces(dy, x):
		return products
	case !w.turns() || !constant && !c.batch(dy):
		return transposedConv
	}
	return turnedConv
}

// inputForms lists the forms that a convolution has.
func (c *call) inputForms(dy, x graph.Value, w window, group int64) []string {
	out := []string{transposedConv}
	if w.turns() {
		out = append(out, turnedConv)
	}
	_, narrow := c.sizes(dy, 2)
	_, wide := c.sizes(x, 2)
	if group == 1 && narrow == nil && wide == nil {
		out = append(out, products)
	}
	return out
}

// turnedPads: reading backwards, the first place of x is reached by the last tap: what the forward pads lack to the reach, these have.
func (w window) turnedPads() (begin, end []int64) {
	begin, end = make([]int64, len(w.Kernel)), make([]int64, len(w.Kernel))
	for i := range begin {
		begin[i], end[i] = w.Reach(i)-1-w.Begin[i], w.Reach(i)-1-w.End[i]
	}
	return begin, end
}

// turns tells whether a convolution with the weight turned around undoes one of the window.
func (w window) turns() bool {
	begin, end := w.turnedPads()
	return w.dense() && !slices.ContainsFunc(append(begin, end...), func(p int64) bool { return p < 0 })
}

func (c *call) convInputTurned(dy, weight graph.Value, w window, group int64) (graph.Value, error) {
	begin, end := w.turnedPads()
	t := c.g.ConstOf(weight)
	if t == nil {
		turned, err := c.turned(weight, group)
		if err != nil {
			return graph.None, err
		}
		return c.opWith("Conv", w.attrs(group, begin, end), dy, turned), nil
	}
	turned, err := turn(t, group)
	if err != nil {
		return graph.None, fmt.Errorf("weight %q: %w", c.g.NameOf(weight), err)
	}
	return c.opWith("Conv", w.attrs(group, begin, end), dy, c.g.Const(c.g.NameOf(weight)+"_turned", turned)), nil
}

// turn returns a weight [M, C/group, K...] as [C, M/group, K...] with the kernel read backwards.
func turn(t *graph.Tensor, group int64) (*graph.Tensor, error) {
	raw, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	dims := t.Dims()
	taps := int64(1)
	for _, k := range dims[2:] {
		taps *= k
	}
	m, c := dims[0]/group, dims[1] // of one group
	size := int64(t.Elem().Bits() / 8)
	out := make([]byte, 0, len(raw))
	for g := range group {
		for j := range c {
			for i := range m {
				for k := taps - 1; k >= 0; k-- {
					at := (((g*m+i)*c+j)*taps + k) * size
					out = append(out, raw[at:at+size]...)
				}
			}
		}
	}
	return graph.RawTensor(t.Elem(), append([]int64{group * c, m}, dims[2:]...), out)
}

// turned is [turn] at run time. The kernel's elements are turned as the first axis, where each is a copy of a whole block.
func (c *call) turned(weight graph.Value, group int64) (graph.Value, error) {
	sizes, err := c.sizes(weight, 0)
	if err != nil {
		return graph.None, err
	}
	taps := int64(1)
	for _, k := range sizes[2:] {
		taps *= k
	}
	m, channels := sizes[0]/group, sizes[1]
	if taps == 1 && group == 1 {
		return c.reshape(c.transpose(c.reshape(weight, fixed(m), fixed(channels)), 1, 0), fixedAll(append([]int64{channels, m}, sizes[2:]...))...), nil
	}
	back := make([]int64, taps)
	for i := range back {
		back[i] = taps - 1 - int64(i)
	}
	split := c.transpose(c.reshape(weight, fixed(group), fixed(m), fixed(channels), fixed(taps)), 3, 0, 2, 1)
	whole := c.transpose(c.opWith("Gather", []graph.Attr{graph.A("axis", 0)}, split, c.g.Ints(back...)), 1, 2, 3, 0)
	return c.reshape(whole, fixedAll(append([]int64{group * channels, m}, sizes[2:]...))...), nil
}

// batch reports rows enough for forms that treat them all at once. A batch of open size is taken to be large.
func (c *call) batch(v graph.Value) bool {
	rows := c.shape(v)[0]
	return !rows.Known() || rows.Size >= shortRows
}

// fewPlaces reports a convolution for which [call.convInputProducts] is faster.
func (c *call) fewPlaces(dy, x graph.Value) bool {
	narrow, err := c.sizes(dy, 2)
	_, err2 := c.sizes(x, 2)
	if err != nil || err2 != nil || !c.batch(dy) {
		return false
	}
	places := int64(1)
	for _, n := range narrow {
		places *= n
	}
	return places < manyPlaces
}

// convInputProducts: one matrix product of the weight with dy over all rows, and each tap's part of it is moved to where the tap read x. It
// takes a third of the time of a ConvTranspose with 64 rows of 512 channels and 5 places (8.9 against 26 ms), and as long at 38 places.
func (c *call) convInputProducts(dy, weight, x graph.Value, w window) (graph.Value, error) {
	sizes, err := c.sizes(weight, 0)
	if err != nil {
		return graph.None, err
	}
	wide, err := c.sizes(x, 2)
	if err != nil {
		return graph.None, err
	}
	m, channels, taps := sizes[0], sizes[1], w.taps()
	rows := c.dim(dy, 0)
	narrow := c.dims(dy, 2, len(c.shape(dy)))
	flat := c.reshape(weight, fixed(m), fixed(channels*int64(len(taps))))
	all := c.multiply(flat, true, c.channelsFirst(dy, false), false, 1) // [C*taps, N*places]
	if len(taps) > 1 {
		all = c.reshape(all, append([]dim{fixed(channels), fixed(int64(len(taps))), rows}, narrow...)...)
	}
	parts := []graph.Value{all}
	if len(taps) > 1 {
		parts = slices.Clone(c.g.Ops("Split", len(taps), []graph.Value{all, c.g.Ints(slices.Repeat([]int64{1}, len(taps))...)}, graph.A("axis", 1)))
	}
	for i, tap := range taps {
		parts[i] = c.placed(c.reshape(parts[i], append([]dim{fixed(channels), rows}, narrow...)...), wide, w, tap)
	}
	sum := parts[0]
	if len(parts) > 1 {
		sum = c.op("Sum", parts...)
	}
	return c.transpose(sum, append([]int64{1, 0}, upTo(2, len(wide)+2)...)...), nil
}

// placed puts what a tap gives to the places of x that it read: [C, N, places of dy] to [C, N, places of x].
func (c *call) placed(v graph.Value, wide []int64, w window, tap []int64) graph.Value {
	n := len(wide)
	pads := make([]int64, 2*(n+2))
	for i, offset := range tap {
		narrow := c.shape(v)[2+i].Size
		if w.Stride[i] > 1 {
			v = c.apart(v, 2+i, w.Stride[i])
			narrow *= w.Stride[i]
		}
		begin := offset - w.Begin[i]
		pads[2+i], pads[n+4+i] = begin, wide[i]-narrow-begin
	}
	if !slices.ContainsFunc(pads, func(p int64) bool { return p != 0 }) {
		return v
	}
	return c.op("Pad", v, c.g.Ints(pads...))
}

// apart puts stride-1 zeros behind every element along an axis.
func (c *call) apart(v graph.Value, axis int, stride int64) graph.Value {
	dims := c.dims(v, 0, len(c.shape(v)))
	v = c.op("Unsqueeze", v, c.g.Ints(int64(axis+1)))
	v = c.padded1(v, axis+1, 0, stride-1)
	dims[axis].n *= stride
	return c.reshape(v, dims...)
}
