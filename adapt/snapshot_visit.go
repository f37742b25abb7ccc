package adapt

import (
	"encoding/binary"
	"fmt"
	"math"
)

// visitor meets every part of a mode's state, always in the same order. One walk serves the writer, the reader and the checker,
// so that they cannot disagree about the layout.
type visitor interface {
	numbers(name string, x []float64, within bounds)
	number(name string, x *float64, within bounds)
	integer(name string, x *int, limit int) // 0 to limit
	flag(name string, x *bool)
	since(version int) bool // whether the state at hand has what came with the version
}

// bounds is what every state that a filter can reach satisfies, with room for rounding: checked so that a forged or garbled
// state cannot lead to NaN later, far from its cause.
type bounds struct {
	lo, hi float64
	unit   bool // the entries sum to 1
}

var (
	simplex = bounds{0, 1 + unitTolerance, true}
	// counts are bounded by the pseudocounts (1e12) over the least scale (1e-100), times K.
	counted = bounds{0, 1e130, false}
	// scale is multiplied into the counts once it falls below 1e-100.
	scales = bounds{1e-100, 1, false}
	// ratios are differences of two logarithms of float64, at most 745 each.
	ratios = bounds{-1e3, 1e3, false}
	// ratioSums are those of up to 1e6 ratios.
	ratioSums = bounds{-1e9, 1e9, false}
	// observed is a q that Step let through; its sum is looked at apart.
	observed = bounds{0, 1 + 2*SumTolerance, false}
)

// unitTolerance is far above the rounding of carried sums, and small enough that a state within it gives sound posteriors.
const unitTolerance = 1e-3

// writer appends the bits of what it meets.
type writer struct{ buf []byte }

func (w *writer) numbers(_ string, x []float64, _ bounds) {
	at := len(w.buf)
	w.buf = append(w.buf, make([]byte, 8*len(x))...) // no temporary: the compiler extends in place
	out := w.buf[at:]
	for i, v := range x {
		binary.LittleEndian.PutUint64(out[8*i:], math.Float64bits(v))
	}
}

func (w *writer) number(_ string, x *float64, _ bounds) { w.word(math.Float64bits(*x)) }
func (w *writer) integer(_ string, x *int, _ int)       { w.word(uint64(*x)) }

func (w *writer) since(int) bool { return true }

func (w *writer) flag(_ string, x *bool) {
	if *x {
		w.word(1)
	} else {
		w.word(0)
	}
}

func (w *writer) word(v uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, v) }

// reader fills what it meets from buf, whose length the caller has compared with the walk's.
type reader struct {
	buf     []byte
	version int
}

func (r *reader) since(version int) bool { return r.version >= version }

func (r *reader) numbers(_ string, x []float64, _ bounds) {
	in := r.buf[:8*len(x)]
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(in[8*i:]))
	}
	r.buf = r.buf[8*len(x):]
}

func (r *reader) number(_ string, x *float64, _ bounds) { *x = math.Float64frombits(r.word()) }

// integer turns what int cannot hold into -1, which the checker refuses.
func (r *reader) integer(_ string, x *int, limit int) {
	if v := r.word(); v <= uint64(limit) {
		*x = int(v)
	} else {
		*x = -1
	}
}

func (r *reader) flag(_ string, x *bool) { *x = r.word() != 0 }

func (r *reader) word() uint64 {
	v := binary.LittleEndian.Uint64(r.buf)
	r.buf = r.buf[8:]
	return v
}

// checker remembers the first part outside its bounds.
type checker struct{ err error }

// sound reports a state that no filter can be in.
func sound(state persistent) error {
	var c checker
	if state.visit(&c); c.err != nil {
		return c.err
	}
	return state.consistent()
}

func (c *checker) numbers(name string, x []float64, within bounds) {
	if c.err != nil {
		return
	}
	for i, v := range x {
		if !(v >= within.lo && v <= within.hi) { // so written, it refuses NaN
			c.err = fmt.Errorf("state: %s[%d] is %g: want %g to %g", name, i, v, within.lo, within.hi)
			return
		}
	}
	if within.unit {
		c.err = agree("sum of "+name, sum(x), 1)
	}
}

func (c *checker) number(name string, x *float64, within bounds) {
	if c.err == nil && !(*x >= within.lo && *x <= within.hi) {
		c.err = fmt.Errorf("state: %s is %g: want %g to %g", name, *x, within.lo, within.hi)
	}
}

func (c *checker) integer(name string, x *int, limit int) {
	if c.err == nil && (*x < 0 || *x > limit) {
		c.err = fmt.Errorf("state: %s is out of range: want 0 to %d", name, limit)
	}
}

func (c *checker) flag(string, *bool) {}
func (c *checker) since(int) bool     { return true }

// agree reports a carried number that is not what it is carried for. Rows decayed below tiny carry rounding only.
func agree(name string, got, want float64) error {
	if !(math.Abs(got-want) <= unitTolerance*max(got, want)+2*tiny) {
		return fmt.Errorf("state: %s is %g: want %g", name, got, want)
	}
	return nil
}
