package hindsight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
)

func realTables(shared string, details bool) (tables []report.Table, err error) {
	sets, err := benchmarks.ReadRealCollections(shared)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		t, err := realTable(set, details)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// realTable has the change in points, mean over the streams and worst stream, of each method.
func realTable(set *benchmarks.Collection, details bool) (report.Table, error) {
	m, streams := methods(), set.Streams
	base, change := 0.0, make([][]float64, len(m))
	for _, s := range streams {
		score := scores(m, s.Q, s.Truth)
		base += score[0] / float64(len(streams))
		for i, v := range score {
			change[i] = append(change[i], v-score[0])
		}
	}
	table := report.Table{
		Title:   fmt.Sprintf("%s, %d recordings, base %.2f %%", set.Name, len(streams), base),
		Columns: []string{"method", "mean", "worst", "harmed"},
	}
	for i := 1; i < len(m); i++ {
		harmed := 0
		for _, v := range change[i] {
			if v < 0 {
				harmed++
			}
		}
		table.Add(m[i].Name, fmt.Sprintf("%+.2f", mean(change[i])), fmt.Sprintf("%+.2f", slices.Min(change[i])), fmt.Sprint(harmed))
	}
	if !details {
		return table, nil
	}
	notes, err := weights(streams, m, change)
	table.Notes = notes
	return table, err
}

// weights tells, for each recording, what each method changed and the heaviest hypotheses.
func weights(streams []*benchmarks.Stream, m []benchmarks.Method, change [][]float64) (notes []string, err error) {
	for i, s := range streams {
		var b strings.Builder
		fmt.Fprintf(&b, "%s:", s.Name)
		for k := 1; k < len(m); k++ {
			fmt.Fprintf(&b, " %s %+.2f", m[k].Name, change[k][i])
		}
		out := make([][]float64, len(s.Q))
		for t, row := range s.Q {
			out[t] = make([]float64, len(row))
		}
		r, err := adapt.Smooth(len(s.Q[0]), adapt.Settings{}, out, s.Q)
		if err != nil {
			return nil, err
		}
		b.WriteString(";")
		for _, h := range r.Hypotheses[:3] {
			fmt.Fprintf(&b, " %s a=%g e=%g T=%.2f: %.3f;", h.Kind, h.Stay, h.Error, h.Temperature, h.Weight)
		}
		notes = append(notes, b.String())
	}
	return notes, nil
}

// scores returns the accuracy of each method in percent.
func scores(m []benchmarks.Method, q [][]float64, truth []int) []float64 {
	out, labels := make([]float64, len(m)), make([]int, len(q))
	for i, one := range m {
		one.Label(labels, q)
		out[i] = benchmarks.Accuracy(labels, truth)
	}
	return out
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}
