package runs

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
)

// batch is that of a run on a CPU.
const batch = 4

// Runs are those of one network over the items of one input.
type Runs struct {
	Engine runtime.Engine
	Model  *models.Model
	Input  inputs.Input
	AtOnce int // runs of the network at a time, each on one thread; 0: one
	// Held are the items whose plain inputs are loaded once and held, for orders in which a reader of recordings would go to and fro. They must
	// fit into memory.
	Held []int
	// Progress, if set, is called for every item that was predicted.
	Progress func()

	plain map[int][]float32
}

// Predict returns the probabilities of items, by their number in the input, as predicted in an order in which streams come one after another.
// An item that could not be read has none.
func (r *Runs) Predict(ctx context.Context, set method.Settings, order []int) (out map[int][]float64, err error) {
	p, err := method.Open(r.Engine, r.Model, set, method.Options{Config: runtime.Config{IntraThreads: 1}, Items: r.Input})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	job, err := r.job(p, order)
	if err != nil {
		return nil, err
	}
	out = make(map[int][]float64, len(order))
	job.Observe = func(k int, record *results.Record) {
		if !record.Failed() {
			out[order[k]] = slices.Clone(record.Raw)
		}
		if r.Progress != nil {
			r.Progress()
		}
	}
	_, err = pipeline.Run(ctx, job)
	return out, err
}

// job is a run whose records go nowhere.
func (r *Runs) job(p *method.Predictor, order []int) (pipeline.Job, error) {
	load, err := r.loader(inputs.Views(p.Views))
	if err != nil {
		return pipeline.Job{}, err
	}
	format, err := results.New("jsonl", results.Options{Labels: r.Model.Manifest.Labels})
	if err != nil {
		return pipeline.Job{}, err
	}
	items, all := make([]pipeline.Item, len(order)), r.Input.Items()
	for k, i := range order {
		items[k] = all[i]
	}
	return pipeline.Job{
		Items: items, Load: func(dst []float32, k int, seed uint64) error { return load(dst, order[k], seed) },
		Predictor: p.Any, Streams: p.Streams, Kind: p.Kind, Filter: streams.Options{Classes: p.Classes(), Settings: adapt.Settings{Gate: adapt.GateOff}},
		Format: format, Batch: p.Batch(batch), Loaders: 2, Runners: max(1, r.AtOnce), Stream: io.Discard,
	}, nil
}

// loader loads items of the input, or copies those that are held.
func (r *Runs) loader(v inputs.Views) (pipeline.Loader, error) {
	load, err := r.Input.Loader(v, batch)
	if err != nil || v != (inputs.Views{}) || r.Held == nil {
		return load, err
	}
	if r.plain == nil {
		size := 1
		for _, n := range r.Input.Shape() {
			size *= int(n)
		}
		r.plain = make(map[int][]float32, len(r.Held))
		for _, i := range r.Held {
			plain := make([]float32, size)
			if err := load(plain, i, 0); err == nil { // one that cannot be read fails again where it is asked for
				r.plain[i] = plain
			}
		}
	}
	return func(dst []float32, i int, seed uint64) error {
		if r.plain[i] == nil {
			return load(dst, i, seed)
		}
		copy(dst, r.plain[i])
		return nil
	}, nil
}

// Shuffled is an order with the items of each stream among themselves in another one, drawn by the seed.
func Shuffled(items []pipeline.Item, order []int, seed uint64) []int {
	out, random := slices.Clone(order), rand.New(rand.NewPCG(seed, 0))
	for from := 0; from < len(out); {
		to := from
		for to < len(out) && items[out[to]].Stream == items[out[from]].Stream {
			to++
		}
		part := out[from:to]
		random.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		from = to
	}
	return out
}
