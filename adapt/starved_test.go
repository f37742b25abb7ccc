package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// overconfident draws a sticky stream and predictions that claim T times too much: logits of a calibrated predictor times T.
func overconfident(seed uint64, classes, steps int, stay, temperature float64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	label := 0
	out := make([][]float64, steps)
	for t := range out {
		if rng.Float64() >= stay {
			label = rng.IntN(classes)
		}
		z := make([]float64, classes)
		for k := range z {
			z[k] = 1.6 * rng.NormFloat64()
		}
		z[label] += 1.6 * 1.6 // the log likelihood ratio of normal evidence: softmax(z) is calibrated
		q := make([]float64, classes)
		for k := range q {
			q[k] = math.Exp(temperature * z[k])
		}
		scale(q, 1/sum(q))
		out[t] = q
	}
	return out
}

func watch(t *testing.T, s Settings, streams ...[][]float64) *Starvation {
	t.Helper()
	w, err := NewStarvation(len(streams[0][0]), s)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range streams {
		for _, row := range q {
			w.Add(fmt.Sprint("stream ", i), row)
		}
	}
	return w
}

func shuffled(q [][]float64) [][]float64 {
	out := make([][]float64, len(q))
	for i, j := range rand.New(rand.NewPCG(5, 5)).Perm(len(q)) {
		out[i] = q[j]
	}
	return out
}

func TestStarvation(t *testing.T) {
	for _, gate := range Gates() {
		for _, tc := range []struct {
			name        string
			q           [][]float64
			temperature float64 // of the settings
			want        bool
		}{
			{"claims four times too much", overconfident(1, 8, 1500, .95, 4), 0, true},
			{"the same, mended", overconfident(1, 8, 1500, .95, 4), 4, false},
			{"the same, without order", shuffled(overconfident(1, 8, 1500, .95, 4)), 0, false},
			{"calibrated", overconfident(2, 8, 1500, .95, 1), 0, false},
			{"too modest", overconfident(3, 8, 1500, .95, .5), 0, false},
			{"too few items to say", overconfident(1, 8, starvedLeast-1, .95, 4), 0, false},
		} {
			w := watch(t, Settings{Gate: gate, Temperature: tc.temperature}, tc.q)
			temperature, nats, items, got := w.Hotter()
			if got != tc.want || items != len(tc.q) {
				t.Errorf("%s, %s: %t (T %g, %g nats, %d items)", gate, tc.name, got, temperature, nats, items)
			}
			if text := w.Warning(); (text != "") != tc.want || tc.want && !strings.Contains(text, "oatta calibrate") {
				t.Errorf("%s, %s: %q", gate, tc.name, text)
			}
		}
	}
	w := watch(t, Settings{}, overconfident(1, 8, 1500, .95, 4))
	if got, _, _, _ := w.Hotter(); got != 4 || math.Abs(w.Remedy()-4/1.8) > 1e-12 {
		t.Errorf("hotter %g, remedy %g", got, w.Remedy())
	}
}

// A predictor that prefers some classes whatever it sees is biased, and that is no order.
func TestStarvationOfBias(t *testing.T) {
	q := shuffled(overconfident(6, 8, 4000, .9, 4))
	for _, row := range q {
		for k := range row {
			row[k] = math.Pow(row[k], .4) // flat, as hot temperatures make it
			if k < 2 {
				row[k] *= 3
			}
		}
		scale(row, 1/sum(row))
	}
	if text := watch(t, Settings{}, q).Warning(); text != "" {
		t.Error(text)
	}
}

// Predictions that are 0 or 1 to the last digit cannot be tempered.
func TestStarvationOfZeros(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, tc := range []struct {
		flip float64
		want bool
	}{{0, false}, {.1, true}} {
		q := make([][]float64, 1000)
		for i := range q {
			q[i] = make([]float64, 3)
			class := i / 100 % 3
			if rng.Float64() < tc.flip {
				class = (class + 1) % 3
			}
			q[i][class] = 1
		}
		if text := watch(t, Settings{}, q).Warning(); strings.Contains(text, "all mass on one class") != tc.want || (text != "") != tc.want {
			t.Errorf("flip %g: %q", tc.flip, text)
		}
	}
}

// Interleaved streams are told apart, more of them than are followed do no harm, and a stream that ended gives its place up.
func TestStarvationOfManyStreams(t *testing.T) {
	const streams = 4
	apart := make([][][]float64, streams)
	for i := range apart {
		apart[i] = overconfident(uint64(10+i), 5, 500, .9, 3)
	}
	together, err := NewStarvation(5, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range apart[0] {
		for s := range apart {
			together.Add(fmt.Sprint("stream ", s), apart[s][i])
		}
	}
	one := watch(t, Settings{}, apart...)
	for i, v := range together.gain {
		if !(math.Abs(v-one.gain[i]) <= 1e-9*math.Abs(v)) {
			t.Errorf("temperature %d: %g interleaved, %g one after another", i, v, one.gain[i])
		}
	}
	for s := range 100 { // none has a place while the four are in use
		together.Add(fmt.Sprint("other ", s), apart[0][s])
	}
	if together.steps != streams*500 {
		t.Errorf("%d items followed", together.steps)
	}
	for range starvedPatience {
		together.Add("late", apart[0][0])
	}
	if together.steps <= streams*500 {
		t.Error("no place for a late stream")
	}
	for i := range 3 * starvedBudget {
		together.Add("late", apart[0][i%500])
	}
	if together.steps != starvedBudget {
		t.Errorf("%d items followed, want it to end at %d", together.steps, starvedBudget)
	}
}

func TestStarvationAllocatesNothing(t *testing.T) {
	w := watch(t, Settings{}, overconfident(1, 8, 10, .9, 2))
	q := overconfident(2, 8, 1, .9, 2)[0]
	names := []string{"a", "b", "a rather long name of a stream that fits in no small buffer"}
	n := 0
	for range 10 {
		for _, name := range names {
			w.Add(name, q) // the first of each name keeps it
		}
	}
	if allocs := testing.AllocsPerRun(1000, func() { n++; w.Add(names[n%3], q) }); allocs != 0 {
		t.Errorf("%g allocations", allocs)
	}
}

// The plain twin: the same sums, written as formulas over the whole stream.
func TestStarvationAgainstPlain(t *testing.T) {
	prior := []float64{.4, .3, .2, .1}
	q := overconfident(8, 4, 400, .8, 2)
	first := FirstAuto()
	for what, tc := range map[string]struct {
		s       Settings
		divided []float64
	}{
		"first edition":  {Settings{Auto: &first}, prior},
		"second edition": {Settings{}, uniform(4)}, // a prior divides nothing there
		"off":            {Settings{Gate: GateOff}, prior},
	} {
		tc.s.Temperature, tc.s.Prior = 1.3, prior
		w := watch(t, tc.s, q)
		for i, factor := range starvedFactors {
			if want := plainGain(q, tc.divided, 1.3*factor); math.Abs(w.gain[i]-want) > 1e-9*math.Abs(want) {
				t.Errorf("%s, factor %g: %.12g, want %.12g", what, factor, w.gain[i], want)
			}
		}
	}
}

func plainGain(q [][]float64, prior []float64, temperature float64) (gain float64) {
	k := len(prior)
	normal := func(x []float64) []float64 { scale(x, 1/sum(x)); return x }
	uniform := func() []float64 { return normal([]float64{1, 1, 1, 1}) }
	mean, mass := make([]float64, k), make([]float64, k)
	p := [][]float64{uniform(), uniform(), uniform(), uniform()}
	start := []float64{.125, .125, .125, .125, .5}
	weights := append([]float64(nil), start...)
	for t, row := range q {
		like := make([]float64, k)
		for j := range like {
			like[j] = math.Pow(row[j], 1/temperature) / prior[j]
		}
		normal(like)
		lifted, mu := make([]float64, k), make([]float64, k)
		chance := 0.0
		for j := range like {
			lifted[j] = like[j] / ((mean[j] + 20/float64(k)) / (float64(t) + 20))
			mean[j] += like[j]
			mu[j] = (mass[j] + 5/float64(k)) / (sum(mass) + 5)
		}
		normal(lifted)
		for j := range lifted {
			chance += mu[j] * lifted[j]
		}
		total := weights[4]
		for c, a := range []float64{.4, .7, .87, .95} {
			overlap := 0.0
			for j, v := range p[c] {
				overlap += v * lifted[j]
				p[c][j] = (a*v + (1-a)*mu[j]) * lifted[j]
			}
			normal(p[c])
			weights[c] *= (a*overlap + (1-a)*chance) / chance
			total += weights[c]
		}
		gain += math.Log(total)
		for c := range weights {
			weights[c] = .999*weights[c]/total + .001*start[c]
		}
		for j := range mass {
			mass[j] = .998*mass[j] + mu[j]*lifted[j]/chance
		}
	}
	return gain
}

func TestStarvationSettings(t *testing.T) {
	if _, err := NewStarvation(3, Settings{Temperature: -1}); err == nil {
		t.Error("a negative temperature")
	}
	w, err := NewStarvation(1, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	w.Add("s", []float64{1})
	hot := Auto(DefaultAuto())
	hot.Temperatures = []float64{1, 8}
	v := watch(t, Settings{Auto: &hot}, overconfident(1, 8, 1500, .95, 4))
	if w.Warning() != "" || v.Warning() != "" {
		t.Error("one class, or temperatures beyond those of the watch: nothing to say")
	}
}

func BenchmarkStarvation(b *testing.B) {
	for _, classes := range []int{10, 1000} {
		b.Run(fmt.Sprintf("K=%d", classes), func(b *testing.B) {
			w, err := NewStarvation(classes, Settings{})
			if err != nil {
				b.Fatal(err)
			}
			q := overconfident(1, classes, 64, .9, 2)
			i := 0
			for b.Loop() {
				w.steps = 0 // or it would end
				w.Add("s", q[i%len(q)])
				i++
			}
		})
	}
}
