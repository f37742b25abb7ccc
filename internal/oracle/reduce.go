package oracle

import (
	"cmp"
	"math"
	"slices"
)

// reduction folds elements into one: start, step by step, then end, which is told how many there were.
type reduction struct {
	start float64
	step  func(sum, x float64) float64
	end   func(sum float64, n int) float64 // nil: the sum itself
}

func add(a, b float64) float64          { return a + b }
func addSquare(sum, x float64) float64  { return sum + x*x }
func addAbs(sum, x float64) float64     { return sum + math.Abs(x) }
func sqrtOf(sum float64, _ int) float64 { return math.Sqrt(sum) }
func logOf(sum float64, _ int) float64  { return math.Log(sum) }

// What each returns of no elements is what ONNX says: 0, 1, an infinity, or no number.
var (
	reduceSum       = reduction{step: add}
	reduceProd      = reduction{start: 1, step: mulOf.f}
	reduceMax       = reduction{start: math.Inf(-1), step: maxOf.f}
	reduceMin       = reduction{start: math.Inf(1), step: minOf.f}
	reduceMean      = reduction{step: add, end: func(sum float64, n int) float64 { return sum / float64(n) }}
	reduceL1        = reduction{step: addAbs}
	reduceL2        = reduction{step: addSquare, end: sqrtOf}
	reduceLogSum    = reduction{step: add, end: logOf}
	reduceSumSquare = reduction{step: addSquare}
)

// reducedAxes reads axes (input 1, or all); ok is false if nothing is to be reduced.
func (c *call) reducedAxes() (list []int, ok bool) {
	var given []int64
	if c.has(1) {
		given = c.vector(1)
	}
	list, noop, err := c.n.Reduced(given, len(c.in[0].Dims))
	return must(list, err), !noop
}

// shrunk returns the sizes left when axes are reduced: with 1 in their place, and as they are returned.
func shrunk(dims []int64, list []int, keep bool) (ones, out []int64) {
	ones, out = slices.Clone(dims), []int64{}
	for i, d := range dims {
		if slices.Contains(list, i) {
			ones[i] = 1
			if keep {
				out = append(out, 1)
			}
			continue
		}
		out = append(out, d)
	}
	return ones, out
}

// groups lists for each element of dims the element of the reduced tensor that it goes into.
func (c *call) groups(dims, ones []int64) []int {
	c.count(dims)
	return places(dims, 0, stretch(ones, dims))
}

// eval reduces integers as floats, which is exact as far as these count: to 2^53.
func (r reduction) eval(c *call) []Tensor {
	x := c.in[0]
	floats := c.asFloats(x)
	list, ok := c.reducedAxes()
	if !ok {
		return []Tensor{x}
	}
	ones, dims := shrunk(x.Dims, list, c.n.Int("keepdims", 1) != 0)
	y := r.evalFloats(c, floats, ones, dims)
	return one(c.castTo(y, x.Elem))
}

func (r reduction) evalFloats(c *call, x Tensor, ones, dims []int64) Tensor {
	into := c.groups(x.Dims, ones)
	y := c.make(x.Elem, dims)
	for i := range y.F {
		y.F[i] = r.start
	}
	for i, v := range x.F {
		y.F[into[i]] = r.step(y.F[into[i]], v)
	}
	if r.end == nil || len(y.F) == 0 {
		return y
	}
	n := len(x.F) / len(y.F)
	for i, v := range y.F {
		y.F[i] = r.end(v, n)
	}
	return y
}

// logSumExp subtracts the maximum first; an infinite one is the result.
func logSumExp(c *call) []Tensor {
	x := c.asFloats(c.in[0])
	list, ok := c.reducedAxes()
	if !ok {
		return c.in[:1]
	}
	ones, dims := shrunk(x.Dims, list, c.n.Int("keepdims", 1) != 0)
	top := reduceMax.evalFloats(c, x, ones, ones)
	into := c.groups(x.Dims, ones)
	sum := make([]float64, len(top.F))
	for i, v := range x.F {
		if m := top.F[into[i]]; !math.IsInf(m, 0) {
			sum[into[i]] += math.Exp(v - m)
		}
	}
	for i, m := range top.F {
		if !math.IsInf(m, 0) {
			top.F[i] = m + math.Log(sum[i])
		}
	}
	return one(c.castTo(top.reshaped(dims), c.in[0].Elem))
}

// rows is a tensor seen along one axis: element j of row (o, i) is at o*n*inner + j*inner + i.
type rows struct{ outer, n, inner int }

func along(dims []int64, a int) rows {
	return rows{product(dims[:a]), int(dims[a]), product(dims[a+1:])}
}

// each calls f with the place of the first element of every row.
func (r rows) each(f func(first int)) {
	for o := range r.outer {
		for i := range r.inner {
			f(o*r.n*r.inner + i)
		}
	}
}

// alongAxis returns the first input, room for an output of its shape, and both seen along the attribute axis, the last by default.
func (c *call) alongAxis() (x, y Tensor, r rows) {
	x = c.floats(0)
	a := axis(c.n.Int("axis", -1), len(x.Dims))
	y = c.make(x.Elem, x.Dims)
	return x, y, along(x.Dims, a)
}

// softmax along an axis; logarithm: LogSoftmax.
func softmax(logarithm bool) func(*call) []Tensor {
	return func(c *call) []Tensor {
		x, y, r := c.alongAxis()
		r.each(func(first int) { softmaxRow(y.F, x.F, first, r, logarithm) })
		return one(y)
	}
}

// softmaxRow subtracts the largest element first, so that nothing overflows.
func softmaxRow(y, x []float64, first int, r rows, logarithm bool) {
	top, sum := math.Inf(-1), 0.0
	for j := range r.n {
		top = max(top, x[first+j*r.inner])
	}
	for j := range r.n {
		sum += math.Exp(x[first+j*r.inner] - top)
	}
	for j := range r.n {
		at := first + j*r.inner
		if logarithm {
			y[at] = x[at] - top - math.Log(sum)
			continue
		}
		y[at] = math.Exp(x[at]-top) / sum
	}
}

// order compares elements i and j of numbers. NaN is above all, as in numpy: the maximum of what holds one is one.
func (t Tensor) order(i, j int) int {
	if t.F == nil {
		return cmp.Compare(t.I[i], t.I[j])
	}
	a, b := t.F[i], t.F[j]
	switch {
	case a > b || a != a && b == b:
		return 1
	case a < b || a == a && b != b:
		return -1
	}
	return 0
}
