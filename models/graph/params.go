package graph

import "slices"

// IsParam reports a constant that is a parameter of the network.
func (g *Graph) IsParam(v Value) bool { return g.Kind(v) == Constant && g.at(v).param }

// SetParam marks a constant as a parameter, or as none. Marking anything but a constant is the caller's bug.
func (g *Graph) SetParam(v Value, param bool) {
	if g.Kind(v) != Constant {
		panic("graph: SetParam: " + g.NameOf(v) + " is no constant")
	}
	g.at(v).param = param
}

// Params returns the parameters, in the order in which they were made.
func (g *Graph) Params() []Value {
	var out []Value
	for i := range g.values {
		if e := &g.values[i]; e.kind == Constant && e.param {
			out = append(out, Value(i))
		}
	}
	return out
}

// learned lists, by operator, the inputs that hold what training learns. Running statistics of a BatchNormalization are not among them:
// no gradient flows to them. Operators that are absent take parameters at any input.
var learned = map[string][]int{
	"Conv":                  {1, 2},
	"ConvTranspose":         {1, 2},
	"BatchNormalization":    {1, 2},
	"LayerNormalization":    {1, 2},
	"GroupNormalization":    {1, 2},
	"InstanceNormalization": {1, 2},
	"RMSNormalization":      {1},
	"Gather":                {0},
	"PRelu":                 {1},
	"Gemm":                  {1, 2},
	"LSTM":                  {1, 2, 3, 7},
	"GRU":                   {1, 2, 3},
	"RNN":                   {1, 2, 3},
}

// elementwise lists the operators of which a tensor, but not a single number, is taken for a parameter: a bias or a scale of a
// decomposed normalisation is one, the square root of a head's width is not.
var elementwise = []string{"Add", "Sub", "Mul", "Div"}

// through lists the operators behind which a constant still is the parameter: weights that are stored in half precision, tied or
// transposed, the rows of a table of places that a text needs, a token of the class that is set beside empty places.
var through = []string{"Cast", "Identity", "Transpose", "Reshape", "DequantizeLinear", "Unsqueeze", "Squeeze", "Expand", "Slice", "Pad"}

// MarkParams marks the constants that are parameters, and unmarks all others, judging by where they are used; files do not say it. A
// constant is one if it is floating-point and some use of it, directly or through operators that only store it differently, is where
// training puts weights: kernels, biases and scales, tables of embeddings, matrices, and tensors (not single numbers) that are added or
// multiplied. It returns how many there are.
func (g *Graph) MarkParams() int {
	g.init()
	uses := g.UseLists()
	count := 0
	for i := range g.values {
		e := &g.values[i]
		if e.kind != Constant {
			continue
		}
		e.param = e.tensor.elem.IsFloat() && g.isLearned(uses, Value(i), e.tensor.Len(), 0)
		if e.param {
			count++
		}
	}
	return count
}

// maxThrough bounds how many storing operators a weight is followed through.
const maxThrough = 8

func (g *Graph) isLearned(uses [][]Use, v Value, elements int64, depth int) bool {
	if depth > maxThrough || elements == 0 {
		return false
	}
	return slices.ContainsFunc(uses[v], func(u Use) bool {
		n := u.Node
		if n.Domain != "" || u.Index < 0 {
			return false
		}
		if slots, ok := learned[n.Op]; ok {
			return slices.Contains(slots, u.Index)
		}
		switch {
		case n.Op == "MatMul" || n.Op == "Einsum":
			return true
		case slices.Contains(elementwise, n.Op):
			return elements > 1
		case slices.Contains(through, n.Op) && u.Index == 0 && len(n.Outputs) == 1 && n.Outputs[0] != None:
			return g.isLearned(uses, n.Outputs[0], elements, depth+1)
		}
		return false
	})
}
