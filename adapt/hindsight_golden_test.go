package adapt

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
)

// hindsightCase is one run of testdata/hindsight_reference.py, as hindsight_golden.json holds it.
type hindsightCase struct {
	Note   string
	K      int
	Config struct {
		Population         [][]float64
		Frequencies, Prior []float64
		Confidence         *float64
	}
	Q       [][]float64
	B       float64
	Weights []float64
	Out     [][]float64
	Path    []int
	Lag     *int
	Lagged  [][]float64
}

func readHindsightGolden(t testing.TB) []hindsightCase {
	t.Helper()
	data, err := os.ReadFile("testdata/hindsight_golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []hindsightCase }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 31 {
		t.Fatalf("hindsight_golden.json has %d cases, want 31", len(file.Cases))
	}
	return file.Cases
}

// settings are those of an edition: the later ones have one hindsight.
func (c hindsightCase) settings(a Auto) Settings {
	set(&a.Confidence, c.Config.Confidence)
	a.Temperatures = []float64{1, 5. / 3} // those of the reference
	s := Settings{Auto: &a, Prior: c.Config.Prior}
	if c.Config.Population != nil {
		s.Population = &Population{c.Config.Population, c.Config.Frequencies}
	}
	return s
}

// hindsightGolden is the tolerance of answers: b and the EM of mu end where a movement of 1e-12 and 1e-6 is not seen to be one, at the same pass
// as in the reference; what is left is the rounding of some hundred items, and the golden's own of 1e-13.
const hindsightGolden = 1e-11

func TestHindsightGolden(t *testing.T) {
	for n, c := range readHindsightGolden(t) {
		if c.Out == nil {
			continue
		}
		for _, a := range []Auto{SecondAuto(), DefaultAuto()} {
			t.Run(fmt.Sprintf("%02d-K%d-edition%d", n, c.K, a.Edition), func(t *testing.T) { c.look(t, c.settings(a)) })
		}
	}
}

func (c hindsightCase) look(t *testing.T, s Settings) {
	s, err := s.Resolved(c.K)
	if err != nil {
		t.Fatal(err)
	}
	h := newLaterHindsight(c.K, s, c.Q, nil, nil)
	if !(math.Abs(h.sharp-c.B) < hindsightGolden) {
		t.Errorf("%s: b is %.15g, want %.15g", c.Note, h.sharp, c.B)
	}
	closeRows(t, c.Note+": weights", [][]float64{h.weights}, [][]float64{c.Weights}, hindsightGolden)
	got, info := smooth(t, s, c.Q)
	closeRows(t, c.Note, got, c.Out, hindsightGolden)
	if len(info.Hypotheses) != len(c.Weights) {
		t.Errorf("%s: %d hypotheses, want %d", c.Note, len(info.Hypotheses), len(c.Weights))
	}
	path := make([]int, len(c.Q))
	if _, err := Viterbi(c.K, s, path, c.Q); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(path, c.Path) {
		t.Errorf("%s: path %v, want %v", c.Note, path, c.Path)
	}
}

func TestLaggedGolden(t *testing.T) {
	for n, c := range readHindsightGolden(t) {
		if c.Lag == nil {
			continue
		}
		for _, a := range []Auto{SecondAuto(), DefaultAuto()} {
			got := laggedAll(t, c.settings(a), *c.Lag, c.Q)
			closeRows(t, fmt.Sprintf("%02d %s, edition %d", n, c.Note, a.Edition), got, c.Lagged, hindsightGolden)
		}
	}
}
