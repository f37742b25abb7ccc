package oracle_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// toEngine converts a tensor, rounded to its type; ok is false for a type that the engine's wrapper does not take.
func toEngine(t oracle.Tensor) (out runtime.Tensor, ok bool) {
	made, err := t.Graph()
	if err != nil {
		return out, false
	}
	switch t.Elem {
	case graph.Float32:
		out = runtime.NewTensor[float32](t.Dims...)
	case graph.Int64:
		out = runtime.NewTensor[int64](t.Dims...)
	case graph.Int32:
		out = runtime.NewTensor[int32](t.Dims...)
	case graph.Uint8:
		out = runtime.NewTensor[uint8](t.Dims...)
	case graph.Bool:
		out = runtime.NewTensor[bool](t.Dims...)
	default:
		return out, false
	}
	raw, err := made.Bytes()
	return out, err == nil && binary.Read(bytes.NewReader(raw), binary.LittleEndian, out.Data) == nil
}

func fromEngine(t runtime.Tensor) oracle.Tensor {
	switch d := t.Data.(type) {
	case []float32:
		f := make([]float64, len(d))
		for i, v := range d {
			f[i] = float64(v)
		}
		return oracle.Float32s(f, t.Shape...)
	case []int64:
		return oracle.Int64s(d, t.Shape...)
	}
	var ints []int64
	elem := graph.Int32
	switch d := t.Data.(type) {
	case []int32:
		for _, v := range d {
			ints = append(ints, int64(v))
		}
	case []uint8:
		elem = graph.Uint8
		for _, v := range d {
			ints = append(ints, int64(v))
		}
	case []bool:
		elem = graph.Bool
		for _, v := range d {
			n := int64(0)
			if v {
				n = 1
			}
			ints = append(ints, n)
		}
	}
	return oracle.IntsOf(elem, ints, t.Shape...)
}

// onEngine runs a model on the engine.
func onEngine(e runtime.Engine, m *onnx.Model, in []oracle.Tensor) ([]oracle.Tensor, error) {
	data, err := m.Bytes()
	if err != nil {
		return nil, err
	}
	s, err := e.Open(data, runtime.Config{IntraThreads: 1})
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // nothing is left to write
	src := make([]runtime.Tensor, len(in))
	for i, t := range in {
		ok := false
		if src[i], ok = toEngine(t); !ok {
			return nil, fmt.Errorf("input of type %v", t.Elem)
		}
	}
	dst := make([]runtime.Tensor, len(s.Outputs()))
	if err := s.Run(context.Background(), dst, src); err != nil {
		return nil, err
	}
	out := make([]oracle.Tensor, len(dst))
	for i, t := range dst {
		out[i] = fromEngine(t)
	}
	return out, nil
}

// near compares with a tolerance relative to the largest element, and all else exactly.
func near(got, want oracle.Tensor, tolerance float64) error {
	if got.Elem != want.Elem || !slices.Equal(got.Dims, want.Dims) {
		return fmt.Errorf("%v%v, the engine has %v%v", got.Elem, got.Dims, want.Elem, want.Dims)
	}
	scale := 1.0
	for _, v := range want.F {
		if !math.IsInf(v, 0) && v == v {
			scale = max(scale, math.Abs(v))
		}
	}
	for i, g := range got.F {
		if w := want.F[i]; g != w && !(math.Abs(g-w) <= tolerance*scale) && !(g != g && w != w) {
			return fmt.Errorf("element %d is %v, the engine has %v", i, g, w)
		}
	}
	if !slices.Equal(got.I, want.I) {
		return fmt.Errorf("elements %v, the engine has %v", got.I, want.I)
	}
	return nil
}

// noise makes the inputs of a graph, with the same numbers each time; open sizes are 2.
func noise(g *graph.Graph) []oracle.Tensor {
	random := rand.New(rand.NewPCG(1, 2))
	var out []oracle.Tensor
	for _, v := range g.Inputs() {
		dims := sizes(g.TypeOf(v).Shape, 2)
		n := 1
		for _, d := range dims {
			n *= int(d)
		}
		if g.TypeOf(v).Elem == graph.Int64 { // word pieces, or their mask
			ids := make([]int64, n)
			for i := range ids {
				ids[i] = random.Int64N(2)
			}
			out = append(out, oracle.Int64s(ids, dims...))
			continue
		}
		f := make([]float64, n)
		for i := range f {
			f[i] = float64(float32(random.NormFloat64()))
		}
		out = append(out, oracle.Float32s(f, dims...))
	}
	return out
}

// TestEngineOnNetworks compares with the engine on whole networks.
func TestEngineOnNetworks(t *testing.T) {
	e := orttest.Engine(t)
	for _, path := range append(embedded(t), testdata.Shared(t, "models", "onnx", "resnet20_cifar10.onnx")) {
		if strings.Contains(path, "efficientnet") && testing.Short() {
			continue
		}
		m, err := onnx.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		in := noise(m.Graph)
		got, err := oracle.Run(m.Graph, in...)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		want, err := onEngine(e, m, in)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			// Embedded networks hold float16 weights, which the engine too computes with in float32.
			if err := near(got[i], want[i], 1e-4); err != nil {
				t.Errorf("%s: output %d: %v", filepath.Base(path), i, err)
			}
		}
	}
}

// TestEngineOnOperators compares with the engine where ONNX's own tests say little: edge attributes of windows, norms, and indexing.
func TestEngineOnOperators(t *testing.T) {
	e := orttest.Engine(t)
	for _, c := range operatorCases() {
		t.Run(c.name, func(t *testing.T) {
			g := graph.New("case", 18)
			var in []graph.Value
			for i, dims := range c.in {
				in = append(in, g.Input(fmt.Sprintf("x%d", i), graph.Type{Elem: graph.Float32, Shape: graph.Of(dims...)}))
			}
			for i, y := range c.build(g, in) {
				g.Output(fmt.Sprintf("y%d", i), y)
			}
			if err := g.Err(); err != nil {
				t.Fatal(err)
			}
			given := noise(g)
			got, err := oracle.Run(g, given...)
			if err != nil {
				t.Fatal(err)
			}
			want, err := onEngine(e, onnx.New(g), given)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if err := near(got[i], want[i], 1e-5); err != nil {
					t.Errorf("output %d: %v", i, err)
				}
			}
		})
	}
}

type operatorCase struct {
	name  string
	in    [][]int64
	build func(g *graph.Graph, in []graph.Value) []graph.Value
}

// single is a case of one operator on its inputs.
func single(op string, in [][]int64, attrs ...graph.Attr) operatorCase {
	name := op
	for _, a := range attrs {
		name += fmt.Sprintf(" %s=%v", a.Name, a.Value)
	}
	return operatorCase{name, in, func(g *graph.Graph, in []graph.Value) []graph.Value { return []graph.Value{g.Op(op, in, attrs...)} }}
}

func operatorCases() []operatorCase {
	a := graph.A
	out := []operatorCase{
		single("Conv", [][]int64{{2, 4, 9}, {6, 2, 3}, {6}}, a("group", 2), a("strides", []int{2}), a("pads", []int{2, 1}), a("dilations", []int{2})),
		single("Conv", [][]int64{{1, 4, 7, 6}, {4, 1, 3, 2}, {4}}, a("group", 4), a("pads", []int{0, 1, 2, 0}), a("strides", []int{1, 2})),
		single("Conv", [][]int64{{1, 2, 5, 4, 6}, {3, 2, 3, 2, 2}}, a("pads", []int{1, 0, 1, 0, 1, 0})),
		single("ConvTranspose", [][]int64{{2, 4, 5}, {4, 3, 3}, {6}}, a("group", 2), a("strides", []int{3}), a("pads", []int{1, 0}), a("output_padding", []int{2})),
		single("ConvTranspose", [][]int64{{1, 2, 4, 3}, {2, 3, 3, 2}}, a("strides", []int{2, 3}), a("output_shape", []int{8, 9})),
		single("ConvTranspose", [][]int64{{1, 2, 4, 3}, {2, 3, 3, 2}}, a("strides", []int{2, 3}), a("dilations", []int{2, 1}), a("pads", []int{1, 0, 0, 1})),
		single("AveragePool", [][]int64{{1, 2, 8, 7}}, a("kernel_shape", []int{3, 3}), a("strides", []int{2, 2}), a("ceil_mode", 1), a("count_include_pad", 1), a("pads", []int{1, 0, 1, 0})),
		single("AveragePool", [][]int64{{1, 2, 8, 7}}, a("kernel_shape", []int{3, 2}), a("strides", []int{2, 2}), a("ceil_mode", 1), a("pads", []int{1, 1, 0, 0})),
		single("InstanceNormalization", [][]int64{{2, 3, 4}, {3}, {3}}),
		single("LpNormalization", [][]int64{{3, 4}}, a("axis", 0), a("p", 1)),
		single("Einsum", [][]int64{{2, 3, 4}, {2, 4, 5}}, a("equation", "bij,bjk->bki")),
		single("Einsum", [][]int64{{4, 4}, {4}}, a("equation", "ii,i->i")),
		single("Gemm", [][]int64{{4, 3}, {5, 4}, {3, 1}}, a("transA", 1), a("transB", 1), a("alpha", 0.5), a("beta", 2.0)),
		single("MatMul", [][]int64{{2, 1, 3, 4}, {5, 4, 2}}),
		single("PRelu", [][]int64{{2, 3, 4}, {3, 1}}),
		single("Elu", [][]int64{{20}}, a("alpha", 0.3)), single("Celu", [][]int64{{20}}, a("alpha", 0.3)), single("Selu", [][]int64{{20}}),
		single("HardSigmoid", [][]int64{{20}}), single("HardSwish", [][]int64{{20}}), single("Mish", [][]int64{{20}}),
		single("Softsign", [][]int64{{20}}), single("Softplus", [][]int64{{20}}),
		{"MaxPool indices", [][]int64{{2, 3, 7, 6}}, func(g *graph.Graph, in []graph.Value) []graph.Value {
			return g.Ops("MaxPool", 2, in, a("kernel_shape", []int{3, 2}), a("strides", []int{2, 2}), a("pads", []int{1, 0, 1, 1}))
		}},
		{"LayerNormalization", [][]int64{{2, 3, 4, 5}, {4, 5}, {4, 5}}, func(g *graph.Graph, in []graph.Value) []graph.Value {
			return g.Ops("LayerNormalization", 3, in, a("axis", 2), a("epsilon", 0.01))
		}},
		{"Pad reflect", [][]int64{{2, 4, 5}}, func(g *graph.Graph, in []graph.Value) []graph.Value {
			return []graph.Value{g.Op("Pad", []graph.Value{in[0], g.Ints(0, 3, 1, 1, 2, 4)}, a("mode", "reflect"))}
		}},
		{"Slice backwards", [][]int64{{5, 6}}, func(g *graph.Graph, in []graph.Value) []graph.Value {
			return []graph.Value{g.Op("Slice", []graph.Value{in[0], g.Ints(-1, 1), g.Ints(-100, 100), g.Ints(1, 0), g.Ints(-2, 3)})}
		}},
		{"ScatterND add", [][]int64{{5, 3}, {4, 3}}, func(g *graph.Graph, in []graph.Value) []graph.Value {
			where := g.Const("where", graph.NewTensor([]int64{1, 4, 1, 1}, 4, 1))
			return []graph.Value{g.Op("ScatterND", []graph.Value{in[0], where, in[1]}, a("reduction", "add"))}
		}},
	}
	for _, mode := range []string{"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"} {
		for _, how := range []string{"nearest", "linear", "cubic"} {
			for _, size := range [][]int64{{1, 2, 11, 3}, {1, 2, 3, 1}} {
				out = append(out, resizeCase(how, mode, size))
			}
		}
	}
	return out
}

func resizeCase(how, mode string, size []int64) operatorCase {
	return operatorCase{fmt.Sprintf("Resize %s %s %v", how, mode, size), [][]int64{{1, 2, 5, 7}}, func(g *graph.Graph, in []graph.Value) []graph.Value {
		return []graph.Value{g.Op("Resize", []graph.Value{in[0], graph.None, graph.None, g.Ints(size...)},
			graph.A("mode", how), graph.A("coordinate_transformation_mode", mode))}
	}}
}
