package train_test

import (
	"math"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/oracle"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
)

// TestGraphsArePyTorchs runs the graph of a step without an engine, in float64, as PyTorch's series were computed: what differs there are
// the graph's own numbers, as a momentum of 0.1, which it has in float32. So the series that float32 leaves far behind are the same here.
func TestGraphsArePyTorchs(t *testing.T) {
	for _, c := range []struct {
		network, optimizer string
		heavy              bool
		tolerance          float64
	}{
		{"bert_mini", "adamw", false, 1e-6},
		{"cnn1d", "sgd", false, 1e-6},
		{"tcn", "sgd", true, 1e-4},
		{"tcn", "adamw", true, 1e-5},
	} {
		t.Run(c.network+" "+c.optimizer, func(t *testing.T) {
			if testing.Short() {
				t.Skip("the oracle takes its time")
			}
			if c.heavy {
				testdata.Heavy(t, "five steps of a temporal network in the oracle")
			}
			want, o := golden(t, c.network, c.optimizer), optimizers[c.optimizer]
			n, batch := filled(t, c.network, want.Labels)
			program, err := train.Build(onnx.New(n.Graph), train.Settings{Optimizer: o.settings, NoDropout: true})
			if err != nil {
				t.Fatal(err)
			}
			given := start(t, program, onnx.New(n.Graph), batch)
			given["rate"] = oracle.Float32s([]float64{o.rate}, 1)
			steps, err := oracle.Compile(program.Step.Graph, oracle.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 5 {
				out := runByName(t, steps, program.Step.Graph, given)
				if loss := out["loss"].F[0]; !(math.Abs(loss-want.Loss[i]) <= c.tolerance*want.Loss[i]) {
					t.Errorf("loss %d is %.9g, want %.9g", i, loss, want.Loss[i])
				}
				for name, v := range out {
					if cell, ok := strings.CutPrefix(name, "next_"); ok {
						given[cell] = v
					}
				}
			}
			at := 0
			for _, p := range program.Parameters {
				length := count(p.Dims)
				v, w := given["theta"].F[at:at+length], want.Params[p.Name]
				at += length
				for i, f := range w.First {
					if scale := math.Abs(f) + w.L2/math.Sqrt(float64(length)); !strings.HasSuffix(p.Name, "key.bias") && !(math.Abs(v[i]-f) <= c.tolerance*scale) {
						t.Errorf("%s[%d] is %.9g, want %.9g", p.Name, i, v[i], f)
					}
				}
			}
		})
	}
}

func count(dims []int64) int {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	return n
}

// start is what the first step is given, by name.
func start(t *testing.T, p *train.Program, m *onnx.Model, b train.Batch) map[string]oracle.Tensor {
	t.Helper()
	given, all := map[string]oracle.Tensor{}, constants(t, m)
	vector := func(parts []train.Part) (out []float64) {
		for _, p := range parts {
			for _, v := range all[p.Name] {
				out = append(out, float64(v))
			}
		}
		return out
	}
	theta, running := vector(p.Parameters), vector(p.Statistics)
	for name, v := range map[string][]float64{"theta": theta, "running": running} {
		given[name] = oracle.Float32s(v, int64(len(v)))
	}
	for _, slot := range []string{"b", "m", "v"} {
		given[slot] = oracle.Float32s(make([]float64, len(theta)), int64(len(theta)))
	}
	given["step"] = oracle.Int64s([]int64{0}, 1)
	targets := make([]float64, len(b.Labels)*p.Classes)
	for i, label := range b.Labels {
		targets[i*p.Classes+label] = 1
	}
	given["targets"] = oracle.Float32s(targets, int64(len(b.Labels)), int64(p.Classes))
	for i, x := range b.Inputs {
		given[m.Graph.NameOf(m.Graph.Inputs()[i])] = oracleTensor(x)
	}
	return given
}

func oracleTensor(x runtime.Tensor) oracle.Tensor {
	if ids, ok := x.Data.([]int64); ok {
		return oracle.Int64s(ids, x.Shape...)
	}
	var out []float64
	for _, v := range x.Data.([]float32) {
		out = append(out, float64(v))
	}
	return oracle.Float32s(out, x.Shape...)
}

func runByName(t *testing.T, p *oracle.Program, g *graph.Graph, given map[string]oracle.Tensor) map[string]oracle.Tensor {
	t.Helper()
	var inputs []oracle.Tensor
	for _, v := range g.Inputs() {
		in, ok := given[g.NameOf(v)]
		if !ok {
			t.Fatalf("no input %q", g.NameOf(v))
		}
		inputs = append(inputs, in)
	}
	results, err := p.Run(inputs...)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]oracle.Tensor{}
	for i, v := range g.Outputs() {
		out[g.NameOf(v)] = results[i]
	}
	return out
}
