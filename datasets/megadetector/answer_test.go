package megadetector

import "testing"

func TestRanked(t *testing.T) {
	if got := Ranked([]float64{0.1, 0.4, 0.1, 0.4}, 3); got[0] != 1 || got[1] != 3 || got[2] != 0 {
		t.Errorf("ranked %v, want [1 3 0]", got)
	}
	if got := Ranked([]float64{1}, 5); len(got) != 1 {
		t.Errorf("ranked %v of one class", got)
	}
}
