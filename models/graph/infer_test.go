package graph

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parse reads a type as Type.String writes it. An i or f before a list, as i[1,-1], is a constant.
func parse(tb testing.TB, g *Graph, name, s string) Value {
	tb.Helper()
	if s == "_" {
		return None
	}
	elem, list, _ := strings.Cut(strings.TrimSuffix(s, "]"), "[")
	var words []string
	if list != "" {
		words = strings.Split(list, ",")
	}
	switch elem {
	case "i", "f":
		var ints []int64
		var floats []float32
		for _, w := range words {
			f, err := strconv.ParseFloat(w, 32)
			if err != nil {
				tb.Fatal(err)
			}
			n, _ := strconv.ParseInt(w, 10, 64) // 0 for a float, which is not asked for then
			ints, floats = append(ints, n), append(floats, float32(f))
		}
		if elem == "i" {
			return g.Const(name, NewTensor(ints, int64(len(ints))))
		}
		return g.Const(name, NewTensor(floats, int64(len(floats))))
	}
	shape := Shape{}
	for _, w := range words {
		n, err := strconv.ParseInt(w, 10, 64)
		switch {
		case w == "?":
			shape = append(shape, Any)
		case err != nil:
			shape = append(shape, Sym(w))
		default:
			shape = append(shape, N(n))
		}
	}
	if list == "..." {
		shape = nil
	}
	for i, d := range dtypes {
		if d.name == elem {
			return g.Input(name, Type{Elem: DType(i), Shape: shape})
		}
	}
	tb.Fatalf("no type %s", s)
	return None
}

// want is one type per output, or the end of an error.
var inferCases = []struct {
	op, in string
	attrs  []Attr
	want   string
}{
	// Symbols stay themselves where nothing changes them.
	{"Relu", "float32[N,?,3]", nil, "float32[N,?,3]"},
	{"Exp", "int64[3]", nil, "error: input 0 is int64, want a float"},
	{"Add", "float32[N,1,4] float32[3,1]", nil, "float32[N,3,4]"},
	{"Add", "float32[N] float32[M]", nil, "float32[?]"},
	{"Add", "float32[N] float32[5]", nil, "float32[5]"},
	{"Add", "float32[...] float32[5]", nil, "float32[...]"},
	{"Add", "float32[2] int64[2]", nil, "error: input 0 is float32, input 1 is int64"},
	{"Add", "float32[2] float32[3]", nil, "error: shapes [2] and [3] do not broadcast"},
	{"Less", "float32[N,2] float32[2]", nil, "bool[N,2]"},
	{"Where", "bool[N,1] float32[4] float32[1]", nil, "float32[N,4]"},
	{"Where", "float32[1] float32[4] float32[1]", nil, "error: input 0 is float32, want bool"},
	{"PRelu", "float32[2,3] float32[4,2,3]", nil, "error: shape [4,2,3] does not broadcast to [2,3]"},
	{"Clip", "float32[N] _ float32[2]", nil, "error: input 2 has shape [2], want a scalar"},
	{"Cast", "float32[N]", []Attr{A("to", Float16)}, "float16[N]"},
	{"Softmax", "float32[N,3]", []Attr{A("axis", 2)}, "error: axis 2 of a tensor of rank 2"},
	// Convolution and pooling.
	{"Conv", "float32[N,3,32,32] float32[8,3,3,3] float32[8]", []Attr{A("pads", []int{1, 1, 1, 1}), A("strides", []int{2, 2})}, "float32[N,8,16,16]"},
	{"Conv", "float32[N,3,H,W] float32[8,3,3,1]", []Attr{A("pads", []int{1, 0, 1, 0})}, "float32[N,8,H,W]"},
	{"Conv", "float32[N,3,H,W] float32[8,3,3,3]", nil, "float32[N,8,?,?]"},
	{"Conv", "float32[1,4,9] float32[8,2,3]", []Attr{A("group", 2), A("dilations", []int{2}), A("auto_pad", "SAME_UPPER"), A("strides", []int{2})}, "float32[1,8,5]"},
	{"Conv", "float32[1,4,9] float32[8,3,3]", []Attr{A("group", 2)}, "error: channels of the input and of the weight's groups: 4 and 6"},
	{"Conv", "float32[1,4,9] float32[8,4,3]", []Attr{A("pads", []int{1})}, "error: attribute pads: want 2 values, got 1"},
	{"Conv", "float32[1,4,2] float32[8,4,3]", nil, "error: a kernel that reaches over 3 elements does not fit into 2"},
	{"Conv", "float32[1,4,9] float32[8,4,3] float32[7]", nil, "error: channels of weight and bias: 8 and 7"},
	{"ConvTranspose", "float32[N,4,8,8] float32[4,3,3,3]", []Attr{A("strides", []int{2, 2}), A("pads", []int{1, 1, 1, 1}), A("output_padding", []int{1, 1}), A("group", 2)}, "float32[N,6,16,16]"},
	{"ConvTranspose", "float32[1,4,2] float32[4,3,1]", []Attr{A("pads", []int{2, 2})}, "error: spatial size -2 of the output"},
	{"MaxPool", "float32[N,3,7,7]", []Attr{A("kernel_shape", []int{2, 2}), A("strides", []int{2, 2}), A("ceil_mode", 1)}, "float32[N,3,4,4] int64[N,3,4,4]"},
	{"MaxPool", "float32[N,3,7,7]", nil, "error: attribute kernel_shape is missing"},
	{"GlobalAveragePool", "float32[N,C,H,W]", nil, "float32[N,C,1,1]"},
	// Normalisation.
	{"BatchNormalization", "float32[N,3,8,8] float32[3] float32[3] float32[3] float32[4]", nil, "error: channels of input 0 and of input 4: 3 and 4"},
	{"LayerNormalization", "float32[N,T,8] float32[8] float32[8]", []Attr{A("axis", -1)}, "float32[N,T,8] float32[N,T,1] float32[N,T,1]"},
	{"LayerNormalization", "float32[N,T,8] float32[7]", nil, "error: input 1 has shape [7], which does not broadcast to [N,T,8]"},
	{"GroupNormalization", "float32[N,6,8] float32[6] float32[6]", []Attr{A("num_groups", 4)}, "error: 6 channels in 4 groups"},
	// Linear algebra.
	{"Gemm", "float32[N,4] float32[3,4] float32[3]", []Attr{A("transB", 1)}, "float32[N,3]"},
	{"Gemm", "float32[N,4] float32[3,4]", nil, "error: columns of A and rows of B: 4 and 3"},
	{"Gemm", "float32[N,4] float32[4,3] float32[4]", nil, "error: input 2 (C) of shape [4] does not broadcast to [N,3]"},
	{"MatMul", "float32[N,H,T,8] float32[H,8,T]", nil, "float32[N,H,T,T]"},
	{"MatMul", "float32[8] float32[N,8,3]", nil, "float32[N,3]"},
	{"MatMul", "float32[2,3] float32[4,5]", nil, "error: shapes [2,3] and [4,5]: columns of A and rows of B: 3 and 4"},
	{"Einsum", "float32[N,T,8] float32[N,S,8]", []Attr{A("equation", "nid,njd->nij")}, "float32[N,T,S]"},
	{"Einsum", "float32[B,2,3] float32[3,4]", []Attr{A("equation", "...ij,jk")}, "float32[B,2,4]"},
	{"Einsum", "float32[2,3] float32[4,5]", []Attr{A("equation", "ij,jk->ik")}, "error: input 1: letter 'j' is 3 and 4"},
	// Shapes.
	{"Reshape", "float32[N,8,4,4] i[0,-1]", nil, "float32[N,128]"},
	{"Reshape", "float32[?,?,64] i[0,0,4,-1]", nil, "float32[?,?,4,16]"},
	{"Reshape", "float32[N,T,64] i[0,0,4,16]", nil, "float32[N,T,4,16]"},
	{"Reshape", "float32[N,T,64] i[-1,64]", nil, "float32[N*T,64]"},
	{"Reshape", "float32[N*T,64] i[-1,32]", nil, "float32[2*N*T,32]"},
	{"Reshape", "float32[2,3] i[4,-1]", nil, "error: from [2,3] to [4,?]: 6 elements are no multiple of 4"},
	{"Reshape", "float32[2,3] i[5]", nil, "error: from [2,3] to [5]: elements: 6 and 5"},
	{"Reshape", "float32[2,3] i[-1,-1]", nil, "error: two sizes are -1"},
	{"Reshape", "float32[2,3] int64[4]", nil, "float32[?,?,?,?]"},
	{"Flatten", "float32[N,3,4,5]", []Attr{A("axis", 2)}, "float32[3*N,20]"},
	{"Transpose", "float32[N,3,H]", []Attr{A("perm", []int{2, 0, 1})}, "float32[H,N,3]"},
	{"Transpose", "float32[N,3,H]", []Attr{A("perm", []int{2, 0, 0})}, "error: attribute perm: axes [2 0 0] name one axis twice"},
	{"Squeeze", "float32[N,1,1] i[-1]", nil, "float32[N,1]"},
	{"Squeeze", "float32[N,2] i[1]", nil, "error: axis 1 of [N,2] is not 1"},
	{"Squeeze", "float32[3,1,2]", nil, "float32[3,2]"},
	{"Unsqueeze", "float32[N] i[-1,0]", nil, "float32[1,N,1]"},
	{"Concat", "float32[N,2] float32[N,3]", []Attr{A("axis", 1)}, "float32[N,5]"},
	{"Concat", "float32[N,2] float32[N,2]", []Attr{A("axis", 0)}, "float32[2*N,2]"},
	{"Concat", "float32[2,2] float32[3,2]", []Attr{A("axis", 1)}, "error: axis 0 of inputs 0 and 1: 2 and 3"},
	{"Split", "float32[N,7] _", []Attr{A("axis", 1), A("num_outputs", 2)}, "float32[N,4] float32[N,3]"},
	{"Split", "float32[N,7] i[3,3]", []Attr{A("axis", 1)}, "error: size of the axis and sum of the parts: 7 and 6"},
	{"Slice", "float32[N,10] i[0,1] i[9223372036854775807,-1] i[0,1] i[1,2]", nil, "float32[N,4]"},
	{"Slice", "float32[10] i[-1] i[-9223372036854775807] i[0] i[-3]", nil, "float32[4]"},
	{"Slice", "float32[10] i[0] i[1] i[0] i[0]", nil, "error: step 0"},
	{"Pad", "float32[N,3,4] i[0,0,1,0,0,2]", nil, "float32[N,3,7]"},
	{"Pad", "float32[N,3,4] i[1,2] _ i[-1]", nil, "float32[N,3,7]"},
	{"Pad", "float32[3] i[-2,-2]", nil, "error: axis 0 of [3] is padded to -1"},
	{"Expand", "float32[3,1] i[2,1,4]", nil, "float32[2,3,4]"},
	{"Tile", "float32[N,3] i[2,3]", nil, "float32[2*N,9]"},
	{"Gather", "float32[1000,64] int64[N,T]", nil, "float32[N,T,64]"},
	{"Gather", "float32[3] int64[]", []Attr{A("axis", 0)}, "float32[]"},
	{"GatherElements", "float32[N,10] int64[N,1]", []Attr{A("axis", 1)}, "float32[N,1]"},
	{"Resize", "float32[N,3,8,8] _ f[1,1,2,2.5]", nil, "float32[N,3,16,20]"},
	{"Resize", "float32[N,3,H,8] _ f[1,1,2,2]", nil, "float32[N,3,2*H,16]"},
	{"Resize", "float32[N,3,8,8] _ _ i[5,6]", []Attr{A("axes", []int{2, 3})}, "float32[N,3,5,6]"},
	{"DepthToSpace", "float32[N,8,H,3]", []Attr{A("blocksize", 2)}, "float32[N,2,2*H,6]"},
	{"OneHot", "int64[N] i[10] float32[2]", nil, "float32[N,10]"},
	{"Range", "i[2] i[9] i[3]", nil, "int64[3]"},
	{"ConstantOfShape", "i[2,3]", nil, "float32[2,3]"},
	// Reductions.
	{"ReduceMean", "float32[N,3,4,4] i[2,3]", []Attr{A("keepdims", 0)}, "float32[N,3]"},
	{"ReduceMean", "float32[N,3]", nil, "float32[1,1]"},
	{"ReduceMean", "float32[N,3] i[5]", nil, "error: axis 5 of a tensor of rank 2"},
	{"ReduceSum", "float32[N,3,4] int64[2]", []Attr{A("keepdims", 0)}, "float32[?]"},
	{"ArgMax", "float32[N,10]", []Attr{A("axis", -1), A("keepdims", 0)}, "int64[N]"},
	{"TopK", "float32[N,10] i[5]", nil, "float32[N,5] int64[N,5]"},
	{"TopK", "float32[N,3] i[5]", nil, "error: k is 5, axis 1 has 3 elements"},
	// What is not in the table says nothing, and is no error.
	{"Mystery", "float32[2]", nil, "?"},
}

func TestInfer(t *testing.T) {
	for _, c := range inferCases {
		g := New("g", 21)
		var in []Value
		for i, s := range strings.Fields(c.in) {
			in = append(in, parse(t, g, "i"+strconv.Itoa(i), s))
		}
		message, failing := strings.CutPrefix(c.want, "error: ")
		outputs := len(strings.Fields(c.want))
		if failing {
			outputs = 2
			if op, ok := operators[c.op]; ok && op.maxOut == 1 {
				outputs = 1
			}
		}
		var got []string
		for _, v := range g.Ops(c.op, outputs, in, c.attrs...) {
			got = append(got, g.TypeOf(v).String())
		}
		err := g.Err()
		switch {
		case failing && (err == nil || !strings.HasSuffix(err.Error(), "("+c.op+"): "+message)):
			t.Errorf("%s %s: error %v, want %q", c.op, c.in, err, message)
		case !failing && (err != nil || strings.Join(got, " ") != c.want):
			t.Errorf("%s %s: %v %v, want %s", c.op, c.in, got, err, c.want)
		}
	}
}

// headsOf is what PyTorch writes for x.view(x.shape[0], -1, 4, 16).transpose(1, 2): shapes are computed from shapes.
func headsOf(g *Graph, x Value) Value {
	batch := g.Op("Unsqueeze", []Value{g.Op("Gather", []Value{g.Op("Shape", []Value{x}), g.Int(0)}), g.Ints(0)})
	shape := g.Op("Concat", []Value{batch, g.Ints(-1), g.Ints(4), g.Ints(16)}, A("axis", 0))
	return g.Op("Transpose", []Value{g.Op("Reshape", []Value{x, shape})}, A("perm", []int{0, 2, 1, 3}))
}

func TestShapeArithmetic(t *testing.T) {
	g := New("g", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Shape{Sym("N"), Sym("T"), N(64)}})
	y := headsOf(g, x)
	if got := g.TypeOf(y).String(); got != "float32[N,4,T,16]" {
		t.Errorf("with names: %s", got)
	}
	g.Output("y", y)
	before := len(g.Nodes())
	if n := g.Fold(); n != 0 || len(g.Nodes()) != before {
		t.Errorf("%d results folded though the batch is open", n)
	}
	g.Forget()
	g.SetType(x, Type{Elem: Float32, Shape: Of(8, 10, 64)})
	if err := g.Infer(); err != nil {
		t.Fatal(err)
	}
	g.Fold()
	if got := g.TypeOf(y).String(); got != "float32[8,4,10,16]" || ops(g) != "Reshape Transpose" {
		t.Errorf("with numbers: %s, nodes %s", got, ops(g))
	}
	if n, _ := g.Producer(y); g.Check() != nil {
		t.Errorf("%v: %v", n, g.Check())
	}
}

// Upsampling as old exporters write it goes through floating point.
func TestShapeArithmeticInFloats(t *testing.T) {
	g := New("g", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Shape{Sym("N"), N(3), Sym("H"), N(7)}})
	sizes := g.Op("Slice", []Value{g.Op("Shape", []Value{x}), g.Ints(2), g.Ints(4)})
	scaled := g.Op("Floor", []Value{g.Op("Mul", []Value{g.Op("Cast", []Value{sizes}, A("to", Float32)), g.Scalar(Float32, 2)})})
	all := g.Op("Concat", []Value{
		g.Op("Slice", []Value{g.Op("Shape", []Value{x}), g.Ints(0), g.Ints(2)}),
		g.Op("Cast", []Value{scaled}, A("to", Int64)),
	}, A("axis", 0))
	y := g.Op("Resize", []Value{x, None, None, all})
	if got := g.TypeOf(y).String(); got != "float32[N,3,2*H,14]" || g.Err() != nil {
		t.Errorf("%s %v", got, g.Err())
	}
}

// What a file declares and what the operator does must agree; where the file knows more, that is kept.
func TestInferMergesWithDeclared(t *testing.T) {
	for want, declared := range map[string]Shape{
		"float32[N,3]": {Any, N(3)},
		"float32[5,3]": {N(5), Any},
		`graph: node "y" (Relu): output 0 ("y"): shape is [N,3], declared as [N,4]`:   {Sym("N"), N(4)},
		`graph: node "y" (Relu): output 0 ("y"): shape is [N,3], declared as [N,3,1]`: {Sym("N"), N(3), N(1)},
	} {
		g := perceptron(t)
		y := g.Lookup("y")
		g.SetType(y, Type{Elem: Float32, Shape: declared})
		got := ""
		if err := g.Infer(); err != nil {
			got = err.Error()
		} else {
			got = g.TypeOf(y).String()
		}
		if got != want {
			t.Errorf("declared %v: %s, want %s", declared, got, want)
		}
	}
}

// Sizes of which nothing is known get names that nobody had, which are handed on and stay.
func TestNameSizes(t *testing.T) {
	g := New("g", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Shape{Sym("?1"), N(4)}})
	length := g.Input("length", Type{Elem: Int64, Shape: Of(1)})
	part := g.Op("Slice", []Value{g.Const("table", NewTensor(make([]float32, 24), 6, 4)), g.Ints(0), length, g.Ints(0)})
	sum := g.Op("Add", []Value{x, part})
	last := g.Op("Mul", []Value{g.Op("Relu", []Value{sum}), sum})
	for _, then := range []func() error{g.NameSizes, g.Infer, g.NameSizes} {
		if err := then(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range []Value{x, part, sum, last} {
			got = append(got, g.TypeOf(v).Shape.String())
		}
		if want := []string{"[?1,4]", "[?2,4]", "[?3,4]", "[?3,4]"}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// A small file must not make inference follow more than so many elements.
func TestFollowingIsBounded(t *testing.T) {
	g := New("g", 18)
	size := g.Ints(maxData)
	var last Value
	for range 2 * maxFollowed / maxData {
		last = g.Op("ConstantOfShape", []Value{size}, A("value", NewTensor([]int64{7}, 1)))
	}
	if first, _ := g.KnownInts(g.nodes[0].Outputs[0]); len(first) != maxData || first[0] != 7 {
		t.Errorf("the first has %d known elements", len(first))
	}
	if _, ok := g.KnownInts(last); ok || g.TypeOf(last).String() != "int64[4096]" {
		t.Errorf("the last is followed too, and %v", g.TypeOf(last))
	}
}
