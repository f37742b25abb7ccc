package realworld

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/scores"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime"
)

// host lends nothing: what lies ready needs no engine.
func host() report.Host {
	return report.Host{Engine: func(context.Context) (runtime.Engine, error) { return nil, errors.New("no engine") }}
}

func text(t *testing.T, sections []report.Section) string {
	t.Helper()
	b, err := json.Marshal(sections)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// withPaper returns a folder of shared data with ready predictions, real orders and the paper's tables.
func withPaper(t *testing.T) string {
	return testdata.Tree(t, slices.Concat(testdata.RealPredictions, testdata.CIFARPredictions, testdata.RealOrders, []string{"paper/tables.json"})...)
}

// Sleepers and the camera in short: the tables are whole, the same each time, and the filter does no harm where there is no order.
func TestReady(t *testing.T) {
	s := Settings{Shared: withPaper(t), Sets: []string{"sleepers", "camera"}, Quick: true, Resamples: 20}
	sections, err := Run(t.Context(), host(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(sections) != 3 || sections[0].ID != "realworld" || sections[1].ID != "realworld-sleepers" || sections[2].ID != "realworld-camera" {
		t.Fatalf("%d sections", len(sections))
	}
	for _, section := range sections {
		for _, table := range section.Tables {
			whole(t, section.ID, table)
		}
	}
	for _, row := range sections[0].Tables[1].Rows {
		if shuffled := float64(*row[len(row)-1].Value); shuffled < -0.1 {
			t.Errorf("%s, shuffled: %+.2f", row[0].Text, shuffled)
		}
	}
	for _, row := range sections[0].Tables[0].Rows {
		if smoothed := float64(*row[8].Value); smoothed < 0.3 {
			t.Errorf("%s: %+.2f", row[0].Text, smoothed)
		}
	}
	var d details
	if err := json.Unmarshal(sections[1].Details, &d); err != nil || len(d.Predictors) != 1 || len(d.Predictors[0].Shuffled) != quickIdentities {
		t.Fatalf("details %+v: %v", d, err)
	}
	one, row := d.Predictors[0].Ordered[0], sections[1].Tables[3].Rows[0]
	for i, v := range one.Accuracy {
		if c := row[2+i]; math.Abs(float64(*c.Value)-v) > 1e-4 || len(one.MacroF1) != len(d.Filters) {
			t.Errorf("%s, %s: %g in the details, %s in the table", one.Identity, d.Filters[i], v, c.String())
		}
	}
	again, err := Run(t.Context(), host(), s)
	if err != nil {
		t.Fatal(err)
	}
	if text(t, again) != text(t, sections) {
		t.Error("another run says something else")
	}
}

// whole checks that every row of a table fills its columns with numbers that are such.
func whole(t *testing.T, id string, table report.Table) {
	t.Helper()
	if len(table.Rows) == 0 {
		t.Errorf("%s, %s: no row", id, table.ID)
	}
	for _, row := range table.Rows {
		if len(row) != len(table.Columns) {
			t.Errorf("%s, %s: %d cells in %d columns", id, table.ID, len(row), len(table.Columns))
		}
		for _, c := range row {
			if c.Value != nil && math.IsNaN(float64(*c.Value)) || c.Std != nil && math.IsNaN(float64(*c.Std)) {
				t.Errorf("%s, %s: %s", id, table.ID, c.String())
			}
		}
	}
}

// Every identity counts the same, whatever its length, and streams of one are filtered apart and scored together.
func TestMeasure(t *testing.T) {
	stream := func(name string, right, wrong int) *benchmarks.Stream {
		s := &benchmarks.Stream{Name: name}
		for i := range right + wrong {
			truth := 0
			if i >= right {
				truth = 1
			}
			s.Q, s.Truth = append(s.Q, []float64{0.9, 0.1}), append(s.Truth, truth)
		}
		s.Q, s.Truth = append(s.Q, []float64{0.9, 0.1}), append(s.Truth, -1) // not scored
		return s
	}
	said := predicted{predictor: "base", ordered: []identity{{"a", []*benchmarks.Stream{stream("a1", 3, 1), stream("a2", 0, 4)}}, {"b", []*benchmarks.Stream{stream("b1", 1, 0)}}}}
	out, err := said.measure([]string{"x", "y"}, adapt.Settings{}, scores.BootstrapOptions{Resamples: 20})
	if err != nil {
		t.Fatal(err)
	}
	first := out.ordered[0]
	if first.Raw.Items != 9 || first.Streams[0].Raw.Items != 8 || first.Streams[0].Raw.Accuracy != 3./8 || first.Streams[1].Raw.Accuracy != 1 {
		t.Errorf("%+v", first.Streams)
	}
	if got := first.accuracy.Raw.Value; math.Abs(got-(3./8+1)/2) > 1e-12 {
		t.Errorf("mean accuracy %g", got)
	}
	// Of a: x has 3 of 8 predicted and 3 true, F1 2*3/(8+3); y none. Of b, x alone: 1.
	if got := first.f1.Raw.Value; math.Abs(got-((6./11)/2+1)/2) > 1e-12 {
		t.Errorf("mean macro F1 %g", got)
	}
	if len(out.shuffled) != 0 {
		t.Error("nothing was shuffled")
	}
}

// What the true labels go on with is counted within streams, and what is learned of labels that stay is that they stay.
func TestDispersion(t *testing.T) {
	one := identity{"a", []*benchmarks.Stream{{Name: "1", Truth: []int{1, 1, 0, 1, -1, 1}}, {Name: "2", Truth: []int{1, 1}}}}
	if pos, neg := stays(one, 1), stays(one, 0); pos != 2./3 || neg != 0 {
		t.Errorf("%g, %g", pos, neg)
	}
	if v := stays(identity{"b", []*benchmarks.Stream{{Truth: []int{1}}}}, 1); !math.IsNaN(v) {
		t.Errorf("%g of no pair", v)
	}
	s := &benchmarks.Stream{}
	for i := range 200 {
		q := []float64{0.95, 0.05}
		if i/10%2 == 1 {
			q = []float64{0.05, 0.95}
		}
		s.Q = append(s.Q, q)
	}
	if l := learnedBy(identity{"c", []*benchmarks.Stream{s}}, 1, 0, 2); l.pos < 0.7 || l.neg < 0.7 {
		t.Errorf("learned %+v", l)
	}
}

// The paper's numbers stand where they are published.
func TestPaper(t *testing.T) {
	p, err := readPaper(testdata.Shared(t, "paper", "tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		column, predictor, filter string
		want                      float64
	}{{"cnn1d/harth", "base", paperPlain, 83.82}, {"bert-base/sent140", "memo", paperGated, 83.57}, {"vit-base/cct", "tent", paperOff, 54.33}} {
		if v, ok := p.of(c.column, c.predictor, c.filter); !ok || v != c.want {
			t.Errorf("%v: %g, %t", c, v, ok)
		}
	}
	if _, ok := p.of("cnn1d/hapt", "base", paperPlain); ok {
		t.Error("the paper has HAPT")
	}
	for _, c := range collections() {
		for _, column := range c.paper {
			if _, ok := p.of(column, "base", paperPlain); !ok {
				t.Errorf("no column %s", column)
			}
		}
	}
	if p, err := readPaper("nowhere.json"); err != nil || p == nil {
		t.Errorf("no tables: %v", err)
	}
}

// What is absent is told in its place, and only where nothing is left is it the error.
func TestMissing(t *testing.T) {
	var gone *report.MissingError
	if _, err := Run(t.Context(), host(), Settings{Shared: t.TempDir(), Sets: []string{"sleepers"}, Quick: true}); !errors.As(err, &gone) {
		t.Errorf("nothing: %v", err)
	}
	shared := testdata.Tree(t, slices.Concat(testdata.RealPredictions, testdata.CIFARPredictions, testdata.RealOrders)...)
	sections, err := Run(t.Context(), host(), Settings{Shared: shared, Night: t.TempDir(), Sets: []string{"sleepers", "night"}, Quick: true, Resamples: 20})
	if err != nil || len(sections) != 3 || len(sections[2].Missing) != 1 || !strings.Contains(sections[2].Missing[0], "SC4001") {
		t.Errorf("%v: %d sections", err, len(sections))
	}
}

func TestRefusals(t *testing.T) {
	for name, args := range map[string][]string{
		"a predictor that is none": {"-predictors", "vote"},
		"a set that is none":       {"-sets", "birds"},
		"a pattern that is none":   {"-sets", "["},
		"no model":                 {"-harth", "."},
		"a model of nothing":       {"-cct-model", "resnet20-cifar10"},
		"no shuffle":               {"-shuffles", "-1"},
	} {
		flags := flag.NewFlagSet("realworld", flag.ContinueOnError)
		run := Study().Declare(report.Flags{FlagSet: flags})
		if err := flags.Parse(args); err != nil {
			t.Fatal(err)
		}
		if _, err := run(t.Context(), host()); err == nil {
			t.Errorf("%s passed", name)
		} else if name == "no model" && !strings.Contains(err.Error(), "oatta train motion") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
