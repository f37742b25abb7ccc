package tent_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/tent"
)

// evaluator computes the outputs of a graph, by name, from inputs by name; float inputs are given as float64.
type evaluator func(m *onnx.Model, given map[string]oracle.Tensor) (map[string][]float64, error)

func onOracle(m *onnx.Model, given map[string]oracle.Tensor) (map[string][]float64, error) {
	g := m.Graph
	p, err := oracle.Compile(g, oracle.Settings{})
	if err != nil {
		return nil, err
	}
	in := map[graph.Value]oracle.Tensor{}
	for _, v := range g.Inputs() {
		in[v] = given[g.NameOf(v)]
	}
	values, err := p.Eval(in, g.Outputs()...)
	out := map[string][]float64{}
	for i, t := range values {
		out[g.NameOf(g.Outputs()[i])] = t.F
	}
	return out, err
}

// heavy reports that nets which take the oracle minutes are wanted.
func heavy() bool { return os.Getenv("OATTA_HEAVY") != "" }

// TestReference compares, for every backbone that has normalisation layers, what a step does with what PyTorch's does: the entropy, the
// parameters after plain descent, which hold the gradient, and the logits after it; on one sample under the source's statistics and on a
// batch under its own.
func TestReference(t *testing.T) {
	if testing.Short() {
		t.Skip("the oracle takes its time")
	}
	names := []string{"cifar_resnet20", "cnn1d", "tcn"}
	if heavy() {
		names = append(names, "cifar_resnet18", "resnet18_1d", "resnet18", "resnet50", "vit_b_16", "convnext_tiny", "bert_base", "distilbert_base", "tinybert")
	}
	for _, name := range names {
		compareReference(t, name, onOracle, false, tolerances{1e-7, 1e-7, 1e-7, 1e-7})
	}
}

// tolerances are relative: of losses and logits, of gradients, and of gradients and logits of a batch under its own statistics.
type tolerances struct{ logits, grads, batchLogits, batchGrads float64 }

// resolution is what float32 can tell apart near the largest scales.
const resolution = 1.2e-7

func compareReference(t *testing.T, name string, run evaluator, rounded bool, tol tolerances) {
	t.Run(name, func(t *testing.T) {
		net, c := backbonetest.Golden(t, name)
		m := onnx.New(net.Graph)
		for _, together := range []bool{false, true} {
			s := step{net: m, c: c, want: c.TentEval, inputs: []string{"input.0"}, run: run, logits: tol.logits, grads: tol.grads, float32: rounded}
			s.compare(t, tent.Settings{Rate: c.TentEval.LR, Together: together})
		}
		if c.TentBatch == nil {
			return
		}
		want := *c.TentBatch
		if want.Small != nil { // a large step from a badly conditioned gradient is no test
			want.LR, want.After = want.Small.LR, want.Small.After
		}
		s := step{net: m, c: c, want: want, inputs: []string{"input.0", "input.1", "input.2", "input.3"}, run: run, logits: tol.batchLogits, grads: tol.batchGrads, float32: rounded}
		s.compare(t, tent.Settings{Rate: want.LR, Batch: 1, Together: true})
	})
}

// step is one record of the reference.
type step struct {
	net           *onnx.Model
	c             backbonetest.Case
	want          backbonetest.Step
	inputs        []string
	run           evaluator
	logits, grads float64
	float32       bool // what is evaluated is rounded
}

func (s step) compare(t *testing.T, settings tent.Settings) {
	t.Helper()
	m, err := tent.Build(s.net, settings)
	if err != nil {
		t.Fatal(err)
	}
	f := fileOf(t, m)
	if f.OneLane != "" {
		t.Errorf("one lane: %s", f.OneLane)
	}
	given := s.given()
	given[f.Ports.Theta] = rowsOf(f.source)
	out, err := s.run(m, given)
	if err != nil {
		t.Fatal(err)
	}
	loss := 0.0
	for _, h := range out[f.Ports.Entropy] {
		loss += h / float64(len(out[f.Ports.Entropy]))
	}
	closeTo(t, "entropy", []float64{loss}, []float64{s.want.Loss}, s.logits)
	closeTo(t, "logits after the step", out[f.Ports.Prediction], slices.Concat(s.want.After...), s.logits)
	s.compareGradients(t, f, out[f.Ports.NextTheta], settings.Rate)
}

// given returns the network's own inputs.
func (s step) given() map[string]oracle.Tensor {
	if s.c.Inputs != nil {
		text := s.c.Inputs[s.inputs[0]]
		n := int64(len(text.IDs))
		return map[string]oracle.Tensor{
			"input_ids": oracle.Int64s(text.IDs, 1, n), "attention_mask": oracle.Int64s(text.Mask, 1, n), "token_type_ids": oracle.Int64s(text.Types, 1, n),
		}
	}
	var all []float64
	for _, v := range backbonetest.Batch(s.c, s.inputs...) {
		all = append(all, float64(v))
	}
	return map[string]oracle.Tensor{"input": oracle.Float32s(all, append([]int64{int64(len(s.inputs))}, s.c.InputShape...)...)}
}

// compareGradients takes the gradient from the move of the parameters.
func (s step) compareGradients(t *testing.T, f file, next []float64, rate float64) {
	t.Helper()
	if len(f.Parameters) != len(s.want.Grads) {
		t.Errorf("%d parameters, the reference has %d", len(f.Parameters), len(s.want.Grads))
	}
	for i, p := range f.Parameters {
		want, ok := s.want.Grads[p.Name]
		if !ok {
			t.Errorf("the reference has no %q", p.Name)
			continue
		}
		end := len(next)
		if i+1 < len(f.Parameters) {
			end = f.Parameters[i+1].Offset
		}
		norm, size := 0.0, float64(end-p.Offset)
		grads := make([]float64, end-p.Offset)
		for j := range grads {
			grads[j] = (float64(f.source[p.Offset+j]) - next[p.Offset+j]) / rate
			norm += grads[j] * grads[j]
		}
		// What is lost when a parameter moves by less than it can resolve is the test's doing, not the graph's.
		lost := 0.0
		if s.float32 {
			lost = resolution / rate
		}
		norm = math.Sqrt(norm)
		if !(math.Abs(norm-want.L2) <= s.grads*want.L2+1e-6*s.want.GradL2+lost*math.Sqrt(size)) {
			t.Errorf("gradient of %s has norm %v, want %v", p.Name, norm, want.L2)
		}
		for j, v := range want.First {
			if typical := want.L2 / math.Sqrt(size); !(math.Abs(grads[j]-v) <= s.grads*(math.Abs(v)+typical)+1e-6*s.want.GradL2+lost) {
				t.Errorf("gradient of %s: element %d is %v, want %v", p.Name, j, grads[j], v)
			}
		}
	}
}

func closeTo(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance*(1+math.Abs(want[i]))) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func rowsOf(rows ...[]float32) oracle.Tensor {
	var all []float64
	for _, r := range rows {
		for _, v := range r {
			all = append(all, float64(v))
		}
	}
	return oracle.Float32s(all, int64(len(rows)), int64(len(rows[0])))
}

// TestNothingToAdapt: networks without layers, and settings that leave none, are refused with the reason.
func TestNothingToAdapt(t *testing.T) {
	net, _ := backbonetest.Golden(t, "cnn1d")
	for _, c := range []struct {
		s    tent.Settings
		want string
	}{
		{tent.Settings{Layers: []string{"nothing"}}, "none is called"},
		{tent.Settings{Frozen: []string{"block"}}, "none is called"},
		{tent.Settings{Output: "nothing"}, `no output "nothing"`},
		{tent.Settings{Batch: 2}, "weight 2"},
		{tent.Settings{Batch: math.NaN()}, "weight NaN"},
		{tent.Settings{Rate: -1}, "rate -1"},
		{tent.Settings{Steps: 100}, "100 steps"},
		{tent.Settings{Kind: "scores"}, `kind "scores"`},
		{tent.Settings{Optimizer: optim.Settings{ClipNorm: 1}}, "norm"},
		{tent.Settings{Reset: tent.Reset{Items: -1}}, "every -1"},
	} {
		if _, err := tent.Build(onnx.New(net.Graph), c.s); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "tent: ") {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
	g := graph.New("plain", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(2)}})
	g.Output("y", g.Op("MatMul", []graph.Value{x, g.Param("w", graph.NewTensor([]float32{1, 2, 3, 4}, 2, 2))}))
	if _, err := tent.Build(onnx.New(g), tent.Settings{}); err == nil || !strings.Contains(err.Error(), "without any") {
		t.Errorf("a network without normalisation: %v", err)
	}
}

// TestBuildIsStable: the same network and settings give the same bytes, and the network is not changed.
func TestBuildIsStable(t *testing.T) {
	net, _ := backbonetest.Golden(t, "cnn1d")
	m := onnx.New(net.Graph)
	before := net.Graph.String()
	var files [2][]byte
	for i := range files {
		built, err := tent.Build(m, tent.Settings{Optimizer: optim.Settings{Method: optim.Adam}})
		if err != nil {
			t.Fatal(err)
		}
		if files[i], err = built.Bytes(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(files[0], files[1]) {
		t.Error("two builds differ")
	}
	if net.Graph.String() != before {
		t.Error("building changed the network")
	}
}

// TestShared: what comes before the first adapted layer is computed once.
func TestShared(t *testing.T) {
	net, _ := backbonetest.Golden(t, "cnn1d")
	count := func(s tent.Settings) string {
		m, err := tent.Build(onnx.New(net.Graph), s)
		if err != nil {
			t.Fatal(err)
		}
		convs, norms := 0, 0
		for _, n := range m.Graph.Nodes() {
			switch n.Op {
			case "Conv":
				convs++
			case "BatchNormalization":
				norms++
			}
		}
		return fmt.Sprint(convs, " ", norms)
	}
	// Three forward, two again behind the first layer, two backward; the last layer alone needs none of these, and the layers that stay
	// as they are keep their operator, which engines fold into the convolution.
	if got := count(tent.Settings{}); got != "7 0" {
		t.Errorf("all layers: %s", got)
	}
	if got := count(tent.Settings{Layers: []string{"block3"}}); got != "3 2" {
		t.Errorf("the last layer: %s", got)
	}
	if got := count(tent.Settings{Frozen: []string{"block1", "block2"}, Before: true}); got != "3 2" {
		t.Errorf("the last layer, before the step: %s", got)
	}
}
