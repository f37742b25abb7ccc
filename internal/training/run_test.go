package training_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/preprocess/augment"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

var labels = []string{"still", "slow", "fast"}

// swinging returns data of some persons who are still, swing slowly and swing fast, each in a way of their own.
func swinging(t *testing.T, persons, windows int) *training.Data {
	t.Helper()
	const samples = 32
	d := &training.Data{Noun: "window", Labels: labels}
	w := training.NewWindows(persons*windows, 1, samples)
	r := rand.New(rand.NewPCG(1, 2))
	for p := range persons {
		f := w.Filler()
		for k := range windows {
			class := k / 4 % 3
			x := make([]float32, samples)
			for i := range x {
				x[i] = float32(0.3 * r.NormFloat64())
				if class > 0 {
					x[i] += float32((1 + 0.1*float64(p)) * triangle(float64(i)*float64(class)/16))
				}
			}
			f.Add(len(d.Items), int64(k*1000), x)
			d.Items = append(d.Items, training.Item{Name: fmt.Sprint(k), Stream: fmt.Sprint("s", p), Group: fmt.Sprint("p", p), Class: class})
		}
	}
	if err := w.Change(augment.Views{Jitter: 0.1, Shift: 0.1, Scale: 0.1}); err != nil {
		t.Fatal(err)
	}
	d.Store = w
	return d
}

func triangle(x float64) float64 {
	x -= float64(int(x))
	return 4*max(x, 1-x) - 3
}

// job is a training of a small network with dropout.
func job(t *testing.T, s training.Settings) training.Job {
	t.Helper()
	d := swinging(t, 6, 24)
	split, err := training.NewSplit(d.Groups(), training.SplitSettings{Test: training.Choice{Number: 1}, Validation: training.Choice{Number: 2}})
	if err != nil {
		t.Fatal(err)
	}
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 3, Channels: 1, Samples: 32, Dropout: 0.2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	open, err := training.Network{Model: onnx.New(net.Graph), Engine: orttest.Engine(t), Config: runtime.Config{IntraThreads: 1}}.Opener(s, d.Counts(d.Of(split.Train)))
	if err != nil {
		t.Fatal(err)
	}
	return training.Job{Data: d, Split: split, Settings: s, Open: open, Folder: t.TempDir(), Identity: map[string]string{"seed": "1"}}
}

var quick = training.Settings{
	Epochs: 4, Batch: 16, Rates: []float64{3e-3, 1e-3}, Schedule: training.Schedule{Course: training.Cosine, Warmup: 2},
	Optimizer: "adamw", Decay: 0.01, Smoothing: 0.05, Clip: 1, Balanced: true, Seed: 5,
}

func network(t *testing.T, o *training.Outcome) []byte {
	t.Helper()
	data, err := o.Network.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRun(t *testing.T) {
	j := job(t, quick)
	looks := 0
	j.Progress = func(p training.Progress) {
		if p.Look != nil {
			looks++
		}
	}
	o, err := training.Run(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	if o.Best.Accuracy < 0.9 || len(o.Rows) != 8 || looks != 8 || o.Steps != 32 {
		t.Errorf("%+v of %d, %+v", o.Best, o.Steps, o.Rows)
	}
	table, err := os.ReadFile(filepath.Join(j.Folder, "metrics.csv"))
	if err != nil || strings.Count(string(table), "\n") != 9 {
		t.Errorf("%v\n%s", err, table)
	}
}

// A run that is stopped and resumed any number of times ends with the bytes of one that is not.
// Kept last is the network after the last step, whatever looks said on the way: that of a training which looks but once.
func TestKeepLast(t *testing.T) {
	last, once := quick, quick
	last.Rates, last.Keep = []float64{3e-3}, training.KeepLast
	once.Rates, once.Every = []float64{3e-3}, 1e5
	kept, err := training.Run(context.Background(), job(t, last))
	if err != nil {
		t.Fatal(err)
	}
	end, err := training.Run(context.Background(), job(t, once))
	if err != nil {
		t.Fatal(err)
	}
	if kept.Best != end.Best || kept.Best.Step != kept.Steps || len(kept.Rows) != 4 || len(end.Rows) != 1 || !bytes.Equal(network(t, kept), network(t, end)) {
		t.Errorf("%+v of %d looks, want %+v of 1 and the same network", kept.Best, len(kept.Rows), end.Best)
	}
}

func TestResumeIsExact(t *testing.T) {
	for name, s := range map[string]func(*training.Settings){
		"adamw":       func(*training.Settings) {},
		"accumulated": func(s *training.Settings) { s.Accumulate, s.Mixup = 2, 0.2 },
		"sgd":         func(s *training.Settings) { s.Optimizer, s.Momentum, s.Nesterov, s.Patience = "sgd", 0.9, true, 2 },
	} {
		t.Run(name, func(t *testing.T) {
			set := quick
			s(&set)
			o, err := training.Run(context.Background(), job(t, set))
			if err != nil {
				t.Fatal(err)
			}
			want := network(t, o)
			j := job(t, set)
			j.Resume, j.SaveEvery, j.Loaders = true, time.Nanosecond, 3
			r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 7))
			for stops := 0; ; stops++ {
				stop := make(chan struct{})
				left := 1 + r.IntN(5)
				j.Stop, j.Progress = stop, func(training.Progress) {
					if left--; left == 0 {
						close(stop)
					}
				}
				o, err = training.Run(context.Background(), j)
				if !errors.Is(err, training.ErrStopped) {
					t.Logf("stopped %d times", stops)
					break
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := network(t, o); !bytes.Equal(got, want) {
				t.Error("another network")
			}
		})
	}
}

func TestResumeRefusesAnotherRun(t *testing.T) {
	j := job(t, quick)
	if _, err := training.Run(context.Background(), j); err != nil {
		t.Fatal(err)
	}
	j.Resume, j.Identity = true, map[string]string{"seed": "2"}
	_, err := training.Run(context.Background(), j)
	var other *training.MismatchError
	if !errors.As(err, &other) || other.Was["seed"] != "1" {
		t.Error(err)
	}
}

// A learning rate that diverges is given up, and the others go on; one alone is an error.
func TestDiverged(t *testing.T) {
	s := quick
	s.Optimizer, s.Clip, s.Schedule = "sgd", 0, training.Schedule{Course: training.Constant}
	s.Rates = []float64{1e5, 1e-2}
	o, err := training.Run(context.Background(), job(t, s))
	if err != nil || len(o.Diverged) != 1 || o.Best.Rate != 1e-2 {
		t.Errorf("%+v, %v", o, err)
	}
	s.Rates = s.Rates[:1]
	if _, err := training.Run(context.Background(), job(t, s)); !errors.Is(err, training.ErrDiverged) {
		t.Error(err)
	}
}

// frozen trains with settings, and returns which parameters and statistics moved.
func frozen(t *testing.T, s training.Settings) (moved map[string]bool) {
	t.Helper()
	d := swinging(t, 6, 24)
	split, err := training.NewSplit(d.Groups(), training.SplitSettings{Validation: training.Choice{Number: 2}})
	if err != nil {
		t.Fatal(err)
	}
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 3, Channels: 1, Samples: 32, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	n := training.Network{Model: onnx.New(net.Graph), Head: []string{"fc.weight", "fc.bias"}, Engine: orttest.Engine(t), Config: runtime.Config{IntraThreads: 1}}
	open, err := n.Opener(s, d.Counts(d.Of(split.Train)))
	if err != nil {
		t.Fatal(err)
	}
	o, err := training.Run(context.Background(), training.Job{Data: d, Split: split, Settings: s, Open: open, Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	moved = map[string]bool{}
	for _, tensor := range net.Tensors {
		before, err := net.Graph.ConstOf(tensor.Value).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		after, err := o.Network.Graph.ConstOf(tensor.Value).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		moved[tensor.Name] = !bytes.Equal(before, after)
	}
	return moved
}

func TestFrozen(t *testing.T) {
	s := quick
	s.Epochs, s.Rates, s.HeadOnly = 1, []float64{1e-2}, true
	for name, moved := range frozen(t, s) {
		if moved != strings.HasPrefix(name, "fc.") {
			t.Errorf("only the head learns: %s moved: %t", name, moved)
		}
	}
	s.HeadOnly, s.Freeze = false, []string{"block1.*"}
	for name, moved := range frozen(t, s) {
		if moved == strings.HasPrefix(name, "block1.") {
			t.Errorf("block1 is frozen: %s moved: %t", name, moved)
		}
	}
	s.Freeze = []string{"*"}
	if _, err := (training.Network{Model: onnx.New(mustNet(t).Graph), Engine: orttest.Engine(t)}).Opener(s, []int{1, 1, 1}); err == nil || !strings.Contains(err.Error(), "all are frozen") {
		t.Error(err)
	}
}

func mustNet(t *testing.T) *backbone.Net {
	t.Helper()
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 3, Channels: 1, Samples: 32, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// What is learned of a network is what its predictions on the held-out groups say.
func TestLearn(t *testing.T) {
	j := job(t, quick)
	o, err := training.Run(context.Background(), j)
	if err != nil {
		t.Fatal(err)
	}
	session := training.Session{Session: orttest.Open(t, network(t, o))}
	l, err := training.Learn(context.Background(), j.Data, j.Split, session, j.Settings)
	if err != nil {
		t.Fatal(err)
	}
	// The validation of the run and that of the exported network are one.
	if math.Abs(l.Validation.Raw.Accuracy-o.Best.Accuracy) > 1e-9 || math.Abs(l.Validation.Raw.NLL-o.Best.NLL) > 1e-4 {
		t.Errorf("%+v, %+v", l.Validation.Raw, o.Best)
	}
	if l.Test == nil || l.Test.Raw.Items != 24 || l.Smoothed.Raw.Items != 24 || len(l.Test.Streams) != 1 || l.Intervals != nil {
		t.Errorf("%+v", l)
	}
	if l.Transitions == nil || l.Transitions.Streams != 3 || l.Transitions.Items != 72 || math.Abs(l.Prior[0]-1./3) > 1e-9 {
		t.Errorf("%+v", l)
	}
	if l.Temperature != 1 && l.Fit == nil || l.Temperature == 1 && l.Note == "" {
		t.Errorf("temperature %g, %q", l.Temperature, l.Note)
	}
	none := *j.Split
	none.Test = nil
	if l, err = training.Learn(context.Background(), j.Data, &none, session, j.Settings); err != nil || l.Test != nil || l.Smoothed.Raw.Items != 48 {
		t.Errorf("%+v, %v", l, err)
	}
}
