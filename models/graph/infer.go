package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Infer finds element types and shapes of all results, in order, and the elements of integer tensors with which exporters compute
// shapes. It adds to what is known already; where the two contradict, or an operator cannot take its inputs, the error names node and
// operator. Results of operators that are not in the table stay unknown. Operators are taken in the forms into which package onnx
// brings every file.
func (g *Graph) Infer() error { return g.inferAll(func(*Node) {}) }

func (g *Graph) inferAll(then func(n *Node)) error {
	g.init()
	g.spent = 0
	for _, n := range g.nodes {
		if err := g.inferNode(n); err != nil {
			return err
		}
		then(n)
	}
	return nil
}

// NameSizes is [Graph.Infer], after which no size of a result whose rank is known is [Any]: one of which nothing is known where it arises
// has a name of its own, and what other results take from it is seen to be the same.
func (g *Graph) NameSizes() error {
	used, next := g.sizeNames(), 1
	return g.inferAll(func(n *Node) {
		for _, v := range n.Outputs {
			if v == None || !slices.Contains(g.at(v).typ.Shape, Any) {
				continue
			}
			shape := slices.Clone(g.at(v).typ.Shape)
			for i, d := range shape {
				if d != Any {
					continue
				}
				for used["?"+strconv.Itoa(next)] {
					next++
				}
				shape[i] = Sym("?" + strconv.Itoa(next))
				next++
			}
			g.at(v).typ.Shape = shape
		}
	})
}

// sizeNames are the names in all sizes, of products those of their factors.
func (g *Graph) sizeNames() map[string]bool {
	used := map[string]bool{}
	for i := range g.values {
		for _, d := range g.values[i].typ.Shape {
			for name := range strings.SplitSeq(d.Name, "*") {
				used[name] = true
			}
		}
	}
	return used
}

// Forget removes what is known of results, so that Infer can begin anew after an input has changed its type. What a file declares of
// values between nodes goes too.
func (g *Graph) Forget() {
	for i := range g.values {
		if e := &g.values[i]; e.kind == Result {
			e.typ, e.data, e.declared = Type{}, nil, false
		}
	}
	for _, n := range g.nodes {
		for _, body := range n.Bodies() {
			body.Forget()
		}
	}
}

// Known reports an operator that the table of inference knows.
func Known(domain, op string) bool {
	n := Node{Op: op, Domain: domain}
	_, ok := operators[n.Operator()]
	return ok
}

// operator is one line of the table.
type operator struct {
	minIn, maxIn int // maxIn -1: any number
	maxOut       int
	infer        func(*inference) error
	data         func(*inference) []datum // elements of the first output, nil if not known
}

// maxData bounds the elements of a tensor that are followed one by one. Shapes have a few; the longest that exporters compute before the
// network runs are the places of a text or of a window of attention.
const maxData = 4096

// maxFollowed bounds the elements that are followed in a whole graph, so that a small file cannot ask for much memory.
const maxFollowed = 1 << 20

// maxFloatData is maxData for floats: the scales of a tensor's sizes.
const maxFloatData = 16

func (g *Graph) inferNode(n *Node) error {
	op, ok := operators[n.Operator()]
	if !ok {
		return nil
	}
	c := &inference{g: g, n: n}
	err := n.checkArity()
	if err == nil {
		err = op.infer(c)
	}
	if err == nil && op.data != nil && n.Outputs[0] != None {
		err = c.follow(op.data)
	}
	if err != nil {
		return fmt.Errorf("graph: %s: %w", g.label(n), err)
	}
	return nil
}

// inference is the work on one node.
type inference struct {
	g *Graph
	n *Node
}

// follow computes the elements of the first output, if it is a small tensor of integers.
func (c *inference) follow(rule func(*inference) []datum) error {
	out := c.g.at(c.n.Outputs[0])
	count := out.typ.Shape.Elements()
	if !count.Known() || count.Size > followed(out.typ.Elem) || c.g.spent+int(count.Size) > maxFollowed {
		return nil
	}
	c.g.spent += int(count.Size)
	data := rule(c)
	if int64(len(data)) != count.Size {
		return nil
	}
	for i, d := range data {
		if d.ok && !holds(out.typ.Elem, d.n) {
			data = slices.Clone(data)
			data[i] = datum{}
		}
	}
	out.data = data
	return nil
}

// followed returns how many elements of a type are followed one by one. Floats are followed as far as they are whole numbers, for
// exporters that scale sizes in floating point, and few of them, so that no time goes into weights.
func followed(elem DType) int64 {
	switch {
	case elem.IsInt() || elem == Bool:
		return maxData
	case elem == Float32 || elem == Float64:
		return maxFloatData
	}
	return 0
}

// holds reports whether a number fits a type; an engine wraps it around otherwise.
func holds(elem DType, n int64) bool {
	bits := elem.Bits()
	switch elem {
	case Bool:
		return n == 0 || n == 1
	case Int64:
		return true
	case Uint64:
		return n >= 0
	case Float32, Float64:
		return n >= -1<<24 && n <= 1<<24 // exact in both
	case Uint8, Uint16, Uint32:
		return n >= 0 && n < 1<<bits
	}
	return n >= -1<<(bits-1) && n < 1<<(bits-1)
}

func (c *inference) has(i int) bool { return i < len(c.n.Inputs) && c.n.Inputs[i] != None }

func (c *inference) typ(i int) Type {
	if !c.has(i) {
		return Type{}
	}
	return c.g.TypeOf(c.n.Inputs[i])
}

func (c *inference) elem(i int) DType  { return c.typ(i).Elem }
func (c *inference) shape(i int) Shape { return c.typ(i).Shape }

// rank returns the rank of an input, -1 if it is not known.
func (c *inference) rank(i int) int {
	if s := c.shape(i); s != nil {
		return len(s)
	}
	return -1
}

// data returns the elements of an input, nil if nothing is known of them.
func (c *inference) data(i int) []datum {
	if !c.has(i) {
		return nil
	}
	return c.g.dataOf(c.n.Inputs[i])
}

func (g *Graph) dataOf(v Value) []datum {
	e := g.at(v)
	if e.kind == Captured {
		return g.outer.dataOf(e.outer)
	}
	if e.kind != Constant || e.data != nil {
		return e.data
	}
	if e.tensor.Len() <= followed(e.tensor.elem) {
		e.data = e.tensor.data()
	}
	return e.data
}

// data returns the elements of a tensor that are whole numbers. A file that cannot be read is reported by whoever needs its contents.
func (t *Tensor) data() []datum {
	if t.elem.IsFloat() {
		values, err := t.Float64s()
		if err != nil {
			return nil
		}
		out := make([]datum, len(values))
		for i, v := range values {
			if n := int64(v); float64(n) == v && holds(t.elem, n) {
				out[i] = number(n)
			}
		}
		return out
	}
	ints, err := t.Int64s()
	if err != nil {
		return nil
	}
	out := make([]datum, len(ints))
	for i, n := range ints {
		out[i] = number(n)
	}
	return out
}

// ints returns the elements of an input if all are numbers.
func (c *inference) ints(i int) ([]int64, bool) {
	if !c.has(i) {
		return nil, false
	}
	return c.g.KnownInts(c.n.Inputs[i])
}

// floats returns the elements of a constant input.
func (c *inference) floats(i int) ([]float64, bool) {
	if !c.has(i) {
		return nil, false
	}
	t := c.g.ConstOf(c.n.Inputs[i])
	if t == nil || !t.elem.IsFloat() || t.Len() > maxData {
		return nil, false
	}
	values, err := t.Float64s()
	return values, err == nil
}

// set joins what was found of output i with what is known of it.
func (c *inference) set(i int, elem DType, s Shape) error {
	if i >= len(c.n.Outputs) || c.n.Outputs[i] == None {
		return nil
	}
	if len(s) > maxRank {
		return fmt.Errorf("output %d: %d sizes, more than %d", i, len(s), maxRank)
	}
	out := c.g.at(c.n.Outputs[i])
	t, err := out.typ.merge(Type{Elem: elem, Shape: slices.Clone(s)})
	if err != nil {
		return fmt.Errorf("output %d (%q): %w", i, out.name, err)
	}
	out.typ = t
	return nil
}

// sameElem reports inputs of known but different element types; inputs that are left out, or not known, fit. It returns the type.
func (c *inference) sameElem(inputs ...int) (DType, error) {
	elem := Undefined
	for _, i := range inputs {
		e := c.elem(i)
		switch {
		case e == Undefined:
		case elem == Undefined:
			elem = e
		case e != elem:
			return elem, fmt.Errorf("input %d is %v, input %d is %v", inputs[0], elem, i, e)
		}
	}
	return elem, nil
}

// want reports an input of known rank that is not one of the given.
func (c *inference) want(i int, ranks ...int) error {
	if r := c.rank(i); r >= 0 && !slices.Contains(ranks, r) {
		return fmt.Errorf("input %d has shape %v, want rank %v", i, c.shape(i), ranks)
	}
	return nil
}

// equalDims reports two sizes that are known and differ.
func equalDims(what string, a, b Dim) error {
	if a.Known() && b.Known() && a.Size != b.Size {
		return fmt.Errorf("%s: %d and %d", what, a.Size, b.Size)
	}
	return nil
}

// unknown is a shape of which only the rank is known.
func unknown(rank int) Shape {
	if rank < 0 || rank > maxRank {
		return nil
	}
	s := make(Shape, rank)
	for i := range s {
		s[i] = Any
	}
	return s
}
