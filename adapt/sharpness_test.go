package adapt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// flatten returns q^(1/by), normalised, of every row.
func flatten(q [][]float64, by float64) [][]float64 {
	out := make([][]float64, len(q))
	for t, row := range q {
		out[t] = plainLikelihood(row, nil, by)
	}
	return out
}

// biased draws predictions of labels without order, right most of the time, that lean on one class.
func biased(r *rand.Rand, n, steps int) (q [][]float64, labels []int) {
	for range steps {
		label := r.IntN(n)
		logits := make([]float64, n)
		for k := range logits {
			logits[k] = 2 * r.NormFloat64()
		}
		logits[label] += 6
		logits[0] += 2
		q, labels = append(q, softmaxed(logits)), append(labels, label)
	}
	return q, labels
}

func softmaxed(z []float64) []float64 {
	out := make([]float64, len(z))
	for k, v := range z {
		out[k] = math.Exp(v)
	}
	return normalised(out)
}

func hits(t *testing.T, s Settings, q [][]float64, labels []int) (right int) {
	f := newFilter(t, len(q[0]), s)
	dst := make([]float64, len(q[0]))
	for i, row := range q {
		f.Step(dst, row)
		if top(dst) == labels[i] {
			right++
		}
	}
	return right
}

// A predictor that claims less than it knows, on a stream without order, loses next to nothing, however little it claims. As the gate was
// published it loses a great part: the bias that flat likelihoods share looks like a class that stays.
func TestFlatPredictionsWithoutOrder(t *testing.T) {
	published := FirstAuto()
	published.Confidence = 0
	r := rand.New(rand.NewPCG(3, 77))
	q, labels := biased(r, 10, 2000)
	base := 0
	for i, row := range q {
		if top(row) == labels[i] {
			base++
		}
	}
	if base < 1400 || base > 1950 {
		t.Fatalf("the base predictor is right %d times", base)
	}
	worst := base
	for _, by := range []float64{1, 2, 4, 8} {
		flat := flatten(q, by)
		if got := hits(t, Settings{}, flat, labels); got < base-10 {
			t.Errorf("flattened by %g: %d right, of the base %d", by, got, base)
		}
		worst = min(worst, hits(t, Settings{Auto: &published}, flat, labels))
	}
	if worst > base/2 {
		t.Errorf("as published %d of %d: the test has lost its case", worst, base)
	}
}

// Predictions that are confident by themselves are left alone, bit for bit.
func TestConfidentPredictionsAreLeftAlone(t *testing.T) {
	published := DefaultAuto()
	published.Confidence = 0
	a, b := newFilter(t, 4, Settings{}), newFilter(t, 4, Settings{Auto: &published})
	r := rand.New(rand.NewPCG(5, 78))
	x, y := make([]float64, 4), make([]float64, 4)
	for i := range 500 {
		q := []float64{0.05, 0.05, 0.05, 0.05}
		q[r.IntN(4)] += 0.8
		a.Step(x, q)
		b.Step(y, q)
		if !slices.Equal(x, y) {
			t.Fatalf("step %d: %v, as published %v", i, x, y)
		}
	}
}

// The exponent finds what flattening took away, and stays within its bounds whatever comes.
func TestSharpnessFindsTheExponent(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 79))
	q, _ := biased(r, 5, 3000)
	for _, temperature := range []float64{0.5, 1, 3} {
		s := Settings{Temperature: temperature}
		f := newFilter(t, 5, s)
		dst := make([]float64, 5)
		mean, n := 0.0, 0
		for i, row := range flatten(q, 5) {
			m := f.mode.(*mixture)
			if i >= 500 {
				mean += slices.Max(plainLikelihood(row, nil, min(temperature, 1)/m.sharp.exponent))
				n++
			}
			f.Step(dst, row)
		}
		if mean /= float64(n); math.Abs(mean-0.8) > 0.02 {
			t.Errorf("temperature %g: mean confidence %g", temperature, mean)
		}
		whole := f.mode.(*mixture).sharp.whole(flatten(q, 5))
		mean = 0
		for _, row := range flatten(q, 5) {
			mean += slices.Max(plainLikelihood(row, nil, min(temperature, 1)/whole)) / float64(len(q))
		}
		if math.Abs(mean-0.8) > 1e-3 {
			t.Errorf("temperature %g: over the whole %g", temperature, mean)
		}
	}
	m := newFilter(t, 3, Settings{}).mode.(*mixture)
	for range 1000 {
		m.sharp.follow(1. / 3)
	}
	if m.sharp.exponent != maxSharpness {
		t.Errorf("exponent %g under uniform predictions", m.sharp.exponent)
	}
}

// With zeros in q, by lists or not, the exponent is that of the plain twin.
func TestSharpnessWithZeros(t *testing.T) {
	const n = 40
	r := rand.New(rand.NewPCG(8, 80))
	f := newFilter(t, n, Settings{})
	plain := newPlainLater(n, f)
	plain.least = 0
	dst := make([]float64, n)
	for i := range 300 {
		q := make([]float64, n)
		for range 3 {
			q[r.IntN(n)] += 0.2 + r.Float64()
		}
		q = normalised(q)
		f.Step(dst, q)
		compare(t, fmt.Sprintf("step %d", i), dst, plain.step(q))
	}
	if f.mode.(*mixture).sharp.exponent == 1 {
		t.Error("nothing was sharpened")
	}
}

// Under the first edition a recording is smoothed with one exponent for all of it, which is as if the temperatures were that much lower.
func TestSmoothSharpens(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 81))
	q := flatten(randomStream(r, 3, 60), 4)
	a := FirstAuto()
	s := Settings{Auto: &a}
	got, _ := smooth(t, s, q)
	b := newFilter(t, 3, s).mode.(*mixture).sharp.whole(q)
	a.Confidence = 0
	want, _ := smooth(t, Settings{Temperature: 1 / b, Auto: &a}, q)
	closeRows(t, "sharpened", got, want, 1e-9)
	if b == 1 {
		t.Error("nothing was sharpened")
	}
}

// Later editions undo that in what they answer: without any reading that knows of order, the answer is q itself.
func TestSmoothUndoesTheSharpening(t *testing.T) {
	q := flatten(randomStream(rand.New(rand.NewPCG(9, 82)), 3, 60), 4)
	a := DefaultAuto()
	a.Persist, a.Sticky, a.Full, a.Temperatures = 0, 0, 0, []float64{1}
	got, info := smooth(t, Settings{Auto: &a}, q)
	closeRows(t, "undone", got, q, exact)
	if b := 1 / info.Hypotheses[0].Temperature; !(b > 1.5) {
		t.Errorf("sharpened by %g alone", b)
	}
}
