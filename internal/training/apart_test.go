package training_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// headJob is a training of the head alone on windows that are not changed, and the network that it is of.
func headJob(t *testing.T, s training.Settings) (training.Job, training.Network) {
	t.Helper()
	d := swinging(t, 6, 24)
	w := training.NewWindows(len(d.Items), 1, 32)
	for i := range d.Items {
		in, err := d.Store.Batch([]int{i}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Filler().Add(i, 0, in[0].Data.([]float32))
	}
	d.Store = w
	split, err := training.NewSplit(d.Groups(), training.SplitSettings{Validation: training.Choice{Number: 2}})
	if err != nil {
		t.Fatal(err)
	}
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 3, Channels: 1, Samples: 32, Dropout: 0.2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	n := training.Network{Model: onnx.New(net.Graph), Head: []string{"fc.weight", "fc.bias"}, Engine: orttest.Engine(t), Config: runtime.Config{IntraThreads: 1}}
	open, err := n.Opener(s, d.Counts(d.Of(split.Train)))
	if err != nil {
		t.Fatal(err)
	}
	return training.Job{Data: d, Split: split, Settings: s, Open: open, Folder: t.TempDir(), Identity: map[string]string{"seed": "1"}}, n
}

func headSettings() training.Settings {
	s := quick
	s.HeadOnly, s.Rates = true, []float64{1e-1, 1e-2}
	return s
}

// apart makes a job one on features.
func apart(t *testing.T, j training.Job, n training.Network) training.Job {
	t.Helper()
	a, why, err := n.Apart(j.Settings, j.Data, j.Split)
	if err != nil || a == nil {
		t.Fatalf("%q, %v", why, err)
	}
	j.Apart, j.Folder, j.Open = a, t.TempDir(), nil
	return j
}

func mustRun(t *testing.T, j training.Job) *training.Outcome {
	t.Helper()
	o, err := training.Run(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A head that learns from features that were computed once is, but for the last bits, the one that learns behind the whole network: with
// dropout, weights of classes, and batches that are added up.
func TestFeaturesOnce(t *testing.T) {
	for name, change := range map[string]func(*training.Settings){
		"adamw":       func(*training.Settings) {},
		"accumulated": func(s *training.Settings) { s.Accumulate, s.Optimizer, s.Momentum = 2, "sgd", 0.9 },
	} {
		t.Run(name, func(t *testing.T) {
			s := headSettings()
			change(&s)
			j, n := headJob(t, s)
			slow, fast := mustRun(t, j), mustRun(t, apart(t, j, n))
			if len(fast.Rows) != len(slow.Rows) || fast.Best.Step != slow.Best.Step || fast.Best.Rate != slow.Best.Rate {
				t.Errorf("%+v, want %+v", fast.Best, slow.Best)
			}
			for i, r := range fast.Rows {
				if w := slow.Rows[i]; !(math.Abs(r.Loss-w.Loss) <= 1e-5*w.Loss && math.Abs(r.ValidationNLL-w.ValidationNLL) <= 1e-5*w.ValidationNLL) || r.Accuracy != w.Accuracy {
					t.Errorf("row %d is %+v, want %+v", i, r, w)
				}
			}
			sameConstants(t, fast.Network, slow.Network, n)
		})
	}
}

// sameConstants compares the head with a tolerance and all else bit for bit.
func sameConstants(t *testing.T, got, want *onnx.Model, n training.Network) {
	t.Helper()
	moved := 0
	for _, v := range want.Graph.Values() {
		c := want.Graph.ConstOf(v)
		if c == nil || !c.Elem().IsFloat() {
			continue
		}
		name := want.Graph.NameOf(v)
		at := got.Graph.Lookup(name)
		if at == graph.None || got.Graph.ConstOf(at) == nil {
			t.Errorf("%s is not there", name)
			continue
		}
		a, err := got.Graph.ConstOf(at).Float64s()
		b, err2 := c.Float64s()
		before, err3 := n.Model.Graph.ConstOf(n.Model.Graph.Lookup(name)).Float64s()
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		tolerance := 0.0
		if strings.HasPrefix(name, "fc.") {
			tolerance = 1e-5
		}
		changed := false
		for i := range b {
			if !(math.Abs(a[i]-b[i]) <= tolerance) {
				t.Errorf("%s[%d] is %v, want %v", name, i, a[i], b[i])
			}
			changed = changed || a[i] != before[i]
		}
		if changed {
			moved++
		}
	}
	if moved != 2 {
		t.Errorf("%d tensors moved, want weight and bias", moved)
	}
}

// A training on features that is stopped and resumed ends with the bytes of one that is not.
func TestFeaturesResume(t *testing.T) {
	j, n := headJob(t, headSettings())
	want := network(t, mustRun(t, apart(t, j, n)))
	j = apart(t, j, n)
	j.Resume, j.SaveEvery = true, time.Nanosecond
	closed := make(chan struct{})
	close(closed)
	j.Stop = closed // before the features are computed
	if _, err := training.Run(context.Background(), j); !errors.Is(err, training.ErrStopped) {
		t.Fatal(err)
	}
	for stops := 0; ; stops++ {
		stop, left := make(chan struct{}), 3
		j.Stop, j.Progress = stop, func(training.Progress) {
			if left--; left == 0 {
				close(stop)
			}
		}
		o, err := training.Run(context.Background(), j)
		if errors.Is(err, training.ErrStopped) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if stops < 3 || !bytes.Equal(network(t, o), want) {
			t.Errorf("another network after %d stops", stops)
		}
		break
	}
	// A finished run is read back without any features.
	j.Apart.Body = func() (training.Session, error) {
		return training.Session{}, errors.New("the features are computed again")
	}
	if o := mustRun(t, j); !bytes.Equal(network(t, o), want) {
		t.Error("another network of the finished run")
	}
}

// A training on features goes on where one on the whole network was stopped: the names in their checkpoints are the same.
func TestFeaturesCheckpoint(t *testing.T) {
	j, n := headJob(t, headSettings())
	mustRun(t, j)
	f, err := weights.Open(filepath.Join(j.Folder, "checkpoints", "last.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, _, err := n.Apart(j.Settings, j.Data, j.Split)
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Head()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	state, err := s.State()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(f.Tensors()), len(state); got != want {
		t.Errorf("%d tensors, want %d", got, want)
	}
	if err := s.Restore(f.Tensors()); err != nil {
		t.Error(err)
	}
}

func TestNoFeatures(t *testing.T) {
	for want, change := range map[string]func(*training.Job, *training.Network){
		"":                             func(j *training.Job, _ *training.Network) { j.Settings.HeadOnly = false },
		"examples are mixed":           func(j *training.Job, _ *training.Network) { j.Settings.Mixup = 0.2 },
		"examples are changed each":    func(j *training.Job, _ *training.Network) { j.Data = swinging(t, 6, 24) },
		"more than its last layer":     func(_ *training.Job, n *training.Network) { n.Head = append(n.Head, "block1.conv.weight") },
		`"fc.bias" of its last layer`:  func(_ *training.Job, n *training.Network) { n.Head = n.Head[:1] },
		"drops elements before its he": func(_ *training.Job, n *training.Network) { n.Model = dropping(t) },
	} {
		j, n := headJob(t, headSettings())
		change(&j, &n)
		a, why, err := n.Apart(j.Settings, j.Data, j.Split)
		if a != nil || err != nil || !strings.Contains(why, want) || want == "" && why != "" {
			t.Errorf("%v, %q, %v; want %q", a, why, err, want)
		}
	}
}

// dropping is a network with a dropout in its middle.
func dropping(t *testing.T) *onnx.Model {
	t.Helper()
	g := graph.New("dropping", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(2)}})
	g.Output("y", g.Op("Gemm", []graph.Value{
		g.Op("Relu", []graph.Value{g.Op("Dropout", []graph.Value{x, g.Scalar(graph.Float32, 0.5)})}),
		g.Param("fc.weight", graph.NewTensor(make([]float32, 6), 2, 3)), g.Param("fc.bias", graph.NewTensor(make([]float32, 3), 3)),
	}))
	if err := g.Err(); err != nil {
		t.Fatal(err)
	}
	return onnx.New(g)
}
