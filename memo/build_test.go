package memo_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

func TestPresets(t *testing.T) {
	for _, name := range memo.Presets() {
		s, err := memo.Preset(name)
		if err != nil || s.Validate() != nil {
			t.Errorf("%s: %v, %v", name, err, s.Validate())
		}
	}
	if s, _ := memo.Preset("cifar"); s.Views != 32 || s.Rate != 5e-3 || s.Prior != 0 {
		t.Errorf("cifar is %+v", s)
	}
	if _, err := memo.Preset("cifar10"); err == nil || !strings.Contains(err.Error(), "want one of [cifar imagenet signal text transformer]") {
		t.Error(err)
	}
}

func TestSettingsOutOfRange(t *testing.T) {
	for want, change := range map[string]func(s *memo.Settings){
		"Views 0":       func(s *memo.Settings) { s.Views = 0 },
		"Views 1025":    func(s *memo.Settings) { s.Views = 1025 },
		"Rate 0":        func(s *memo.Settings) { s.Rate = 0 },
		"Decay -1":      func(s *memo.Settings) { s.Decay = -1 },
		"Prior -16":     func(s *memo.Settings) { s.Prior = -16 },
		`Method "lion"`: func(s *memo.Settings) { s.Method = "lion" },
		`Parameters "h`: func(s *memo.Settings) { s.Parameters = "head" },
		`Kind "scores"`: func(s *memo.Settings) { s.Kind = "scores" },
	} {
		s, _ := memo.Preset("cifar")
		change(&s)
		if _, err := memo.Build(onnx.New(small(nil)), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// mlp is a network without normalisation, which MEMO moves whole.
func mlp(op string) *graph.Graph {
	g := graph.New("mlp", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float64, Shape: graph.Shape{graph.Sym("N"), graph.N(32)}})
	w := make([]float64, 32*3)
	for i := range w {
		w[i] = float64(i%7)/10 - 0.3
	}
	h := g.Op("MatMul", []graph.Value{x, g.Param("w", graph.NewTensor(w, 32, 3))})
	g.Output("y", g.Op(op, []graph.Value{h}))
	return g
}

func TestWithoutNorms(t *testing.T) {
	s := plainStep
	s.Prior = 16 // of which there is nothing to blend
	m, err := memo.Build(onnx.New(mlp("Tanh")), s)
	if err != nil {
		t.Fatal(err)
	}
	x := item("a", plainStep.Views)
	got, err := oracle.Run(m.Graph, oracle.Float64s(x, int64(plainStep.Views)+1, 32))
	if err != nil {
		t.Fatal(err)
	}
	before, err := oracle.Run(mlp("Tanh"), oracle.Float64s(x[:32], 1, 32))
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(got[0].F, before[0].F) {
		t.Error("nothing has moved")
	}
}

func TestBuildRefuses(t *testing.T) {
	norms := plainStep
	norms.Parameters = memo.Norms
	two := small(nil)
	two.Output("again", two.Op("Neg", []graph.Value{two.Outputs()[0]}))
	one := graph.New("one row", 18)
	x := one.Input("x", graph.Type{Elem: graph.Float64, Shape: graph.Of(1, 4)})
	w := one.Param("w", graph.NewTensor(make([]float64, 8), 4, 2))
	one.Output("y", one.Op("Reshape", []graph.Value{one.Op("MatMul", []graph.Value{x, w}), one.Ints(1, 2)}))
	for want, c := range map[string]struct {
		g *graph.Graph
		s memo.Settings
	}{
		"no normalisation layer":    {mlp("Tanh"), norms},
		"no derivative rule for":    {mlp("LRN"), plainStep},
		"2 outputs: want one":       {two, plainStep},
		"with 5 rows: graph: node ": {one, plainStep},
	} {
		if _, err := memo.Build(onnx.New(c.g), c.s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestBuildLeavesTheNetwork: the network is as it was, and two graphs of it are the same bytes.
func TestBuildLeavesTheNetwork(t *testing.T) {
	net := small(nil)
	before := net.String()
	var files [2][]byte
	for i := range files {
		m, err := memo.Build(onnx.New(net), plainStep)
		if err != nil {
			t.Fatal(err)
		}
		if files[i], err = m.Bytes(); err != nil {
			t.Fatal(err)
		}
	}
	if net.String() != before {
		t.Errorf("the network was\n%s\nand is\n%v", before, net)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two graphs of one network differ")
	}
}

// TestMetadata: a file tells its settings, and what the network's file said.
func TestMetadata(t *testing.T) {
	s := memo.Settings{Views: 3, Method: memo.AdamW, Rate: 1e-5, Decay: 0.01, Parameters: memo.Norms, Prior: 16, Kind: "probabilities"}
	m := onnx.New(small(func(g *graph.Graph, v graph.Value) graph.Value {
		return g.Op("Softmax", []graph.Value{v}, graph.A("axis", -1))
	}))
	m.SetMeta("classes", "a,b,c")
	out, err := memo.Build(m, s)
	if err != nil {
		t.Fatal(err)
	}
	meta := map[string]string{}
	for _, p := range out.Metadata {
		meta[p.Key] = p.Value
	}
	if got, err := memo.FromMetadata(meta); err != nil || got != s {
		t.Errorf("%+v, %v, want %+v", got, err, s)
	}
	if meta["classes"] != "a,b,c" {
		t.Errorf("metadata is %v", meta)
	}
	for want, change := range map[string]func(m map[string]string){
		"is this a plain network?": func(m map[string]string) { delete(m, "oatta.graph") },
		"oatta.memo.views":         func(m map[string]string) { m["oatta.memo.views"] = "many" },
		"oatta.memo.rate":          func(m map[string]string) { delete(m, "oatta.memo.rate") },
		"Prior":                    func(m map[string]string) { m["oatta.memo.prior"] = "NaN" },
	} {
		broken := maps.Clone(meta)
		change(broken)
		if _, err := memo.FromMetadata(broken); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestHalvedWeights: weights that a file keeps in half precision take the step that the same numbers in float32 take.
func TestHalvedWeights(t *testing.T) {
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 3, Channels: 2, Samples: 16})
	if err != nil {
		t.Fatal(err)
	}
	p, err := onnx.New(net.Graph).Proto()
	if err != nil {
		t.Fatal(err)
	}
	half, stats := onnx.Halve(p)
	if stats.Halved == 0 {
		t.Fatal("nothing was halved")
	}
	m, err := onnx.FromProto(half, "")
	if err != nil {
		t.Fatal(err)
	}
	s := plainStep
	s.Report = true
	out, err := memo.Build(m, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Graph.Outputs()) < 10 {
		t.Errorf("only %d outputs: weights in half precision have no gradient", len(out.Graph.Outputs()))
	}
	for _, n := range out.Graph.Nodes() {
		if n.Op == "Cast" && out.Graph.TypeOf(n.Inputs[0]).Elem == graph.Float16 {
			t.Errorf("%v is left", n)
		}
	}
}
