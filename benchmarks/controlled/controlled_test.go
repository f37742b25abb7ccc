package controlled

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/testdata"
)

// made is a result of some predictors whose hits change by what a function says.
func made(names []string, rows []Row, seeds int, change func(row, filter, predictor, seed int) int) *Result {
	r := &Result{Network: "net", Set: "set", Pictures: 10, MEMOPictures: 10, Steps: 1000, TentSteps: 1000, Seeds: seeds}
	for _, f := range filters {
		r.Filters = append(r.Filters, string(f.gate))
	}
	for _, name := range names {
		r.Columns = append(r.Columns, Column{Name: name, Steps: r.Steps})
	}
	for i, row := range rows {
		counts := Counts{Name: row.Name}
		for p := range names {
			cell := Cell{Filtered: make([][]int, len(filters))}
			for seed := range seeds {
				cell.Plain = append(cell.Plain, 800+seed)
				for f := range filters {
					cell.Filtered[f] = append(cell.Filtered[f], 800+seed+change(i, f, p, seed))
				}
			}
			counts.Cells = append(counts.Cells, cell)
		}
		r.Rows = append(r.Rows, counts)
	}
	return r
}

func TestCompare(t *testing.T) {
	r := made(method.Names(), PaperRows()[:1], 10, func(_, filter, predictor, seed int) int {
		switch {
		case filter > 0:
			return 0
		case predictor == 0:
			return seed + 1 // gains in all
		case predictor == 1:
			return -seed - 1
		case predictor == 2:
			return []int{-1, 2, -3, 4, -5, 6, -7, 8, -9, 10}[seed]
		}
		return 0
	})
	c := r.Compare(0, 0)
	for i, want := range []struct {
		mark            string
		change, p, holm float64
	}{{"*", 0.55, 2.0 / 1024, 10.0 / 1024}, {"†", -0.55, 2.0 / 1024, 10.0 / 1024}, {"", 0.05, 0.845703125, 1}, {"", 0, 1, 1}, {"", 0, 1, 1}} {
		p := c.Pairs[i]
		if p.Mark() != want.mark || math.Abs(p.Change-want.change) > 1e-9 || math.Abs(p.P-want.p) > 1e-9 || math.Abs(p.Holm-want.holm) > 1e-9 {
			t.Errorf("predictor %d: %+v, mark %q: want %+v", i, p, p.Mark(), want)
		}
		if math.Abs(p.Plain-80.45) > 1e-9 || math.Abs(p.Adapted-80.45-want.change) > 1e-9 {
			t.Errorf("predictor %d: %g to %g", i, p.Plain, p.Adapted)
		}
	}
	if math.Abs(c.Pairs[0].Std-0.3027650354097492) > 1e-9 {
		t.Errorf("standard deviation %g of 0.1, 0.2, ... 1.0", c.Pairs[0].Std)
	}
	if math.Abs(c.Mean-0.01) > 1e-9 || math.Abs(c.Std-0.02*math.Sqrt(42.5)) > 1e-9 {
		t.Errorf("mean over predictors %g ± %g", c.Mean, c.Std)
	}
	if gain, lose := c.significant(); gain != 1 || lose != 1 {
		t.Errorf("%d gains, %d losses", gain, lose)
	}
}

// The plain network on MEMO's items belongs neither to the family of tests nor to the mean.
func TestBesideIsNoneOfTheFive(t *testing.T) {
	names := append(method.Names(), "base on MEMO's items")
	r := made(names, PaperRows()[:1], 10, func(_, _, predictor, seed int) int {
		if predictor == 5 {
			return -100 - seed
		}
		return seed + 1
	})
	r.Columns[5].Beside = true
	c := r.Compare(0, 0)
	if c.Pairs[0].Holm != 10.0/1024 || math.Abs(c.Mean-0.55) > 1e-9 {
		t.Errorf("Holm %g, mean %g: six were counted", c.Pairs[0].Holm, c.Mean)
	}
	if !math.IsNaN(c.Pairs[5].Holm) || c.Pairs[5].Mark() != "" {
		t.Errorf("%+v", c.Pairs[5])
	}
}

// paper reads the published numbers.
func readPaper(t *testing.T) Paper {
	t.Helper()
	p, err := ReadPaper(testdata.Shared(t, "paper", "tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReadPaper(t *testing.T) {
	p := readPaper(t)
	row := p["s2 alpha=0.98"]
	if len(p) != 13 || row.Accuracy["ttaug"]["oatta"] != 93.53 || row.Accuracy["base"]["plain"] != 77.05 || !row.Significant["memo"]["oatta-llr"] ||
		p["s1"].Significant["base"]["oatta"] || row.Delta["oatta-llr"] != [2]float64{6.35, 0.37} {
		t.Errorf("%d rows, %+v", len(p), row)
	}
	if _, err := ReadPaper(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("a file that is not there passed")
	}
}

// A study that found the paper's own changes has its signs in all streams; what is turned around is counted and named.
func TestSigns(t *testing.T) {
	paper, rows := readPaper(t), PaperRows()
	turned := map[int]bool{}
	study := func() string {
		r := made(method.Names(), rows, 10, func(row, filter, _, _ int) int {
			if key := filters[filter].paper; key != "" && turned[row] {
				return -int(math.Round(10 * paper[rows[row].Name].Delta[key][0]))
			} else if key != "" {
				return int(math.Round(10 * paper[rows[row].Name].Delta[key][0]))
			}
			return 1
		})
		s, err := r.Section(paper)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, row := range s.Tables[0].Rows {
			fmt.Fprintln(&b, row[0].String(), "|", row[1].String(), "|", row[2].String())
		}
		return b.String()
	}
	if got := study(); !strings.Contains(got, "off: the mean change has the paper's sign in 11 of 13 streams | 13 | yes") ||
		!strings.Contains(got, "ewma: the mean change has the paper's sign in 11 of 13 streams | 13 | yes") ||
		!strings.Contains(got, "auto: significant gain where the paper finds structure | 50 of 50 cells | yes") ||
		!strings.Contains(got, "auto: no cell loses over 0.1 | least +0.10 (s1, base) | yes") {
		t.Error(got)
	}
	turned[0], turned[1], turned[2] = true, true, true
	if got := study(); !strings.Contains(got, "| 10; s1 +3.90, paper -3.92; s2 alpha=0.70 (default) -2.90, paper +2.89; s2 alpha=0.10 +4.50, paper -4.45 | no") {
		t.Error(got)
	}
}

func TestAgrees(t *testing.T) {
	for _, c := range []struct {
		change float64
		paper  [2]float64
		want   bool
	}{
		{1, [2]float64{2, 0}, true},
		{-1, [2]float64{2, 0}, false},
		{-1, [2]float64{-2, 0}, true},
		{0, [2]float64{-2, 1}, false},
		{0.2, [2]float64{0, 0.23}, true},
		{-0.2, [2]float64{0, 0.23}, true},
		{0.3, [2]float64{0, 0.23}, false},
	} {
		if got := agrees(c.change, c.paper); got != c.want {
			t.Errorf("%g beside %v: %t", c.change, c.paper, got)
		}
	}
}

// A sign says little within a standard error of zero.
func TestUnsure(t *testing.T) {
	for _, c := range []struct {
		mean, std float64
		want      bool
	}{{0.08, 0.57, true}, {-0.08, 0.57, true}, {0.2, 0.57, false}, {-0.2, 0.57, false}, {0, 0, false}} {
		if got := (Comparison{Mean: c.mean, Std: c.std}).unsure(10); got != c.want {
			t.Errorf("%g ±%g: %t", c.mean, c.std, got)
		}
	}
}

// The paper's table has its streams once, but for the default that it prints twice.
func TestLaws(t *testing.T) {
	s := Settings{Rows: PaperRows()}
	laws, of := s.laws()
	if len(s.Rows) != 13 || len(laws) != 12 || of[1] != of[5] {
		t.Errorf("%d rows of %d streams, %v", len(s.Rows), len(laws), of)
	}
}
