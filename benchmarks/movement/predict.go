package movement

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/runtime"
)

// batch is that of a run on a CPU.
const batch = 4

// predict returns the probabilities of the windows, by their number in the input, as predicted in an order.
func (s *study) predict(ctx context.Context, set method.Settings, order []int) (out map[int][]float64, err error) {
	p, err := method.Open(s.engine, s.model, set, method.Options{Config: runtime.Config{IntraThreads: 1}, Items: s.input})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	job, err := s.job(p, order)
	if err != nil {
		return nil, err
	}
	out = make(map[int][]float64, len(order))
	job.Observe = func(k int, r *results.Record) {
		if !r.Failed() {
			out[order[k]] = slices.Clone(r.Raw)
		}
	}
	_, err = pipeline.Run(ctx, job)
	if err == nil && len(out) < len(order) {
		err = fmt.Errorf("%d of %d windows could not be predicted", len(order)-len(out), len(order))
	}
	return out, err
}

// job is a run whose records go nowhere.
func (s *study) job(p *method.Predictor, order []int) (pipeline.Job, error) {
	load, err := s.loader(inputs.Views(p.Views))
	if err != nil {
		return pipeline.Job{}, err
	}
	format, err := results.New("jsonl", results.Options{Labels: s.model.Manifest.Labels})
	if err != nil {
		return pipeline.Job{}, err
	}
	items, all := make([]pipeline.Item, len(order)), s.input.Items()
	for k, i := range order {
		items[k] = all[i]
	}
	return pipeline.Job{
		Items: items, Load: func(dst []float32, k int, seed uint64) error { return load(dst, order[k], seed) },
		Predictor: p.Any, Streams: p.Streams, Kind: p.Kind, Filter: streams.Options{Classes: p.Classes(), Settings: adapt.Settings{Gate: adapt.GateOff}},
		Format: format, Batch: p.Batch(batch), Loaders: 2, Runners: s.runs, Stream: io.Discard,
	}, nil
}

// loader loads windows of the input. Plain ones are held, since an order without meaning would read a recording anew for each.
func (s *study) loader(v inputs.Views) (pipeline.Loader, error) {
	load, err := s.input.Loader(v, batch)
	if err != nil || v != (inputs.Views{}) {
		return load, err
	}
	if s.plain == nil {
		s.plain = make(map[int][]float32, len(s.order))
		for _, i := range s.order {
			s.plain[i] = make([]float32, s.model.Manifest.Signal.Samples*len(s.model.Manifest.Signal.Channels))
			if err := load(s.plain[i], i, 0); err != nil {
				return nil, err
			}
		}
	}
	return func(dst []float32, i int, _ uint64) error {
		copy(dst, s.plain[i])
		return nil
	}, nil
}
