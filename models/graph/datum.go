package graph

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// datum is one element of an integer tensor that is known, at least in part, before the network runs: n times the product of names.
// Exporters compute shapes with such tensors. The zero datum is not known.
type datum struct {
	n     int64
	names string // product of names in canonical order, as "M*N"; "" for a plain number
	ok    bool
}

func number(n int64) datum { return datum{n: n, ok: true} }

// maxName bounds the bytes of a product's name.
const maxName = 256

// isNumber reports an element without names.
func (d datum) isNumber() bool { return d.ok && d.names == "" }

func (d datum) is(n int64) bool { return d.isNumber() && d.n == n }

// datumOf turns a size into a factor. A name that is no product of names and numbers, as exporters write sums, is a single name.
func datumOf(d Dim) datum {
	switch {
	case d.Known():
		return number(d.Size)
	case d.Name == "":
		return datum{}
	}
	out := datum{n: 1, ok: true}
	if opaque(d.Name) {
		return datum{n: 1, names: d.Name, ok: true}
	}
	var names []string
	for f := range strings.SplitSeq(d.Name, "*") {
		if n, err := strconv.ParseInt(f, 10, 32); err == nil && n > 0 {
			out.n = mulSat(out.n, n)
			continue
		}
		names = append(names, f)
	}
	slices.Sort(names)
	out.names = strings.Join(names, "*")
	return out
}

// dim turns an element into a size. Negative numbers are no sizes, and are not known.
func (d datum) dim() Dim {
	switch {
	case !d.ok || d.n < 0:
		return Any
	case d.names == "" || d.n == 0:
		return N(d.n)
	case d.n == 1:
		return Sym(d.names)
	case opaque(d.names):
		return Any // a multiple of an exporter's expression has no canonical name
	}
	return Sym(strconv.FormatInt(d.n, 10) + "*" + d.names)
}

// opaque reports an exporter's expression, as "2*s0 + 1", which is not taken apart.
func opaque(names string) bool { return strings.ContainsAny(names, "+-/(), ") }

func (d datum) mul(e datum) datum {
	switch {
	case d.is(0) || e.is(0):
		return number(0)
	case !d.ok || !e.ok:
		return datum{}
	}
	n := mulSat(d.n, e.n)
	if n == math.MaxInt64 {
		return datum{} // an engine's product wraps around
	}
	if d.names == "" || e.names == "" {
		return datum{n: n, names: d.names + e.names, ok: true}
	}
	if len(d.names)+len(e.names) > maxName || opaque(d.names) || opaque(e.names) {
		return datum{}
	}
	names := append(strings.Split(d.names, "*"), strings.Split(e.names, "*")...)
	slices.Sort(names)
	return datum{n: n, names: strings.Join(names, "*"), ok: true}
}

// div divides where the quotient is certain: numbers as ONNX does (towards zero), products by their factors.
func (d datum) div(e datum) datum {
	if !d.ok || !e.ok || e.n == 0 || d.n == math.MinInt64 {
		return datum{}
	}
	if d.names == "" && e.names == "" {
		return number(d.n / e.n)
	}
	switch {
	case d.n%e.n != 0:
		return datum{}
	case d.names == e.names:
		return number(d.n / e.n)
	case e.names == "":
		return datum{n: d.n / e.n, names: d.names, ok: true}
	case opaque(d.names) || opaque(e.names):
		return datum{}
	}
	names := strings.Split(d.names, "*")
	for f := range strings.SplitSeq(e.names, "*") {
		i := slices.Index(names, f)
		if i < 0 {
			return datum{}
		}
		names = slices.Delete(names, i, i+1)
	}
	return datum{n: d.n / e.n, names: strings.Join(names, "*"), ok: true}
}

func (d datum) add(e datum) datum {
	switch {
	case d.is(0):
		return e
	case e.is(0):
		return d
	case d.ok && e.ok && d.names == e.names:
		n := d.n + e.n
		switch {
		case n == 0:
			return number(0)
		case (n > d.n) != (e.n > 0):
			return datum{} // an overflow
		}
		return datum{n: n, names: d.names, ok: true}
	}
	return datum{}
}

func (d datum) neg() datum {
	if !d.ok || d.n == math.MinInt64 {
		return datum{}
	}
	d.n = -d.n
	return d
}

// mulSat multiplies; a product that does not fit is the largest number, which no size reaches.
func mulSat(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	if p/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return math.MaxInt64
	}
	return p
}
