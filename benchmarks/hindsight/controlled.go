package hindsight

import (
	"fmt"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/datasets"
)

// controlled has, for each method, its change in points on each controlled stream, mean over sets and seeds.
func controlled(sets []*benchmarks.Predictions, s Settings) (report.Table, error) {
	m, laws := methods(), benchmarks.PaperStreams()
	sums, err := sweep(sets, m, laws, s)
	if err != nil {
		return report.Table{}, err
	}
	table := report.Table{
		Title:   fmt.Sprintf("controlled streams, %d sets of predictions, T = %d, %d seeds", len(sets), s.Steps, s.Seeds),
		Columns: []string{"method"},
	}
	for _, law := range laws {
		table.Columns = append(table.Columns, law.Name)
	}
	for i := 1; i < len(m); i++ {
		row := []string{m[i].Name}
		for l := range laws {
			row = append(row, fmt.Sprintf("%+.2f", (sums[l][i]-sums[l][0])/float64(len(sets)*s.Seeds)))
		}
		table.Add(row...)
	}
	return table, nil
}

// sweep returns the accuracies summed over sets and seeds, by law and method. The sums do not depend on the number of workers.
func sweep(sets []*benchmarks.Predictions, m []benchmarks.Method, laws []datasets.Controlled, s Settings) ([][]float64, error) {
	type job struct{ law, set, seed int }
	var jobs []job
	for l := range laws {
		for set := range sets {
			for seed := range s.Seeds {
				jobs = append(jobs, job{l, set, seed})
			}
		}
	}
	got := make([][]float64, len(jobs))
	if err := benchmarks.Parallel(s.Workers, len(jobs), func(i int) (err error) {
		j := jobs[i]
		got[i], err = one(sets[j.set], m, laws[j.law], uint64(j.seed+1), s.Steps)
		return err
	}); err != nil {
		return nil, err
	}
	sums := make([][]float64, len(laws))
	for i, j := range jobs {
		if sums[j.law] == nil {
			sums[j.law] = make([]float64, len(m))
		}
		for k, v := range got[i] {
			sums[j.law][k] += v
		}
	}
	return sums, nil
}

// one returns the accuracies on one stream.
func one(set *benchmarks.Predictions, m []benchmarks.Method, law datasets.Controlled, seed uint64, steps int) ([]float64, error) {
	truth := law.Labels(seed, set.Classes(), steps)
	items, err := datasets.DrawItems(seed, truth, set.Truth)
	if err != nil {
		return nil, err
	}
	return scores(m, benchmarks.Pick(set.Q, items), truth), nil
}
