package datasets

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"
)

func controlledStreams() []Controlled {
	return []Controlled{S1(), S2(0.1), S2(0.7), S2(0.98), S3(), S4(), S5()}
}

// Every matrix of every stream is row-stochastic, and leaves the uniform distribution as it is, so that class frequencies tell
// nothing on any of them and all that can be gained is from order.
func TestControlledUniformIsStationary(t *testing.T) {
	for _, c := range controlledStreams() {
		for _, k := range []int{1, 2, 3, 10} {
			const steps = 30
			for step := 1; step < steps; step++ {
				columns, row := make([]float64, k), make([]float64, k)
				for from := range k {
					c.Transition(row, from, step, steps)
					sum := 0.0
					for j, p := range row {
						if p < 0 {
							t.Fatalf("%s K=%d t=%d: negative probability %g", c.Name, k, step, p)
						}
						sum += p
						columns[j] += p
					}
					near(t, sum, 1, 1e-12, "%s K=%d t=%d: row %d sums to", c.Name, k, step, from)
				}
				for j, v := range columns {
					near(t, v, 1, 1e-12, "%s K=%d t=%d: column %d sums to", c.Name, k, step, j)
				}
			}
		}
	}
}

func near(t *testing.T, got, want, tolerance float64, format string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf(format+" %g: want %g", append(args, got, want)...)
	}
}

// The definitions, entry by entry where they peak.
func TestControlledPeaks(t *testing.T) {
	const k, steps = 10, 3000
	for _, c := range []struct {
		stream         Controlled
		from, to, step int
		want           float64
	}{
		{S1(), 4, 4, 1, 0.1},
		{S2(0.7), 4, 4, 1, 0.7},
		{S2(0.7), 4, 5, 2999, 0.3 / 9},
		{S2(0.05), 4, 4, 1, 0.05},
		{S3(), 4, 5, 1, 0.7},
		{S3(), 9, 0, 2999, 0.7},
		{S3(), 4, 4, 1, 0.3 / 9},
		{S4(), 4, 4, 1499, 0.7},
		{S4(), 4, 4, 1500, 0.5},
		{S5(), 4, 5, 1000, 0.7},
		{S5(), 4, 7, 1000, 0.3 / 9},
		{S5(), 4, 5, 1500, (0.7 + 0.3/9) / 2},
		{S5(), 4, 7, 1500, (0.7 + 0.3/9) / 2},
		{S5(), 4, 7, 2000, 0.7},
		{S5(), 8, 1, 2999, 0.7},
	} {
		row := make([]float64, k)
		c.stream.Transition(row, c.from, c.step, steps)
		near(t, row[c.to], c.want, 1e-12, "%s t=%d: P(%d|%d) =", c.stream.Name, c.step, c.to, c.from)
	}
}

// Given the label before, the transitions are independent draws: the number of those from i to j is within binomial bounds of its
// expectation. Five standard deviations over some 700 entries would fail by chance once in 2000 seeds, and the seed is fixed.
func TestControlledTransitionFrequencies(t *testing.T) {
	const k, steps = 10, 100_000
	for _, c := range controlledStreams() {
		labels, row := c.Labels(11, k, steps), make([]float64, k)
		var seen, expected, variance [k][k]float64
		for step := 1; step < steps; step++ {
			from := labels[step-1]
			c.Transition(row, from, step, steps)
			seen[from][labels[step]]++
			for j, p := range row {
				expected[from][j] += p
				variance[from][j] += p * (1 - p)
			}
		}
		for i := range k {
			for j := range k {
				name := fmt.Sprintf("%s: transitions %d to %d:", c.Name, i, j)
				near(t, seen[i][j], expected[i][j], 5*math.Sqrt(variance[i][j])+1, "%s", name)
			}
		}
	}
}

// The first label is uniform too: over seeds, as one stream has but one.
func TestControlledFirstLabelIsUniform(t *testing.T) {
	const k, seeds = 10, 10_000
	var seen [k]float64
	for seed := range uint64(seeds) {
		seen[S2(0.9).Labels(seed, k, 1)[0]]++
	}
	for class, n := range seen {
		near(t, n, seeds/k, 5*math.Sqrt(seeds/k), "first label %d:", class)
	}
}

// The study's numbers hang on these draws: they may not change from one release to the next.
func TestControlledGolden(t *testing.T) {
	want := map[string]uint64{
		"s1": 0x857c52e598f3e918, "s2 alpha=0.10": 0xab66f99fa6b085f4, "s2 alpha=0.70": 0xeadb2cfb7fd5c2fe, "s2 alpha=0.98": 0x802f43580cbca720, "s3": 0x9af3d04d37d3fab0, "s4": 0x529b823e07e6640c, "s5": 0x18c92d8392cecbc0,
	}
	truth := make([]int, 1000)
	for i := range truth {
		truth[i] = i * 7 % 10
	}
	for _, c := range controlledStreams() {
		labels := c.Labels(3, 10, 2000)
		items, err := DrawItems(3, labels, truth)
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		fmt.Fprint(h, labels, items)
		if got := h.Sum64(); got != want[c.Name] {
			t.Errorf("%q: %#x, labels begin %v, items %v", c.Name, got, labels[:12], items[:12])
		}
	}
}

func TestDrawItems(t *testing.T) {
	truth := []int{2, 0, 2, 1, 2}
	labels := S1().Labels(1, 3, 3000)
	items, err := DrawItems(1, labels, truth)
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]int, len(truth))
	for i, item := range items {
		seen[item]++
		if truth[item] != labels[i] {
			t.Fatalf("item %d of class %d drawn for label %d", item, truth[item], labels[i])
		}
	}
	for _, item := range []int{0, 2, 4} { // a third of a third each
		near(t, float64(seen[item]), 3000./9, 100, "item %d drawn", item)
	}
	if _, err := DrawItems(1, []int{0, 3}, truth); err == nil {
		t.Error("a class without items passed")
	}
}

func TestS2RefusesWhatIsNoProbability(t *testing.T) {
	for _, alpha := range []float64{-0.1, 1.1, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("S2(%g) passed", alpha)
				}
			}()
			S2(alpha)
		}()
	}
}
