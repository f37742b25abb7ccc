package movement

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

// sample is five minutes of one of the people.
var sample = filepath.Join(testdata.Root(), "datasets", "samples", "walk.csv.gz")

func tables(t *testing.T, s Settings) string {
	t.Helper()
	s.Purity = 0.5
	var b bytes.Buffer
	tables, err := Run(t.Context(), orttest.Engine(t), s)
	if err == nil {
		err = report.WriteMarkdown(&b, []report.Section{{Tables: tables}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// All five predictors go through the study, twice with the same numbers.
func TestStudy(t *testing.T) {
	s := Settings{Data: sample, People: "(walk)", Shuffles: 2}
	first := tables(t, s)
	for _, want := range []string{"## In order", "## Shuffled", "## By person, base", "| base ", "| mc-dropout ", "| ttaug ", "| tent ", "| memo ", "| walk ", "233 windows of 1 recordings", "mean of 2 draws"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	s.Runs = 2
	if again := tables(t, s); again != first {
		t.Errorf("with two runs at a time:\n%s\nwant\n%s", again, first)
	}
}

// An order without meaning keeps every recording's windows together.
func TestShuffled(t *testing.T) {
	dir := t.TempDir()
	for name, period := range map[string]float64{"a": 25, "b": 40} {
		var b strings.Builder
		b.WriteString("time,x,y,z,label\n")
		for i := range 3000 {
			fmt.Fprintf(&b, "%.2f,%.4f,0.1,0.1,walking\n", float64(i)/50, 1+0.2*math.Sin(float64(i)/period))
		}
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, in, err := open(t.Context(), Settings{Data: dir, People: `^(.*)\.csv$`})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	one, other := s.shuffled(1), s.shuffled(2)
	if slices.Equal(one, s.order) || slices.Equal(one, other) || !slices.Equal(one, s.shuffled(1)) {
		t.Errorf("%v, %v", one, other)
	}
	half := len(one) / 2
	for _, part := range [][]int{one[:half], one[half:]} {
		if stream := in.Items()[part[0]].Stream; slices.ContainsFunc(part, func(i int) bool { return in.Items()[i].Stream != stream }) {
			t.Errorf("windows of another recording among those of %s", stream)
		}
	}
	slices.Sort(one)
	if !slices.Equal(one, s.order) {
		t.Error("windows were lost")
	}
}

func TestRefusals(t *testing.T) {
	for name, s := range map[string]Settings{
		"no draw":             {Data: sample, People: "(walk)"},
		"no group":            {Data: sample, People: "walk", Shuffles: 1},
		"no expression":       {Data: sample, People: "(walk", Shuffles: 1},
		"nobody":              {Data: sample, Shuffles: 1},
		"a model of pictures": {Data: sample, People: "(walk)", Shuffles: 1, Model: "resnet20-cifar10"},
		"no data":             {Data: t.TempDir(), People: "(walk)", Shuffles: 1},
	} {
		if _, err := Run(t.Context(), nil, s); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}
