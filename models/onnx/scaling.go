package onnx

import (
	"slices"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// Scaling is what a graph does to the numbers of its input before anything else: Scale*x + Offset, with one element for all channels or
// one for each. Keras' Rescaling and Normalization, and preprocessing that was exported together with the network, look so.
type Scaling struct{ Scale, Offset []float64 }

// identity is no scaling.
func identity() Scaling { return Scaling{[]float64{1}, []float64{0}} }

// Scales tells whether it changes any number.
func (s Scaling) Scales() bool {
	return slices.ContainsFunc(s.Scale, func(v float64) bool { return v != 1 }) || slices.ContainsFunc(s.Offset, func(v float64) bool { return v != 0 })
}

// moving are the operators that leave the numbers and move or convert them.
var moving = map[string]bool{
	"Cast": true, "Identity": true, "Transpose": true, "Reshape": true, "Squeeze": true, "Unsqueeze": true, "Resize": true, "Pad": true, "Reverse": true,
	"Gather": true, "Slice": true, // of channels, as from BGR to RGB
}

// scaling follows an input through the operators that scale it or move it, up to the first that does something else, or to a place
// where several operators take it.
func scaling(g *onnxpb.GraphProto, input string) Scaling {
	users := map[string][]*onnxpb.NodeProto{}
	for _, n := range g.GetNode() {
		for _, name := range n.GetInput() {
			users[name] = append(users[name], n)
		}
	}
	held := scopeOf(nil, g)
	s := identity()
	for range len(g.GetNode()) {
		if len(users[input]) != 1 || len(users[input][0].GetOutput()) == 0 {
			break
		}
		n := users[input][0]
		if !moving[n.GetOpType()] || n.GetInput()[0] != input {
			if !s.then(n, input, held) {
				break
			}
		}
		input = n.GetOutput()[0]
	}
	return s
}

// then adds the step of one node; false if it is none.
func (s *Scaling) then(n *onnxpb.NodeProto, input string, held *scope) bool {
	in := n.GetInput()
	if len(in) != 2 || n.GetDomain() != "" && n.GetDomain() != "ai.onnx" {
		return false
	}
	first := in[0] == input
	other := in[0]
	if first {
		other = in[1]
	}
	c := channels(held.lookup(other))
	if c == nil || len(c) > 1 && len(s.Scale) > 1 && len(c) != len(s.Scale) {
		return false
	}
	step := func(of func(scale, offset, c float64) (float64, float64)) {
		k := max(len(c), len(s.Scale))
		out := Scaling{make([]float64, k), make([]float64, k)}
		for i := range k {
			out.Scale[i], out.Offset[i] = of(s.Scale[i%len(s.Scale)], s.Offset[i%len(s.Offset)], c[i%len(c)])
		}
		*s = out
	}
	switch op := n.GetOpType(); {
	case op == "Add":
		step(func(scale, offset, c float64) (float64, float64) { return scale, offset + c })
	case op == "Sub" && first:
		step(func(scale, offset, c float64) (float64, float64) { return scale, offset - c })
	case op == "Sub":
		step(func(scale, offset, c float64) (float64, float64) { return -scale, c - offset })
	case op == "Mul":
		step(func(scale, offset, c float64) (float64, float64) { return scale * c, offset * c })
	case op == "Div" && first && !slices.Contains(c, 0):
		step(func(scale, offset, c float64) (float64, float64) { return scale / c, offset / c })
	default:
		return false
	}
	return true
}

// channels returns the elements of a tensor that holds one number, or one for each of a few channels; nil for others.
func channels(p *onnxpb.TensorProto) []float64 {
	if p == nil || isExternal(p) || !isFloating(p.GetDataType()) {
		return nil
	}
	if n, err := elements(p); err != nil || n < 1 || n > 4 {
		return nil
	}
	t, err := (&reader{}).tensor(p)
	if err != nil {
		return nil
	}
	values, err := t.Float64s()
	if err != nil {
		return nil
	}
	return values
}
