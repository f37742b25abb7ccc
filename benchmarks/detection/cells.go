package detection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/calibration"
	"github.com/oatta/oatta/internal/results"
)

// stream is one stream of predictions [steps][classes] with their truth.
type stream struct {
	q     [][]float64
	truth []int
}

// cell is predictions of one predictor in one order.
type cell struct {
	name, law   string // law: of the labels of a controlled stream
	streams     []stream
	temperature float64 // that the labels want, of the predictions as they are here
	calibrated  bool    // made so by that temperature
	sticky      bool    // labels stay, as in S2, or the order is real
	orderless   bool
}

// outcome is what the filter and the watch made of a cell; gains are in points of accuracy against the settings without temperature.
type outcome struct {
	cell
	warned       bool
	best, remedy float64 // gain of the best temperature of hotter, and of what the warning advises
	hotter       float64 // what the watch found
	nats         float64
}

func (o outcome) String() string {
	return fmt.Sprintf("%s: T %.2f, best %+.2f, warned %t (T %.2f by %.3f nats), remedy %+.2f", o.name, o.temperature, o.best, o.warned, o.hotter, o.nats, o.remedy)
}

// hotter are the temperatures that are tried for the best.
var hotter = []float64{1.5, 2, 3, 4, 6}

func (c cell) measure(gate adapt.Gate) (outcome, error) {
	o := outcome{cell: c, best: math.Inf(-1)}
	plain, err := c.accuracy(adapt.Settings{Gate: gate})
	if err != nil {
		return o, err
	}
	for _, t := range hotter {
		a, err := c.accuracy(adapt.Settings{Gate: gate, Temperature: t})
		if err != nil {
			return o, err
		}
		o.best = max(o.best, a-plain)
	}
	w, err := adapt.NewStarvation(len(c.streams[0].q[0]), adapt.Settings{Gate: gate})
	if err != nil {
		return o, err
	}
	for i, s := range c.streams {
		for _, q := range s.q {
			w.Add(fmt.Sprint(i), q)
		}
	}
	o.hotter, o.nats, _, o.warned = w.Hotter()
	if o.warned {
		a, err := c.accuracy(adapt.Settings{Gate: gate, Temperature: w.Remedy()})
		if err != nil {
			return o, err
		}
		o.remedy = a - plain
	}
	return o, nil
}

// accuracy is that of the filter over all items, in percent.
func (c cell) accuracy(s adapt.Settings) (float64, error) {
	hits, items := 0, 0
	f, err := adapt.New(len(c.streams[0].q[0]), s)
	if err != nil {
		return 0, err
	}
	out := make([]float64, f.Classes())
	for _, s := range c.streams {
		f.Reset()
		for t, q := range s.q {
			f.Step(out, q)
			if label, _ := results.Top(out); label == s.truth[t] {
				hits++
			}
		}
		items += len(s.q)
	}
	return 100 * float64(hits) / float64(items), nil
}

// allCells are the predictions in every order, each as they are and calibrated.
func allCells(shared string, seeds, steps int) ([]cell, error) {
	cells, err := controlledCells(shared, seeds, steps)
	if err != nil {
		return nil, err
	}
	real, err := realCells(shared)
	if err != nil {
		return nil, err
	}
	var out []cell
	for _, c := range append(cells, real...) {
		out = append(out, c, c.tempered())
	}
	return out, nil
}

// tempered is the cell with its predictions calibrated.
func (c cell) tempered() cell {
	streams := make([]stream, len(c.streams))
	for i, s := range c.streams {
		p := benchmarks.Predictions{Q: s.q}
		streams[i] = stream{p.Tempered(c.temperature), s.truth}
	}
	c.streams, c.calibrated, c.name, c.temperature = streams, true, c.name+", calibrated", 1
	return c
}

func controlledCells(shared string, seeds, steps int) ([]cell, error) {
	sets, err := benchmarks.ReadCIFARSets(shared)
	if err != nil {
		return nil, err
	}
	return cellsOf(append(sets.Corrupted, sets.Test[:2]...), seeds, steps) // the third of Test is the second with its prior
}

// cellsOf are the sets on all controlled streams, set by set.
func cellsOf(sets []*benchmarks.Predictions, seeds, steps int) (out []cell, err error) {
	laws := []datasets.Controlled{datasets.S1(), datasets.S2(.5), datasets.S2(.7), datasets.S2(.85), datasets.S2(.95), datasets.S2(.98), datasets.S3(), datasets.S5()}
	for _, set := range sets {
		t, err := temperature([]stream{{set.Q, set.Truth}})
		if err != nil {
			return nil, err
		}
		for _, law := range laws {
			c := cell{name: set.Name + " " + law.Name, law: law.Name, temperature: t, sticky: strings.HasPrefix(law.Name, "s2"), orderless: law.Name == "s1"}
			for seed := range seeds {
				labels := law.Labels(uint64(seed+1), set.Classes(), steps)
				items, err := datasets.DrawItems(uint64(seed+1), labels, set.Truth)
				if err != nil {
					return nil, err
				}
				c.streams = append(c.streams, stream{benchmarks.Pick(set.Q, items), labels})
			}
			out = append(out, c)
		}
	}
	return out, nil
}

func realCells(shared string) (out []cell, err error) {
	collections, err := benchmarks.ReadRealCollections(shared)
	if err != nil {
		return nil, err
	}
	for _, collection := range collections {
		inOrder, shuffled := cell{name: collection.Name + " in order", sticky: true}, cell{name: collection.Name + " shuffled", orderless: true}
		for i, s := range collection.Streams {
			order := rand.New(rand.NewPCG(uint64(i), 0)).Perm(len(s.Q))
			inOrder.streams = append(inOrder.streams, stream{s.Q, s.Truth})
			shuffled.streams = append(shuffled.streams, stream{benchmarks.Pick(s.Q, order), benchmarks.Pick(s.Truth, order)})
		}
		if inOrder.temperature, err = temperature(inOrder.streams); err != nil {
			return nil, err
		}
		shuffled.temperature = inOrder.temperature
		out = append(out, inOrder, shuffled)
	}
	return out, nil
}

// temperature is that of least loss over the labels of all streams.
func temperature(streams []stream) (float64, error) {
	set := calibration.NewSet(len(streams[0].q[0]), calibration.DefaultMaxBytes)
	for i, s := range streams {
		for t, q := range s.q {
			set.Add(fmt.Sprint(i), s.truth[t], q)
		}
	}
	fit, err := set.Fit(calibration.Options{})
	return fit.Temperature, err
}
