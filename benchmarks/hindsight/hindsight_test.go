package main

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/testdata"
)

func oneHot(labels ...int) [][]float64 {
	out := make([][]float64, len(labels))
	for t, y := range labels {
		out[t] = make([]float64, 3)
		out[t][y] = 1
	}
	return out
}

func TestVote(t *testing.T) {
	for _, tc := range []struct{ labels, want []int }{
		{[]int{0, 0, 1, 0, 0}, []int{0, 0, 0, 0, 0}},
		{[]int{2}, []int{2}},
		{[]int{1, 0, 2}, []int{1, 0, 2}},                   // ties keep what is there
		{[]int{0, 0, 0, 1, 1, 1}, []int{0, 0, 0, 1, 1, 1}}, // an edge stays where it is
		{[]int{1, 0, 0, 2, 2}, []int{0, 0, 0, 2, 2}},
	} {
		got := make([]int, len(tc.labels))
		vote(got, oneHot(tc.labels...))
		if !slices.Equal(got, tc.want) {
			t.Errorf("vote of %v is %v, want %v", tc.labels, got, tc.want)
		}
	}
}

// The lagged method hands its answers to the right items, those of Flush included: no lag is the filter, and a long one, in a mode
// where that is so, is smoothing.
func TestLaggedAnswersItsOwnItems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	q := make([][]float64, 50)
	for i := range q {
		u := r.Float64()
		q[i] = []float64{u / 2, u / 2, 1 - u}
	}
	same := func(a, b benchmarks.Method) {
		x, y := make([]int, len(q)), make([]int, len(q))
		a.Label(x, q)
		b.Label(y, q)
		if !slices.Equal(x, y) {
			t.Errorf("%s: %v, %s: %v", a.Name, x, b.Name, y)
		}
	}
	off := adapt.Settings{Gate: adapt.GateOff}
	same(lagged(0, adapt.Settings{}), benchmarks.Filter("auto", adapt.Settings{}))
	same(lagged(60, off), smoothed("smoothed", off))
}

// Looking back must be worth more than what people do today, in the mean over the recordings of every real set.
func TestHindsightBeatsTheVoteOnRealPredictions(t *testing.T) {
	shared := testdata.Shared(t, "data", "predictions", "hapt_lr.jsonl.gz")
	shared = filepath.Dir(filepath.Dir(filepath.Dir(shared)))
	m := []benchmarks.Method{smoothed("hindsight", adapt.Settings{}), {Name: "vote", Label: vote}}
	for _, set := range realSets() {
		streams, err := readStreams(filepath.Join(shared, "data", "predictions", set.file), set.labels)
		if err != nil {
			t.Fatal(err)
		}
		hindsight, votes := 0.0, 0.0
		for _, s := range streams {
			score := scores(m, s.q, s.truth)
			hindsight += score[0] / float64(len(streams))
			votes += score[1] / float64(len(streams))
		}
		if hindsight <= votes {
			t.Errorf("%s: %.2f %% with hindsight, %.2f %% by vote", set.file, hindsight, votes)
		}
	}
}

func TestControlledTable(t *testing.T) {
	r, p := rand.New(rand.NewPCG(3, 4)), &benchmarks.Predictions{Name: "made up"}
	for i := range 60 {
		u := r.Float64() / 3
		q := []float64{u, u, u}
		q[i%3] = 1 - 2*u
		p.Q, p.Truth = append(p.Q, q), append(p.Truth, i%3)
	}
	var b strings.Builder
	if err := controlled(&b, []*benchmarks.Predictions{p}, 1, 30); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 sets of predictions", datasets.S3().Name, "| hindsight"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
