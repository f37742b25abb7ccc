package baselines

import (
	"encoding/json"
	"errors"
	"flag"
	"testing"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/testdata"
)

// The sets of people in short: every method has its row, the same on any number of cores, and the filter is the one that does no harm to
// what is shuffled.
func TestStudy(t *testing.T) {
	sets, err := benchmarks.ReadRealCollections(testdata.Tree(t, testdata.RealPredictions...))
	if err != nil {
		t.Fatal(err)
	}
	run := func(workers int) report.Section {
		s, err := Run(t.Context(), sets, benchmarks.RealSettings{Quick: true, Shuffles: 1, Resamples: 20, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	section := run(1)
	for i, want := range []int{len(causal()), len(waiting()), 1 + len(causal()), 1 + len(waiting())} {
		table := section.Tables[i]
		if len(table.Rows) != want {
			t.Errorf("%s: %d rows, want %d", table.ID, len(table.Rows), want)
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: %d cells in %d columns", table.ID, len(row), len(table.Columns))
			}
		}
	}
	for _, table := range section.Tables[:2] {
		for _, row := range table.Rows {
			name, shuffled := row[0].Text, float64(*row[7].Value)
			filter := name == ours || name == oursSmoothed
			if filter && shuffled < -0.1 || name == "centred vote of 5" && shuffled > -1 {
				t.Errorf("%s, shuffled: %+.2f", name, shuffled)
			}
		}
	}
	if got, want := text(t, run(2)), text(t, section); got != want {
		t.Errorf("with two workers:\n%s\nwant\n%s", got, want)
	}
}

func text(t *testing.T, s report.Section) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Sets that are not there are told, and methods are not the caller's to choose.
func TestRefusals(t *testing.T) {
	flags := flag.NewFlagSet("baselines", flag.ContinueOnError)
	run := Study().Declare(report.Flags{FlagSet: flags})
	if err := flags.Parse([]string{"-shared", t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	var missing *report.MissingError
	if _, err := run(t.Context(), report.Host{}); !errors.As(err, &missing) {
		t.Errorf("no data: %v", err)
	}
	if _, err := Run(t.Context(), nil, benchmarks.RealSettings{Methods: []string{"auto"}}); err == nil {
		t.Error("a method by name passed")
	}
}
