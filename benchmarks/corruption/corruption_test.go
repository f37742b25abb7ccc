package corruption

import (
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/testdata"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s %.9g, want %.9g", what, got, want)
	}
}

// By hand: x = 40, 60, 80, 100 and y = -1, 1, 1, 3 have means 70 and 1, sums of squares 2000 and 8, of products 120.
func TestFit(t *testing.T) {
	f := fitted([]float64{40, 60, 80, 100}, []float64{-1, 1, 1, 3})
	near(t, "R", f.R, 120/math.Sqrt(2000*8), 1e-12)
	near(t, "slope", f.Slope, 0.06, 1e-12)
	near(t, "at 0", f.At0, 1-0.06*70, 1e-12)
	near(t, "break-even", f.BreakEven, 70-1/0.06, 1e-9)
	// Fisher: atanh 0.9486832981 = 1.818446459, and 1.959963985 to both sides, as sqrt(4-3) is 1.
	near(t, "low", f.Interval[0], -0.14058030, 1e-7)
	near(t, "high", f.Interval[1], 0.99895548, 1e-7)
	if f := fitted([]float64{40, 60}, []float64{2, 1}); f.Interval != [2]float64{-1, 1} || f.R != -1 {
		t.Errorf("two points: %+v", f)
	}
	for at, want := range map[float64]string{48.24: "48.2", -1: "none", 100.5: "none", math.Inf(1): "none"} {
		if got := (Fit{BreakEven: at}).breakEven().String(); got != want {
			t.Errorf("break-even at %g is written %s, want %s", at, got, want)
		}
	}
}

// The numbers that stand beside ours are those of the paper.
func TestAsPrinted(t *testing.T) {
	var p struct {
		Correlation struct {
			R         float64 `json:"R"`
			BreakEven float64 `json:"break_even_accuracy_percent"`
		} `json:"corruption_correlation"`
	}
	b, err := os.ReadFile(testdata.Shared(t, "paper", "tables.json"))
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil || p.Correlation.R != paperR || p.Correlation.BreakEven != paperBreakEven {
		t.Errorf("%+v, %v", p, err)
	}
}

// Real predictions: the signs of the paper's figure, and no break-even of auto.
func TestCorruptions(t *testing.T) {
	s := Settings{Shared: testdata.Tree(t, testdata.CIFARPredictions...), Seeds: 3, Steps: 1000}
	g, err := Run(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Sets) != 15 || !slices.IsSorted(g.Bases()) || g.Sets[0] != "contrast" {
		t.Errorf("%v: %v", g.Sets, g.Bases())
	}
	for f, name := range g.Filters {
		fit := g.Fit(f)
		if name == "auto" {
			if slices.Min(g.Changes(f)) <= 0 || fit.BreakEven > 20 {
				t.Errorf("auto: %+v, %v", fit, g.Changes(f))
			}
			continue
		}
		if fit.R < .5 || fit.BreakEven < 40 || fit.BreakEven > 70 || g.Changes(f)[0] >= 0 || g.Changes(f)[14] <= 0 {
			t.Errorf("%s: %+v, %v", name, fit, g.Changes(f))
		}
	}
	checkSection(t, g)
	s.Workers = 1
	if again, err := Run(s); err != nil || !reflect.DeepEqual(g, again) {
		t.Errorf("another run: %v", err)
	}
}

func checkSection(t *testing.T, g *Gains) {
	section, err := g.Section()
	if err != nil {
		t.Fatal(err)
	}
	if svg := string(section.Figures[0].SVG); xml.Unmarshal(section.Figures[0].SVG, new(struct{})) != nil || !strings.Contains(svg, ">auto, R = ") {
		t.Error("the figure is no XML, or has no legend")
	}
	var b strings.Builder
	if err := report.WriteMarkdown(&b, []report.Section{section}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| impulse_noise ", "|  0.82 |", "|  48.2 |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// A predictor that is always right gains nothing, and the same streams are seen by all filters.
func TestMeasure(t *testing.T) {
	right, wrong := &benchmarks.Predictions{Name: "right"}, &benchmarks.Predictions{Name: "wrong"}
	for i := range 30 {
		q := []float64{.1, .1, .1}
		q[i%3] = .8
		right.Q, right.Truth = append(right.Q, q), append(right.Truth, i%3)
		wrong.Q, wrong.Truth = append(wrong.Q, q), append(wrong.Truth, (i+1)%3)
	}
	g, err := measure([]*benchmarks.Predictions{right, wrong}, datasets.S2(0.9), gates(), Settings{Seeds: 2, Steps: 50})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Sets, []string{"wrong", "right"}) || !slices.Equal(g.Bases(), []float64{0, 100}) {
		t.Errorf("%v %v", g.Sets, g.Bases())
	}
	if c := g.Changes(2); c[0] != 0 || c[1] != 0 {
		t.Errorf("auto changes %v", c)
	}
	if g.standardError(2, 1) != 0 {
		t.Error("there is no spread")
	}
	bad := []variant{{"bad", adapt.Settings{Gate: "none such"}}}
	if _, err := measure([]*benchmarks.Predictions{right}, datasets.S2(0.9), bad, Settings{Seeds: 1, Steps: 5}); err == nil || !strings.HasPrefix(err.Error(), "corruption: bad: ") {
		t.Errorf("bad settings: %v", err)
	}
}

// A gate that asks for more does less where there is no order; off has none.
func TestThreshold(t *testing.T) {
	r, err := RunThreshold(Settings{Shared: testdata.Tree(t, testdata.CIFARPredictions...), Seeds: 1, Steps: 500})
	if err != nil {
		t.Fatal(err)
	}
	loss := func(name string) float64 {
		sum, at := 0.0, slices.Index(r.None.Filters, name)
		for _, v := range r.None.Changes(at) {
			sum -= v
		}
		return sum
	}
	order := []string{"ewma, margin 0.8", "ewma, margin 0.4", "ewma", "ewma, margin 0", "ewma, margin -0.2", "off"}
	for i := range order[1:] {
		if loss(order[i]) > loss(order[i+1]) {
			t.Errorf("%s loses %.2f, %s %.2f", order[i], loss(order[i]), order[i+1], loss(order[i+1]))
		}
	}
	section, err := r.Section()
	if err != nil || len(section.Tables[0].Rows) != len(variants()) {
		t.Errorf("%d rows: %v", len(section.Tables[0].Rows), err)
	}
}

// Every value is tried once, and the default is a row of its own.
func TestVariants(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range variants() {
		if seen[v.name] {
			t.Errorf("%s twice", v.name)
		}
		seen[v.name] = true
		if err := v.settings.Validate(10); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
	}
	for _, s := range sweeps() {
		p := adapt.DefaultPaper()
		if !slices.ContainsFunc(s.values, func(v float64) bool { s.set(&p, v); return p == adapt.DefaultPaper() }) {
			t.Errorf("%s: the default is not among %v", s.name, s.values)
		}
	}
}

func TestRefused(t *testing.T) {
	for name, s := range map[string]Settings{"no data": {Shared: t.TempDir()}, "no seeds": {Seeds: -1}} {
		if _, err := Run(s); err == nil {
			t.Errorf("%s is no error", name)
		}
		if _, err := RunThreshold(s); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}
