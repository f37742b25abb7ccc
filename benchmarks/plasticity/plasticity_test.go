package plasticity

import (
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/testdata"
)

// pandas.Series([1, 2, 4, 0]).ewm(span=3).mean(), whose weights are 1, 1/2, 1/4, 1/8.
func TestSmooth(t *testing.T) {
	want := []float64{1, (2 + .5) / 1.5, (4 + 1 + .25) / 1.75, (2 + .5 + .125) / 1.875}
	for i, v := range smooth([]float64{1, 2, 4, 0}, 3) {
		if math.Abs(v-want[i]) > 1e-15 {
			t.Errorf("%d: %g, want %g", i, v, want[i])
		}
	}
	// (1 - 2/301)^104 is 0.4999, and with one step less it is 0.5033.
	if lag() != 104 {
		t.Errorf("lag %d", lag())
	}
}

// Two streams whose gain is 1, then 0, and 3, then 2: the means and half way are those of the exponential mean.
func TestSummary(t *testing.T) {
	r := Trace{Gain: make([][]float64, 2)}
	for i := range r.Gain {
		for t := range 4000 {
			v := float64(1 + 2*i)
			if t >= 2000 {
				v--
			}
			r.Gain[i] = append(r.Gain[i], v)
		}
	}
	s := r.Summary()
	if math.Abs(s.Before.Mean-2) > 1e-9 || math.Abs(s.After.Mean-1) > 1e-5 || math.Abs(s.After.Spread-math.Sqrt2) > 1e-9 || s.Half != lag() {
		t.Errorf("before %v, after %v, half way at %d", s.Before, s.After, s.Half)
	}
	one := Trace{Gain: r.Gain[:1]}
	if s := one.Summary(); s.Before != (Level{1, 0}) {
		t.Errorf("of one stream: %v", s.Before)
	}
}

// The matrix forgets: the gain falls behind the switch on real predictions as the paper has it, and auto's is nearer to the stream's own.
func TestSwitch(t *testing.T) {
	settings := Settings{Shared: testdata.Tree(t, testdata.CIFARPredictions...), Seeds: 4}
	traces, err := Run(settings)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range traces {
		s := r.Summary()
		if !(s.Before.Mean > s.After.Mean+.03 && s.After.Mean > .1 && s.Before.Mean < .6) || s.Half < 0 {
			t.Errorf("%s, %s: %v to %v, half way at %d", r.Set, r.Gate, s.Before, s.After, s.Half)
		}
		if r.Gate == adapt.GateAuto && s.Before.Mean < traces[i-1].Summary().Before.Mean {
			t.Errorf("%s: auto has %v", r.Set, s.Before)
		}
	}
	if s := traces[0].Summary(); math.Abs(s.Before.Mean-paperBefore) > .1 || math.Abs(s.After.Mean-paperAfter) > .1 {
		t.Errorf("%v to %v are far from the paper's", s.Before, s.After)
	}
	checkSection(t, traces)
	settings.Workers = 1
	if again, err := Run(settings); err != nil || !reflect.DeepEqual(traces, again) {
		t.Errorf("another run: %v", err)
	}
}

func checkSection(t *testing.T, traces []Trace) {
	section, err := Section(traces)
	if err != nil {
		t.Fatal(err)
	}
	if len(section.Figures) != 2 {
		t.Fatalf("%d figures", len(section.Figures))
	}
	if svg := section.Figures[1].SVG; xml.Unmarshal(svg, new(struct{})) != nil || !strings.Contains(string(svg), ">test set, balanced<") || len(svg) > 200_000 {
		t.Errorf("a figure of %d bytes is no XML, or does not say what it shows", len(svg))
	}
	var b strings.Builder
	if err := report.WriteMarkdown(&b, []report.Section{section}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 0.200 |", "| 0.150 |", "| 1000 "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// off and the paper's gates learn the same matrix.
func TestGatesLearnAlike(t *testing.T) {
	s := Settings{Shared: testdata.Tree(t, testdata.CIFARPredictions...)}
	if err := s.resolve(); err != nil {
		t.Fatal(err)
	}
	sets, err := read(s)
	if err != nil {
		t.Fatal(err)
	}
	off, err := follow(sets[0], adapt.GateOff, 1, 200)
	if err != nil {
		t.Fatal(err)
	}
	for _, gate := range []adapt.Gate{adapt.GateEWMA, adapt.GateWindow} {
		if gain, err := follow(sets[0], gate, 1, 200); err != nil || !reflect.DeepEqual(off, gain) {
			t.Errorf("%s learns another matrix than off (%v)", gate, err)
		}
	}
}

// The levels that stand beside ours are those of the paper.
func TestAsPrinted(t *testing.T) {
	var p struct {
		Gain struct {
			Before, After float64
			Span          int `json:"ema_span"`
			At            int `json:"switch_at"`
		} `json:"structural_gain"`
	}
	b, err := os.ReadFile(testdata.Shared(t, "paper", "tables.json"))
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if g := p.Gain; err != nil || g.Before != paperBefore || g.After != paperAfter || g.Span != Span || g.At != 1000 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestRefused(t *testing.T) {
	shared := testdata.Tree(t, testdata.CIFARPredictions...)
	for name, s := range map[string]Settings{"no such set": {Shared: shared, Sets: []string{"sky"}}, "short": {Shared: shared, Steps: 5}, "no data": {Shared: t.TempDir()}} {
		if _, err := Run(s); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}
