package datasets

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/oatta/oatta/internal/testdata"
)

// cameras of 1, 2, ... samples, each length twice.
func cameras(n int) (out []Identity) {
	for i := range n {
		out = append(out, Identity{fmt.Sprintf("cam%d", i), i/2 + 1})
	}
	return out
}

func TestSplitIdentities(t *testing.T) {
	s, err := SplitIdentities(cameras(20), SplitSettings{Test: 3, Seed: 7})
	must(t, err)
	if want := []Identity{{"cam18", 10}, {"cam19", 10}, {"cam16", 9}}; !slices.Equal(s.Test, want) {
		t.Errorf("test split %v, want %v", s.Test, want)
	}
	train, validation, test := s.Counts()
	if train+validation != 110-29 || validation != 9 || test != 29 || s.Seed != 7 { // a tenth of 81, rounded up
		t.Errorf("%d, %d and %d samples, seed %d", train, validation, test, s.Seed)
	}
	if s.Rest[0].Name != "cam0" || s.Rest[2].Name != "cam2" || s.Rest[10].Name != "cam10" {
		t.Errorf("the rest are %v", s.Rest)
	}
	parts := map[Part]int{}
	for _, one := range cameras(20) {
		for i := range one.Samples {
			parts[s.Part(one.Name, i)]++
		}
	}
	if want := map[Part]int{PartTrain: train, PartValidation: validation, PartTest: test}; !reflect.DeepEqual(parts, want) {
		t.Errorf("parts %v, want %v", parts, want)
	}
}

// The order of the identities does not matter, the seed does; and a split that was written is read back.
func TestSplitIsReproducible(t *testing.T) {
	in := cameras(40)
	s, err := SplitIdentities(in, SplitSettings{Test: 5, Seed: 1})
	must(t, err)
	slices.Reverse(in)
	again, err := SplitIdentities(in, SplitSettings{Test: 5, Seed: 1})
	must(t, err)
	if !reflect.DeepEqual(s, again) {
		t.Error("another order makes another split")
	}
	other, err := SplitIdentities(in, SplitSettings{Test: 5, Seed: 2})
	must(t, err)
	if !slices.Equal(s.Test, other.Test) || reflect.DeepEqual(s.Validation, other.Validation) {
		t.Error("another seed: want the same test split and other validation samples")
	}
	b, err := json.Marshal(s)
	must(t, err)
	var read Split
	must(t, json.Unmarshal(b, &read))
	if !reflect.DeepEqual(s, &read) {
		t.Errorf("read back as %+v", read)
	}
	if want := `{"seed":1,"test":[{"name":"cam38","samples":20},`; string(b[:len(want)]) != want {
		t.Errorf("written as %.80s", b)
	}
}

// Every sample is drawn for validation as often as any other, over seeds.
func TestSplitIsFair(t *testing.T) {
	const seeds = 4000
	drawn := map[string]map[int]float64{"a": {}, "b": {}}
	for seed := range uint64(seeds) {
		s, err := SplitIdentities([]Identity{{"long", 9}, {"b", 4}, {"a", 6}}, SplitSettings{Test: 1, Validation: 0.3, Seed: seed})
		must(t, err)
		for name, samples := range s.Validation {
			for _, i := range samples {
				drawn[name][i]++
			}
		}
	}
	for name, n := range map[string]int{"a": 6, "b": 4} {
		for i := range n {
			near(t, drawn[name][i], .3*seeds, 5*math.Sqrt(seeds*.3*.7), "%s %d drawn", name, i)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	for name, try := range map[string]struct {
		of []Identity
		s  SplitSettings
	}{
		"no test":    {cameras(3), SplitSettings{}},
		"all test":   {cameras(3), SplitSettings{Test: 3}},
		"twice":      {append(cameras(3), Identity{"cam0", 9}), SplitSettings{Test: 1}},
		"negative":   {append(cameras(3), Identity{"x", -1}), SplitSettings{Test: 1}},
		"all":        {cameras(3), SplitSettings{Test: 1, Validation: 1}},
		"no number":  {cameras(3), SplitSettings{Test: 1, Validation: math.NaN()}},
		"below zero": {cameras(3), SplitSettings{Test: 1, Validation: -0.1}},
	} {
		if s, err := SplitIdentities(try.of, try.s); err == nil {
			t.Errorf("%s passed: %+v", name, s)
		}
	}
	s, err := SplitIdentities(append(cameras(40), Identity{"none", 0}), SplitSettings{Test: 20})
	must(t, err)
	if train, validation, _ := s.Counts(); train+validation != 110 || validation != 11 {
		t.Errorf("%d and %d samples: a tenth of 110 is 11", train, validation)
	}
}

// paperTables is the part of the paper's published numbers that is fixed here.
type paperTables struct {
	Splits map[string]struct {
		K       int    `json:"K"`
		IDs     int    `json:"ids"`
		TestIDs int    `json:"test_ids"`
		N       [3]int `json:"n"`
	} `json:"splits"`
	NoShift struct {
		S2 [][]float64 `json:"s2"`
		S4 [][]float64 `json:"s4_second_half"`
	} `json:"no_shift_matrices"`
}

func readPaperTables(t *testing.T) (p paperTables) {
	b, err := os.ReadFile(testdata.Shared(t, "paper", "tables.json"))
	must(t, err)
	must(t, json.Unmarshal(b, &p))
	return p
}

func TestPaperSplits(t *testing.T) {
	p := readPaperTables(t)
	for _, s := range PaperSplits() {
		row := p.Splits[s.Dataset]
		if row.K != s.Classes || row.IDs != s.Identities || row.TestIDs != s.Test || row.N != [3]int{s.TrainN, s.ValidN, s.TestN} {
			t.Errorf("%+v, but the paper has %+v", s, row)
		}
		delete(p.Splits, s.Dataset)
	}
	if len(p.Splits) > 0 {
		t.Errorf("the paper has %v besides", p.Splits)
	}
}

// Where the paper's own numbers are 90/10, ours are theirs: 20,365 and 5,617 samples.
func TestSplitOfThePapersSize(t *testing.T) {
	for _, p := range PaperSplits()[:2] {
		s, err := SplitIdentities([]Identity{{"test", 1 << 20}, {"rest", p.TrainN + p.ValidN - 1}, {"x", 1}}, SplitSettings{Test: 1})
		must(t, err)
		if train, validation, _ := s.Counts(); train != p.TrainN || validation != p.ValidN {
			t.Errorf("%s: %d and %d samples, the paper has %d and %d", p.Dataset, train, validation, p.TrainN, p.ValidN)
		}
	}
}

// Real recordings, people as identities: the two recordings of a person stay together.
func TestSplitOfHAPT(t *testing.T) {
	recordings, err := ReadHAPTSequences(testdata.Shared(t, "data", "motion", "hapt_rawdata_acc.tar.gz"), 50)
	must(t, err)
	people := map[string]int{}
	for _, r := range recordings {
		people[r.Stream[len("exp01_"):]] += len(r.Labels)
	}
	var of []Identity
	for name, n := range people {
		of = append(of, Identity{name, n})
	}
	s, err := SplitIdentities(of, SplitSettings{Test: 6, Seed: 1})
	must(t, err)
	train, validation, test := s.Counts()
	if len(of) != 30 || len(s.Rest) != 24 || test < (train+validation)/4 || validation != (train+validation+9)/10 {
		t.Errorf("%d people: %d, %d and %d samples", len(of), train, validation, test)
	}
}

// Numbers of studies hang on this draw: it may not change from one release to the next.
func TestSplitGolden(t *testing.T) {
	s, err := SplitIdentities([]Identity{{"a", 30}, {"b", 20}, {"c", 99}}, SplitSettings{Test: 1, Seed: 3})
	must(t, err)
	if want := map[string][]int{"a": {8, 14, 25}, "b": {6, 16}}; !reflect.DeepEqual(s.Validation, want) {
		t.Errorf("validation %v, want %v", s.Validation, want)
	}
	if got, want := NoShiftS4().Labels(3, NoShiftClasses, 30), []int{7, 7, 7, 7, 7, 2, 1, 1, 1, 1, 3, 3, 3, 1, 1, 1, 0, 0, 0, 0, 0, 3, 3, 2, 4, 4, 4, 4, 4, 4}; !slices.Equal(got, want) {
		t.Errorf("labels %v, want %v", got, want)
	}
}

// Every entry of the two matrices, as the paper prints them.
func TestNoShiftMatrices(t *testing.T) {
	p := readPaperTables(t)
	const steps = 2000
	for _, c := range []struct {
		stream Controlled
		t      int
		want   [][]float64
	}{{NoShiftS2(), 1, p.NoShift.S2}, {NoShiftS2(), 1999, p.NoShift.S2}, {NoShiftS4(), 999, p.NoShift.S2}, {NoShiftS4(), 1000, p.NoShift.S4}} {
		row := make([]float64, NoShiftClasses)
		for from, want := range c.want {
			c.stream.Transition(row, from, c.t, steps)
			sum := 0.0
			for to, v := range row {
				near(t, v, want[to], 1e-12, "%s t=%d: P(%d|%d) =", c.stream.Name, c.t, to, from)
				sum += v
			}
			near(t, sum, 1, 1e-12, "%s: row %d sums to", c.stream.Name, from)
		}
	}
}

// The common classes are about eleven in twelve of either stream, as of the training set ten in eleven.
func TestNoShiftFrequencies(t *testing.T) {
	for _, c := range []Controlled{NoShiftS2(), NoShiftS4()} {
		labels := c.Labels(1, NoShiftClasses, 200_000)
		common := 0.0
		for _, label := range labels {
			if label < 5 {
				common++
			}
		}
		near(t, common/float64(len(labels)), 11./12, 0.01, "%s: share of common classes", c.Name)
	}
	defer func() {
		if recover() == nil {
			t.Error("seven classes passed")
		}
	}()
	NoShiftS2().Labels(1, 7, 10)
}

// UNSW Predators, as LILA publishes it: pictures in folders, the five species and the 82 locations in COCO Camera Traps JSON; and as it is
// passed on, with a table. Either names the location as the stream and the species as the label, and both list the same.
func TestRecipeUNSW(t *testing.T) {
	root := tree(t, map[string]string{"images/A/IMG_1.JPG": "", "images/A/IMG_2.JPG": "", "images/B/IMG_1.JPG": ""})
	meta := tree(t, map[string]string{
		"unsw-predators.json": `{"categories": [{"id": 0, "name": "dingo"}, {"id": 1, "name": "quoll"}],
			"images": [{"id": "1", "file_name": "A/IMG_1.JPG", "location": "Q1", "datetime": "2023-01-02 03:04:05"},
				{"id": "2", "file_name": "A/IMG_2.JPG", "location": "Q1", "datetime": "2023-01-02 03:00:00"},
				{"id": "3", "file_name": "B/IMG_1.JPG", "location": "Q2", "datetime": "2023-01-01 00:00:00"}],
			"annotations": [{"image_id": "1", "category_id": 1}, {"image_id": "2", "category_id": 0}, {"image_id": "3", "category_id": 0}]}`,
		"unsw.csv": "path,site,taken,species\nA/IMG_1.JPG,Q1,02/01/2023 03:04:05,quoll\nA/IMG_2.JPG,Q1,02/01/2023 03:00:00,dingo\nB/IMG_1.JPG,Q2,01/01/2023 00:00:00,dingo\n",
	})
	for _, opt := range []Options{
		{Metadata: filepath.Join(meta, "unsw-predators.json")},
		{Metadata: filepath.Join(meta, "unsw.csv"), Fields: Fields{File: "path", Stream: "site", Time: "taken", Label: "species", TimeLayout: "02/01/2006 15:04:05"}},
	} {
		want(t, list(t, filepath.Join(root, "images"), opt), root, `
stream Q1
  A/IMG_2.JPG 2023-01-02 03:00:00 metadata = dingo
  A/IMG_1.JPG 2023-01-02 03:04:05 metadata = quoll
stream Q2
  B/IMG_1.JPG 2023-01-01 00:00:00 metadata = dingo
`)
	}
}
