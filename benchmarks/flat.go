package benchmarks

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets"
)

// FlatResult tells how auto does on predictions that claim less than they know: those of the corruptions, q^(1/f) for a few f.
type FlatResult struct {
	Factors []float64  `json:"factors"`
	Streams []string   `json:"streams"`
	Methods []string   `json:"methods"`
	Cells   [][][]Cell `json:"change"` // [factors][methods][streams], over the sets
}

// flatFactors leave the over-confident predictions as they are, make them about right, and make them claim too little.
var flatFactors = []float64{1, 2, 4, 8}

// flatStreams are without order, with some, with much, and a cycle.
func flatStreams() []datasets.Controlled {
	return []datasets.Controlled{datasets.S1(), datasets.S2(0.5), datasets.S2(0.7), datasets.S2(0.9), datasets.S2(0.98), datasets.S3()}
}

// flatMethods are auto, and auto that does not sharpen predictions.
func flatMethods() []Method {
	unsharpened := adapt.DefaultAuto()
	unsharpened.Confidence = 0
	return []Method{Filter("auto", adapt.Settings{}), Filter("auto, not sharpened", adapt.Settings{Auto: &unsharpened})}
}

// RunFlat runs the flattened predictions of the sets on controlled streams; each set's change is the mean over the seeds.
func RunFlat(sets []*Predictions, s ControlledSettings) (*FlatResult, error) {
	s, err := s.resolved()
	if err != nil {
		return nil, err
	}
	streams, methods := flatStreams(), append([]Method{Base()}, flatMethods()...)
	r := &FlatResult{Factors: flatFactors}
	for _, stream := range streams {
		r.Streams = append(r.Streams, stream.Name)
	}
	for _, m := range methods[1:] {
		r.Methods = append(r.Methods, m.Name)
	}
	changes := make([][]float64, len(flatFactors)*len(streams)*len(sets)) // [methods] of each
	err = Parallel(s.Workers, len(changes), func(job int) error {
		set := sets[job%len(sets)]
		stream, factor := streams[job/len(sets)%len(streams)], flatFactors[job/len(sets)/len(streams)]
		change, err := flatJob(set, factor, stream, methods, s)
		changes[job] = change
		return err
	})
	if err != nil {
		return nil, err
	}
	for f := range flatFactors {
		var rows [][]Cell
		for m := range r.Methods {
			var row []Cell
			for i := range streams {
				at := (f*len(streams) + i) * len(sets)
				row = append(row, cellOf(changes[at:at+len(sets)], m))
			}
			rows = append(rows, row)
		}
		r.Cells = append(r.Cells, rows)
	}
	return r, nil
}

// flatJob returns each method's change in points, the mean over the seeds.
func flatJob(set *Predictions, factor float64, stream datasets.Controlled, methods []Method, s ControlledSettings) ([]float64, error) {
	change := make([]float64, len(methods)-1)
	flat := &Predictions{Q: (&Predictions{Q: set.Q}).Tempered(factor), Truth: set.Truth}
	err := eachSeed(flat, stream, methods, s, func(_ int, a []float64) {
		for m := range change {
			change[m] += (a[m+1] - a[0]) / float64(s.Seeds)
		}
	})
	return change, err
}

// eachSeed calls do with the accuracies of the methods, in percent, on each draw of a stream.
func eachSeed(set *Predictions, stream datasets.Controlled, methods []Method, s ControlledSettings, do func(seed int, accuracies []float64)) error {
	for seed := range s.Seeds {
		labels := stream.Labels(uint64(seed+1), set.Classes(), s.Steps)
		items, err := datasets.DrawItems(uint64(seed+1), labels, set.Truth)
		if err != nil {
			return err
		}
		do(seed, accuracies(methods, Pick(set.Q, items), labels))
	}
	return nil
}

// cellOf returns mean and worst of a method over the sets.
func cellOf(changes [][]float64, method int) Cell {
	c := Cell{Worst: math.Inf(1)}
	for _, change := range changes {
		c.Mean += change[method] / float64(len(changes))
		c.Worst = min(c.Worst, change[method])
	}
	return c
}

// Table puts the factors and methods side by side.
func (r *FlatResult) Table(title string) Table {
	t := Table{Title: title, Columns: append([]string{"q to the power of", "method"}, r.Streams...)}
	for f, factor := range r.Factors {
		for m, name := range r.Methods {
			row := []string{fmt.Sprintf("1/%g", factor), name}
			for _, c := range r.Cells[f][m] {
				row = append(row, fmt.Sprintf("%+.2f (%+.1f)", c.Mean, c.Worst))
			}
			t.Add(row...)
		}
	}
	t.Notes = []string{"Change in points against the base predictor: mean over the sets, the worst set in brackets. The predictions as they are, at 1/1, claim too much; about 1/2 is right; under that they claim too little."}
	return t
}
