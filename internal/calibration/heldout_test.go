package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oatta/oatta/adapt"
)

// alternating is recordings whose label is more often the other one than not, with predictions that tell little; without order, labels
// are drawn anew, three of four of class 0.
func alternating(seed uint64, n int, order bool) *Recordings {
	r := rand.New(rand.NewPCG(seed, 11))
	out := NewRecordings(2, DefaultMaxBytes)
	for s := range 12 {
		label := 0
		for range n {
			switch {
			case !order:
				label = max(r.IntN(4)-2, 0)
			case r.IntN(10) > 0:
				label = 1 - label
			}
			q := []float64{.4, .4}
			q[label] += .2
			if r.IntN(5) == 0 {
				q[0], q[1] = q[1], q[0]
			}
			out.Add(fmt.Sprint(s), label, time.Time{}, q)
		}
	}
	return out
}

// Order that others have is worth most in short streams, which have no time to learn it.
func TestHeldOutStreams(t *testing.T) {
	h, err := alternating(1, 30, true).HeldOut(HeldOutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if h.Items != 360 || h.Streams != 12 || h.Folds != 5 || h.Prior == nil || h.Transitions == nil {
		t.Errorf("%+v", h)
	}
	if g := h.Transitions; !g.Sure() || g.Nats < .05 {
		t.Errorf("transitions: %+v", g)
	}
	if h.Prior.Sure() {
		t.Errorf("a prior that is even: %+v", h.Prior)
	}
	if h, err = alternating(1, 30, false).HeldOut(HeldOutOptions{}); err != nil {
		t.Fatal(err)
	}
	if h.Prior.Sure() || h.Transitions.Nats > .02 {
		t.Errorf("without order: %+v, %+v", h.Prior, h.Transitions)
	}
}

// The numbers are those of the definition: here of the filter as it is, item by item.
func TestHeldOutLikelihood(t *testing.T) {
	r := alternating(2, 20, true)
	if _, err := r.HeldOut(HeldOutOptions{Settings: adapt.Settings{Gate: adapt.GateOff, Temperature: 2}}); err == nil {
		t.Fatal("a population under the gate off")
	}
	h, err := r.HeldOut(HeldOutOptions{Settings: adapt.Settings{Temperature: 2}, Counts: []float64{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	loss, items := 0.0, 0
	for _, s := range r.streams {
		f, err := adapt.New(2, adapt.Settings{Temperature: 2})
		if err != nil {
			t.Fatal(err)
		}
		q := make([]float64, 2)
		for _, item := range s.items {
			r.probs(q, item)
			f.Step(q, q)
			loss -= math.Log(q[r.truth(item)])
			items++
		}
	}
	if math.Abs(h.NLL-loss/float64(items)) > 1e-12 || math.Abs(h.Prior.Nats) > 1e-12 { // an even prior changes nothing
		t.Errorf("%+v, want %g", h, loss/float64(items))
	}
}

// Items without a label are steps of the filter and no items of the score; unread ones are neither.
func TestRecordings(t *testing.T) {
	r := NewRecordings(2, DefaultMaxBytes)
	at := time.Unix(1e9, 0)
	q := []float64{.25, .75}
	for _, truth := range []int{0, 1, -1, 1} {
		r.Add("a", truth, at, q)
	}
	r.Unread("a")
	r.Add("a", 1, at, q)
	r.Add("b", -1, at, q)
	if r.Len() != 6 || r.Set().Len() != 4 {
		t.Errorf("%d and %d items", r.Len(), r.Set().Len())
	}
	o, err := r.Counts().Order([]string{"x", "y"})
	if err != nil || o.Pairs != 1 || o.Items != 4 || o.Streams != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	got := make([]float64, 2)
	r.probs(got, r.streams[0].items[2])
	if math.Abs(got[0]-.25) > 1e-7 || math.Abs(got[0]+got[1]-1) > 1e-15 {
		t.Error(got)
	}
	if h, err := r.HeldOut(HeldOutOptions{}); h != nil || err != nil {
		t.Errorf("%+v, %v: nothing can be held out", h, err)
	}
	full := NewRecordings(2, 16)
	for i := range 3 {
		if ok := full.Add("a", i-1, at, q); ok != (i < 2) {
			t.Errorf("item %d of a full set: %v", i, ok)
		}
	}
}

func TestHeldOutSteps(t *testing.T) {
	h, err := alternating(3, 30, true).HeldOut(HeldOutOptions{Steps: 50})
	if err != nil || h.Items != 50 || h.Streams != 10 {
		t.Errorf("%+v, %v", h, err)
	}
	stop := make(chan struct{})
	close(stop)
	if _, err := alternating(3, 30, true).HeldOut(HeldOutOptions{Stop: stop}); err == nil {
		t.Error("it went on")
	}
}
