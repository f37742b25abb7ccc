package benchmarks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/testdata"
)

// sure makes predictions that say the labels, each with probability 0.6.
func sure(k int, labels ...int) [][]float64 {
	q := make([][]float64, len(labels))
	for t, y := range labels {
		q[t] = slices.Repeat([]float64{0.4 / float64(k-1)}, k)
		q[t][y] = 0.6
	}
	return q
}

func TestSimpleSmoothers(t *testing.T) {
	q := sure(3, 0, 0, 1, 0, 2, 2, 2, 1)
	for _, c := range []struct {
		method Method
		want   []int
	}{
		{Base(), []int{0, 0, 1, 0, 2, 2, 2, 1}},
		{CentredVote(), []int{0, 0, 0, 0, 2, 2, 2, 2}}, // 0 0 1 0 2: 0; 0 1 0 2 2: own 0
		{RollingMode(), []int{0, 0, 0, 0, 0, 2, 2, 2}}, // 0 1 0 2 2 at the sixth: own 2
	} {
		got := make([]int, len(q))
		c.method.Label(got, q)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.method.Name, got, c.want)
		}
		c.method.Label(nil, nil)
	}
}

func TestMeans(t *testing.T) {
	var q [][]float64
	for _, v := range []float64{0.9, 0.4, 0.4, 0.4, 0.35, 0.4, 0.7} {
		q = append(q, []float64{v, 1 - v})
	}
	for _, c := range []struct {
		method Method
		want   []int
	}{
		{RollingMean(), []int{0, 0, 0, 0, 1, 1, 1}}, // 2.45/5 at the fifth
		{CentredMean(), []int{0, 0, 1, 1, 1, 1, 1}}, // 2.1/4 at the second, 2.45/5 at the third
	} {
		got := make([]int, len(q))
		c.method.Label(got, q)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.method.Name, got, c.want)
		}
		c.method.Label(nil, nil)
	}
}

// What is causal does not change when the future does; what claims not to be does.
func TestCausality(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	whole := randomRows(rng, 120, 4)
	population := NewPopulation(4, [][]int{datasets.S2(0.9).Labels(1, 4, 300)})
	c := &Collection{Classes: 4}
	for _, m := range c.todays(population) {
		part, full := make([]int, 80), make([]int, 120)
		m.Label(part, whole[:80])
		m.Label(full, whole)
		same := slices.Equal(part, full[:80])
		named := strings.Contains(m.Name, "not causal") || strings.Contains(m.Name, "the same")
		if !named && !same {
			t.Errorf("%s is not causal", m.Name)
		}
	}
}

func TestPopulation(t *testing.T) {
	p := NewPopulation(2, [][]int{{0, 0, 1}, {1}})
	if got := fmt.Sprint(p.Transitions, p.Frequencies); got != "[[0.5 0.5] [0.5 0.5]] [0.5 0.5]" {
		t.Error(got)
	}
	p = NewPopulation(2, [][]int{{0, 0, 0, 1}})
	near(t, "P(0|0)", p.Transitions[0][0], 0.6)
	near(t, "P(0)", p.Frequencies[0], 4./6)
}

// Viterbi against the enumeration of all paths.
func TestViterbiIsExact(t *testing.T) {
	const k, steps = 3, 6
	rng := rand.New(rand.NewPCG(11, 12))
	for range 100 {
		p := &Population{Transitions: randomRows(rng, k, k), Frequencies: randomRows(rng, 1, k)[0]}
		q := randomRows(rng, steps, k)
		for _, scaled := range []bool{false, true} {
			got := make([]int, steps)
			p.Viterbi(scaled).Label(got, q)
			var best []int
			most := math.Inf(-1)
			eachPath(steps, k, func(path []int) {
				score := math.Log(p.Frequencies[path[0]])
				for i, y := range path {
					if i > 0 {
						score += math.Log(p.Transitions[path[i-1]][y])
					}
					score += math.Log(q[i][y])
					if scaled {
						score -= math.Log(p.Frequencies[y])
					}
				}
				if score > most {
					best, most = slices.Clone(path), score
				}
			})
			if !slices.Equal(got, best) {
				t.Fatalf("scaled %t: %v, want %v", scaled, got, best)
			}
		}
	}
}

const streamLine = `{"stream": "a", "id": "1", "probs": [0.25, 0.75], "label": "x"}`

func anyStream(string) error { return nil }

func TestParseStreams(t *testing.T) {
	in := streamLine + "\n" + strings.Replace(streamLine, `"a"`, `"b"`, 1) + "\n" + strings.Replace(streamLine, `"x"`, `"y"`, 1) + "\n"
	streams, err := parseStreams(strings.NewReader(in), []string{"x", "y"}, anyStream)
	if err != nil {
		t.Fatal(err)
	}
	if len(streams) != 2 || streams[0].Name != "a" || !slices.Equal(streams[0].Truth, []int{0, 1}) || streams[1].Q[0][1] != 0.75 {
		t.Errorf("%+v %+v", streams[0], streams[1])
	}
	for name, bad := range map[string]string{
		"empty":     "",
		"cut":       streamLine[:40],
		"label":     strings.Replace(streamLine, `"x"`, `"z"`, 1),
		"length":    strings.Replace(streamLine, "0.25, ", "", 1),
		"negative":  strings.Replace(streamLine, "0.25", "-0.25", 1),
		"sum":       strings.Replace(streamLine, "0.25", "0.9", 1),
		"long line": streamLine[:1] + strings.Repeat(" ", maxLine) + streamLine[1:],
	} {
		if _, err := parseStreams(strings.NewReader(bad), []string{"x", "y"}, anyStream); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

func FuzzParseStreams(f *testing.F) {
	f.Add(streamLine + "\n" + streamLine)
	f.Fuzz(func(t *testing.T, in string) {
		streams, err := parseStreams(strings.NewReader(in), []string{"x", "y"}, anyStream)
		if err != nil {
			return
		}
		c := &Collection{Classes: 2, Streams: streams}
		for m, change := range RunStreams(c, 1).Change {
			for _, v := range change {
				if math.IsNaN(v) {
					t.Errorf("method %d changes NaN", m)
				}
			}
		}
	})
}

// The population of a person's stream never holds another stream of that person: their labels are not to be known.
func TestPopulationsLeaveThePersonOut(t *testing.T) {
	c := &Collection{Classes: 2, Person: haptPerson, Streams: []*Stream{
		{Name: "exp01_user01", Truth: []int{0, 0, 0, 0}}, {Name: "exp02_user01", Truth: []int{0, 0, 0, 0}}, {Name: "exp03_user02", Truth: []int{1, 1}},
	}}
	p := c.populations()
	near(t, "P(0) for user01", p[0].Frequencies[0], 1./4)
	near(t, "P(0) for user01", p[1].Frequencies[0], 1./4)
	near(t, "P(0) for user02", p[2].Frequencies[0], 9./10)
	c.Streams = c.Streams[:2]
	if p := c.populations(); p[0] != nil || p[1] != nil {
		t.Error("a population out of the person's own streams")
	}
}

// Base accuracies and the paper's filter are those of the design study, which computed them by other means.
func TestRealPredictions(t *testing.T) {
	collections, err := ReadRealCollections(testdata.Tree(t, testdata.RealPredictions...))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ base, off, llr float64 }{{90.5, -1.68, -0.49}, {59.8, 2.82, 1.32}, {76.3, -2.27, -0.97}}
	for i, c := range collections {
		r := RunStreams(c, 2)
		base := 0.0
		for _, v := range r.Base {
			base += v / float64(len(r.Base))
		}
		summary := map[string]Summary{}
		for _, s := range r.Summaries() {
			summary[s.Method] = s
		}
		got := []float64{base, summary["off"].Mean, summary["ewma"].Mean}
		for j, v := range []float64{want[i].base, want[i].off, want[i].llr} {
			if math.Abs(got[j]-v) > []float64{0.05, 0.006, 0.006}[j] {
				t.Errorf("%s: base, off, ewma %.3f: want %v", c.Name, got, want[i])
			}
		}
		auto := summary["auto"]
		if auto.Mean < max(got[1], got[2], 0) || auto.Harmed > 0 {
			t.Errorf("%s: auto %+v", c.Name, auto)
		}
	}
}

func TestReplayMapsLabels(t *testing.T) {
	set := madeUp(3, 60)
	labels := strings.Fields("a a a b b b b c c d a a e")
	o := &Order{Name: "o", Sequences: []datasets.Sequence{{Stream: "s", Labels: labels}}}
	c, err := o.Replay(set, 1)
	if err != nil {
		t.Fatal(err)
	}
	truth := c.Streams[0].Truth
	class := map[string]int{}
	for i, label := range labels {
		if was, ok := class[label]; ok && was != truth[i] {
			t.Errorf("label %s is class %d and %d", label, was, truth[i])
		}
		class[label] = truth[i]
	}
	if class["a"] == class["b"] || class["c"] != class["d"] || class["c"] != class["e"] || class["c"] == class["a"] || class["c"] == class["b"] {
		t.Errorf("classes %v: want a and b alone, the rest together", class)
	}
	perms := map[string]bool{}
	for seed := range uint64(30) {
		perms[fmt.Sprint(o.classes(3, seed))] = true
	}
	if len(perms) != 6 {
		t.Errorf("%d of six ways to choose classes", len(perms))
	}
}

// A small replay of all real orders: sound numbers for every method, and the facts that are beyond noise.
func TestReplayOfRealOrders(t *testing.T) {
	shared := testdata.Tree(t, slices.Concat(testdata.CIFARPredictions, testdata.RealOrders)...)
	sets, err := ReadCIFARSets(shared)
	if err != nil {
		t.Fatal(err)
	}
	orders, err := ReadOrders(shared)
	if err != nil {
		t.Fatal(err)
	}
	some := slices.DeleteFunc(sets.Corrupted, func(p *Predictions) bool { return p.Name != elastic })
	for _, o := range orders[1:] {
		o.Sequences = o.Sequences[:3]
	}
	r, err := RunReplay(orders, some, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Orders {
		change := func(method string) float64 { return o.Cell(slices.Index(o.Methods, method)).Mean }
		if auto := change("auto"); auto < max(change("off"), change("ewma"))-0.3 || auto < 3 {
			t.Errorf("%s: auto %+.2f, off %+.2f, ewma %+.2f", o.Name, auto, change("off"), change("ewma"))
		}
	}
}
