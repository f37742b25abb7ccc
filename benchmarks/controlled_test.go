package benchmarks

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/testdata"
)

// randomRows are n probability vectors over k classes, all positive.
func randomRows(rng *rand.Rand, n, k int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, k)
		for j := range rows[i] {
			rows[i][j] = math.Exp(2 * rng.NormFloat64())
		}
		normalise(rows[i])
	}
	return rows
}

// eachPath calls do with every sequence of n classes out of k.
func eachPath(n, k int, do func(path []int)) {
	path := make([]int, n)
	for {
		do(path)
		i := 0
		for ; i < n; i++ {
			if path[i]++; path[i] < k {
				break
			}
			path[i] = 0
		}
		if i == n {
			return
		}
	}
}

// weight is the joint probability of a path and what was seen on it, up to a constant, for a uniform first label.
func weight(path []int, like [][]float64, law chain, row []float64) float64 {
	w := 1.0
	for t, y := range path {
		if t > 0 {
			law(row, path[t-1], t)
			w *= row[y]
		}
		w *= like[t][y]
	}
	return w
}

// The limits against the enumeration of all paths, with a law that changes at every step.
func TestLimitsAreExact(t *testing.T) {
	const k, steps = 3, 6
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		like := randomRows(rng, steps, k)
		matrices := randomRows(rng, steps*k, k)
		law := func(dst []float64, from, t int) { copy(dst, matrices[t*k+from]) }
		filtered, smoothed := make([]int, steps), make([]int, steps)
		knowing(filtered, like, law)
		hindsight(smoothed, like, law)
		row := make([]float64, k)
		for step := range steps {
			var past, all [k]float64
			eachPath(step+1, k, func(path []int) { past[path[step]] += weight(path, like, law, row) })
			eachPath(steps, k, func(path []int) { all[path[step]] += weight(path, like, law, row) })
			if want, _ := results.Top(past[:]); filtered[step] != want {
				t.Fatalf("filter, step %d: class %d, want %d of %v", step, filtered[step], want, past)
			}
			if want, _ := results.Top(all[:]); smoothed[step] != want {
				t.Fatalf("hindsight, step %d: class %d, want %d of %v", step, smoothed[step], want, all)
			}
		}
	}
}

// Where the law excludes what was seen, the likelihood alone speaks; nothing is NaN.
func TestLimitSurvivesImpossibleObservations(t *testing.T) {
	like := [][]float64{{1, 0}, {0, 1}, {0, 1}}
	stay := func(dst []float64, from, _ int) { clear(dst); dst[from] = 1 }
	dst := make([]int, 3)
	knowing(dst, like, stay)
	if !slices.Equal(dst, []int{0, 1, 1}) {
		t.Errorf("labels %v", dst)
	}
	hindsight(dst, like, stay)
	knowing(nil, nil, stay)
	hindsight(nil, nil, stay)
}

// madeUp is a predictor over made-up items: evidence z is 3 at the truth plus noise of variance 1.44, so that z * 3/1.44 are calibrated
// logits; they are made over-confident as the limit takes them to be.
func madeUp(k, items int) *Predictions {
	rng := rand.New(rand.NewPCG(7, 8))
	logits, truth := make([][]float32, items), make([]int, items)
	for i := range logits {
		truth[i] = i % k
		logits[i] = make([]float32, k)
		for j := range logits[i] {
			logits[i][j] = float32(1.2 * rng.NormFloat64())
		}
		logits[i][truth[i]] += 3
		for j := range logits[i] {
			logits[i][j] *= LimitTemperature * 3 / 1.44
		}
	}
	p, err := NewPredictions("made up", logits, truth)
	if err != nil {
		panic(err)
	}
	return p
}

func TestResultsDoNotDependOnWorkers(t *testing.T) {
	sets := []*Predictions{madeUp(4, 80), madeUp(5, 90)}
	s := ControlledSettings{Streams: []datasets.Controlled{datasets.S1(), datasets.S5()}, Steps: 150, Seeds: 3}
	var results []*ControlledResult
	for _, s.Workers = range []int{1, 3} {
		r, err := RunControlled(sets, s)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	if !reflect.DeepEqual(results[0], results[1]) {
		t.Error("one worker and three give different results")
	}
}

func TestParallelReturnsTheFirstError(t *testing.T) {
	sets := []*Predictions{madeUp(4, 80), madeUp(4, 3)} // the second has no item of class 3
	if _, err := RunControlled(sets, ControlledSettings{Steps: 50, Seeds: 2}); err == nil {
		t.Error("a set without items of a class passed")
	}
	if _, err := RunControlled(nil, ControlledSettings{Seeds: -1}); err == nil {
		t.Error("a negative number of seeds passed")
	}
}

// Uniform over classes, the chain says nothing: the limit takes the predictions as they are. With order it gains, hindsight more.
func TestLimitGains(t *testing.T) {
	r, err := RunControlled([]*Predictions{madeUp(6, 300)}, ControlledSettings{Steps: 1000, Seeds: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, stream := range r.Streams {
		limit, back := r.change(0, i, MethodLimit), r.change(0, i, MethodHindsight)
		switch stream {
		case "s1":
			if limit != 0 || back != 0 {
				t.Errorf("s1: limit %g, hindsight %g: want 0, 0", limit, back)
			}
		case "s2 alpha=0.90", "s3", "s5":
			if limit < 3 || back < limit+1 {
				t.Errorf("%s: limit %g, hindsight %g", stream, limit, back)
			}
		}
	}
}

func TestCellAndFacts(t *testing.T) {
	r := &ControlledResult{
		Streams: []string{"s1", "s2 alpha=0.70"}, Methods: []string{"off", "ewma", "auto", MethodLimit}, Seeds: 2,
		Sets: []ControlledSet{
			{"a", 50, []float64{50, 50}, [][][]float64{{{-4, -2}, {0, 0}, {-1, -1}, {0, 0}}, {{0, 0}, {1, 1}, {2, 2}, {4, 4}}}},
			{"b", 70, []float64{70, 70}, [][][]float64{{{-2, 0}, {0, 0}, {0, 0}, {0, 0}}, {{2, 2}, {1, 1}, {1, 1}, {2, 2}}}},
			{"c", 90, []float64{90, 90}, [][][]float64{{{-1, -1}, {0, 0}, {.05, .05}, {0, 0}}, {{4, 4}, {1, 1}, {3, 5}, {6, 6}}}},
		},
	}
	all := []int{0, 1, 2}
	c := r.Cell(all, 0, 0)
	near(t, "mean", c.Mean, -5./3)
	near(t, "standard error", c.SE, 2./3)
	near(t, "worst", c.Worst, -3)
	f := r.Facts(all)
	if f.Cells != 6 || len(f.CellsAtOdds) != 2 || f.CellsAtOdds[0].Set != "a" || f.CellsAtOdds[1].Set != "b" {
		t.Errorf("cells at odds: %+v of %d", f.CellsAtOdds, f.Cells)
	}
	if len(f.S1AtOdds) != 1 || f.S1Worst.Set != "a" || f.S1Worst.Auto != -1 {
		t.Errorf("s1: %+v, worst %+v", f.S1AtOdds, f.S1Worst)
	}
	near(t, "share", f.ShareOfLimit["s2 alpha=0.70"], 7./12)
	near(t, "share of the strong", f.ShareOfLimitStrong["s2 alpha=0.70"], 5./8)
	off := f.Regressions[0]
	near(t, "R", off.R, 1)
	near(t, "slope", off.Slope, 0.1)
	near(t, "break-even", off.BreakEven, 50)
}

// The robust facts on a part of the real predictions: one strong base, one like the paper's, one weak.
func TestControlledOnRealPredictions(t *testing.T) {
	sets, err := ReadCIFARSets(testdata.Tree(t, testdata.CIFARPredictions...))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "balanced accuracy", sets.Test[0].Accuracy, 92.31)
	near(t, "imbalanced accuracy", sets.Test[1].Accuracy, 81.13)
	some := slices.DeleteFunc(sets.Corrupted, func(p *Predictions) bool {
		return p.Name != "brightness" && p.Name != elastic && p.Name != "impulse_noise"
	})
	if len(some) != 3 {
		t.Fatalf("%d of three corruptions", len(some))
	}
	s2 := datasets.S2(0.9)
	r, err := RunControlled(some, ControlledSettings{Streams: []datasets.Controlled{datasets.S1(), s2}, Seeds: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range r.Sets {
		if v := r.change(i, 0, "auto"); math.Abs(v) > 0.1 {
			t.Errorf("%s, s1: auto changes %+.2f points", set.Name, v)
		}
		if v := r.change(i, 0, "off"); v > -1 {
			t.Errorf("%s, s1: off changes %+.2f points: without a gate it loses several", set.Name, v)
		}
		auto, off, llr := r.change(i, 1, "auto"), r.change(i, 1, "off"), r.change(i, 1, "ewma")
		if auto < max(off, llr)-0.3 {
			t.Errorf("%s, %s: auto %+.2f, off %+.2f, ewma %+.2f", set.Name, s2.Name, auto, off, llr)
		}
		if limit := r.change(i, 1, MethodLimit); auto < limit/2 { // a biased predictor is better under auto, which divides by what it favours
			t.Errorf("%s, %s: auto %+.2f, limit %+.2f", set.Name, s2.Name, auto, limit)
		}
	}
}
