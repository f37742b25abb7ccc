package training

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/runtime"
)

func TestRecipes(t *testing.T) {
	for _, r := range Recipes() {
		if err := r.Settings.Validate(); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		if again, err := RecipeOf(r.Name); err != nil || again.About != r.About {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	cifar, err := RecipeOf("cifar") // the paper: 0.1 decayed by 0.1 at epochs 50 and 75 of 100
	if err != nil {
		t.Fatal(err)
	}
	p := cifar.Settings.planOf(50000)
	if p.perEpoch != 390 || p.total != 39000 {
		t.Errorf("%+v", p)
	}
	for epoch, want := range map[int]float64{0: 0.1, 49: 0.1, 50: 0.01, 74: 0.01, 75: 0.001, 99: 0.001} {
		if got := cifar.Settings.Schedule.at(0.1, epoch*p.perEpoch, p.total); math.Abs(got-want) > 1e-12 {
			t.Errorf("epoch %d: %g, want %g", epoch, got, want)
		}
	}
}

func TestSchedules(t *testing.T) {
	for course, want := range map[string][]float64{
		Constant: {0.5, 1, 1, 1, 1, 1},
		Linear:   {0.5, 1, 1, 0.75, 0.5, 0.25},
		Cosine:   {0.5, 1, 1, (1 + math.Sqrt2/2) / 2, 0.5, (1 - math.Sqrt2/2) / 2},
	} {
		s := Schedule{Course: course, Warmup: 2}
		for i, w := range want {
			if got := s.at(1, i, 6); math.Abs(got-w) > 1e-12 {
				t.Errorf("%s: step %d: %g, want %g", course, i, got, w)
			}
		}
	}
	if got := (Schedule{Course: Cosine, Warmup: 100}).at(1, 0, 3); !(got > 0 && got <= 1) { // a warm-up longer than all
		t.Errorf("%g", got)
	}
}

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		s        Settings
		examples int
		want     plan
	}{
		{Settings{Epochs: 3, Batch: 10}, 35, plan{10, 1, 3, 9, 3}},
		{Settings{Epochs: 3, Batch: 10, Accumulate: 2}, 45, plan{10, 2, 2, 6, 2}},
		{Settings{Epochs: 3, Batch: 10, Accumulate: 9}, 35, plan{10, 3, 1, 3, 1}},
		{Settings{Steps: 7, Batch: 64, Every: 2}, 20, plan{20, 1, 1, 7, 2}},
	} {
		if got := c.s.planOf(c.examples); got != c.want {
			t.Errorf("%+v of %d: %+v, want %+v", c.s, c.examples, got, c.want)
		}
	}
}

func TestSettingsRefused(t *testing.T) {
	good := Recipes()[0].Settings
	for want, change := range map[string]func(s *Settings){
		"want one of the two":      func(s *Settings) { s.Steps = 5 },
		"batch of 0":               func(s *Settings) { s.Batch = 0 },
		"no learning rate":         func(s *Settings) { s.Rates = nil },
		"learning rate NaN":        func(s *Settings) { s.Rates = []float64{math.NaN()} },
		`optimizer "lion"`:         func(s *Settings) { s.Optimizer = "lion" },
		"label smoothing 1":        func(s *Settings) { s.Smoothing = 1 },
		"mixup -1":                 func(s *Settings) { s.Mixup = -1 },
		`schedule ""`:              func(s *Settings) { s.Schedule = Schedule{} },
		"warm-up of -1":            func(s *Settings) { s.Schedule.Warmup = -1 },
		"drops at [0.5 1]":         func(s *Settings) { s.Schedule.Drops = []float64{0.5, 1} },
		"drop factor 1":            func(s *Settings) { s.Schedule.DropFactor = 1 },
		"nothing else need":        func(s *Settings) { s.HeadOnly, s.Freeze = true, []string{"a"} },
		"patience of -1":           func(s *Settings) { s.Patience = -1 },
		`keep "worst"`:             func(s *Settings) { s.Keep = "worst" },
		"leave patience out":       func(s *Settings) { s.Keep, s.Patience = KeepLast, 3 },
		"-1 batches a step":        func(s *Settings) { s.Accumulate = -1 },
		"models/optim: decay -1":   func(s *Settings) { s.Decay = -1 },
		"models/optim: momentum 1": func(s *Settings) { s.Momentum = 1 },
		"models/optim: clip":       func(s *Settings) { s.Clip = -1 },
	} {
		s := good
		change(&s)
		err := s.Validate()
		what, _, _ := strings.Cut(want, ":")
		if err == nil || !strings.Contains(err.Error(), want) && !(what == "models/optim" && strings.Contains(err.Error(), "optim")) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Each epoch shows the examples in another order, none twice, whatever the batches that were asked for before.
func TestBatches(t *testing.T) {
	d, _ := people(2, 10)
	all := d.Of([]Group{{Name: "p0"}, {Name: "p1"}})
	make := func() *batches {
		return newBatches(d, all, Settings{Epochs: 2, Batch: 8}.planOf(len(all)), Settings{Seed: 3})
	}
	b := make()
	var orders []string
	for epoch := range 2 {
		seen := map[int]bool{}
		for k := range b.each {
			items, of := b.chosen(epoch*b.each + k)
			if of != epoch || len(items) != 8 {
				t.Fatalf("batch %d: epoch %d, %v", k, of, items)
			}
			for _, i := range items {
				if seen[i] {
					t.Errorf("epoch %d shows %d twice", epoch, i)
				}
				seen[i] = true
			}
			orders = append(orders, fmt.Sprint(items))
		}
	}
	if orders[0] == orders[b.each] {
		t.Error("two epochs are alike")
	}
	for i := len(orders) - 1; i >= 0; i-- {
		if items, _ := make().chosen(i); fmt.Sprint(items) != orders[i] {
			t.Errorf("batch %d alone is %v", i, items)
		}
	}
}

// Batches are the same however many are loaded beside each other.
func TestAhead(t *testing.T) {
	d, _ := people(3, 10)
	all := d.Of([]Group{{Name: "p0"}, {Name: "p1"}, {Name: "p2"}})
	s := Settings{Epochs: 2, Batch: 8, Mixup: 0.5, Seed: 3}
	var first []string
	for _, loaders := range []int{1, 2, 7} {
		var got []string
		b := newBatches(d, all, s.planOf(len(all)), s)
		for place := range b.ahead(t.Context(), 3, 2*b.each, loaders) {
			l := <-place
			if l.err != nil {
				t.Fatal(l.err)
			}
			got = append(got, fmt.Sprint(l.batch.Targets, l.batch.Inputs[0].Data.([]float32)[:5]))
		}
		if first == nil {
			first = got
		}
		if len(got) != 2*b.each-3 || !slices.Equal(got, first) {
			t.Errorf("with %d loaders: %d other batches", loaders, len(got))
		}
	}
}

func TestMixup(t *testing.T) {
	b := Batch{Inputs: []runtime.Tensor{runtime.TensorOf([]float32{1, 1, 2, 2, 3, 3}, 3, 2)}, Labels: []int{0, 1, 2}}
	b.mix(1, 3, 7)
	x := b.Inputs[0].Data.([]float32)
	for i := range 3 {
		sum, mean := float32(0), float32(0)
		for k, v := range b.Targets[i*3 : i*3+3] {
			sum += v
			mean += v * float32(k+1)
		}
		if math.Abs(float64(sum-1)) > 1e-6 || math.Abs(float64(mean-x[2*i])) > 1e-5 || b.Labels != nil {
			t.Errorf("example %d is %v with %v", i, x[2*i:2*i+2], b.Targets[i*3:i*3+3])
		}
	}
}

func TestClassWeights(t *testing.T) {
	if w := ClassWeights([]int{6, 3, 3}); !slices.Equal(w, []float64{12. / 3 / 6, 12. / 3 / 3, 12. / 3 / 3}) {
		t.Errorf("%v", w)
	}
	if p, err := prior([]int{60, 20}, false); err != nil || math.Abs(p[0]-60.5/81) > 1e-12 {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := prior([]int{60, 20}, true); err != nil || p[0] != 0.5 {
		t.Errorf("%v, %v", p, err)
	}
}
