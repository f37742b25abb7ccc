package hindsight

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/testdata"
)

// Looking back must be worth more than what people do today, in the mean over the recordings of every real set.
func TestHindsightBeatsTheVoteOnRealPredictions(t *testing.T) {
	sets, err := benchmarks.ReadRealCollections(testdata.Tree(t, testdata.RealPredictions...))
	if err != nil {
		t.Fatal(err)
	}
	m := []benchmarks.Method{benchmarks.Smoothed("hindsight", adapt.Settings{}), benchmarks.CentredVote()}
	for _, set := range sets {
		hindsight, votes := 0.0, 0.0
		for _, s := range set.Streams {
			score := scores(m, s.Q, s.Truth)
			hindsight += score[0] / float64(len(set.Streams))
			votes += score[1] / float64(len(set.Streams))
		}
		if hindsight <= votes {
			t.Errorf("%s: %.2f %% with hindsight, %.2f %% by vote", set.Name, hindsight, votes)
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
	table, err := controlled([]*benchmarks.Predictions{p}, Settings{Seeds: 1, Steps: 30})
	if err == nil {
		err = table.WriteMarkdown(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 sets of predictions", datasets.S3().Name, "| hindsight"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
