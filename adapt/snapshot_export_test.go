package adapt

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Transitions of a filter that saw a cycle 0 -> 1 -> 2 -> 0: each row has its mass on the next class.
func TestTransitionsOfACycle(t *testing.T) {
	for _, gate := range Gates() {
		f := newFilter(t, 3, Settings{Gate: gate})
		dst, r := make([]float64, 3), rand.New(rand.NewPCG(1, 31))
		for i := range 600 {
			f.Step(dst, softmaxAround(r, 3, i%3))
		}
		a := f.Transitions(nil)
		for i := range 3 {
			row := a[3*i : 3*i+3]
			if math.Abs(sum(row)-1) > 1e-15 || row[(i+1)%3] < 0.7 {
				t.Errorf("gate %s: row %d is %v, want most on class %d", gate, i, row, (i+1)%3)
			}
		}
	}
}

// The matrix must be the A that the next step uses: A'p, formed from it and the posterior, is the carried prior.
func TestTransitionsGiveThePrior(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 32))
		n := 2 + r.IntN(5)
		f := newFilter(t, n, randomSettings(r, n))
		dst := make([]float64, n)
		for _, q := range randomStream(r, n, 60) {
			f.Step(dst, q)
		}
		a := f.Transitions(make([]float64, n*n))
		var p, want []float64
		switch m := f.mode.(type) {
		case *paper:
			p, want = m.p, m.prior
		case *mixture:
			at, full := m.likeliest()
			at.marginal() // mu of the next step
			want = make([]float64, n)
			p = full.p
			full.pairs.predict(want, at.mu)
		}
		got := make([]float64, n)
		for i, v := range p {
			addScaled(got, v, a[i*n:i*n+n])
		}
		compare(t, "prior", got, want)
	}
}

// Rows that decayed to nothing count as the initial ones.
func TestTransitionsOfForgottenRows(t *testing.T) {
	for init, want := range map[Init]float64{InitIdentity: 1, InitUniform: 0.5} {
		p := DefaultPaper()
		p.Init, p.Gamma = init, 0.9
		f := newFilter(t, 2, Settings{Gate: GateOff, Paper: &p})
		for range 2000 {
			f.Step(make([]float64, 2), []float64{1, 0})
		}
		if a := f.Transitions(nil); a[0] != 1 || a[3] != want {
			t.Errorf("init %s: %v, want 1 for class 0 and %g for class 1, which never came", init, a, want)
		}
	}
}

func TestTransitionsPanicOnAWrongLength(t *testing.T) {
	defer func() {
		if got, _ := recover().(string); !strings.HasPrefix(got, "adapt: Transitions") {
			t.Errorf("panic %q", got)
		}
	}()
	newFilter(t, 2, Settings{}).Transitions(make([]float64, 3))
}

func TestExportJSON(t *testing.T) {
	for _, gate := range Gates() {
		f := newFilter(t, 3, Settings{Gate: gate})
		for _, q := range randomStream(rand.New(rand.NewPCG(2, 33)), 3, 40) {
			f.Step(make([]float64, 3), q)
		}
		for _, with := range []bool{false, true} {
			var text bytes.Buffer
			if err := f.ExportJSON(&text, with); err != nil {
				t.Fatal(err)
			}
			var e exported
			if err := json.Unmarshal(text.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			if e.Classes != 3 || e.Steps != 40 || e.Settings.Gate != gate || !(e.Gate >= 0 && e.Gate <= 1) || (len(e.Transitions) == 3) != with {
				t.Errorf("gate %s, transitions %t:\n%s", gate, with, &text)
			}
			if strings.Contains(text.String(), "transitions") != with {
				t.Errorf("gate %s: transitions %t, but the text says otherwise", gate, with)
			}
			checkHypotheses(t, gate, e)
		}
	}
}

// What other people taught is told with the transitions only.
func TestExportJSONOfAPopulation(t *testing.T) {
	f := newFilter(t, 2, Settings{Population: &Population{[][]float64{{0.875, 0.125}, {0.5, 0.5}}, []float64{0.75, 0.25}}})
	for _, with := range []bool{false, true} {
		var text bytes.Buffer
		if err := f.ExportJSON(&text, with); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), `"population": true`) || strings.Contains(text.String(), "0.875") != with {
			t.Errorf("transitions %t:\n%s", with, &text)
		}
	}
	if f.Settings().Population == nil {
		t.Error("the filter lost its population")
	}
}

func checkHypotheses(t *testing.T, gate Gate, e exported) {
	if gate != GateAuto {
		if len(e.Hypotheses) != 0 || (e.LLR == nil) != (gate == GateOff) {
			t.Errorf("gate %s: hypotheses %v, llr %v", gate, e.Hypotheses, e.LLR)
		}
		return
	}
	kinds, total := map[string]int{}, 0.0
	for _, h := range e.Hypotheses {
		kinds[h.Kind]++
		total += h.Weight
	}
	if kinds["none"] != 6 || kinds["static"] != 4 || kinds["persist"] != 14 || kinds["sticky"] != 28 || kinds["full"] != 2 || math.Abs(total-1) > 1e-12 {
		t.Errorf("hypotheses %v of total weight %g", kinds, total)
	}
	if h := e.Hypotheses[12+1]; h.Kind != "sticky" || h.Stay != 0.2 || h.Error != 0.2 || math.Abs(h.Temperature*e.Sharpness-1) > 1e-12 {
		t.Errorf("fourteenth hypothesis %+v, want sticky(0.2, 0.2) at temperature 1, sharpened by %g", h, e.Sharpness)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestExportJSONReportsTheWritersError(t *testing.T) {
	if err := newFilter(t, 2, Settings{}).ExportJSON(brokenWriter{}, false); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
}
