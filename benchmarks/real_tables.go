package benchmarks

import (
	"fmt"
	"io"

	"gonum.org/v1/gonum/stat"
)

// Write writes the result as text, Markdown (md) or JSON.
func (r *RealResult) Write(w io.Writer, format string) error {
	if format == "json" {
		return writeJSON(w, r)
	}
	return writeTables(w, format, r.Tables())
}

// Tables returns two for each set, in order and shuffled, then the overview and the goals.
func (r *RealResult) Tables() (tables []Table) {
	for _, set := range r.Sets {
		tables = append(tables, set.table("in order", set.Ordered), set.table(fmt.Sprintf("shuffled, %d draws of each stream", r.Shuffles), set.Shuffled))
	}
	return append(tables, r.overview(), r.Goals.table())
}

func (s *RealSet) table(order string, rows []RealRow) Table {
	t := Table{
		Title: fmt.Sprintf("%s, %s: %d streams, %d items, %d classes; base %.1f %%, macro F1 %.1f %%",
			s.Name, order, s.Streams, s.Items, len(s.Classes), s.Accuracy, s.MacroF1),
		Columns: []string{"method", "change", "95 % interval", "worst", "harmed", "macro F1", "ECE"},
	}
	for _, r := range rows {
		interval, ece := "-", "-"
		if r.Interval != nil {
			interval = points(r.Interval[0]) + " to " + points(r.Interval[1])
		}
		if r.ECE != nil {
			ece = fmt.Sprintf("%.3f", *r.ECE)
		}
		t.Add(r.Method, points(r.Mean), interval, signed(r.Worst, 1), fmt.Sprintf("%d of %d", r.Harmed, r.Long), points(r.MacroF1), ece)
	}
	if s.Other != "" {
		t.Notes = []string{"The other population is that of " + s.Other + "."}
	}
	return t
}

// overview has a row for each method: means over the sets.
func (r *RealResult) overview() Table {
	t := Table{
		Title:   fmt.Sprintf("Overview, mean over %d sets", len(r.Sets)),
		Columns: []string{"method", "sets", "in order", "worst set", "harmed", "macro F1", "ECE", "shuffled", "worst set", "worst stream", "harmed"},
	}
	for _, method := range r.Methods {
		ordered, shuffled := r.rowsOf(method, false), r.rowsOf(method, true)
		if len(ordered) == 0 {
			continue
		}
		row := append([]string{method, fmt.Sprint(len(ordered))}, meansOver(ordered)...)
		row = append(row, points(over(ordered, func(r RealRow) float64 { return r.MacroF1 })), meanECE(ordered))
		means := meansOver(shuffled)
		_, worst := least(shuffled, func(r RealRow) float64 { return r.Worst })
		t.Add(append(row, means[0], means[1], signed(worst, 1), means[2])...)
	}
	t.Notes = realNotes(r.Shuffles)
	if r.Quick {
		t.Notes = append(t.Notes, fmt.Sprintf("A quick look: of each set %d streams, of each stream the first %d items.", quickStreams, quickItems))
	}
	return t
}

// meansOver returns mean, worst mean, and how many streams are harmed of how many.
func meansOver(rows []setRow) []string {
	harmed, long := 0, 0
	for _, r := range rows {
		harmed, long = harmed+r.Harmed, long+r.Long
	}
	change := func(r RealRow) float64 { return r.Mean }
	set, worst := least(rows, change)
	return []string{points(over(rows, change)), points(worst) + " " + set, fmt.Sprintf("%d/%d", harmed, long)}
}

func over(rows []setRow, of func(r RealRow) float64) float64 {
	var values []float64
	for _, r := range rows {
		values = append(values, of(r.RealRow))
	}
	return stat.Mean(values, nil)
}

func meanECE(rows []setRow) string {
	if rows[0].ECE == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", over(rows, func(r RealRow) float64 { return *r.ECE }))
}

func realNotes(shuffles int) []string {
	return []string{
		"Changes are in points against the base predictor, mean over streams; macro F1 and ECE (the method's, 15 bins) are over the items of all streams of a set. Methods that give labels alone have no ECE.",
		fmt.Sprintf("Harmed are streams of %d items or more that lose over a point, of how many such there are. Of shuffled streams each of the %d draws counts by itself there and in the worst.",
			LongStream, shuffles),
		"Intervals are over streams, each drawn with all of its shuffles.",
		fmt.Sprintf("A population is the labels that the predictor of the stream was trained on, or those of the set's other people: rows (counts + b f)/(count + b) with f the class frequencies and b = %d. "+
			"Permuted: with every class renamed to the next. With frequencies: these alone, as the prior of the classes.", MatrixStrength),
		fmt.Sprintf("Not causal: lags wait for ten items, the centred vote for two, LAME for the end of its batch of %d; what is smoothed, and Viterbi, sees the whole stream. "+
			"The HMM's likelihoods are q over the population's frequencies.", lameBatch),
	}
}

func (g RealGoals) table() Table {
	t := Table{Title: "Goals, tried on " + g.Method, Columns: []string{"goal", "holds", "measured"}}
	for _, goal := range g.Goals {
		holds := "yes"
		if !goal.Holds {
			holds = "NO"
		}
		t.Add(goal.Goal, holds, goal.Measured)
	}
	if len(g.Goals) == 0 {
		t.Notes = []string{"The method was not run."}
	}
	return t
}
