package scores

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// golden is a case of testdata/metrics_golden.py.
type golden struct {
	Name             string
	Truth            []int
	P                [][]float64
	Accuracy         float64
	BalancedAccuracy float64 `json:"balanced_accuracy"`
	MacroF1          float64 `json:"macro_f1"`
	WeightedF1       float64 `json:"weighted_f1"`
	Kappa            float64
	NLL, Brier       float64
	Classes          []int
	Precision        []float64
	Recall, F1       []float64
	Support          []int
	Confusion        [][]int
}

func readGoldens(t *testing.T) []golden {
	b, err := os.ReadFile("testdata/metrics_golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []golden }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

func names(n int) (out []string) {
	for k := range n {
		out = append(out, fmt.Sprint("class ", k))
	}
	return out
}

// What scikit-learn says of the same predictions.
func TestScoresAgainstScikitLearn(t *testing.T) {
	for _, g := range readGoldens(t) {
		tally := NewTally(len(g.P[0]))
		for i, p := range g.P {
			tally.Add(g.Truth[i], p)
		}
		s := tally.Scores(names(len(g.P[0])))
		for _, m := range []struct {
			name      string
			got, want float64
		}{
			{"accuracy", s.Accuracy, g.Accuracy},
			{"balanced accuracy", s.BalancedAccuracy, g.BalancedAccuracy},
			{"macro F1", s.MacroF1, g.MacroF1},
			{"weighted F1", s.WeightedF1, g.WeightedF1},
			{"kappa", s.Kappa, g.Kappa},
			{"NLL", s.NLL, g.NLL},
			{"Brier", s.Brier, g.Brier},
		} {
			near(t, g.Name+": "+m.name, m.got, m.want)
		}
		for i, c := range s.Classes {
			if c.Label != fmt.Sprint("class ", g.Classes[i]) || c.Support != g.Support[i] {
				t.Errorf("%s: class %d is %+v", g.Name, i, c)
			}
			near(t, c.Label+": precision", c.Precision, g.Precision[i])
			near(t, c.Label+": recall", c.Recall, g.Recall[i])
			near(t, c.Label+": F1", c.F1, g.F1[i])
		}
		if _, counts := s.Confusion(); !reflect.DeepEqual(counts, g.Confusion) {
			t.Errorf("%s: confusion %v, want %v", g.Name, counts, g.Confusion)
		}
	}
}

// Recordings of a person put together score as if they had been one.
func TestGrouped(t *testing.T) {
	person := func(recording string) string { return strings.SplitN(recording, "/", 2)[0] }
	apart, together := NewComparison(4), NewComparison(4)
	r := rand.New(rand.NewPCG(3, 4))
	for _, stream := range []string{"b/night2", "a/night1", "b/night1", "a/night2", "c/night1"} {
		for range 40 {
			truth, raw, adapted := r.IntN(4), oneHot(r.IntN(4), 0.6), oneHot(r.IntN(4), 0.9)
			apart.Add(stream, truth, raw, adapted)
			together.Add(person(stream), truth, raw, adapted)
		}
	}
	got, want := apart.Grouped(person).EvaluateClasses(fruits), together.EvaluateClasses(fruits)
	if len(got.Streams) != 3 || got.Streams[0].Stream != "b" || len(got.Streams[0].Raw.Classes) != 4 {
		t.Errorf("groups %+v", got.Streams)
	}
	// The losses are sums of the same numbers in another order.
	a, b := fmt.Sprintf("%.9v", got), fmt.Sprintf("%.9v", want)
	if a != b {
		t.Errorf("%s\nwant %s", a, b)
	}
	if e := apart.Evaluate(fruits); e.Streams[0].Raw.Classes != nil || len(e.Raw.Classes) != 4 {
		t.Errorf("Evaluate gives classes of streams: %+v", e.Streams[0].Raw)
	}
}

// someStreams makes a comparison of streams whose accuracy differs: 0.5 to 0.9 before the filter, a tenth more after it.
func someStreams(n, items int) *Comparison {
	c := NewComparison(4)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		skill := 0.5 + 0.4*r.Float64()
		for range items {
			truth, u := r.IntN(4), r.Float64()
			before, after := (truth+1)%4, (truth+1)%4
			if u < skill {
				before = truth
			}
			if u < skill+0.1 {
				after = truth
			}
			c.Add(fmt.Sprint(i), truth, oneHot(before, 0.6), oneHot(after, 0.8))
		}
	}
	return c
}

func row(t *testing.T, rows []MetricRow, metric, class string) MetricRow {
	t.Helper()
	for _, r := range rows {
		if r.Metric == metric && r.Class == class {
			return r
		}
	}
	t.Fatalf("no row of %s %s", metric, class)
	return MetricRow{}
}

// Streams of equal length: the accuracy is the mean of theirs, and its interval that of a mean of independent numbers.
func TestBootstrapOfAMean(t *testing.T) {
	c := someStreams(60, 50)
	b, err := c.Bootstrap(fruits, BootstrapOptions{Seed: 1, Resamples: 4000})
	if err != nil {
		t.Fatal(err)
	}
	e := c.Evaluate(fruits)
	var own []float64
	for _, s := range e.Streams {
		own = append(own, s.Raw.Accuracy)
	}
	se := stat.StdErr(stat.StdDev(own, nil), float64(len(own)))
	pooled, mean := row(t, b.Pooled, "accuracy", ""), row(t, b.Mean, "accuracy", "")
	if pooled.Raw.Value != e.Raw.Accuracy || math.Abs(mean.Raw.Value-pooled.Raw.Value) > 1e-12 {
		t.Errorf("values %g and %g, want %g", pooled.Raw.Value, mean.Raw.Value, e.Raw.Accuracy)
	}
	for _, i := range []Estimate{pooled.Raw, mean.Raw} {
		if low, high := i.Value-1.96*se, i.Value+1.96*se; math.Abs(i.Low-low) > 0.1*se || math.Abs(i.High-high) > 0.15*se {
			t.Errorf("interval %g to %g, want %g to %g within a tenth of %g", i.Low, i.High, low, high, se)
		}
	}
	// Raw and adapted move together, so the change is known far better than either.
	if d := pooled.Change; !(d.Low > 0.05 && d.High < 0.15 && d.High-d.Low < (pooled.Raw.High-pooled.Raw.Low)/2) {
		t.Errorf("change %+v beside raw %+v", d, pooled.Raw)
	}
}

// The values are those of Evaluate, whatever is drawn; the same seed draws the same.
func TestBootstrapValues(t *testing.T) {
	c := someStreams(5, 31)
	c.Add("x", 3, oneHot(2, 0.4), oneHot(3, 0.4)) // one stream is longer, and streams are not all of one size
	c.Add("x", 0, oneHot(0, 0.4), oneHot(0, 0.4))
	b, err := c.Bootstrap(fruits, BootstrapOptions{Seed: 9, Resamples: 50, Level: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	e := c.Evaluate(fruits)
	for _, m := range metrics {
		r := row(t, b.Pooled, m.name, "")
		near(t, m.name, r.Raw.Value, m.of(&e.Raw))
		near(t, m.name+" adapted", r.Adapted.Value, m.of(&e.Adapted))
		near(t, m.name+" change", r.Change.Value, m.of(&e.Adapted)-m.of(&e.Raw))
		total := 0.0
		for _, s := range e.Streams {
			total += m.of(&s.Raw)
		}
		near(t, m.name+" of streams", row(t, b.Mean, m.name, "").Raw.Value, total/float64(len(e.Streams)))
	}
	for _, class := range e.Raw.Classes {
		near(t, "F1 of "+class.Label, row(t, b.Pooled, "f1", class.Label).Raw.Value, class.F1)
	}
	again, err := c.Bootstrap(fruits, BootstrapOptions{Seed: 9, Resamples: 50, Level: 0.8})
	if err != nil || !reflect.DeepEqual(b, again) {
		t.Errorf("the same seed gives something else, %v", err)
	}
}

func TestBootstrapAtTheEdges(t *testing.T) {
	c := NewComparison(4)
	c.Add("a", 0, oneHot(0, 0.6), oneHot(3, 0.6))
	if _, err := c.Bootstrap(fruits, BootstrapOptions{}); err == nil {
		t.Error("an interval over one stream")
	}
	c.Add("b", 1, oneHot(1, 0.6), oneHot(1, 0.6))
	for _, o := range []BootstrapOptions{{Level: 1}, {Level: math.NaN()}, {Resamples: -1}} {
		if _, err := c.Bootstrap(fruits, o); err == nil {
			t.Errorf("passed: %+v", o)
		}
	}
	b, err := c.Bootstrap(fruits, BootstrapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// Only the filter names figs; no NaN reaches JSON.
	if fig := row(t, b.Pooled, "f1", "fig"); fig.Raw != (Estimate{}) || fig.Change != (Estimate{}) {
		t.Errorf("fig %+v", fig)
	}
	if _, err := json.Marshal(b); err != nil {
		t.Error(err)
	}
	if got := row(t, b.Pooled, "accuracy", "").Raw; got != (Estimate{1, 1, 1}) {
		t.Errorf("all right: %+v", got)
	}
}
