package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// einsum multiplies its inputs where the equation's letters agree and sums over the letters that the result lacks. An ellipsis stands for
// axes that broadcast.
func einsum(c *call) []Tensor {
	c.allFloats()
	c.sameAll()
	terms, result, err := c.n.Equation()
	if err != nil {
		panic(failure{err})
	}
	e := letters{size: map[string]int64{}}
	names := make([][]string, len(terms))
	for i, term := range terms {
		names[i] = e.bind(term, c.in[i].Dims)
	}
	out := e.named(result)
	return one(c.contract(e, names, out))
}

// letters holds the sizes of the letters, and of the axes of the ellipsis: ".0" is the last of these, ".1" the one before.
type letters struct {
	size   map[string]int64
	hidden int // axes of the widest ellipsis
}

// bind gives the letters of a term the sizes of an input, and returns one name for each of its axes.
func (e *letters) bind(term string, dims []int64) []string {
	term = strings.Replace(term, "...", ".", 1)
	hidden := len(dims) - len(strings.ReplaceAll(term, ".", ""))
	if hidden < 0 || hidden > 0 && !strings.Contains(term, ".") || strings.Count(term, ".") > 1 {
		panic(failf("term %q for shape %v", term, dims))
	}
	e.hidden = max(e.hidden, hidden)
	names := expandEllipsis(term, hidden)
	for i, name := range names {
		d, old := dims[i], e.size[name]
		_, seen := e.size[name]
		switch {
		case !seen || old == 1:
			e.size[name] = d
		case d != old && d != 1:
			panic(failf("%q is %d and %d", name, old, d))
		}
	}
	return names
}

func expandEllipsis(term string, hidden int) []string {
	var names []string
	for _, r := range term {
		if r != '.' {
			names = append(names, string(r))
			continue
		}
		for k := hidden - 1; k >= 0; k-- {
			names = append(names, fmt.Sprintf(".%d", k))
		}
	}
	return names
}

// named returns the names of the result's axes.
func (e *letters) named(result string) []string {
	out := expandEllipsis(strings.Replace(result, "...", ".", 1), e.hidden)
	for i, name := range out {
		if _, ok := e.size[name]; !ok || slices.Contains(out[:i], name) {
			panic(failf("%q of the result is in no term, or there twice", name))
		}
	}
	return out
}

// contract walks over all letters, those of the result outermost, and adds up products: the definition, and no faster than it.
func (c *call) contract(e letters, names [][]string, out []string) Tensor {
	all := slices.Clone(out)
	for _, term := range names {
		for _, name := range term {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	sizes := make([]int64, len(all))
	for i, name := range all {
		sizes[i] = e.size[name]
	}
	y := c.make(c.in[0].Elem, sizes[:len(out)])
	if len(y.F) == 0 {
		return y
	}
	inner := sizes[len(out):]
	strides := make([][]int, len(names))
	for k, term := range names {
		strides[k] = e.strides(term, c.in[k].Dims, all)
	}
	c.count(inner)
	outer, sums := make([][]int, len(names)), make([][]int, len(names))
	for k, s := range strides {
		outer[k], sums[k] = places(sizes[:len(out)], 0, s[:len(out)]), places(inner, 0, s[len(out):])
	}
	for i := range y.F {
		for j := range sums[0] {
			p := 1.0
			for k, t := range c.in {
				p *= t.F[outer[k][i]+sums[k][j]]
			}
			y.F[i] += p
		}
	}
	return y
}

// strides returns how far an input moves along each letter; a letter that it has twice runs down its diagonal.
func (e *letters) strides(term []string, dims []int64, all []string) []int {
	out := make([]int, len(all))
	steps := rowMajor(dims)
	for i, name := range term {
		if dims[i] != 1 {
			out[slices.Index(all, name)] += steps[i]
		}
	}
	return out
}
