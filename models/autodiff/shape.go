package autodiff

import (
	"fmt"
	"math"
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// sameElements is the rule of operators that only change the shape.
func sameElements(c *call) ([]graph.Value, error) {
	return []graph.Value{c.reshapeLike(c.dy(), c.x())}, nil
}

func transpose(c *call) ([]graph.Value, error) {
	if c.n.Ints("perm") == nil { // the axes backwards, which is its own inverse
		return []graph.Value{c.op("Transpose", c.dy())}, nil
	}
	rank, err := c.rank(c.x())
	if err != nil {
		return nil, err
	}
	order, err := c.n.Order(rank)
	if err != nil {
		return nil, err
	}
	back := make([]int64, rank)
	for i, a := range order {
		back[a] = int64(i)
	}
	return []graph.Value{c.transpose(c.dy(), back...)}, nil
}

func cast(c *call) ([]graph.Value, error) { return []graph.Value{c.cast(c.dy(), c.x())}, nil }

// concat cuts the adjoint into the parts.
func concat(c *call) ([]graph.Value, error) {
	axis, err := c.axis(c.n.Int("axis", 0), c.y())
	if err != nil {
		return nil, err
	}
	out := make([]graph.Value, len(c.n.Inputs))
	if slices.Contains(c.need, false) { // a few of many: cut those alone
		at := fixed(0)
		for i, v := range c.n.Inputs {
			end := c.plusDim(at, c.dim(v, int(axis)))
			if c.needs(i) {
				out[i] = c.cut(c.dy(), int(axis), at, end, 1)
			}
			at = end
		}
		return out, nil
	}
	if len(out) == 1 {
		return []graph.Value{c.dy()}, nil
	}
	sizes := make([]dim, len(out))
	for i, v := range c.n.Inputs {
		sizes[i] = c.dim(v, int(axis))
	}
	return c.g.Ops("Split", len(out), []graph.Value{c.dy(), c.vector(sizes...)}, graph.A("axis", axis)), nil
}

func (c *call) plusDim(a, b dim) dim {
	switch {
	case a.v == graph.None:
		return c.linear(b, 1, a.n)
	case b.v == graph.None:
		return c.linear(a, 1, b.n)
	}
	return dim{v: c.add(a.v, b.v)}
}

// split puts the adjoints of the parts together; zeros stand for parts that are not used.
func split(c *call) ([]graph.Value, error) {
	parts := make([]graph.Value, len(c.dys))
	for i, d := range c.dys {
		if parts[i] = d; d == graph.None {
			if c.n.Outputs[i] == graph.None {
				return nil, fmt.Errorf("output %d has no name, so that its size is not known", i)
			}
			parts[i] = c.zeros(c.n.Outputs[i])
		}
	}
	return []graph.Value{c.join(parts, c.n.Int("axis", 0))}, nil
}

func (c *call) join(parts []graph.Value, axis int64) graph.Value {
	if len(parts) == 1 {
		return parts[0]
	}
	return c.opWith("Concat", []graph.Attr{graph.A("axis", axis)}, parts...)
}

// slice puts what was cut out back into zeros. Along an axis of known size and bounds, step 1, that is a Pad, for all such axes at once.
func slice(c *call) ([]graph.Value, error) {
	x := c.x()
	rank, err := c.rank(x)
	if err != nil {
		return nil, err
	}
	axes, err := c.sliceAxes()
	if err != nil {
		return nil, err
	}
	pads, padding := make([]int64, 2*rank), false
	var rest []int // places in axes that need more
	for i, a := range axes {
		from, to, ok := c.sliceBounds(i, int(a))
		if !ok {
			rest = append(rest, i)
			continue
		}
		size := c.dim(x, int(a)).n
		pads[a], pads[rank+int(a)] = from, size-to
		padding = padding || from > 0 || to < size
	}
	d := c.dy()
	for _, i := range rest {
		d = c.sliceBack(d, i, int(axes[i]))
	}
	if padding {
		d = c.op("Pad", d, c.g.Ints(pads...))
	}
	return []graph.Value{d}, nil
}

func (c *call) sliceAxes() ([]int64, error) {
	if !c.has(3) {
		n := c.shape(c.in(1)).Elements()
		if !n.Known() {
			return nil, fmt.Errorf("the number of axes that are cut is not known")
		}
		return upTo(0, int(n.Size)), nil
	}
	list, ok := c.g.KnownInts(c.in(3))
	if !ok {
		return nil, fmt.Errorf("the axes that are cut are not known")
	}
	out := make([]int64, len(list))
	for i, a := range list {
		var err error
		if out[i], err = c.axis(a, c.x()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sliceBounds returns the first element and the one behind the last along an axis, if they are known, there are some, and the step is 1.
func (c *call) sliceBounds(i, axis int) (from, to int64, ok bool) {
	size := c.dim(c.x(), axis)
	if size.v != graph.None {
		return 0, 0, false
	}
	bounds := [3]int64{0, 0, 1}
	for j := range bounds {
		if !c.has(j + 1 + j/2) { // starts, ends, and behind the axes the steps
			continue
		}
		list, known := c.g.KnownInts(c.in(j + 1 + j/2))
		if !known {
			return 0, 0, false
		}
		bounds[j] = list[i]
	}
	if bounds[2] != 1 {
		return 0, 0, false
	}
	from, count, _ := graph.Cut(bounds[0], bounds[1], 1, size.n)
	return from, from + count, count > 0
}

// sliceBack undoes the cut along one axis by a Gather: each element of x knows which of the cut it became, or else takes a zero that is
// put behind them. It works for any steps, and for sizes and bounds that are found at run time.
func (c *call) sliceBack(d graph.Value, i, axis int) graph.Value {
	size, count := c.dim(c.x(), axis), c.dim(d, axis)
	pick := func(input int) graph.Value {
		return c.op("Slice", c.in(input), c.g.Ints(int64(i)), c.g.Ints(int64(i)+1), c.g.Ints(0))
	}
	// where[j] is the place in x that element j of the cut came from; back[i] is the element that place i became, or count.
	inputs := []graph.Value{c.counting(size), pick(1), pick(2), c.g.Ints(0)}
	if c.has(4) {
		inputs = append(inputs, pick(4))
	}
	for j := 1; j < len(inputs); j++ { // starts and ends may be int32, then all must be int64 together
		inputs[j] = c.cast(inputs[j], inputs[0])
	}
	where := c.op("Slice", inputs...)
	behind := c.op("Expand", c.value(count), c.vector(size))
	back := c.opWith("ScatterElements", []graph.Attr{graph.A("axis", 0)}, behind, where, c.counting(count))
	zero := c.dims(d, 0, len(c.shape(c.x())))
	zero[axis] = fixed(1)
	return c.opWith("Gather", []graph.Attr{graph.A("axis", axis)}, c.join([]graph.Value{d, c.zerosOf(d, zero...)}, int64(axis)), back)
}

// counting returns 0, 1, ..., d-1.
func (c *call) counting(d dim) graph.Value {
	if d.v == graph.None {
		return c.g.Ints(upTo(0, int(d.n))...)
	}
	return c.op("Range", c.g.Int(0), c.op("Squeeze", d.v), c.g.Int(1))
}

// pad cuts away what was put around x; where the padding repeats elements, their adjoints are added.
func pad(c *call) ([]graph.Value, error) {
	rank, err := c.rank(c.x())
	if err != nil {
		return nil, err
	}
	pads, known := c.g.KnownInts(c.in(1))
	mode := c.n.Str("mode", "constant")
	if !known {
		if mode != "constant" || c.has(3) || c.needs(2) {
			return nil, fmt.Errorf("no rule for pads that are not known, but for zeros along all axes")
		}
		return []graph.Value{c.op("Pad", c.dy(), c.neg(c.in(1)))}, nil
	}
	if pads, err = c.allPads(pads, rank); err != nil {
		return nil, err
	}
	if mode != "constant" {
		return c.padRepeated(pads, rank, mode)
	}
	d := c.unpad(c.dy(), pads, rank)
	out := []graph.Value{d, graph.None, graph.None}
	if c.needs(2) {
		// What does not come from x, of which negative pads drop a part, is the constant.
		total := func(v graph.Value) graph.Value {
			return c.opWith("ReduceSum", []graph.Attr{graph.A("keepdims", false)}, v)
		}
		out[2] = c.reshapeLike(c.sub(total(c.dy()), total(d)), c.in(2))
	}
	return out, nil
}

// allPads returns pads of all axes, from those of the axes that input 3 lists.
func (c *call) allPads(pads []int64, rank int) ([]int64, error) {
	if !c.has(3) {
		if len(pads) != 2*rank {
			return nil, fmt.Errorf("%d pads for rank %d", len(pads), rank)
		}
		return pads, nil
	}
	axes, ok := c.g.KnownInts(c.in(3))
	if !ok || len(pads) != 2*len(axes) {
		return nil, fmt.Errorf("the axes that are padded are not known")
	}
	out := make([]int64, 2*rank)
	for i, a := range axes {
		a, err := c.axis(a, c.x())
		if err != nil {
			return nil, err
		}
		out[a], out[rank+int(a)] = pads[i], pads[len(axes)+i]
	}
	return out, nil
}

// unpad cuts positive pads away and puts zeros where negative ones had cut.
func (c *call) unpad(d graph.Value, pads []int64, rank int) graph.Value {
	missing := make([]int64, 2*rank)
	var starts, ends, axes []int64
	for a := range rank {
		begin, end := pads[a], pads[rank+a]
		missing[a], missing[rank+a] = max(-begin, 0), max(-end, 0)
		if begin <= 0 && end <= 0 {
			continue
		}
		last := int64(math.MaxInt64)
		if end > 0 {
			last = -end
		}
		starts, ends, axes = append(starts, max(begin, 0)), append(ends, last), append(axes, int64(a))
	}
	if axes != nil {
		d = c.op("Slice", d, c.g.Ints(starts...), c.g.Ints(ends...), c.g.Ints(axes...))
	}
	if slices.Max(missing) > 0 {
		d = c.op("Pad", d, c.g.Ints(missing...))
	}
	return d
}

// padRepeated serves reflect, edge and wrap: along each axis the padded tensor is a Gather of x, by places that padding the places 0, 1,
// ... tells.
func (c *call) padRepeated(pads []int64, rank int, mode string) ([]graph.Value, error) {
	d := c.dy()
	for a := range rank {
		if pads[a] == 0 && pads[rank+a] == 0 {
			continue
		}
		size := c.dim(c.x(), a)
		places := c.opWith("Pad", []graph.Attr{graph.A("mode", mode)}, c.counting(size), c.g.Ints(pads[a], pads[rank+a]))
		d = c.gatherBack(d, places, a, 1, size, rank)
	}
	return []graph.Value{d}, nil
}

// tile sums over the copies: an axis that was repeated r times is r rows of the axis.
func tile(c *call) ([]graph.Value, error) {
	x := c.x()
	rank, err := c.rank(x)
	if err != nil {
		return nil, err
	}
	repeats, known := c.g.KnownInts(c.in(1))
	if !known || len(repeats) != rank {
		return nil, fmt.Errorf("the numbers of repeats are not known")
	}
	var sizes []dim
	var copies []int64
	for a := range rank {
		if repeats[a] != 1 {
			copies = append(copies, int64(len(sizes)))
			sizes = append(sizes, fixed(repeats[a]))
		}
		sizes = append(sizes, c.dim(x, a))
	}
	return []graph.Value{c.reduce("ReduceSum", c.reshape(c.dy(), sizes...), false, copies)}, nil
}

// trilu keeps the same triangle.
func trilu(c *call) ([]graph.Value, error) {
	inputs := []graph.Value{c.dy()}
	if c.has(1) {
		inputs = append(inputs, c.in(1))
	}
	return []graph.Value{c.opWith("Trilu", []graph.Attr{graph.A("upper", c.n.Int("upper", 1))}, inputs...)}, nil
}

// depthToSpace: mode DCR is undone by SpaceToDepth, mode CRD also takes the channels apart in another order.
func depthToSpace(c *call) ([]graph.Value, error) {
	block := c.n.Int("blocksize", 1)
	d := c.opWith("SpaceToDepth", []graph.Attr{graph.A("blocksize", block)}, c.dy()) // channels: [block*block, C]
	if c.n.Str("mode", "DCR") == "CRD" {
		n, h, w := c.dim(d, 0), c.dim(d, 2), c.dim(d, 3)
		d = c.reshapeLike(c.transpose(c.reshape(d, n, fixed(block*block), c.dim(c.y(), 1), h, w), 0, 2, 1, 3, 4), c.x())
	}
	return []graph.Value{d}, nil
}

func spaceToDepth(c *call) ([]graph.Value, error) {
	return []graph.Value{c.opWith("DepthToSpace", []graph.Attr{graph.A("blocksize", c.n.Int("blocksize", 1)), graph.A("mode", "DCR")}, c.dy())}, nil
}
