package hindsight

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
)

// Settings say what is measured.
type Settings struct {
	Shared  string   // folder of shared data
	Sets    []string // of CIFAR predictions for the controlled streams; AllSets alone: all of them; nil: no controlled streams
	Seeds   int      // controlled streams drawn of each kind
	Steps   int      // their length
	Workers int      // streams that run at a time; 0: one for each core
	Details bool     // tell of every real stream, and what its hypotheses weigh
}

// AllSets stands for all sets of CIFAR predictions.
const AllSets = "all"

// Run returns a table for each real set, and one of the controlled streams.
func Run(s Settings) ([]report.Table, error) {
	tables, err := realTables(s.Shared, s.Details)
	if err != nil || len(s.Sets) == 0 {
		return tables, err
	}
	all, err := benchmarks.ReadCIFARSets(s.Shared)
	if err != nil {
		return nil, err
	}
	var chosen []*benchmarks.Predictions
	for _, p := range all.Corrupted {
		if slices.Equal(s.Sets, []string{AllSets}) || slices.Contains(s.Sets, p.Name) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("hindsight: sets %q: no such corruption among the ready predictions", s.Sets)
	}
	last, err := controlled(chosen, s)
	return append(tables, last), err
}
