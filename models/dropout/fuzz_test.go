package dropout_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// FuzzBuild: no file makes Build panic, and what it accepts becomes a file that reads again.
func FuzzBuild(f *testing.F) {
	for name, net := range networks {
		g := graph.New(name, onnx.Normal)
		net.build(g)
		data, err := onnx.New(g).Bytes()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, 0.2, "", false)
		f.Add(data, 0.0, "x", true)
	}
	f.Fuzz(func(t *testing.T, data []byte, p float64, at string, head bool) {
		m, err := onnx.Parse(data, "")
		if err != nil {
			return
		}
		s := dropout.Settings{P: p, Head: head, Uncertainty: true}
		if at != "" && !head {
			s.At = []string{at}
		}
		mc, err := dropout.Build(m, s)
		if err != nil {
			return
		}
		out, err := mc.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if m, err = onnx.Parse(out, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := dropout.Open(map[string]string{dropout.MetaGraph: m.Meta(dropout.MetaGraph), dropout.MetaSpec: m.Meta(dropout.MetaSpec)}); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzOpen: no metadata makes Open panic, and what it accepts holds what it promises.
func FuzzOpen(f *testing.F) {
	f.Add(`{"version":1,"passes":3,"probability":"p","masks":[{"input":"m","p":0.5,"features":[3]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := dropout.Open(map[string]string{dropout.MetaGraph: dropout.GraphMC, dropout.MetaSpec: text})
		if err != nil {
			return
		}
		for _, m := range spec.Masks {
			if m.Input == "" || !(m.P > 0 && m.P < 1) {
				t.Errorf("accepted %+v", m)
			}
		}
		if spec.Passes < 1 || spec.Probability == "" || len(spec.Masks) == 0 {
			t.Errorf("accepted %+v", spec)
		}
	})
}

// FuzzBuildOfMangled rewires networks, which random bytes hardly ever do: other inputs, operators, sizes and outputs. Build does not panic,
// and what it accepts is, with one pass of one item and masks of ones, still the network that it was.
func FuzzBuildOfMangled(f *testing.F) {
	names := slices.Sorted(maps.Keys(networks))
	for i := range names {
		for seed := range uint64(20) {
			f.Add(uint8(i), seed)
		}
	}
	ops := []string{"Reshape", "Dropout", "Shape", "Identity", "Gemm", "MatMul", "Conv", "Add", "Transpose", "Size", "RandomNormalLike", "Softmax", "Expand", "Slice"}
	f.Fuzz(func(t *testing.T, net uint8, seed uint64) {
		g := graph.New("mangled", onnx.Normal)
		kind := networks[names[int(net)%len(names)]]
		kind.build(g)
		r, values := rand.New(rand.NewPCG(seed, 1)), g.Values()
		pick := func() graph.Value { return values[r.IntN(len(values))] }
		for range 1 + r.IntN(4) {
			n := g.Nodes()[r.IntN(len(g.Nodes()))]
			switch r.IntN(5) {
			case 0:
				n.Op = ops[r.IntN(len(ops))]
			case 1:
				g.SetInput(n, r.IntN(len(n.Inputs)), graph.None)
			case 2:
				g.SetOutputs(pick())
			case 3:
				g.SetType(g.Inputs()[0], graph.Type{Elem: graph.Float32, Shape: []graph.Shape{nil, {}, {graph.Any}, graph.Of(2, 3), {graph.Sym("N"), graph.Any, graph.Any}}[r.IntN(5)]})
			default:
				g.SetInput(n, r.IntN(len(n.Inputs)), pick())
			}
		}
		_ = g.Sort() // a cycle is for Build to report
		mc, err := dropout.Build(onnx.New(g), dropout.Settings{Head: seed%2 == 0})
		if err != nil {
			return
		}
		x := oracle.FloatsOf(g.TypeOf(g.Inputs()[0]).Elem, numbers(product(kind.one), seed), append([]int64{1}, kind.one...)...)
		plain, err := oracle.Run(g, x)
		if err != nil || len(plain[0].F) == 0 || plain[0].Dims[0] != 1 {
			return // a network that runs on nothing, or not on one item
		}
		in := []oracle.Tensor{x}
		for _, v := range mc.Graph.Inputs()[1:] {
			dims := []int64{1, 1}
			for _, d := range mc.Graph.TypeOf(v).Shape[2:] {
				switch {
				case d.Known():
					dims = append(dims, d.Size)
				case d.Name == "L":
					dims = append(dims, 5) // of the tests' networks
				default:
					return
				}
			}
			in = append(in, oracle.Float32s(slices.Repeat([]float64{1}, product(dims)), dims...))
		}
		got, err := oracle.Run(mc.Graph, in...)
		if err != nil {
			t.Fatalf("%v\n%v\n%v", err, g, mc.Graph)
		}
		if want := softmax(plain[0].F); !slices.ContainsFunc(want, math.IsNaN) && far(got[0].F, want, 1e-9) {
			t.Fatalf("%v, want %v\n%v\n%v", got[0].F, want, g, mc.Graph)
		}
	})
}
