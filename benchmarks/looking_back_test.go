package benchmarks

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/oatta/oatta/adapt"
)

// The lagged method hands its answers to the right items, those of Flush included: no lag is the filter, and a long one, in a mode
// where that is so, is smoothing.
func TestLaggedAnswersItsOwnItems(t *testing.T) {
	q := randomRows(rand.New(rand.NewPCG(1, 2)), 50, 3)
	same := func(a, b Method) {
		x, y := make([]int, len(q)), make([]int, len(q))
		a.Label(x, q)
		b.Label(y, q)
		if !slices.Equal(x, y) {
			t.Errorf("%s: %v, %s: %v", a.Name, x, b.Name, y)
		}
	}
	off := adapt.Settings{Gate: adapt.GateOff}
	same(Lagged("lag 0", adapt.Settings{}, 0), Filter("auto", adapt.Settings{}))
	same(Lagged("lag 60", off, 60), Smoothed("smoothed", off))
}

// No method falls over a stream of no items, and none panics over one.
func TestMethodsTakeShortStreams(t *testing.T) {
	for _, m := range []Method{Lagged("lag 3", adapt.Settings{}, 3), Smoothed("smoothed", adapt.Settings{}), Path("path", adapt.Settings{}), ExponentialMean()} {
		m.Label(nil, nil)
		got := []int{-1}
		m.Label(got, [][]float64{{0.2, 0.5, 0.3}})
		if got[0] != 1 {
			t.Errorf("%s: label %d of a single item, want 1", m.Name, got[0])
		}
	}
}
