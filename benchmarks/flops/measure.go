package flops

import (
	"context"
	"errors"
	"math"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/timing"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
)

// measure times every predictor of a network and the filter, in turn.
func (n *Network) measure(ctx context.Context, e runtime.Engine, m *models.Model, rounds int, least float64) (err error) {
	var tasks []*timing.Task
	for _, c := range n.Costs {
		p, err := method.Open(e, m, c.Settings, method.Options{Config: runtime.Config{IntraThreads: 1}})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		tasks = append(tasks, predicting(ctx, c.Predictor, p))
	}
	filters := filterTasks(len(m.Manifest.Labels))
	if err := timing.All(append(tasks, filters...), rounds, least); err != nil {
		return err
	}
	for i, t := range tasks {
		n.Costs[i].Seconds = t.Median()
	}
	n.Filter = map[string]float64{}
	for _, t := range filters {
		n.Filter[t.Name] = t.Median()
	}
	return nil
}

// predicting predicts the same made-up item again and again.
func predicting(ctx context.Context, name string, p *method.Predictor) *timing.Task {
	src, dst := networks.Waves(p.InputLen()), make([]float32, p.Classes())
	if p.Streams == nil {
		return &timing.Task{Name: name, Run: func() error { return p.Any.Predict(ctx, dst, src, []uint64{1}) }}
	}
	p.Streams.Begin(0)
	return &timing.Task{Name: name, Run: func() error { return p.Streams.Step(ctx, dst, src, []int{0}) }}
}

// gates are the filters that are timed.
func gates() []adapt.Gate { return []adapt.Gate{adapt.GateOff, adapt.GateEWMA, adapt.GateAuto} }

// filterTasks are a step of each gate.
func filterTasks(classes int) (tasks []*timing.Task) {
	q := predictions(classes)
	for _, gate := range gates() {
		f, err := adapt.New(classes, adapt.Settings{Gate: gate})
		if err != nil {
			panic(err) // the defaults are valid
		}
		p, t := make([]float64, classes), 0
		tasks = append(tasks, &timing.Task{Name: string(gate), Run: func() error {
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
