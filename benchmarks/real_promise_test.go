package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// realHere returns all sets of real predictions, or those that the repository has, and whether it is all of them.
func realHere(t *testing.T) (sets []*Collection, whole bool) {
	t.Helper()
	whole = len(testdata.Some(t, "data", "predictions/hapt_lr.jsonl.gz", "streams")) == 2
	var err error
	if whole {
		sets, err = ReadReal(withStreams(t))
	} else {
		sets, err = ReadRealCollections(testdata.Tree(t, testdata.RealPredictions...))
	}
	if err != nil {
		t.Fatal(err)
	}
	return sets, whole
}

// What is promised of the default: it harms no set of real predictions, in order or shuffled, whatever matrix of whatever population it is
// given. The bounds of single streams are wider than the goals of the report: here each is one draw.
func TestTheDefaultHarmsNoSet(t *testing.T) {
	sets, whole := realHere(t)
	populations := []string{"auto 3 + population", "auto 3 + permuted population", "auto 3 + other population"}
	r, err := RunReal(sets, RealSettings{Methods: append([]string{"auto 3"}, populations...), Shuffles: 1, Resamples: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range r.Methods {
		harmed, long := 0, 0
		for _, row := range r.rowsOf(method, false) {
			if row.Mean < -0.15 {
				t.Errorf("%s, %s in order: %+.2f", method, row.set, row.Mean)
			}
			harmed, long = harmed+row.Harmed, long+row.Long
		}
		if whole && long < 100 || 20*harmed > long {
			t.Errorf("%s: %d of %d long streams lose over a point", method, harmed, long)
		}
		for _, row := range r.rowsOf(method, true) {
			if row.Mean < -0.1 || row.WorstLong < -2 {
				t.Errorf("%s, %s shuffled: %+.2f, worst long stream %+.2f", method, row.set, row.Mean, row.WorstLong)
			}
		}
	}
	if !whole {
		return
	}
	if gain := over(r.rowsOf("auto 3", false), func(r RealRow) float64 { return r.Mean }); gain < 0.6 {
		t.Errorf("in order %+.2f on average", gain)
	}
	if gain := over(r.rowsOf(populations[0], false), func(r RealRow) float64 { return r.Mean }); gain < 1 {
		t.Errorf("in order with the population %+.2f on average", gain)
	}
}

// pieces cuts the streams of a set into pieces of 2 to 30 items, as a meeting's or a dialogue's would be.
func pieces(c *Collection) *Collection {
	r := rand.New(rand.NewPCG(7, 7))
	cut := *c
	cut.Streams, cut.Others = nil, nil
	others := c.others()
	for i, s := range c.Streams {
		for from := 0; from < len(s.Q); {
			to := min(from+2+r.IntN(29), len(s.Q))
			cut.Streams = append(cut.Streams, &Stream{fmt.Sprint(s.Name, " ", from), s.Q[from:to], s.Truth[from:to]})
			cut.Others = append(cut.Others, others[i])
			from = to
		}
	}
	return &cut
}

// Short streams of unequal classes have no time to tell order from frequency: they must not lose by it.
func TestTheDefaultHarmsNoShortStreams(t *testing.T) {
	sets, whole := realHere(t)
	var short []*Collection
	for _, c := range sets {
		switch c.File {
		case "mrda_lr", "mrda_nb", "maptask_lr", "hapt_lr":
			short = append(short, pieces(c))
		}
	}
	r, err := RunReal(short, RealSettings{Methods: []string{"auto 2", "auto 3", "auto 3 + population"}, Shuffles: 1, Resamples: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"auto 3", "auto 3 + population"} {
		for _, shuffled := range []bool{false, true} {
			for _, row := range r.rowsOf(method, shuffled) {
				if row.Mean < -0.25 {
					t.Errorf("%s, %s in pieces, shuffled %t: %+.2f", method, row.set, shuffled, row.Mean)
				}
			}
		}
	}
	if second := r.rowsOf("auto 2", true); whole && second[1].Mean > -1 {
		t.Errorf("the second edition changes %+.2f on %s: the test has lost its case", second[1].Mean, second[1].set)
	}
}
