package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Dim is one size of a tensor: a number, a name for a number that is chosen when the network runs, or neither.
//
// Equal names mean equal sizes throughout a graph. A name may be a product, as "4*N": products are kept in one order (numbers first,
// then names by the alphabet), so that equal products have equal names.
type Dim struct {
	Size int64  // -1 if it is not known
	Name string // "" if it has none; meaningless where Size is known
}

// Any is a size of which nothing is known.
var Any = Dim{Size: -1}

// N returns a known size.
func N(size int64) Dim { return Dim{Size: size} }

// Sym returns a size that has a name, as the batch "N".
func Sym(name string) Dim { return Dim{Size: -1, Name: name} }

// Known reports a size that is a number.
func (d Dim) Known() bool { return d.Size >= 0 }

// Same reports sizes that are certainly equal: the same number, or the same name.
func (d Dim) Same(e Dim) bool {
	if d.Known() || e.Known() {
		return d.Size == e.Size
	}
	return d.Name != "" && d.Name == e.Name
}

// String returns the size, its name, or "?".
func (d Dim) String() string {
	switch {
	case d.Known():
		return strconv.FormatInt(d.Size, 10)
	case d.Name != "":
		return d.Name
	}
	return "?"
}

// Shape is the sizes of a tensor, outermost first. A nil Shape says that not even their number is known; an empty one that is not nil
// is a scalar's.
type Shape []Dim

// Of returns a shape of known sizes. Of() is a scalar's.
func Of(sizes ...int64) Shape {
	s := make(Shape, len(sizes))
	for i, n := range sizes {
		s[i] = N(n)
	}
	return s
}

// Sizes returns the numbers of a shape whose sizes are all known; ok is false for any other.
func (s Shape) Sizes() (sizes []int64, ok bool) {
	if s == nil {
		return nil, false
	}
	sizes = make([]int64, len(s))
	for i, d := range s {
		if !d.Known() {
			return nil, false
		}
		sizes[i] = d.Size
	}
	return sizes, true
}

// Same reports shapes that are certainly equal: of the same rank, with sizes that are [Dim.Same].
func (s Shape) Same(t Shape) bool {
	return s != nil && t != nil && slices.EqualFunc(s, t, Dim.Same)
}

// Elements returns the product of the sizes, a name or [Any] where it is not a number.
func (s Shape) Elements() Dim {
	if s == nil {
		return Any
	}
	p := number(1)
	for _, d := range s {
		p = p.mul(datumOf(d))
	}
	return p.dim()
}

// String returns the sizes as "[N,3,224,224]", or "[...]" where their number is not known.
func (s Shape) String() string {
	if s == nil {
		return "[...]"
	}
	dims := make([]string, len(s))
	for i, d := range s {
		dims[i] = d.String()
	}
	return "[" + strings.Join(dims, ",") + "]"
}

// Type is what is known of a value before the network runs. The zero Type says nothing.
type Type struct {
	Elem  DType
	Shape Shape
	// Foreign is not nil for a value that is no tensor, as a sequence: the file format's own description, kept for the way back.
	Foreign any
}

// String returns type and sizes as "float32[N,3,224,224]".
func (t Type) String() string {
	switch {
	case t.Foreign != nil:
		return "(not a tensor)"
	case t.Elem == Undefined && t.Shape == nil:
		return "?"
	case t.Elem == Undefined:
		return "?" + t.Shape.String()
	}
	return t.Elem.String() + t.Shape.String()
}

// Broadcast returns the shape of an elementwise operation on two tensors, by numpy's rule, which is ONNX's. A size that is not known is
// taken to fit: beside a number above 1 it must be that number or 1, and either way the result has it.
func Broadcast(a, b Shape) (Shape, error) {
	if a == nil || b == nil {
		return nil, nil
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	shift := len(a) - len(b)
	for i, d := range b {
		m, ok := broadcastDim(a[shift+i], d)
		if !ok {
			return nil, fmt.Errorf("shapes %v and %v do not broadcast", a, b)
		}
		out[shift+i] = m
	}
	return out, nil
}

func broadcastDim(a, b Dim) (Dim, bool) {
	switch {
	case a.Same(b), b.Size == 1:
		return a, true
	case a.Size == 1:
		return b, true
	case a.Known() && b.Known():
		return Dim{}, false
	case a.Known():
		return a, true
	case b.Known():
		return b, true
	}
	return Any, true // two names: either may turn out to be 1
}

// merge joins what two sources say of the same value. What was found by inference (found) names unknown sizes by where they come from,
// and goes before what a file declared.
func (t Type) merge(found Type) (Type, error) {
	if t.Foreign != nil || found.Foreign != nil {
		if t.Foreign == nil {
			t.Foreign = found.Foreign
		}
		return t, nil
	}
	if found.Elem == Undefined {
		found.Elem = t.Elem
	}
	if t.Elem != Undefined && t.Elem != found.Elem {
		return t, fmt.Errorf("element type is %v, declared as %v", found.Elem, t.Elem)
	}
	if t.Shape == nil || found.Shape == nil {
		if found.Shape == nil {
			found.Shape = t.Shape
		}
		return found, nil
	}
	if len(t.Shape) != len(found.Shape) {
		return t, fmt.Errorf("shape is %v, declared as %v", found.Shape, t.Shape)
	}
	shape := slices.Clone(found.Shape)
	for i, d := range t.Shape {
		switch f := found.Shape[i]; {
		case d.Known() && f.Known() && d.Size != f.Size:
			return t, fmt.Errorf("shape is %v, declared as %v", found.Shape, t.Shape)
		case d.Known(), f == Any:
			shape[i] = d
		}
	}
	found.Shape = shape
	return found, nil
}
