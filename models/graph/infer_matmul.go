package graph

import (
	"fmt"
	"slices"
	"strings"
)

// gemm: y = alpha A' B' + beta C. A': [M, K], B': [K, N], C broadcasts to [M, N].
func gemm(c *inference) error {
	elem, err := c.sameElem(0, 1, 2)
	if err != nil {
		return err
	}
	if err := c.want(0, 2); err != nil {
		return err
	}
	if err := c.want(1, 2); err != nil {
		return err
	}
	m, k := c.matrix(0, c.n.Int("transA", 0) != 0)
	l, n := c.matrix(1, c.n.Int("transB", 0) != 0)
	if err := equalDims("columns of A and rows of B", k, l); err != nil {
		return err
	}
	if bias := c.shape(2); bias != nil {
		for i, d := range bias {
			j := 2 - len(bias) + i
			if j < 0 || d.Size != 1 && equalDims("", d, []Dim{m, n}[j]) != nil {
				return fmt.Errorf("input 2 (C) of shape %v does not broadcast to %v", bias, Shape{m, n})
			}
		}
	}
	return c.set(0, elem, Shape{m, n})
}

// matrix returns rows and columns of a matrix.
func (c *inference) matrix(i int, transposed bool) (rows, columns Dim) {
	s := c.shape(i)
	switch {
	case s == nil:
		return Any, Any
	case transposed:
		return s[1], s[0]
	}
	return s[0], s[1]
}

// matMul is numpy's matmul: vectors are taken as a row on the left and a column on the right, and outer sizes broadcast.
func matMul(c *inference) error {
	elem, err := c.sameElem(0, 1)
	if err != nil {
		return err
	}
	return c.multiply(elem, c.shape(0), c.shape(1))
}

// matMulInteger multiplies 8-bit integers into int32; zero points are inputs 2 and 3.
func matMulInteger(c *inference) error { return c.multiply(Int32, c.shape(0), c.shape(1)) }

func (c *inference) multiply(elem DType, a, b Shape) error {
	if a == nil || b == nil {
		return c.set(0, elem, nil)
	}
	if len(a) == 0 || len(b) == 0 {
		return fmt.Errorf("shapes %v and %v: a scalar is no matrix", a, b)
	}
	left, right := slices.Clone(a), slices.Clone(b)
	if len(a) == 1 {
		left = Shape{N(1), a[0]}
	}
	if len(b) == 1 {
		right = Shape{b[0], N(1)}
	}
	rows, inner := left[len(left)-2], left[len(left)-1]
	if err := equalDims("columns of A and rows of B", inner, right[len(right)-2]); err != nil {
		return fmt.Errorf("shapes %v and %v: %w", a, b, err)
	}
	columns := right[len(right)-1]
	out, err := Broadcast(left[:len(left)-2], right[:len(right)-2])
	if err != nil {
		return err
	}
	out = slices.Clone(out)
	if len(a) > 1 {
		out = append(out, rows)
	}
	if len(b) > 1 {
		out = append(out, columns)
	}
	return c.set(0, elem, out)
}

// fusedMatMul is com.microsoft's matmul with transposed operands.
func fusedMatMul(c *inference) error {
	elem, err := c.sameElem(0, 1)
	if err != nil {
		return err
	}
	turn := func(i int, name, batch string) Shape {
		s := slices.Clone(c.shape(i))
		if c.n.Int(batch, 0) != 0 {
			return nil // the batch axes move as well: left unknown
		}
		if n := len(s); c.n.Int(name, 0) != 0 && n > 1 {
			s[n-2], s[n-1] = s[n-1], s[n-2]
		}
		return s
	}
	return c.multiply(elem, turn(0, "transA", "transBatchA"), turn(1, "transB", "transBatchB"))
}

// einsum follows the letters of the equation; an ellipsis stands for sizes that broadcast.
func einsum(c *inference) error {
	elem, err := c.sameElem(c.all()...)
	if err != nil {
		return err
	}
	terms, result, err := c.n.Equation()
	if err != nil {
		return err
	}
	sizes := map[rune]Dim{}
	ellipsis := Shape{}
	for i, term := range terms {
		if c.shape(i) == nil {
			return c.set(0, elem, nil)
		}
		outer, err := bindLetters(sizes, term, c.shape(i))
		if err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
		if ellipsis, err = Broadcast(ellipsis, outer); err != nil {
			return err
		}
	}
	out := Shape{}
	for _, r := range strings.ReplaceAll(result, "...", ".") {
		if r == '.' {
			out = append(out, ellipsis...)
			continue
		}
		d, ok := sizes[r]
		if !ok {
			return fmt.Errorf("equation: %q is in the result alone", r)
		}
		out = append(out, d)
	}
	return c.set(0, elem, out)
}

// bindLetters gives the letters of one term their sizes and returns those that its ellipsis stands for.
func bindLetters(sizes map[rune]Dim, term string, s Shape) (Shape, error) {
	letters := []rune(strings.ReplaceAll(term, "...", "."))
	named := len(strings.ReplaceAll(term, "...", ""))
	hidden := len(s) - named
	if hidden < 0 || hidden > 0 && named == len(letters) {
		return nil, fmt.Errorf("term %q for shape %v", term, s)
	}
	ellipsis := Shape{}
	for _, r := range letters {
		if r == '.' {
			ellipsis, s = s[:hidden], s[hidden:]
			hidden = 0
			continue
		}
		d, ok := broadcastDim(s[0], s[0])
		if old, seen := sizes[r]; seen {
			if d, ok = broadcastDim(old, s[0]); d == Any && (old.Known() || old.Name != "") {
				d = old
			}
		}
		if !ok {
			return nil, fmt.Errorf("letter %q is %v and %v", r, sizes[r], s[0])
		}
		sizes[r], s = d, s[1:]
	}
	return ellipsis, nil
}

// attention is opset 23's Attention: q, k, v of rank 4 [N, heads, S, width], or 3 [N, S, heads*width].
func attention(c *inference) error {
	q, v := c.shape(0), c.shape(2)
	if q == nil || v == nil || len(q) != len(v) {
		return c.set(0, c.elem(0), nil)
	}
	switch len(q) {
	case 4:
		return c.set(0, c.elem(0), Shape{q[0], q[1], q[2], v[3]})
	case 3:
		heads, kv := c.n.Int("q_num_heads", 0), c.n.Int("kv_num_heads", 0)
		if heads < 1 || kv < 1 {
			return fmt.Errorf("attributes q_num_heads %d and kv_num_heads %d", heads, kv)
		}
		width := datumOf(v[2]).div(number(kv)).mul(number(heads)).dim()
		return c.set(0, c.elem(0), Shape{q[0], q[1], width})
	}
	return fmt.Errorf("input 0 has shape %v, want rank 3 or 4", q)
}
