package significance

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// golden is what SciPy and statsmodels say; a null is NaN.
type golden struct {
	Wilcoxon []struct {
		Name        string
		Differences []float64
		Statistic   *float64
		P           *float64
	}
	Holm []struct{ P, Adjusted []float64 }
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err == nil {
		err = json.Unmarshal(b, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Wilcoxon) < 500 || len(g.Holm) < 30 {
		t.Fatalf("%d and %d cases: the golden is not whole", len(g.Wilcoxon), len(g.Holm))
	}
	return g
}

// same allows for another sum in another order; NaN is NaN.
func same(got float64, want *float64) bool {
	if want == nil || math.IsNaN(got) {
		return want == nil && math.IsNaN(got)
	}
	return math.Abs(got-*want) <= 1e-10*math.Abs(*want)
}

func show(v *float64) any {
	if v == nil {
		return "NaN"
	}
	return *v
}

func TestSignedRankIsSciPys(t *testing.T) {
	for _, c := range readGolden(t).Wilcoxon {
		statistic, p := SignedRank(c.Differences)
		if !same(statistic, c.Statistic) || !same(p, c.P) {
			t.Errorf("%s: %v, p %v: want %v, p %v", c.Name, statistic, p, show(c.Statistic), show(c.P))
		}
	}
}

func TestHolmIsStatsmodels(t *testing.T) {
	for _, c := range readGolden(t).Holm {
		for i, got := range Holm(c.P) {
			if !same(got, &c.Adjusted[i]) {
				t.Errorf("%v: %v at %d, want %v", c.P, got, i, c.Adjusted[i])
			}
		}
	}
}

// Ten differences of one sign are as one-sided as can be: 2 of the 1024 choices of signs. Of five such tests, each is significant.
func TestTenOfOneSign(t *testing.T) {
	statistic, p := SignedRank([]float64{3, 1, 2, 5, 4, 6, 7, 8, 9, 10})
	if statistic != 0 || p != 2.0/1024 {
		t.Errorf("%v, %v", statistic, p)
	}
	for _, v := range Holm([]float64{p, p, p, p, p}) {
		if v != 10.0/1024 {
			t.Errorf("adjusted to %v, want five times %v", v, p)
		}
	}
}

func TestNothingToTell(t *testing.T) {
	if _, p := SignedRank(nil); !math.IsNaN(p) {
		t.Errorf("no differences: p %v", p)
	}
	if got := Holm([]float64{math.NaN(), 0.01}); got[0] != 1 || got[1] != 0.02 {
		t.Errorf("with a NaN: %v", got)
	}
}
