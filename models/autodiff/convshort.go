package autodiff

import "github.com/oatta/oatta/models/graph"

// shortRows is the batch from which [call.convWeightShort] pays: rows are what lies side by side in memory there.
const shortRows = 8

// short reports a convolution for which [call.convWeightShort] is faster: it keeps the sizes, its kernel is three long along some axis, and
// rows and channels are enough. A batch of open size is taken to be large, because only training leaves it open.
func (c *call) short(x graph.Value, w window, channels int64) bool {
	return channels >= fewChannels && c.batch(x) && c.shortens(x, w)
}

// shortens reports a convolution for which [call.convWeightShort] is right.
func (c *call) shortens(x graph.Value, w window) bool {
	shape := c.shape(x)
	if len(shape) != len(w.Kernel)+2 || !w.dense() {
		return false
	}
	some := false
	for i := range w.Kernel {
		if w.Begin[i]+w.End[i] != w.Reach(i)-1 || !shape[2+i].Known() || shape[2+i].Size < 2 {
			return false
		}
		some = some || w.shortAxis(i)
	}
	return some
}

// shortAxis reports an axis along which minimal filtering applies.
func (w window) shortAxis(i int) bool {
	return w.Kernel[i] == 3 && w.Dilation[i] == 1 && w.Begin[i] == 1
}

// pairing is one product of many: what is left of x and of dy.
type pairing struct{ x, dy graph.Value }

// convWeightShort is [call.convWeightDense] by minimal filtering (Winograd, 1980): along each axis on which the kernel is three long, two
// elements of dy, d0 and d1, meet four of x, x0 to x3, in three sums of six products, for which four products are enough:
//
//	d0 x0 + d1 x1 = p0 + (p1 + p2)/2        p0 = d0 (x0 - x2)
//	d0 x1 + d1 x2 =      (p1 - p2)/2        p1 = (d0 + d1) (x1 + x2)
//	d0 x2 + d1 x3 =      (p1 + p2)/2 + p3   p2 = (d0 - d1) (x2 - x1)
//	                                        p3 = d1 (x3 - x1)
//
// so that a kernel of 3 x 3 takes 16 matrix products over a quarter of the places instead of 9 over all. Along other axes dy is moved by
// each element of the kernel. The sums are one product with a constant matrix, which brings the weight into its layout as well.
//
// Rows of the batch are the innermost axis meanwhile, so that every slice and shift copies whole runs of them. With 32 rows and 64 to 512
// channels this takes 0.5 to 0.77 of the time of one product per tap, less than the forward convolution where channels are many.
func (c *call) convWeightShort(x, dy graph.Value, w window, m, channels int64) (graph.Value, error) {
	pairs := []pairing{{c.rowsLast(x), c.rowsLast(dy)}} // [C, ..., N] and [M, ..., N]
	sums := [][]float64{{1}}
	for i := range w.Kernel {
		if w.shortAxis(i) {
			pairs, sums = c.splitPairs(pairs, 1+i), kronecker(sums, shortSums)
		} else {
			pairs, sums = c.shiftPairs(pairs, 1+i, w, i), kronecker(sums, unit(int(w.Kernel[i])))
		}
	}
	products := make([]graph.Value, len(pairs))
	for i, p := range pairs {
		product := c.multiply(c.reshape(p.dy, fixed(m), fixed(-1)), false, c.reshape(p.x, fixed(channels), fixed(-1)), true, 1)
		products[i] = c.reshape(product, fixed(1), fixed(m*channels))
	}
	var flat []float64 // by product, then by element of the kernel
	for i := range pairs {
		for _, row := range sums {
			flat = append(flat, row[i])
		}
	}
	t, err := graph.Rounded(c.elem(x), flat, int64(len(pairs)), int64(len(sums)))
	if err != nil {
		return graph.None, err
	}
	all := c.opWith("Concat", []graph.Attr{graph.A("axis", 0)}, products...)
	return c.opWith("Gemm", []graph.Attr{graph.A("transA", true)}, all, c.g.Const("short_sums", t)), nil
}

// shortSums are, for each of three elements of the kernel, the sums of the four products that make it.
var shortSums = [][]float64{
	{1, 0.5, 0.5, 0},
	{0, 0.5, -0.5, 0},
	{0, 0.5, 0.5, 1},
}

// rowsLast brings [N, C, ...] to [C, ..., N], a transpose of a matrix.
func (c *call) rowsLast(v graph.Value) graph.Value {
	sizes := c.dims(v, 0, len(c.shape(v)))
	flat := c.transpose(c.reshape(v, sizes[0], fixed(-1)), 1, 0)
	return c.reshape(flat, append(sizes[1:len(sizes):len(sizes)], sizes[0])...)
}

// splitPairs makes four of each pairing along an axis. Even elements of x are x1 and x3 of one pair and the next, odd ones x2 and x0.
func (c *call) splitPairs(pairs []pairing, axis int) []pairing {
	var out []pairing
	for _, p := range pairs {
		even, odd := c.halves(p.x, axis)
		d0, d1 := c.halves(p.dy, axis)
		out = append(out,
			pairing{c.sub(c.moved(odd, axis, 1), odd), d0},
			pairing{c.add(even, odd), c.add(d0, d1)},
			pairing{c.sub(odd, even), c.sub(d0, d1)},
			pairing{c.sub(c.moved(even, axis, -1), even), d1})
	}
	return out
}

// shiftPairs makes one for each element of the kernel along an axis.
func (c *call) shiftPairs(pairs []pairing, axis int, w window, i int) []pairing {
	var out []pairing
	for _, p := range pairs {
		for k := range w.Kernel[i] {
			out = append(out, pairing{p.x, c.moved(p.dy, axis, k*w.Dilation[i]-w.Begin[i])})
		}
	}
	return out
}

// halves returns the even and the odd elements along an axis, after a zero if there is one more of the first.
func (c *call) halves(v graph.Value, axis int) (even, odd graph.Value) {
	size := c.shape(v)[axis].Size
	if size%2 != 0 {
		v = c.padded1(v, axis, 0, 1)
		size++
	}
	return c.cut(v, axis, fixed(0), fixed(size), 2), c.cut(v, axis, fixed(1), fixed(size), 2)
}

// moved shifts v along an axis by some elements, those that come in being zero.
func (c *call) moved(v graph.Value, axis int, by int64) graph.Value {
	if by == 0 {
		return v
	}
	return c.padded1(v, axis, by, -by)
}

// padded1 puts zeros at both ends of one axis, or takes elements away where their number is negative.
func (c *call) padded1(v graph.Value, axis int, begin, end int64) graph.Value {
	rank := len(c.shape(v))
	pads := make([]int64, 2*rank)
	pads[axis], pads[rank+axis] = begin, end
	return c.op("Pad", v, c.g.Ints(pads...))
}

func unit(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
		out[i][i] = 1
	}
	return out
}

// kronecker returns the matrix of a then b: rows and columns count b's fastest.
func kronecker(a, b [][]float64) [][]float64 {
	var out [][]float64
	for _, x := range a {
		for _, y := range b {
			var row []float64
			for _, f := range x {
				for _, g := range y {
					row = append(row, f*g)
				}
			}
			out = append(out, row)
		}
	}
	return out
}
