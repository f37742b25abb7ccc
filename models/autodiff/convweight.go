package autodiff

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// Between these one product per tap of the kernel is faster than one over all taps, whose copies of x lie in one matrix: with fewer
// channels the single products are too thin.
const (
	fewChannels  = 8
	manyChannels = 64
)

// convWeight is the adjoint of a convolution by its weight: for each tap of the kernel, the product of dy with what the tap saw of x,
// summed over rows and places. x: [N, C, ...], dy: [N, M, ...]; the result is [M, C/group, K...], the shape of weight.
func (c *call) convWeight(x, dy, weight graph.Value, w window, group int64) (graph.Value, error) {
	sizes, err := c.sizes(weight, 0)
	if err != nil {
		return graph.None, err
	}
	var d graph.Value
	m, perGroup := sizes[0], sizes[1]
	switch {
	case group == 1:
		if d, err = c.convWeightWhole(x, dy, w, m, perGroup); err != nil {
			return graph.None, err
		}
	case perGroup == 1 && m == group:
		d = c.convWeightDepthwise(c.padded(x, w), dy, w)
	default:
		d = c.convWeightGrouped(c.padded(x, w), dy, w, group)
	}
	return c.reshape(d, fixedAll(sizes)...), nil
}

// convWeightWhole is [call.convWeight] of one group, which has several forms.
func (c *call) convWeightWhole(x, dy graph.Value, w window, m, channels int64) (graph.Value, error) {
	form := c.forms.Weight
	switch has := c.weightForms(x, w); {
	case form != "" && !slices.Contains(has, form):
		return graph.None, fmt.Errorf("no form %q of the derivative by the weight: want one of %v", form, has)
	case form == "" && c.short(x, w, channels):
		form = shortProducts
	case form == "" && (channels < fewChannels || channels > manyChannels):
		form = oneProduct
	}
	if form == shortProducts {
		return c.convWeightShort(x, dy, w, m, channels)
	}
	return c.convWeightDense(c.padded(x, w), dy, w, m, channels, form == oneProduct), nil
}

// weightForms lists the forms that a convolution of one group has.
func (c *call) weightForms(x graph.Value, w window) []string {
	out := []string{tapProducts, oneProduct}
	if c.shortens(x, w) {
		out = append(out, shortProducts)
	}
	return out
}

func fixedAll(sizes []int64) []dim {
	out := make([]dim, len(sizes))
	for i, n := range sizes {
		out[i] = fixed(n)
	}
	return out
}

// padded puts the zeros around x that the convolution reads.
func (c *call) padded(x graph.Value, w window) graph.Value {
	if !slices.ContainsFunc(append(slices.Clone(w.Begin), w.End...), func(p int64) bool { return p != 0 }) {
		return x
	}
	pads := append([]int64{0, 0}, w.Begin...)
	pads = append(append(pads, 0, 0), w.End...)
	return c.op("Pad", x, c.g.Ints(pads...))
}

// seen returns what one tap of the kernel sees: [N, C, ...] with the places of dy. Spatial axes of both begin at 2.
func (c *call) seen(padded, dy graph.Value, w window, tap []int64) graph.Value {
	if w.plain() {
		return padded
	}
	n := len(tap)
	// As many places as dy has, from the tap's offset on, a stride apart; the end is one behind the last.
	from, to := make([]dim, n), make([]dim, n)
	for i, offset := range tap {
		from[i] = fixed(offset)
		to[i] = c.linear(c.dim(dy, 2+i), w.Stride[i], offset+1-w.Stride[i])
	}
	return c.op("Slice", padded, c.vector(from...), c.vector(to...), c.g.Ints(upTo(2, 2+n)...), c.g.Ints(w.Stride...))
}

// channelsFirst returns [C, N*places], for which a batch of one only needs another shape.
func (c *call) channelsFirst(v graph.Value, turned bool) graph.Value {
	rank := len(c.shape(v))
	channels := c.dim(v, 1)
	if turned {
		channels = c.dim(v, 0)
	} else if c.dim(v, 0) != fixed(1) {
		v = c.transpose(v, append([]int64{1, 0}, upTo(2, rank)...)...)
	}
	return c.reshape(v, channels, fixed(-1))
}

// convWeightDense: x is brought to [C, N, ...] once, and its slices are then rows of a matrix.
func (c *call) convWeightDense(padded, dy graph.Value, w window, m, channels int64, one bool) graph.Value {
	rows := c.channelsFirst(dy, false)     // [M, N*places]
	single := c.dim(padded, 0) == fixed(1) // rows and places are then one axis already
	if !single {
		padded = c.transpose(padded, append([]int64{1, 0}, upTo(2, len(w.Kernel)+2)...)...)
	}
	var parts []graph.Value
	for _, tap := range w.taps() {
		parts = append(parts, c.channelsFirst(c.seen(padded, dy, w, tap), !single))
	}
	if len(parts) == 1 {
		return c.multiply(rows, false, parts[0], true, 1)
	}
	taps := int64(len(parts))
	if one {
		all := c.multiply(rows, false, c.opWith("Concat", []graph.Attr{graph.A("axis", 0)}, parts...), true, 1) // [M, taps*C]
		return c.transpose(c.reshape(all, fixed(m), fixed(taps), fixed(channels)), 0, 2, 1)
	}
	for i, p := range parts {
		parts[i] = c.op("Unsqueeze", c.multiply(rows, false, p, true, 1), c.g.Ints(2)) // [M, C, 1]
	}
	return c.opWith("Concat", []graph.Attr{graph.A("axis", 2)}, parts...)
}

// convWeightDepthwise: each channel has its own kernel, so that a tap is a product and a sum.
func (c *call) convWeightDepthwise(padded, dy graph.Value, w window) graph.Value {
	rank := len(w.Kernel) + 2
	var parts []graph.Value
	for _, tap := range w.taps() {
		parts = append(parts, c.op("Unsqueeze", c.sumChannels(c.mul(c.seen(padded, dy, w, tap), dy), rank), c.g.Ints(1)))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return c.opWith("Concat", []graph.Attr{graph.A("axis", 1)}, parts...) // [C, taps]
}

// convWeightGrouped: one product per tap and group, as a batch of matrices.
func (c *call) convWeightGrouped(padded, dy graph.Value, w window, group int64) graph.Value {
	left := c.groupRows(dy, group, false) // [group, M/group, N*places]
	var parts []graph.Value
	for _, tap := range w.taps() {
		right := c.groupRows(c.seen(padded, dy, w, tap), group, true) // [group, N*places, C/group]
		parts = append(parts, c.op("Unsqueeze", c.op("MatMul", left, right), c.g.Ints(3)))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return c.opWith("Concat", []graph.Attr{graph.A("axis", 3)}, parts...) // [group, M/group, C/group, taps]
}

// groupRows brings [N, group*C, ...] to [group, C, N*places], or with the last two axes swapped.
func (c *call) groupRows(v graph.Value, group int64, swap bool) graph.Value {
	channels := c.dim(v, 1)
	channels.n /= group
	split := c.reshape(v, c.dim(v, 0), fixed(group), channels, fixed(-1))
	if swap {
		return c.reshape(c.transpose(split, 1, 0, 3, 2), fixed(group), fixed(-1), channels)
	}
	return c.reshape(c.transpose(split, 1, 2, 0, 3), fixed(group), channels, fixed(-1))
}
