package priors

import (
	"context"
	"encoding/json"
	"errors"
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

// Columns and numbers of the paper are those that it printed; its matrices are tested in package datasets.
func TestAsPrinted(t *testing.T) {
	p := readPaper(t)
	for i, c := range conditions() {
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
	two := &benchmarks.Predictions{Q: [][]float64{{.5, .5}}, Truth: []int{0}, Prior: []float64{.5, .5}}
	ten := &benchmarks.Predictions{Q: [][]float64{make([]float64, 10)}, Truth: []int{0}, Prior: benchmarks.ImbalancedPrior()}
	for name, c := range map[string]struct {
		set *benchmarks.Predictions
		Settings
	}{"two classes": {two, Settings{}}, "-1 seeds": {ten, Settings{Seeds: -1}}, "a class without items": {ten, Settings{Seeds: 1, Steps: 50}}} {
		if _, err := run(c.set, c.Settings); err == nil || !strings.HasPrefix(err.Error(), "priors: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
