package run

import (
	"fmt"
	"math"
)

// uniformity watches the first predictions of a run. Where all are nearly uniform, or all the same though the items differ, the network
// most likely gets other values than it was trained on: a wrong mean and deviation, or numbers of 0 to 1 in the place of 0 to 255.
type uniformity struct {
	items   int
	uniform int       // of them with hardly more on one class than on the others
	same    int       // of them like the first
	first   []float64 // prediction
}

// The first so many predictions are looked at. Where a run has fewer than the second it says nothing, and fewer than the third may well be
// the same: nothing happens in front of a camera.
const (
	uniformLooked = 64
	uniformLeast  = 8
	sameLeast     = 32
)

// uniformExcess is how far the probability of the likeliest class may lie above that of chance, as a share of what is left to certainty.
const uniformExcess = 0.02

// Add is given each prediction in turn.
func (u *uniformity) Add(q []float64) {
	if u.items == uniformLooked || len(q) < 2 {
		return
	}
	if u.items == 0 {
		u.first = append(u.first, q...)
	}
	u.items++
	most, far := 0.0, 0.0
	for i, p := range q {
		most, far = max(most, p), max(far, math.Abs(p-u.first[i]))
	}
	if chance := 1 / float64(len(q)); most-chance < uniformExcess*(1-chance) {
		u.uniform++
	}
	if far < 1e-6 {
		u.same++
	}
}

// Warning says what is strange, "" if nothing is.
func (u *uniformity) Warning() string {
	what := ""
	switch {
	case u.items < uniformLeast:
		return ""
	case u.same == u.items && u.items >= sameLeast:
		what = "are the same"
	case u.uniform == u.items:
		what = fmt.Sprintf("are nearly uniform over the %d classes", len(u.first))
	default:
		return ""
	}
	return fmt.Sprintf("the first %d predictions %s: the network may want other input values than it gets, or have no trained weights (`oatta models inspect` shows its preprocessing)", u.items, what)
}
