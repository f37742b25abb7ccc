package benchmarks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/testdata"
)

// The HMM of a population against the enumeration of all paths.
func TestHMMIsExact(t *testing.T) {
	const k, steps = 3, 6
	rng := rand.New(rand.NewPCG(31, 32))
	for range 50 {
		p := &Population{Transitions: randomRows(rng, k, k), Frequencies: randomRows(rng, 1, k)[0]}
		q := randomRows(rng, steps, k)
		filtered, smoothed := shaped(q), shaped(q)
		p.ScaledFilter().Probabilities(filtered, q)
		p.ScaledSmoother().Probabilities(smoothed, q)
		joint := func(path []int) float64 {
			w := p.Frequencies[path[0]]
			for i, y := range path {
				if i > 0 {
					w *= p.Transitions[path[i-1]][y]
				}
				w *= q[i][y] / p.Frequencies[y]
			}
			return w
		}
		for step := range steps {
			past, all := make([]float64, k), make([]float64, k)
			eachPath(step+1, k, func(path []int) { past[path[step]] += joint(path) })
			eachPath(steps, k, func(path []int) { all[path[step]] += joint(path) })
			normalise(past)
			normalise(all)
			for j := range k {
				if math.Abs(filtered[step][j]-past[j]) > 1e-12 || math.Abs(smoothed[step][j]-all[j]) > 1e-12 {
					t.Fatalf("step %d: filter %v, want %v; smoother %v, want %v", step, filtered[step], past, smoothed[step], all)
				}
			}
		}
	}
}

func TestExponentialMean(t *testing.T) {
	q := [][]float64{{0.9, 0.1}, {0.3, 0.7}, {0.3, 0.7}}
	got := shaped(q)
	ExponentialMean().Probabilities(got, q)
	near(t, "first", got[0][0], 0.9)
	near(t, "second", got[1][0], 0.7)
	near(t, "third", got[2][0], 2./3*0.7+0.1)
}

// chained is a set of labels by a law, with predictions that say them with some doubt, written and read as files are.
func chained(t *testing.T, dir, name string, law datasets.Controlled, k, streams, items int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(41, uint64(len(name))))
	var lines strings.Builder
	folds, classes := map[string]string{}, make([]string, k)
	for i := range classes {
		classes[i] = fmt.Sprint("class ", i)
	}
	var all [][]int
	for s := range streams {
		stream := fmt.Sprint("s", s)
		folds[stream] = "0"
		labels := law.Labels(uint64(s+1), k, items+s)
		all = append(all, labels)
		for _, y := range labels {
			q := make([]float64, k)
			for j := range q {
				q[j] = math.Exp(rng.NormFloat64())
			}
			q[y] += 2
			normalise(q)
			text, err := json.Marshal(map[string]any{"stream": stream, "probs": q, "truth": classes[y]})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&lines, string(text))
		}
	}
	meta, err := json.Marshal(foldsFile{classes, folds, map[string]*Counts{"0": CountLabels(k, all)}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{name + ".jsonl.gz": zipped(t, lines.String()), name + ".meta.json": meta} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func madeUpCollections(t *testing.T) []*Collection {
	t.Helper()
	dir := t.TempDir()
	chained(t, dir, "sticky", datasets.S2(0.9), 3, 4, 130)
	chained(t, dir, "cycle", datasets.S3(), 3, 3, 110)
	chained(t, dir, "binary", datasets.S2(0.8), 2, 2, 90)
	sets, err := ReadFoldedCollections(dir)
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

// reports are a result in all formats.
func reports(t *testing.T, r *RealResult) (out string) {
	t.Helper()
	for _, format := range []string{"txt", "md", "json"} {
		var b bytes.Buffer
		if err := r.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		out += b.String()
	}
	return out
}

// The bytes do not depend on the number of cores or of workers, nor on which other sets run.
func TestRealIsDeterministic(t *testing.T) {
	sets := madeUpCollections(t)
	var got []string
	for _, n := range []int{1, 4} {
		before := goruntime.GOMAXPROCS(n)
		r, err := RunReal(sets, RealSettings{Resamples: 50})
		goruntime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, reports(t, r))
		one, err := RunReal(sets, RealSettings{Resamples: 50, Sets: []string{"st*"}, Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprint(r.Sets[2].Shuffled[4]), fmt.Sprint(one.Sets[0].Shuffled[4]); len(one.Sets) != 1 || onlyNumbers(a) != onlyNumbers(b) {
			t.Errorf("alone: %s\nwith others: %s", b, a)
		}
	}
	if got[0] != got[1] {
		t.Error("one core and four give different bytes")
	}
}

// onlyNumbers leaves out addresses.
func onlyNumbers(row string) string {
	var out []string
	for _, word := range strings.Fields(row) {
		if !strings.HasPrefix(word, "0x") {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}

// Rows against plain counting of labels.
func TestRealRows(t *testing.T) {
	sets := madeUpCollections(t)
	r, err := RunReal(sets, RealSettings{Shuffles: 2, Resamples: 50})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Methods) != len(MethodsOnReal()) || len(r.Sets) != 3 || r.Sets[1].Name != "cycle" {
		t.Fatalf("methods %v, %d sets", r.Methods, len(r.Sets))
	}
	set, c := r.Sets[1], sets[1]
	if set.Other != "sticky" || r.Sets[0].Other != "" || r.Sets[2].Other != "cycle" {
		t.Errorf("other populations %q, %q, %q", r.Sets[0].Other, set.Other, r.Sets[2].Other)
	}
	base := 0.0
	for draws, rows := range map[int][]RealRow{1: set.Ordered, 2: set.Shuffled} {
		vote := rows[slices.IndexFunc(rows, func(r RealRow) bool { return r.Method == "vote of 5" })]
		mean, worst, harmed := 0.0, math.Inf(1), 0
		for i, s := range c.Streams {
			for draw := range draws {
				if draws > 1 {
					s = c.Streams[i].Shuffled(uint64(draw + 1))
				}
				a := accuracies([]Method{Base(), CentredVote()}, s.Q, s.Truth)
				near(t, "change of "+s.Name, vote.Streams[i].Change[draw], a[1]-a[0])
				mean += (a[1] - a[0]) / float64(3*draws)
				worst = min(worst, a[1]-a[0])
				if a[1]-a[0] < -1 {
					harmed++
				}
				if draws == 1 {
					base += a[0] / 3
				}
			}
		}
		near(t, "mean", vote.Mean, mean)
		near(t, "worst", vote.Worst, worst)
		if vote.Harmed != harmed || vote.Long != 3*draws || vote.ECE != nil || vote.Interval[0] > mean || vote.Interval[1] < mean {
			t.Errorf("%+v: want %d harmed, mean %g", vote, harmed, mean)
		}
		if first := rows[0]; first.Method != "base" || first.Mean != 0 || first.MacroF1 != 0 || *first.ECE <= 0 {
			t.Errorf("base: %+v", first)
		}
	}
	near(t, "base", set.Accuracy, base)
	cycle := func(method string, rows []RealRow) RealRow {
		return rows[slices.IndexFunc(rows, func(r RealRow) bool { return r.Method == method })]
	}
	if hmm := cycle("HMM smoother", set.Ordered); hmm.Mean < 3 {
		t.Errorf("the true matrix gains %+.2f in order", hmm.Mean)
	}
	if hmm := cycle("HMM smoother", set.Shuffled); hmm.Mean > -3 {
		t.Errorf("the true matrix changes %+.2f where there is no order", hmm.Mean)
	}
}

func TestRealRefuses(t *testing.T) {
	sets := madeUpCollections(t)
	for name, s := range map[string]RealSettings{
		"a set that is none":    {Sets: []string{"cycle", "none"}},
		"a method that is none": {Methods: []string{"auto 9"}},
		"a broken pattern":      {Methods: []string{"[a"}},
		"goals of none":         {Judged: "auto 9"},
		"no shuffle":            {Shuffles: -1},
	} {
		if _, err := RunReal(sets, s); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
	r, err := RunReal(sets, RealSettings{Quick: true, Sets: []string{"cycle"}, Methods: []string{"base", "rolling*"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Methods, []string{"base", "rolling mode of 5"}) || len(r.Goals.Goals) != 0 || !strings.Contains(reports(t, r), "was not run") {
		t.Errorf("%+v", r)
	}
}

// Of a set with a single stream there is no interval, and of one person's streams no population.
func TestRealWithoutOthers(t *testing.T) {
	sets := madeUpCollections(t)
	alone := &Collection{File: "alone", Classes: 2, Labels: sets[0].Labels, Streams: sets[0].Streams[:1]}
	r, err := RunReal([]*Collection{alone}, RealSettings{Resamples: 50})
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Sets[0].Ordered
	if len(rows) != 15 || rows[1].Interval != nil || rows[1].Long != 0 || slices.ContainsFunc(rows, func(r RealRow) bool { return strings.Contains(r.Method, "opulation") }) {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
	if text := reports(t, r); !strings.Contains(text, "auto 3 smoothed") || strings.Contains(text, "HMM filter   ") {
		t.Error(text)
	}
}

func TestShuffled(t *testing.T) {
	q := randomRows(rand.New(rand.NewPCG(51, 52)), 40, 3)
	s := &Stream{Name: "a", Q: q, Truth: baseLabels(q)}
	one, again, two := s.Shuffled(1), s.Shuffled(1), s.Shuffled(2)
	other := (&Stream{Name: "b", Q: q, Truth: s.Truth}).Shuffled(1)
	if !slices.Equal(one.Truth, again.Truth) || slices.Equal(one.Truth, two.Truth) || slices.Equal(one.Truth, other.Truth) || slices.Equal(one.Truth, s.Truth) {
		t.Error("orders are to depend on seed and name alone")
	}
	if !slices.Equal(baseLabels(one.Q), one.Truth) {
		t.Error("labels do not follow their predictions")
	}
	if !slices.Equal(slices.Sorted(slices.Values(one.Truth)), slices.Sorted(slices.Values(s.Truth))) {
		t.Error("items got lost")
	}
}

func TestGoals(t *testing.T) {
	row := func(mean float64, changes ...float64) RealRow {
		r := RealRow{Method: "m", Mean: mean, Worst: math.Inf(1)}
		for i, v := range changes {
			r.count(StreamChange{fmt.Sprint(i), 100, []float64{v}})
		}
		r.count(StreamChange{"short", 99, []float64{-50}})
		return r
	}
	result := func(ordered, shuffled RealRow) RealGoals {
		r := &RealResult{Methods: []string{"m"}, Sets: []RealSet{{Name: "s", Ordered: []RealRow{ordered}, Shuffled: []RealRow{shuffled}}}}
		return r.goals("m")
	}
	holds := func(g RealGoals) (out []bool) {
		for _, goal := range g.Goals {
			out = append(out, goal.Holds)
		}
		return out
	}
	many := make([]float64, 40)
	many[0], many[1] = -2, -1.5
	kept := result(row(-0.1, many...), row(-0.05, -1, 2)) // all at the bound
	if got := holds(kept); !slices.Equal(got, []bool{true, true, true, true}) {
		t.Errorf("%+v", kept)
	}
	if m := kept.Goals[3].Measured; m != "2 of 40 (s 2)" {
		t.Error(m)
	}
	many[2] = -1.01
	broken := result(row(-0.11, many...), row(-0.06, -1.01))
	if got := holds(broken); !slices.Equal(got, []bool{false, false, false, false}) {
		t.Errorf("%+v", broken)
	}
}

// What is causal does not change when the future does.
func TestCausalityOfRealMethods(t *testing.T) {
	q := randomRows(rand.New(rand.NewPCG(61, 62)), 120, 3)
	own := NewPopulation(3, [][]int{datasets.S2(0.9).Labels(1, 3, 300)})
	causal := []string{
		"base", "off", "ewma", "auto 1", "auto 2", "auto 2 + population",
		"auto 3", "auto 3 + frequencies", "auto 3 + population", "auto 3 + permuted population", "auto 3 + other population",
		"rolling mode of 5", "exponential mean", "HMM filter",
	}
	for _, m := range realMethods() {
		method, ok := m.Make(Known{Own: own, Renamed: own.Renamed(), Other: own.Renamed()})
		if !ok || method.Name != m.Name {
			t.Fatalf("%s: %t, named %s", m.Name, ok, method.Name)
		}
		part, whole := make([]int, 80), make([]int, 120)
		method.Label(part, q[:80])
		method.Label(whole, q)
		if slices.Contains(causal, m.Name) && !slices.Equal(part, whole[:80]) {
			t.Errorf("%s is not causal", m.Name)
		}
	}
}

// withStreams returns the folder of shared data, where all real streams are there.
func withStreams(t *testing.T) string {
	t.Helper()
	return testdata.Tree(t, append(testdata.RealPredictions, "data/streams")...)
}

// The shared sets in short: everything runs on every set, and those whose counterparts of the same predictor come next have a foreign
// population still.
func TestRealOnSharedData(t *testing.T) {
	sets, whole := realHere(t)
	r, err := RunReal(sets, RealSettings{Quick: true, Shuffles: 1, Resamples: 20})
	if err != nil {
		t.Fatal(err)
	}
	others := map[string]string{}
	for _, set := range r.Sets {
		others[set.Name] = set.Other
	}
	if !whole {
		if len(r.Sets) != 3 || others["hapt_lr"] != "" || others["sleep_lr"] != "" {
			t.Errorf("other populations of %v", others)
		}
		return
	}
	for set, want := range map[string]string{
		"casale_rf": "", "hapt_lr": "", "maptask_lr": "", "elec_rf": "occ_rf", "weather_hgb": "elec_rf", "gesture_lr": "mrda_lr", "mrda_lr": "sleep_lr", "sleep_lr": "gesture_lr",
	} {
		if got, ok := others[set]; !ok || got != want {
			t.Errorf("%s: other population of %q, want %q", set, got, want)
		}
	}
	if len(r.Goals.Goals) != 4 {
		t.Errorf("%+v", r.Goals)
	}
}
