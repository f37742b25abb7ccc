package dsp

import (
	"fmt"
	"slices"
)

// Filter is a recursive filter in second-order sections; nil changes nothing. It is not changed by use.
type Filter []section

// section is (b0 + b1/z + b2/z^2) / (1 + a0/z + a1/z^2).
type section struct {
	b [3]float64
	a [2]float64
}

// Forward filters x in place, from the first value to the last: causal, delayed. It starts as if x[0] had been there forever.
func (f Filter) Forward(x []float64) {
	if len(x) == 0 {
		return
	}
	f.run(x, x[0])
}

// run filters x in the steady state of level. Each section is done over all of x before the next: the two numbers of its state stay in registers.
func (f Filter) run(x []float64, level float64) {
	for _, s := range f {
		out := level * (s.b[0] + s.b[1] + s.b[2]) / (1 + s.a[0] + s.a[1])
		s2 := s.b[2]*level - s.a[1]*out
		s1 := s.b[1]*level - s.a[0]*out + s2
		level = out
		for i, v := range x { // transposed direct form II
			y := s.b[0]*v + s1
			s1 = s.b[1]*v - s.a[0]*y + s2
			s2 = s.b[2]*v - s.a[1]*y
			x[i] = y
		}
	}
}

// Both filters x in place forward and then backward: no delay, the gain squared. Beyond its ends x is continued by its mirror image,
// turned about the end point, over [Filter.Edge] values; shorter signals are an error.
func (f Filter) Both(x []float64) error {
	edge := f.Edge()
	n := len(x)
	if n <= edge {
		return fmt.Errorf("%d samples: a filter in both directions needs more than %d", n, edge)
	}
	if len(f) == 0 {
		return nil
	}
	long := make([]float64, n+2*edge)
	copy(long[edge:], x)
	for i := 1; i <= edge; i++ {
		long[edge-i] = 2*x[0] - x[i]
		long[edge+n-1+i] = 2*x[n-1] - x[n-1-i]
	}
	for range 2 {
		f.Forward(long)
		slices.Reverse(long)
	}
	copy(x, long[edge:])
	return nil
}

// Edge returns by how many values [Filter.Both] continues a signal: three times the length of the filter's polynomials, as SciPy has it.
func (f Filter) Edge() int {
	if len(f) == 0 {
		return 0
	}
	taps := 2*len(f) + 1
	for _, s := range f {
		if s.a[1] == 0 && s.b[2] == 0 {
			taps-- // of first order
		}
	}
	return 3 * taps
}
