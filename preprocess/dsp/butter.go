package dsp

import (
	"fmt"
	"math"
	"math/cmplx"
)

// Band is the pass band of a Butterworth filter. The zero value lets everything pass.
type Band struct {
	Low    float64 // Hz, the edge (-3 dB) of the high-pass; 0 for none
	High   float64 // Hz, the edge of the low-pass; 0 for none
	Order  int     // of either edge, 1 to 12; default 4
	Causal bool    // forward alone, for live streams; else forward and backward, which doubles the order and has no delay
}

const maxOrder = 12

// Active tells whether the band stops anything.
func (b Band) Active() bool { return b.Low != 0 || b.High != 0 }

func (b Band) order() int {
	if b.Order == 0 {
		return 4
	}
	return b.Order
}

// Validate returns what is wrong with the band whatever the rate is, or nil.
func (b Band) Validate() error {
	if !(b.Low >= 0 && !math.IsInf(b.Low, 1) && b.High >= 0 && !math.IsInf(b.High, 1)) {
		return fmt.Errorf("band %g to %g Hz", b.Low, b.High)
	}
	if b.High != 0 && !(b.Low < b.High) {
		return fmt.Errorf("band %g to %g Hz: want the low edge below the high one", b.Low, b.High)
	}
	if b.order() < 1 || b.order() > maxOrder {
		return fmt.Errorf("filter of order %d: want 1 to %d", b.Order, maxOrder)
	}
	return nil
}

// Design returns the filter for signals of rate Hz. Edges must be below half of it.
//
// The poles of the analogue prototype are moved to the band and mapped by the bilinear transform s = 2 (z-1)/(z+1), the edges bent
// beforehand so that they land where they should (Oppenheim and Schafer, Discrete-Time Signal Processing, chapter 7).
func (b Band) Design(rate float64) (Filter, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	if edge := max(b.Low, b.High); !(edge < rate/2) {
		return nil, fmt.Errorf("band %g to %g Hz: not below half the rate of %g Hz", b.Low, b.High, rate)
	}
	if !b.Active() {
		return nil, nil
	}
	bend := func(f float64) float64 { return 2 * math.Tan(math.Pi*f/rate) }
	kind := kindOf(b, bend)
	var f Filter
	for _, p := range prototype(b.order()) {
		f = append(f, kind.sections(p)...)
	}
	return f, nil
}

// prototype returns the poles of the analogue low-pass of edge 1 that are not below the real axis.
func prototype(order int) (out []complex128) {
	for k := range order / 2 {
		out = append(out, cmplx.Exp(complex(0, math.Pi*float64(2*k+order+1)/float64(2*order))))
	}
	if order%2 == 1 {
		out = append(out, -1) // exactly real, which sections relies on
	}
	return out
}

// kind is one of low-pass, high-pass and band-pass: how poles move, and what the sections have for zeros.
type kind struct {
	move  func(p complex128) []complex128 // a pole of the prototype to those of the filter, in s
	zeros [3]float64                      // of a section of second order, as a polynomial of 1/z
	zero  [2]float64                      // of one of first order
	pass  complex128                      // z where the gain is 1
}

func kindOf(b Band, bend func(float64) float64) kind {
	low, high := bend(b.Low), bend(b.High)
	switch {
	case b.Low == 0:
		return kind{func(p complex128) []complex128 { return []complex128{p * complex(high, 0)} }, [3]float64{1, 2, 1}, [2]float64{1, 1}, 1}
	case b.High == 0:
		return kind{func(p complex128) []complex128 { return []complex128{complex(low, 0) / p} }, [3]float64{1, -2, 1}, [2]float64{1, -1}, -1}
	}
	centre := low * high // squared
	move := func(p complex128) []complex128 {
		half := p * complex((high-low)/2, 0)
		root := cmplx.Sqrt(half*half - complex(centre, 0))
		return []complex128{half + root, half - root}
	}
	return kind{move, [3]float64{1, 0, -1}, [2]float64{}, cmplx.Exp(complex(0, 2*math.Atan(math.Sqrt(centre)/2)))}
}

// sections makes the sections of one pole of the prototype and, unless it is real, of its conjugate.
func (k kind) sections(p complex128) Filter {
	poles := k.move(p)
	for i, s := range poles {
		poles[i] = (2 + s) / (2 - s)
	}
	if imag(p) == 0 {
		if len(poles) == 2 { // both real, or conjugates
			return Filter{k.section(poles[0], poles[1])}
		}
		return Filter{k.first(poles[0])}
	}
	var f Filter
	for _, z := range poles {
		f = append(f, k.section(z, cmplx.Conj(z)))
	}
	return f
}

func (k kind) section(p, q complex128) section {
	return section{b: k.zeros, a: [2]float64{-real(p + q), real(p * q)}}.scaled(k.pass)
}

func (k kind) first(p complex128) section {
	return section{b: [3]float64{k.zero[0], k.zero[1], 0}, a: [2]float64{-real(p), 0}}.scaled(k.pass)
}

// scaled makes the gain at z of absolute value 1. The phases of all sections cancel there.
func (s section) scaled(z complex128) section {
	w := 1 / z
	c := func(v float64) complex128 { return complex(v, 0) }
	gain := cmplx.Abs((c(s.b[0]) + w*(c(s.b[1])+w*c(s.b[2]))) / (1 + w*(c(s.a[0])+w*c(s.a[1]))))
	for i := range s.b {
		s.b[i] /= gain
	}
	return s
}
