package predict

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

// echo is a predictor whose raw output is its input, and which notes the rows of each run and the seeds that it was given.
type echo struct {
	classes, fixed int
	runs           []int
	seeds          []uint64
}

func (e *echo) InputLen() int { return e.classes }
func (e *echo) Classes() int  { return e.classes }
func (e *echo) Size(want int) int {
	if e.fixed > 0 {
		return e.fixed
	}
	return want
}

func (e *echo) Predict(_ context.Context, dst, src []float32, seeds []uint64) error {
	e.runs = append(e.runs, checkRows(e, dst, src, seeds))
	e.seeds = append(e.seeds, seeds...)
	copy(dst, src)
	return nil
}

func augmented(t *testing.T, inner Predictor, s AugmentSettings) *Augmented {
	t.Helper()
	a, err := NewAugmented(inner, s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Each merge against its formula, worked out by hand for two views of three classes.
func TestMerges(t *testing.T) {
	q := []float32{0.5, 0.5, 0, 0.8, 0.1, 0.1}
	h := []float64{math.Exp(-math.Ln2), math.Exp(0.8*math.Log(0.8) + 0.2*math.Log(0.1))}
	for merge, want := range map[Merge][]float64{
		"":             {0.65, 0.3, 0.05},
		MergeMean:      {0.65, 0.3, 0.05},
		MergeGeometric: {math.Sqrt(0.4), math.Sqrt(0.05), math.Sqrt(0.1 * tiny)},
		MergeMax:       {0.8, 0.5, 0.1},
		MergeEntropy:   {h[0]*0.5 + h[1]*0.8, h[0]*0.5 + h[1]*0.1, h[1] * 0.1},
	} {
		a, got := augmented(t, &echo{classes: 3}, AugmentSettings{Views: 2, Kind: Probabilities, Merge: merge}), make([]float32, 3)
		if err := a.Predict(context.Background(), got, q, nil); err != nil {
			t.Fatal(err)
		}
		total := want[0] + want[1] + want[2]
		for k, w := range want {
			if math.Abs(float64(got[k])-w/total) > 1e-6 {
				t.Errorf("%s: %v, want %v / %g", merge, got, want, total)
				break
			}
		}
	}
}

// The geometric mean of logits is the softmax of their mean.
func TestGeometricMeanOfLogits(t *testing.T) {
	a, got := augmented(t, &echo{classes: 3}, AugmentSettings{Views: 2, Merge: MergeGeometric}), make([]float32, 3)
	if err := a.Predict(context.Background(), got, []float32{1, 5, -3, 3, -2, 40}, nil); err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 3)
	if err := Logits.Probabilities(want, []float32{2, 1.5, 18.5}); err != nil {
		t.Fatal(err)
	}
	for k, w := range want {
		if math.Abs(float64(got[k])-w) > 1e-6*w {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// Views that exclude each other's classes leave every merge with a probability vector: no 0/0.
func TestMergesOfContradictions(t *testing.T) {
	for _, merge := range Merges() {
		for kind, raw := range map[Kind][]float32{
			Probabilities: {1, 0, 0, 0, 1, 0}, Logits: {1e30, -1e30, -1e30, -1e30, 1e30, -1e30},
			LogProbabilities: {0, float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.Inf(-1)), 0, float32(math.Inf(-1))},
		} {
			a, got := augmented(t, &echo{classes: 3}, AugmentSettings{Views: 2, Kind: kind, Merge: merge}), make([]float32, 3)
			if err := a.Predict(context.Background(), got, raw, nil); err != nil {
				t.Fatal(err)
			}
			if got[0] != 0.5 || got[1] != 0.5 || !(got[2] >= 0 && got[2] < 1e-20) {
				t.Errorf("%s of %s: %v, want 0.5, 0.5, 0", merge, kind, got)
			}
		}
	}
}

// A view without probabilities spoils its own item, in words that name the cause, and no other.
func TestAugmentedPassesOnWhatIsNoPrediction(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, tc := range []struct {
		kind Kind
		bad  []float32
		want string
	}{
		{Logits, []float32{nan, 0}, "class 0 is NaN"},
		{Logits, []float32{0, inf}, "class 1 is +Inf"},
		{Logits, []float32{-inf, -inf}, "class 0 is -Inf"},
		{Probabilities, []float32{3, -2}, "class 0 is 3"},
		{Probabilities, []float32{0.9, 0.8}, "sum to 1.7"},
	} {
		a, dst := augmented(t, &echo{classes: 2}, AugmentSettings{Views: 2, Kind: tc.kind}), make([]float32, 4)
		src := append([]float32{0.5, 0.5, tc.bad[0], tc.bad[1]}, 0.5, 0.5, 0.5, 0.5)
		if err := a.Predict(context.Background(), dst, src, nil); err != nil {
			t.Fatal(err)
		}
		q := make([]float64, 2)
		if err := a.Kind().Probabilities(q, dst[:2]); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %v: %v, want %q", tc.kind, tc.bad, err, tc.want)
		}
		if dst[2] != 0.5 || dst[3] != 0.5 {
			t.Errorf("%s %v: the other item got %v", tc.kind, tc.bad, dst[2:])
		}
	}
}

// Views are batched over items, in parts of Rows or of the network's fixed batch, and the parts do not show in the result.
func TestAugmentedRunsInParts(t *testing.T) {
	const views, n = 5, 7
	src, seeds := make([]float32, n*views*2), make([]uint64, n)
	for i := range src {
		src[i] = float32(i % 11)
	}
	for i := range seeds {
		seeds[i] = uint64(i) << 32
	}
	want := make([]float32, n*2)
	if err := augmented(t, &echo{classes: 2}, AugmentSettings{Views: views}).Predict(context.Background(), want, src, seeds); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		rows, fixed int
		runs        []int
	}{{0, 0, []int{35}}, {12, 0, []int{12, 12, 11}}, {12, 16, []int{16, 16, 3}}, {35, 0, []int{35}}} {
		e := &echo{classes: 2, fixed: tc.fixed}
		a, got := augmented(t, e, AugmentSettings{Views: views, Rows: tc.rows}), make([]float32, n*2)
		if err := a.Predict(context.Background(), got, src, seeds); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(e.runs, tc.runs) || !slices.Equal(got, want) {
			t.Errorf("%+v: runs %v, result %v, want %v", tc, e.runs, got, want)
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(e.seeds)))
		if len(distinct) != n*views || e.seeds[views] != seeds[1] {
			t.Errorf("%d different seeds, want %d; plain view of item 1 has %d", len(distinct), n*views, e.seeds[views])
		}
	}
}

func TestAugmentedSize(t *testing.T) {
	a := augmented(t, &echo{classes: 2, fixed: 3}, AugmentSettings{Views: 32})
	for want, size := range map[int]int{-1: 1, 1: 1, 8: 8, 1000: 128} {
		if got := a.Size(want); got != size {
			t.Errorf("Size(%d) = %d, want %d", want, got, size)
		}
	}
	if a.InputLen() != 64 || a.Classes() != 2 {
		t.Errorf("%d numbers, %d classes", a.InputLen(), a.Classes())
	}
}

func TestAugmentedRefuses(t *testing.T) {
	for want, s := range map[string]AugmentSettings{
		"0 views":           {},
		"2000 views":        {Views: 2000},
		`merge "median"`:    {Views: 2, Merge: "median"},
		"runs of -1 views":  {Views: 2, Rows: -1},
		`kind "votes"`:      {Views: 2, Kind: "votes"},
		"2 views of 600000": {Views: 2},
	} {
		inner := &echo{classes: 2}
		if strings.Contains(want, "600000") {
			inner.classes = 600000000
		}
		if _, err := NewAugmented(inner, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}
