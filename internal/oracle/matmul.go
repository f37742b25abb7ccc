package oracle

import (
	"slices"

	"github.com/oatta/oatta/models/graph"
)

// matrix is a view of rows and columns of a slice of floats.
type matrix struct {
	data            []float64
	rows, columns   int
	byRow, byColumn int
}

func (m matrix) transposed() matrix {
	return matrix{m.data, m.columns, m.rows, m.byColumn, m.byRow}
}

// multiplyInto adds the product of a and b to out, which is row-major. The inner loop runs over columns, so that rows of b that lie
// together are read in one go.
func multiplyInto(out []float64, a, b matrix) {
	n := b.columns
	for i := range a.rows {
		row := out[i*n : (i+1)*n]
		for k := range a.columns {
			v := a.data[i*a.byRow+k*a.byColumn]
			if b.byColumn == 1 {
				for j, w := range b.data[k*b.byRow : k*b.byRow+n] {
					row[j] += v * w
				}
				continue
			}
			for j := range row {
				row[j] += v * b.data[k*b.byRow+j*b.byColumn]
			}
		}
	}
}

func rowsOf(data []float64, rows, columns int) matrix {
	return matrix{data, rows, columns, columns, 1}
}

// matMul is numpy's: a vector is a row on the left and a column on the right, and the axes before the last two broadcast. Products of
// integers are exact as long as no sum exceeds 2^53.
func matMul(c *call) []Tensor {
	c.same(0, 1)
	y := c.multiply(c.asFloats(c.in[0]), c.asFloats(c.in[1]))
	return one(c.castTo(y, c.in[0].Elem))
}

func (c *call) multiply(a, b Tensor) Tensor {
	if len(a.Dims) == 0 || len(b.Dims) == 0 {
		panic(failf("shapes %v and %v: a scalar is no matrix", a.Dims, b.Dims))
	}
	left, right := slices.Clone(a.Dims), slices.Clone(b.Dims)
	if len(left) == 1 {
		left = []int64{1, left[0]}
	}
	if len(right) == 1 {
		right = []int64{right[0], 1}
	}
	batchA, m, k := left[:len(left)-2], left[len(left)-2], left[len(left)-1]
	batchB, n := right[:len(right)-2], right[len(right)-1]
	if right[len(right)-2] != k {
		panic(failf("shapes %v and %v do not multiply", a.Dims, b.Dims))
	}
	batch := broadcast(batchA, batchB)
	dims := slices.Clone(batch)
	if len(a.Dims) > 1 {
		dims = append(dims, m)
	}
	if len(b.Dims) > 1 {
		dims = append(dims, n)
	}
	y := c.make(a.Elem, dims)
	if len(y.F) == 0 {
		return y
	}
	at := places(batch, 0, stretch(batchA, batch))
	bt := places(batch, 0, stretch(batchB, batch))
	mk, kn, mn := int(m*k), int(k*n), int(m*n)
	for i := range at {
		multiplyInto(y.F[i*mn:(i+1)*mn], rowsOf(a.F[at[i]*mk:(at[i]+1)*mk], int(m), int(k)), rowsOf(b.F[bt[i]*kn:(bt[i]+1)*kn], int(k), int(n)))
	}
	return y
}

// swapped exchanges the last two axes of t.
func (c *call) swapped(t Tensor) Tensor {
	n := len(t.Dims)
	if n < 2 {
		return t
	}
	order := span(n)
	order[n-2], order[n-1] = n-1, n-2
	return c.permuted(t, order)
}

// fusedMatMul is com.microsoft's: alpha A' B'.
func fusedMatMul(c *call) []Tensor {
	if c.n.Int("transBatchA", 0) != 0 || c.n.Int("transBatchB", 0) != 0 {
		panic(failf("attributes transBatchA and transBatchB are not evaluated"))
	}
	a := c.floats(0)
	b := c.floats(1)
	if c.n.Int("transA", 0) != 0 {
		a = c.swapped(a)
	}
	if c.n.Int("transB", 0) != 0 {
		b = c.swapped(b)
	}
	y := c.multiply(a, b)
	alpha := c.float("alpha", 1)
	for i := range y.F {
		y.F[i] *= alpha
	}
	return one(y)
}

// gemm: y = alpha A' B' + beta C. A': [M, K], B': [K, N], C broadcasts to [M, N].
func gemm(c *call) []Tensor {
	c.same(0, 1, 2)
	c.rank(0, 2)
	c.rank(1, 2)
	ta, tb := c.asFloats(c.in[0]), c.asFloats(c.in[1])
	a := rowsOf(ta.F, int(ta.Dims[0]), int(ta.Dims[1]))
	if c.n.Int("transA", 0) != 0 {
		a = a.transposed()
	}
	b := rowsOf(tb.F, int(tb.Dims[0]), int(tb.Dims[1]))
	if c.n.Int("transB", 0) != 0 {
		b = b.transposed()
	}
	if a.columns != b.rows {
		panic(failf("shapes %v and %v do not multiply", ta.Dims, tb.Dims))
	}
	y := c.make(graph.Float64, []int64{int64(a.rows), int64(b.columns)})
	multiplyInto(y.F, a, b)
	alpha, beta := c.float("alpha", 1), c.float("beta", 1)
	for i := range y.F {
		y.F[i] *= alpha
	}
	c.addScaled(y, 2, beta)
	return one(c.castTo(y, c.in[0].Elem))
}

// addScaled adds beta times input i, broadcast, to y.
func (c *call) addScaled(y Tensor, i int, beta float64) {
	if !c.has(i) {
		return
	}
	for j, v := range c.asFloats(c.stretched(c.in[i], y.Dims)).F {
		y.F[j] += beta * v
	}
}
