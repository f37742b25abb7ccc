package benchmarks

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/datasets"
)

// Order is a collection of real orders of labels, to be replayed with the predictions of a classifier of something else.
type Order struct {
	Name      string
	Sequences []datasets.Sequence
	Person    func(stream string) string // as in Collection
}

// haptHop is the hop of HAPT's windows: 64 samples at 50 Hz, 1.28 seconds.
const haptHop = 64

// ReadOrders reads the real orders below the folder of shared data: a camera, 61 recordings of movement, 20 nights.
func ReadOrders(shared string) ([]*Order, error) {
	camera, err := datasets.ReadCCTSequence(filepath.Join(shared, "data", "cameratrap", "iwildcam2019_cct_loc46_labels.csv"))
	if err != nil {
		return nil, err
	}
	motion, err := datasets.ReadHAPTSequences(filepath.Join(shared, "data", "motion", "hapt_rawdata_acc.tar.gz"), haptHop)
	if err != nil {
		return nil, err
	}
	sleep, err := datasets.ReadHypnograms(filepath.Join(shared, "data", "sleep", "sleep_edf_hypnograms20.tar.gz"))
	if err != nil {
		return nil, err
	}
	return []*Order{
		{"camera (CCT 46)", []datasets.Sequence{camera}, nil},
		{"motion (HAPT)", motion, haptPerson},
		{"sleep (Sleep-EDF)", sleep, sleeper},
	}, nil
}

const permutationDraws = 0x6f617474612d7065

// Replay gives each label of the order a class of the predictor and draws a prediction for each step from the items of that class.
// The most frequent labels get classes of their own, chosen anew for each seed; if there are more labels than classes, the rarest share
// the last. Errors are independent given the labels here, which those of real predictors are not.
func (o *Order) Replay(set *Predictions, seed uint64) (*Collection, error) {
	class := o.classes(set.Classes(), seed)
	c := &Collection{Name: o.Name, Classes: set.Classes(), Person: o.Person, Replay: true}
	for i, s := range o.Sequences {
		labels := make([]int, len(s.Labels))
		for t, label := range s.Labels {
			labels[t] = class[label]
		}
		items, err := datasets.DrawItems(seed<<32|uint64(i), labels, set.Truth)
		if err != nil {
			return nil, fmt.Errorf("benchmarks: %s: %s: %w", o.Name, s.Stream, err)
		}
		c.Streams = append(c.Streams, &Stream{s.Stream, Pick(set.Q, items), labels})
	}
	return c, nil
}

func (o *Order) classes(k int, seed uint64) map[string]int {
	counts := map[string]int{}
	for _, s := range o.Sequences {
		for _, label := range s.Labels {
			counts[label]++
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	permutation := rand.New(rand.NewPCG(seed, permutationDraws)).Perm(k)
	out := map[string]int{}
	for rank, name := range names {
		out[name] = permutation[min(rank, k-1)]
	}
	return out
}

// ReplayResult holds the outcome for every order, method, set of predictions and seed.
type ReplayResult struct {
	Orders []ReplayOrder
	Sets   []string
	Seeds  int
}

// ReplayOrder is the outcome on one order.
type ReplayOrder struct {
	Name    string
	Steps   int
	Base    float64       // accuracy in percent over sets, seeds and streams
	Methods []string      //
	Change  [][][]float64 // [methods][sets][seeds] mean over streams, points
	Streams [][]float64   // [methods][streams] mean over sets and seeds, points
}

// RunReplay runs the filters and the methods in use over all orders with the predictions of all sets, seeds 1, 2, ...
func RunReplay(orders []*Order, sets []*Predictions, seeds, workers int) (*ReplayResult, error) {
	jobs := len(orders) * len(sets) * seeds
	results := make([]*StreamsResult, jobs)
	err := Parallel(workers, jobs, func(job int) error {
		seed, set, order := job%seeds, job/seeds%len(sets), job/seeds/len(sets)
		c, err := orders[order].Replay(sets[set], uint64(seed+1))
		if err != nil {
			return err
		}
		results[job] = RunStreams(c, 1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := &ReplayResult{Seeds: seeds}
	for _, set := range sets {
		r.Sets = append(r.Sets, set.Name)
	}
	for i := range orders {
		per := len(sets) * seeds
		r.Orders = append(r.Orders, gatherReplay(results[i*per:(i+1)*per], len(sets), seeds))
	}
	return r, nil
}

// gatherReplay arranges the results of one order, which come by set and then seed.
func gatherReplay(results []*StreamsResult, sets, seeds int) ReplayOrder {
	first := results[0]
	o := ReplayOrder{Name: first.Name, Steps: first.Steps, Methods: first.Methods}
	for m := range first.Methods {
		change, streams := make([][]float64, sets), make([]float64, len(first.Streams))
		for job, r := range results {
			change[job/seeds] = append(change[job/seeds], stat.Mean(r.Change[m], nil))
			for i, v := range r.Change[m] {
				streams[i] += v / float64(len(results))
			}
		}
		o.Change, o.Streams = append(o.Change, change), append(o.Streams, streams)
	}
	for _, r := range results {
		o.Base += stat.Mean(r.Base, nil) / float64(len(results))
	}
	return o
}

// Cell is a method on one order over all sets; Worst is the worst set.
func (o *ReplayOrder) Cell(method int) Cell {
	perSeed, worst := make([]float64, len(o.Change[method][0])), math.Inf(1)
	for _, change := range o.Change[method] {
		for s, v := range change {
			perSeed[s] += v / float64(len(o.Change[method]))
		}
		worst = min(worst, stat.Mean(change, nil))
	}
	mean, se := meanSE(perSeed)
	return Cell{mean, se, worst}
}

// Table puts the methods on all orders side by side.
func (r *ReplayResult) Table(title string) Table {
	var columns []methodColumn
	for _, o := range r.Orders {
		columns = append(columns, methodColumn{o.Name, o.Base, len(o.Streams[0]), o.Steps, o.Methods, o.text})
	}
	t := methodTable(title, columns)
	t.Notes = []string{
		"A replay: the order of the labels is real, the predictions are ResNet-18's for CIFAR-10-C pictures of a class that stands for the label.",
		fmt.Sprintf("Change in points against the base predictor, mean over streams, %d sets of predictions and %d seeds; in brackets the worst set, then the worst stream; ± is the standard error over seeds.",
			len(r.Sets), r.Seeds),
		"There is but one camera, so it has no population of others.",
	}
	return t
}

func (o *ReplayOrder) text(method string) string {
	m := slices.Index(o.Methods, method)
	if m < 0 {
		return "-"
	}
	c := o.Cell(m)
	return fmt.Sprintf("%s (%s; %s) ±%.2f", points(c.Mean), signed(c.Worst, 1), signed(slices.Min(o.Streams[m]), 1), c.SE)
}
