package baselines

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
)

// total is a method over the sets, in order or shuffled.
type total struct {
	changes      map[string]float64 // by set, mean over streams, in points
	f1           []float64          // change of macro F1, in points
	harmed, long int
	worst        float64 // stream
	worstSet     string
}

func totalOf(r *benchmarks.RealResult, method string, shuffled bool) total {
	t := total{changes: map[string]float64{}, worst: math.Inf(1)}
	least := math.Inf(1)
	for _, set := range r.Sets {
		rows := set.Ordered
		if shuffled {
			rows = set.Shuffled
		}
		for _, row := range rows {
			if row.Method != method {
				continue
			}
			t.changes[set.Name], t.f1 = row.Mean, append(t.f1, row.MacroF1)
			t.harmed, t.long, t.worst = t.harmed+row.Harmed, t.long+row.Long, min(t.worst, row.Worst)
			if row.Mean < least {
				least, t.worstSet = row.Mean, set.Name
			}
		}
	}
	return t
}

// mean returns that of the changes, and its standard error over the sets.
func (t total) mean(r *benchmarks.RealResult) (mean, se float64) {
	var values []float64
	for _, set := range r.Sets { // in their order: sums of floats depend on it
		if v, ok := t.changes[set.Name]; ok {
			values = append(values, v)
		}
	}
	mean, std := stat.MeanStdDev(values, nil)
	return mean, std / math.Sqrt(float64(len(values)))
}

// behind counts the sets on which a method does worse than another.
func (t total) behind(other total) (n int) {
	for set, v := range t.changes {
		if w, ok := other.changes[set]; ok && v < w {
			n++
		}
	}
	return n
}

func overview(r *benchmarks.RealResult, id, title string, methods []benchmarks.Tried, reference string) report.Table {
	t := report.Table{
		ID: id, Title: title,
		Columns: []string{"method", "sets", "in order", "worst set", "harmed", "macro F1", "behind " + reference, "shuffled", "worst stream", "harmed, shuffled"},
	}
	best := totalOf(r, reference, false)
	for _, m := range methods {
		ordered, shuffled := totalOf(r, m.Name, false), totalOf(r, m.Name, true)
		n := len(ordered.changes)
		if n == 0 {
			continue
		}
		behind := report.Text("-")
		if m.Name != reference {
			behind = report.Text(fmt.Sprintf("%d of %d", ordered.behind(best), n))
		}
		worst := report.Num(shuffled.worst, 1)
		worst.Signed = true
		t.AddCells(
			report.Text(m.Name), report.Count(n), change(ordered.mean(r)), report.Text(fmt.Sprintf("%+.2f %s", ordered.changes[ordered.worstSet], ordered.worstSet)),
			report.Text(fmt.Sprintf("%d of %d", ordered.harmed, ordered.long)), report.Points(stat.Mean(ordered.f1, nil)), behind,
			change(shuffled.mean(r)), worst, report.Text(fmt.Sprintf("%d of %d", shuffled.harmed, shuffled.long)),
		)
	}
	return t
}

// change is a mean with its standard error, which a single set has none of.
func change(mean, se float64) report.Cell {
	c := report.Points(mean)
	if se == se {
		c = c.WithStd(se)
	}
	return c
}

// bySet has the change of each method on each set in order, with half of its 95 % interval over streams.
func bySet(r *benchmarks.RealResult, id, title string, methods []benchmarks.Tried) report.Table {
	t := report.Table{
		ID: id, Title: title, Columns: []string{"method"},
		Notes: []string{"In order; ± is half of the 95 % interval over the streams of the set, where it has two or more."},
	}
	base := []report.Cell{report.Text("no filter, accuracy %")}
	for _, set := range r.Sets {
		t.Columns, base = append(t.Columns, set.Name), append(base, report.Num(set.Accuracy, 1))
	}
	t.AddCells(base...)
	for _, m := range methods {
		row := []report.Cell{report.Text(m.Name)}
		for _, set := range r.Sets {
			row = append(row, onSet(set, m.Name))
		}
		t.AddCells(row...)
	}
	return t
}

func onSet(set benchmarks.RealSet, method string) report.Cell {
	for _, row := range set.Ordered {
		if row.Method != method {
			continue
		}
		c := report.Points(row.Mean)
		if row.Interval != nil {
			c = c.WithStd((row.Interval[1] - row.Interval[0]) / 2)
		}
		return c
	}
	return report.Text("-")
}

func intro(r *benchmarks.RealResult) []string {
	streams, items := 0, 0
	for _, set := range r.Sets {
		streams, items = streams+set.Streams, items+set.Items
	}
	out := []string{
		fmt.Sprintf("Sets: %d, of real predictions on real streams; %d streams, %d items, predicted by classifiers that had not seen the people, meetings or places in them. "+
			"Change of accuracy in points against the predictor alone: mean over the streams of a set, then over the sets, ± its standard error over the sets.", len(r.Sets), streams, items),
		fmt.Sprintf("Harmed are streams of %d items or more that lose over a point, of how many such there are; shuffled, each of %d draws counts. Behind counts the sets on which "+
			"a method gains less than the filter as it is by default, causal or smoothed.", benchmarks.LongStream, r.Shuffles),
	}
	if r.Quick {
		out = append(out, "A quick look: of each set a few streams, cut short.")
	}
	return out
}

func notes(r *benchmarks.RealResult) []string {
	out := []string{
		"A population is the labels that the predictor was trained on, or those of the other people of the set: its matrix and frequencies. The hidden Markov models divide predictions by these frequencies; Viterbi on labels takes how often labels of the others in the set were mistaken, which it alone is told. Of a set without others it is left out.",
		"The sets do not say where a sequence of pictures ends: votes take each ten items for one. MegaDetector's rule has the thresholds of its tools.",
		"LAME measures neighbours by predictions, since nothing has the features; its batches are of 64. Label-shift EM has the whole stream and the prior of the training; it takes probabilities for true ones, and where they are not it can give nearly all of a stream to one class.",
	}
	for _, set := range r.Sets {
		if set.Streams == 1 {
			out = append(out, set.Name+" is one stream, and has no interval.")
		}
	}
	return out
}
