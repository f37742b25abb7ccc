package priors

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime"
)

// paper is what is used of its published numbers.
type paper struct {
	Prior struct {
		Columns []string   `json:"columns"`
		Base    [4]float64 `json:"base"`
		Source  [4]float64 `json:"source_prior"`
		Uniform [4]float64 `json:"uniform_prior"`
	} `json:"prior_sensitivity"`
	Matrices struct {
		S2 [][]float64 `json:"s2"`
		S4 [][]float64 `json:"s4_second_half"`
	} `json:"no_shift_matrices"`
}

func readPaper(t *testing.T) (p paper) {
	b, err := os.ReadFile(testdata.Shared(t, "paper", "tables.json"))
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The streams without shift have the paper's printed matrices to the digit, and what is said of its numbers is what it printed.
func TestAsPrinted(t *testing.T) {
	p := readPaper(t)
	const steps = 100
	list := conditions()
	for _, c := range []struct {
		condition, t int
		want         [][]float64
	}{{2, 1, p.Matrices.S2}, {2, 99, p.Matrices.S2}, {3, 49, p.Matrices.S2}, {3, 50, p.Matrices.S4}} {
		row := make([]float64, 10)
		for from, want := range c.want {
			if list[c.condition].stream.Transition(row, from, c.t, steps); !slices.Equal(row, want) {
				t.Errorf("%s at %d: row %d is %v, want %v", list[c.condition].name, c.t, from, row, want)
			}
		}
	}
	for i, c := range list {
		if c.name != p.Prior.Columns[i] {
			t.Errorf("column %d is %s, want %s", i, c.name, p.Prior.Columns[i])
		}
	}
	for _, gate := range []adapt.Gate{adapt.GateOff, adapt.GateEWMA} {
		if published[Plain] != p.Prior.Base || published[Source(gate)] != p.Prior.Source || published[Uniform(gate)] != p.Prior.Uniform {
			t.Errorf("%s: not what the paper prints", gate)
		}
	}
}

// Streams without shift hold the classes about as the training set does; with shift, evenly.
func TestFrequencies(t *testing.T) {
	const steps = 40_000
	for i, c := range conditions() {
		rare := 0
		for _, y := range c.stream.Labels(3, 10, steps) {
			if y >= common {
				rare++
			}
		}
		want := []float64{.5, .5, 1. / 12, (1./12 + 1./11) / 2}[i] // of the stationary distributions; a stream remembers some 3 labels
		if share := float64(rare) / steps; math.Abs(share-want) > .015 {
			t.Errorf("%s: %.3f of the labels are rare, want %.3f", c.name, share, want)
		}
	}
}

func TestDivide(t *testing.T) {
	got := make([]int, 3)
	divide(got, [][]float64{{.6, .4}, {.9, .1}, {0, 1}}, []float64{.75, .25})
	if !slices.Equal(got, []int{1, 0, 1}) {
		t.Errorf("%v", got)
	}
}

// The signs of the paper's claims that hold for a better predictor, too.
func TestSigns(t *testing.T) {
	shared := testdata.Tree(t, testdata.CIFARPredictions...)
	set, err := ready(shared)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run(set, Settings{Seeds: 4, Steps: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for c, name := range r.Conditions {
		shift := strings.HasPrefix(name, "shift")
		for _, gate := range gates() {
			d, _ := r.Difference(c, Source(gate), Uniform(gate))
			if shift && d <= 0 {
				t.Errorf("%s, %s: the source prior is worth %+.2f", name, gate, d)
			}
		}
		if d, _ := r.Difference(c, Divided, Plain); shift != (d > 0) {
			t.Errorf("%s: the source prior alone is worth %+.2f", name, d)
		}
		if d, _ := r.Difference(c, Uniform(adapt.GateAuto), Plain); d <= 0 {
			t.Errorf("%s: auto is worth %+.2f", name, d)
		}
	}
	if d, _ := r.Difference(2, Source(adapt.GateAuto), Uniform(adapt.GateAuto)); d >= 0 {
		t.Errorf("without shift auto gains %+.2f by the source prior", d)
	}
	checkSection(t, r)
	again, err := run(set, Settings{Seeds: 4, Steps: 1000, Workers: 1})
	if err != nil || !slices.EqualFunc(r.Accuracy[3], again.Accuracy[3], slices.Equal) {
		t.Errorf("another run: %v", err)
	}
}

func checkSection(t *testing.T, r *Result) {
	section, err := Section([]*Result{r, r}, []string{"a picture"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report.WriteMarkdown(&b, []report.Section{section}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| off, source prior ", "| 64.85 |", "| +1.35 |", "| auto: source prior less uniform ", "Missing: a picture", "percent by class prior: test set, imbalanced, source prior, base 81.1 %"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "+64.85") {
		t.Error("the paper's differences are taken from nothing")
	}
}

// Without an engine, or without pictures, there is the test set alone, and the section says so.
func TestWithoutCorruptions(t *testing.T) {
	shared := testdata.Tree(t, append([]string{"models/cifar10-resnet18/imbalanced.fp16.safetensors", "data/cifar10c/fog.png"}, testdata.CIFARPredictions...)...)
	without := &networks.Runner{Engine: func(context.Context) (runtime.Engine, error) { return nil, &report.MissingError{What: "an engine"} }}
	results, missing, err := Run(context.Background(), without, Settings{Shared: shared, Corruptions: []string{"fog", "sand"}, Seeds: 1, Steps: 20})
	if err != nil || len(results) != 1 || len(missing) != 2 || !strings.Contains(missing[0], "an engine") || !strings.Contains(missing[1], "sand.png") {
		t.Errorf("%d results, missing %q, %v", len(results), missing, err)
	}
	results, missing, err = Run(context.Background(), without, Settings{Shared: shared, Corruptions: []string{}, Seeds: 1, Steps: 20})
	if err != nil || len(results) != 1 || missing != nil {
		t.Errorf("none asked for: %d results, missing %q, %v", len(results), missing, err)
	}
}

func TestRefused(t *testing.T) {
	var missing *report.MissingError
	if _, _, err := Run(context.Background(), &networks.Runner{}, Settings{Shared: t.TempDir()}); !errors.As(err, &missing) {
		t.Errorf("no data: %v", err)
	}
	set := &benchmarks.Predictions{Q: [][]float64{{.5, .5}}, Truth: []int{0}, Prior: []float64{.5, .5}}
	if _, err := run(set, Settings{Seeds: -1}); err == nil || !strings.HasPrefix(err.Error(), "priors: ") {
		t.Errorf("-1 seeds: %v", err)
	}
	if _, err := run(set, Settings{Seeds: 1, Steps: 50}); err == nil || !strings.HasPrefix(err.Error(), "priors: ") {
		t.Errorf("a class without items: %v", err)
	}
}
