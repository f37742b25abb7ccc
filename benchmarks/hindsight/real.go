package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
)

// stream is one recording with its labels.
type stream struct {
	name  string
	q     [][]float64
	truth []int
}

// The classes of the real predictions, in the order of their probabilities.
var (
	activities = []string{"walking", "walking_upstairs", "walking_downstairs", "sitting", "standing", "laying"}
	stages     = []string{"W", "N1", "N2", "N3", "R"}
)

type realSet struct {
	file   string
	labels []string
}

func realSets() []realSet {
	return []realSet{{"hapt_lr.jsonl.gz", activities}, {"hapt_lr_noisy.jsonl.gz", activities}, {"sleep_lr.jsonl.gz", stages}}
}

func realTables(w io.Writer, shared string, details bool) error {
	for _, set := range realSets() {
		streams, err := readStreams(filepath.Join(shared, "data", "predictions", set.file), set.labels)
		if err != nil {
			return err
		}
		if err := realTable(w, set.file, streams, details); err != nil {
			return err
		}
	}
	return nil
}

// readStreams reads JSON lines with stream, probs and label, streams in the order in which they begin.
func readStreams(name string, labels []string) ([]*stream, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out []*stream
	by := map[string]*stream{}
	lines := bufio.NewScanner(z)
	for n := 1; lines.Scan(); n++ {
		var item struct {
			Stream, Label string
			Probs         []float64
		}
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		truth := slices.Index(labels, item.Label)
		if truth < 0 || len(item.Probs) != len(labels) {
			return nil, fmt.Errorf("%s:%d: label %q and %d probabilities: want %v", name, n, item.Label, len(item.Probs), labels)
		}
		s := by[item.Stream]
		if s == nil {
			s = &stream{name: item.Stream}
			by[item.Stream] = s
			out = append(out, s)
		}
		s.q, s.truth = append(s.q, item.Probs), append(s.truth, truth)
	}
	return out, lines.Err()
}

// realTable prints the change in points, mean over the streams and worst stream, of each method.
func realTable(w io.Writer, title string, streams []*stream, details bool) error {
	m := methods()
	base, change := 0.0, make([][]float64, len(m))
	for _, s := range streams {
		score := scores(m, s.q, s.truth)
		base += score[0] / float64(len(streams))
		for i, v := range score {
			change[i] = append(change[i], v-score[0])
		}
	}
	table := benchmarks.Table{
		Title:   fmt.Sprintf("%s, %d recordings, base %.2f %%", title, len(streams), base),
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
	if err := table.WriteMarkdown(w); err != nil {
		return err
	}
	if details {
		return weights(w, streams, m, change)
	}
	return nil
}

// weights prints, for each recording, what each method changed and the heaviest hypotheses.
func weights(w io.Writer, streams []*stream, m []benchmarks.Method, change [][]float64) error {
	for i, s := range streams {
		fmt.Fprintf(w, "%s:", s.name)
		for k := 1; k < len(m); k++ {
			fmt.Fprintf(w, " %s %+.2f", m[k].Name, change[k][i])
		}
		r, err := adapt.Smooth(classes(s.q), adapt.Settings{}, like(s.q), s.q)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n   ")
		for _, h := range r.Hypotheses[:3] {
			fmt.Fprintf(w, " %s a=%g e=%g T=%.2f: %.3f;", h.Kind, h.Stay, h.Error, h.Temperature, h.Weight)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// scores returns the accuracy of each method in percent.
func scores(m []benchmarks.Method, q [][]float64, truth []int) []float64 {
	out, labels := make([]float64, len(m)), make([]int, len(q))
	for i, one := range m {
		one.Label(labels, q)
		hits := 0
		for t, y := range truth {
			if labels[t] == y {
				hits++
			}
		}
		out[i] = 100 * float64(hits) / float64(len(q))
	}
	return out
}

func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}
