package oracle

import (
	"fmt"
	"slices"
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

// matMul is numpy's: a vector is a row on the left and a column on the right, and the axes before the last two broadcast.
func matMul(c *call) ([]Tensor, error) {
	a, b, err := c.factors()
	if err != nil {
		return nil, err
	}
	y, err := c.multiply(a, b)
	if err != nil {
		return nil, err
	}
	return one(c.castTo(y, c.in[0].Elem))
}

// factors returns inputs 0 and 1 as floats. Products of integers are exact as long as no sum exceeds 2^53.
func (c *call) factors() (a, b Tensor, err error) {
	if err := c.same(0, 1); err != nil {
		return a, b, err
	}
	for i, to := range []*Tensor{&a, &b} {
		t := c.in[i]
		if t.Elem.IsFloat() {
			*to = t
			continue
		}
		if *to, err = c.asFloats(t); err != nil {
			return a, b, err
		}
	}
	return a, b, nil
}

func (c *call) multiply(a, b Tensor) (Tensor, error) {
	if len(a.Dims) == 0 || len(b.Dims) == 0 {
		return Tensor{}, fmt.Errorf("shapes %v and %v: a scalar is no matrix", a.Dims, b.Dims)
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
		return Tensor{}, fmt.Errorf("shapes %v and %v do not multiply", a.Dims, b.Dims)
	}
	batch, err := broadcast(batchA, batchB)
	if err != nil {
		return Tensor{}, err
	}
	dims := slices.Clone(batch)
	if len(a.Dims) > 1 {
		dims = append(dims, m)
	}
	if len(b.Dims) > 1 {
		dims = append(dims, n)
	}
	y, err := c.make(a.Elem, dims)
	if err != nil {
		return y, err
	}
	if err := c.m.work(append(slices.Clone(batch), m, k, n)...); err != nil || len(y.F) == 0 {
		return y, err
	}
	at := places(batch, 0, stretch(batchA, batch))
	bt := places(batch, 0, stretch(batchB, batch))
	mk, kn, mn := int(m*k), int(k*n), int(m*n)
	for i := range at {
		multiplyInto(y.F[i*mn:(i+1)*mn], rowsOf(a.F[at[i]*mk:(at[i]+1)*mk], int(m), int(k)), rowsOf(b.F[bt[i]*kn:(bt[i]+1)*kn], int(k), int(n)))
	}
	return y, nil
}

// swapped exchanges the last two axes of t.
func (c *call) swapped(t Tensor) (Tensor, error) {
	n := len(t.Dims)
	if n < 2 {
		return t, nil
	}
	order := span(n)
	order[n-2], order[n-1] = n-1, n-2
	return c.permuted(t, order)
}

// fusedMatMul is com.microsoft's: alpha A' B'.
func fusedMatMul(c *call) ([]Tensor, error) {
	if c.n.Int("transBatchA", 0) != 0 || c.n.Int("transBatchB", 0) != 0 {
		return nil, fmt.Errorf("attributes transBatchA and transBatchB are not evaluated")
	}
	a, err := c.floats(0)
	if err != nil {
		return nil, err
	}
	b, err := c.floats(1)
	if err != nil {
		return nil, err
	}
	if c.n.Int("transA", 0) != 0 {
		if a, err = c.swapped(a); err != nil {
			return nil, err
		}
	}
	if c.n.Int("transB", 0) != 0 {
		if b, err = c.swapped(b); err != nil {
			return nil, err
		}
	}
	y, err := c.multiply(a, b)
	alpha := c.float("alpha", 1)
	for i := range y.F {
		y.F[i] *= alpha
	}
	return one(y, err)
}

// gemm: y = alpha A' B' + beta C. A': [M, K], B': [K, N], C broadcasts to [M, N].
func gemm(c *call) ([]Tensor, error) {
	if err := firstOf(c.same(0, 1, 2), c.rank(0, 2), c.rank(1, 2)); err != nil {
		return nil, err
	}
	ta, tb, err := c.factors()
	if err != nil {
		return nil, err
	}
	a := rowsOf(ta.F, int(ta.Dims[0]), int(ta.Dims[1]))
	if c.n.Int("transA", 0) != 0 {
		a = a.transposed()
	}
	b := rowsOf(tb.F, int(tb.Dims[0]), int(tb.Dims[1]))
	if c.n.Int("transB", 0) != 0 {
		b = b.transposed()
	}
	if a.columns != b.rows {
		return nil, fmt.Errorf("shapes %v and %v do not multiply", ta.Dims, tb.Dims)
	}
	y, err := c.make(ta.Elem, []int64{int64(a.rows), int64(b.columns)})
	if err != nil {
		return nil, err
	}
	if err := c.m.work(int64(a.rows), int64(a.columns), int64(b.columns)); err != nil {
		return nil, err
	}
	multiplyInto(y.F, a, b)
	alpha, beta := c.float("alpha", 1), c.float("beta", 1)
	for i := range y.F {
		y.F[i] *= alpha
	}
	if err := c.addScaled(y, 2, beta); err != nil {
		return nil, err
	}
	return one(c.castTo(y, c.in[0].Elem))
}

// addScaled adds beta times input i, broadcast, to y.
func (c *call) addScaled(y Tensor, i int, beta float64) error {
	if !c.has(i) {
		return nil
	}
	t, err := c.stretched(c.in[i], y.Dims)
	if err == nil && !t.Elem.IsFloat() {
		t, err = c.asFloats(t)
	}
	if err != nil {
		return err
	}
	for j, v := range t.F {
		y.F[j] += beta * v
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
