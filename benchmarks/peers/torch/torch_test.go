//go:build unix

package torch

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// Our side of the comparison, without PyTorch: every graph runs, a step moves the prediction, and of eight streams in one run the first gets
// what it would get alone.
func TestOurs(t *testing.T) {
	engine := orttest.Engine(t)
	net, err := newNetwork("cifar_resnet18", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	list, err := jobs(Settings{Methods: []string{"forward", "tent2", "tent3", "tent3-8", "streams-8", "memo"}, Views: 4})
	if err != nil {
		t.Fatal(err)
	}
	first := map[string][]float32{}
	for _, j := range list {
		s, err := open(engine, net, j, false)
		if err != nil {
			t.Fatalf("%s: %v", j.Name, err)
		}
		seconds, logits, err := s.time(context.Background(), 1)
		if err != nil || !(seconds > 0) {
			t.Fatalf("%s: %g seconds, %v", j.Name, seconds, err)
		}
		first[j.Name] = slices.Clone(logits[:10])
		if err := s.session.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{{"forward", "tent2", true}, {"tent3", "streams-8", true}, {"forward", "tent3", false}, {"forward", "memo", false}, {"tent3", "tent3-8", false}} {
		if d := distance(first[c.a], first[c.b]); (d < 1e-5) != c.same {
			t.Errorf("%s and %s differ by %g: %v and %v", c.a, c.b, d, first[c.a], first[c.b])
		}
	}
	f, err := weights.Open(net.weights)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Names()) != 102 { // of ResNet-18: 20 convolutions, 20 normalisations of four, the head
		t.Errorf("%d tensors for PyTorch", len(f.Names()))
	}
}

func distance(a, b []float32) (d float64) {
	for i, v := range a {
		d = max(d, math.Abs(float64(v-b[i])))
	}
	return d
}

func TestAgree(t *testing.T) {
	if err := agree([]float32{1, -4, 9}, []float64{1.001, -4.001}); err != nil {
		t.Error(err)
	}
	for _, theirs := range [][]float64{{}, {1.01, -4}, {1, math.NaN()}, {1, -4, 9, 0}} {
		if agree([]float32{1, -4, 9}, theirs) == nil {
			t.Errorf("%v passed", theirs)
		}
	}
}

func TestTable(t *testing.T) {
	r := result{Net: "net", Torch: "9", Rounds: 3, Times: []times{
		{job{"forward", 1, "forward"}, []float64{.010, .011, .020}, []float64{.02, .0165, .03}},
		{job{"tent3", 1, "forward"}, []float64{.03, .033, .06}, []float64{.08, .066, .12}},
		{job{"memo", 2, "forward-views"}, []float64{.1, .1, .1}, []float64{.2, .2, .2}},
	}}
	var b bytes.Buffer
	table := r.table()
	if err := table.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"net beside PyTorch 9", "medians of 3 rounds", "| tent3 | 1 | 33.0 | 80.0 | 2.00 | 3.00 | 4.00 |", "| memo | 2 | 100.0 | 200.0 | 2.00 | | |"} {
		if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if _, err := jobs(Settings{Methods: []string{"forward", "nonsense"}}); err == nil {
		t.Error("nonsense passed")
	}
}
