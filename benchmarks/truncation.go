package benchmarks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/predictions"
)

// TruncationSettings says what lists are tried.
type TruncationSettings struct {
	Shared  string
	Steps   int // labels of a stream
	Seeds   int // streams of each kind
	Workers int
}

// truncatedTo are the lengths of the lists; declared are the classes of a document beside the ten of the predictor, that never get a probability.
var (
	truncatedTo = []int{1, 2, 3, 5}
	declared    = []int{10, 2000}
)

// RunTruncation cuts predictions of controlled streams to lists of the top few classes, as camera-trap tools write them, and compares the change
// of accuracy by the filter with that on whole vectors. Where ten classes are declared, the filter has all of them; of 2,000, those that the
// lists name, and one for the others. The sets are fifteen corruptions of CIFAR-10 and its test set.
func RunTruncation(s TruncationSettings) (Table, error) {
	sets, err := ReadCIFARSets(s.Shared)
	if err != nil {
		return Table{}, err
	}
	all := append(slices.Clone(sets.Corrupted), sets.Test[0])
	streams := []datasets.Controlled{datasets.S1(), datasets.S2(0.5), datasets.S2(0.9), datasets.S2(0.98), datasets.S3()}
	table := Table{
		Title:   "Lists of the top few classes: change of accuracy by the filter, points (worst set); labels that are those of whole vectors, percent",
		Columns: []string{"stream", "declared", "whole vectors"},
		Notes:   []string{fmt.Sprintf("Mean of %d sets and %d seeds, streams of %d labels; in brackets the set that gains least.", len(all), s.Seeds, s.Steps)},
	}
	for _, top := range truncatedTo {
		table.Columns = append(table.Columns, fmt.Sprintf("top %d", top), "agree")
	}
	for _, stream := range streams {
		for _, classes := range declared {
			if err := s.row(&table, all, stream, classes); err != nil {
				return Table{}, err
			}
		}
	}
	return table, nil
}

// row adds what comes of one kind of stream.
func (s TruncationSettings) row(table *Table, sets []*Predictions, stream datasets.Controlled, classes int) error {
	cells := make([]truncated, len(sets)*s.Seeds)
	err := Parallel(s.Workers, len(cells), func(job int) (err error) {
		cells[job], err = truncate(sets[job/s.Seeds], stream, uint64(job%s.Seeds+1), s.Steps, classes)
		return err
	})
	if err != nil {
		return err
	}
	change := func(of func(c truncated) float64) string {
		mean, worst := 0.0, math.Inf(1)
		for set := range sets {
			one := 0.0
			for _, c := range cells[set*s.Seeds : (set+1)*s.Seeds] {
				one += of(c) / float64(s.Seeds)
			}
			mean += one / float64(len(sets))
			worst = min(worst, one)
		}
		return fmt.Sprintf("%+.2f (%+.2f)", mean, worst)
	}
	row := []string{stream.Name, strconv.Itoa(classes), change(func(c truncated) float64 { return c.whole })}
	for k := range truncatedTo {
		agree := 0.0
		for _, c := range cells {
			agree += c.agree[k] / float64(len(cells))
		}
		row = append(row, change(func(c truncated) float64 { return c.change[k] }), fmt.Sprintf("%.1f", agree))
	}
	table.Add(row...)
	return nil
}

// truncated is what came of one stream: changes in points, by the length of the lists.
type truncated struct {
	whole         float64
	change, agree []float64
}

func truncate(set *Predictions, stream datasets.Controlled, seed uint64, steps, classes int) (out truncated, err error) {
	truth := stream.Labels(seed, set.Classes(), steps)
	items, err := datasets.DrawItems(seed, truth, set.Truth)
	if err != nil {
		return out, err
	}
	q := Pick(set.Q, items)
	whole, base := make([]int, len(q)), make([]int, len(q))
	Filter("auto", adapt.Settings{}).Label(whole, q)
	Base().Label(base, q)
	before := Accuracy(base, truth)
	out.whole = Accuracy(whole, truth) - before
	for _, top := range truncatedTo {
		cut, err := listed(q, top, classes)
		if err != nil {
			return out, err
		}
		out.change = append(out.change, Accuracy(cut, truth)-before)
		out.agree = append(out.agree, Accuracy(cut, whole))
	}
	return out, nil
}

// listed filters predictions that a MegaDetector document holds as lists, with so many classes declared, and returns the labels.
func listed(q [][]float64, top, classes int) ([]int, error) {
	text, err := documentOf(q, top, classes)
	if err != nil {
		return nil, err
	}
	d, err := predictions.ReadDocument("lists", bytes.NewReader(text), predictions.FormatMegaDetector, predictions.Options{})
	if err != nil {
		return nil, err
	}
	settings := adapt.Settings{}
	if d.Space(0).Single {
		settings = settings.TopOnly()
	}
	f, err := adapt.New(d.Space(0).Len(), settings)
	if err != nil {
		return nil, err
	}
	out := make([]int, d.Len())
	dst, probs := make([]float64, f.Classes()), make([]float64, f.Classes())
	var restored []float64
	for i := range d.Len() {
		item, err := d.Item(i, probs)
		if err != nil {
			return nil, err
		}
		if _, err := adapt.Normalise(item.Probs, f.Classes()); err != nil {
			return nil, err
		}
		f.Step(dst, item.Probs)
		restored = d.Space(i).Restore(restored, dst, item.Probs)
		name, _ := d.Label(i, restored, -1)
		if out[i], err = strconv.Atoi(name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// documentOf writes the top classes of each prediction, and that there are so many.
func documentOf(q [][]float64, top, classes int) ([]byte, error) {
	type detection struct {
		Classifications [][2]any `json:"classifications"`
	}
	type image struct {
		File       string      `json:"file"`
		Detections []detection `json:"detections"`
	}
	names, images := map[string]string{}, make([]image, len(q))
	for c := range classes {
		names[strconv.Itoa(c)] = strconv.Itoa(c)
	}
	order := make([]int, len(q[0]))
	for i, p := range q {
		for c := range order {
			order[c] = c
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
		var list [][2]any
		for _, c := range order[:top] {
			list = append(list, [2]any{strconv.Itoa(c), p[c]})
		}
		images[i] = image{fmt.Sprintf("s/%06d.jpg", i), []detection{{list}}}
	}
	return json.Marshal(map[string]any{"images": images, "classification_categories": names})
}
