package benchmarks

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// realFiles are the ready predictions on real streams, with the classes in the order of their probabilities.
var realFiles = []struct {
	name, file string
	classes    []string
	person     func(stream string) string
}{
	{"HAPT", "hapt_lr", haptClasses, nil},
	{"HAPT, noisy", "hapt_lr_noisy", haptClasses, nil},
	{"sleep", "sleep_lr", []string{"W", "N1", "N2", "N3", "R"}, sleeper},
}

var haptClasses = []string{"walking", "walking_upstairs", "walking_downstairs", "sitting", "standing", "laying"}

// sleeper is the person of a Sleep-EDF recording, SC4ssN: the last digit is the night. The letters after it, if any, are of scorers.
func sleeper(stream string) string { return stream[:min(5, len(stream))] }

// ReadRealCollections reads data/predictions/*.jsonl.gz below the folder of shared data: logistic regressions on HAPT windows and on
// sleep features, tested on people whom they were not trained on.
func ReadRealCollections(shared string) ([]*Collection, error) {
	var out []*Collection
	for _, f := range realFiles {
		streams, err := ReadStreams(filepath.Join(shared, "data", "predictions", f.file+".jsonl.gz"), f.classes)
		if err != nil {
			return nil, err
		}
		out = append(out, &Collection{Name: f.name, File: f.file, Classes: len(f.classes), Labels: f.classes, Streams: streams, Person: f.person})
	}
	return out, nil
}

// StreamsTable puts the methods on real streams side by side.
func StreamsTable(title string, results []*StreamsResult) Table {
	var columns []methodColumn
	for _, r := range results {
		columns = append(columns, methodColumn{r.Name, stat.Mean(r.Base, nil), len(r.Streams), r.Steps, r.Methods, r.cell})
	}
	t := methodTable(title, columns)
	t.Notes = []string{
		"Change in points against the base predictor: mean over streams, the worst stream in brackets, then the number of streams that lose more than a point.",
		"The population's matrix and frequencies are counted on the labels of the other people of the collection, which no other method sees.",
	}
	return t
}

// methodColumn is a collection of streams in a table whose rows are methods.
type methodColumn struct {
	name           string
	base           float64 // accuracy in percent
	streams, steps int
	methods        []string
	cell           func(method string) string
}

// methodTable puts methods on several collections side by side, each method in the place where it first occurs.
func methodTable(title string, columns []methodColumn) Table {
	t := Table{Title: title, Columns: []string{"method"}}
	base, number := []string{"base, accuracy %"}, []string{"streams (steps)"}
	var methods []string
	for _, c := range columns {
		t.Columns = append(t.Columns, c.name)
		base = append(base, fmt.Sprintf("%.1f", c.base))
		number = append(number, fmt.Sprintf("%d (%d)", c.streams, c.steps))
		for _, m := range c.methods {
			if !slices.Contains(methods, m) {
				methods = append(methods, m)
			}
		}
	}
	t.Add(number...)
	t.Add(base...)
	for _, m := range methods {
		row := []string{m}
		for _, c := range columns {
			row = append(row, c.cell(m))
		}
		t.Add(row...)
	}
	return t
}

func (r *StreamsResult) cell(method string) string {
	for _, s := range r.Summaries() {
		if s.Method == method {
			return fmt.Sprintf("%s, %d", withWorst(s.Mean, s.Worst), s.Harmed)
		}
	}
	return "-"
}

// haptPerson is the person of a recording named exp01_user01.
func haptPerson(stream string) string {
	_, person, _ := strings.Cut(stream, "_")
	return person
}
