package flops

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/peers"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
)

// task is something to time: one item of a predictor, or a step of a filter.
type task struct {
	name  string
	run   func() error
	runs  int       // that are timed as one
	times []float64 // CPU seconds of one run, by round
}

// timeAll times tasks in turn, so that whatever else the machine does meets all of them: each for about least seconds a round.
func timeAll(tasks []*task, rounds int, least float64) error {
	for _, t := range tasks { // the first run allocates and plans: it does not count
		if _, err := t.time(1); err != nil {
			return err
		}
		seconds, err := t.time(1)
		if err != nil {
			return err
		}
		for t.runs = 1; float64(t.runs)*seconds < least && t.runs < maxRuns; { // what is short is timed again: clocks are coarse
			t.runs = min(maxRuns, max(2*t.runs, int(least/math.Max(seconds, least/maxRuns))))
			if seconds, err = t.time(t.runs); err != nil {
				return err
			}
		}
	}
	for range rounds {
		for _, t := range tasks {
			seconds, err := t.time(t.runs)
			if err != nil {
				return err
			}
			t.times = append(t.times, seconds)
		}
	}
	return nil
}

const maxRuns = 1 << 20

// time returns the CPU seconds of one of so many runs.
func (t *task) time(runs int) (float64, error) {
	start := peers.CPUTime()
	for range runs {
		if err := t.run(); err != nil {
			return 0, fmt.Errorf("flops: %s: %w", t.name, err)
		}
	}
	return (peers.CPUTime() - start) / float64(runs), nil
}

// median is the middle one of the times, the lower of two.
func (t *task) median() float64 {
	slices.Sort(t.times)
	return stat.Quantile(0.5, stat.Empirical, t.times, nil)
}

// measure times every predictor of a network and the filter, in turn.
func (n *Network) measure(ctx context.Context, e runtime.Engine, m *models.Model, rounds int, least float64) (err error) {
	var tasks []*task
	for _, c := range n.Costs {
		p, err := method.Open(e, m, c.Settings, method.Options{Config: runtime.Config{IntraThreads: 1}})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		tasks = append(tasks, predicting(ctx, c.Predictor, p))
	}
	filters := filterTasks(len(m.Manifest.Labels))
	if err := timeAll(append(tasks, filters...), rounds, least); err != nil {
		return err
	}
	for i, t := range tasks {
		n.Costs[i].Seconds = t.median()
	}
	n.Filter = map[string]float64{}
	for _, t := range filters {
		n.Filter[t.name] = t.median()
	}
	return nil
}

// predicting predicts the same made-up item again and again.
func predicting(ctx context.Context, name string, p *method.Predictor) *task {
	src, dst := make([]float32, p.InputLen()), make([]float32, p.Classes())
	for i := range src {
		src[i] = float32(math.Sin(0.37*float64(i) + 0.11*float64(i%7)))
	}
	if p.Streams == nil {
		return &task{name: name, run: func() error { return p.Any.Predict(ctx, dst, src, []uint64{1}) }}
	}
	p.Streams.Begin(0)
	return &task{name: name, run: func() error { return p.Streams.Step(ctx, dst, src, []int{0}) }}
}

// gates are the filters that are timed.
func gates() []adapt.Gate { return []adapt.Gate{adapt.GateOff, adapt.GateEWMA, adapt.GateAuto} }

// filterTasks are a step of each gate.
func filterTasks(classes int) (tasks []*task) {
	q := predictions(classes)
	for _, gate := range gates() {
		f, err := adapt.New(classes, adapt.Settings{Gate: gate})
		if err != nil {
			panic(err) // the defaults are valid
		}
		p, t := make([]float64, classes), 0
		tasks = append(tasks, &task{name: string(gate), run: func() error {
			f.Step(p, q[t%len(q)])
			t++
			return nil
		}})
	}
	return tasks
}

// predictions are made up: sure of a class for some items, then of another, with something left for all.
func predictions(classes int) (q [][]float64) {
	for t := range 64 {
		row, total := make([]float64, classes), 0.0
		for i := range row {
			row[i] = math.Exp(math.Sin(float64(i*i + 3*t)))
			if i == t/8%classes {
				row[i] *= 50
			}
			total += row[i]
		}
		for i := range row {
			row[i] /= total
		}
		q = append(q, row)
	}
	return q
}
