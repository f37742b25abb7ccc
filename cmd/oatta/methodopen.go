package main

import (
	"fmt"
	"path/filepath"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/tent"
)

// graph makes the graph that a predictor runs; nil: it runs the model's own.
func (x *method) graph(m *models.Model) (*onnx.Model, error) {
	if x.Name == methodBase || x.Name == methodTTAug {
		return nil, nil
	}
	net, err := m.Network()
	if err != nil {
		return nil, err
	}
	out, kind := m.Manifest.Output.Name, m.Manifest.Output.Kind
	switch x.Name {
	case methodMCDropout:
		return dropout.Build(net, dropout.Settings{Output: out, Kind: kind, At: x.Dropout.At, P: x.Dropout.P, Passes: x.Dropout.Passes, Input: inputSizes(m.Manifest)})
	case methodTent:
		s, err := x.Tent.build(kind)
		if err != nil {
			return nil, err
		}
		s.Output = out
		return tent.Build(net, s)
	}
	return memo.Build(net, x.Memo.build(x.Views.Count, kind))
}

// inputSizes returns the sizes of one input that the manifest settles, nil where the length is open.
func inputSizes(m models.Manifest) []int64 {
	switch {
	case m.Signal != nil:
		return []int64{int64(len(m.Signal.Channels)), int64(m.Signal.Samples)}
	case m.Text != nil:
		return nil
	case m.Input.Layout == models.NHWC:
		return []int64{int64(m.Input.Height), int64(m.Input.Width), 3}
	}
	return []int64{3, int64(m.Input.Height), int64(m.Input.Width)}
}

// openMethod makes the predictor.
func (k *network) openMethod() error {
	s, err := k.openSession()
	if err != nil {
		return fmt.Errorf("--method %s: %w", k.method.Name, err)
	}
	k.keep(s)
	if s, err = k.input.Session(s); err != nil {
		return err
	}
	if err = k.makePredictor(s); err != nil {
		return fmt.Errorf("--method %s: %w", k.method.Name, err)
	}
	return nil
}

// openSession opens the model's own graph, or the one that the predictor has made of it.
func (k *network) openSession() (runtime.Session, error) {
	if k.model.Made() != "" { // it is the predictor's graph already
		return k.model.Open(k.engine, k.config)
	}
	g, err := k.method.graph(k.model)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return k.model.Open(k.engine, k.config)
	}
	data, err := g.Bytes()
	if err != nil {
		return nil, err
	}
	cfg := k.config
	if k.model.Path != "" {
		cfg.ExternalData = filepath.Dir(k.model.Path)
	}
	return k.engine.Open(data, cfg)
}

func (k *network) makePredictor(s runtime.Session) (err error) {
	shape, classes := k.input.Shape(), len(k.model.Manifest.Labels)
	switch k.method.Name {
	case methodMCDropout:
		k.kind = predict.Probabilities
		k.predictor, err = predict.NewMCDropout(s, shape, classes, predict.MCDropoutSettings{})
	case methodTent:
		var p *tent.Predictor
		if p, err = tent.New(s, tent.Options{Input: shape}); err == nil {
			k.streams, k.kind, k.note = p, predict.Kind(p.Kind()), p.OneLane()
		}
	case methodMemo:
		k.views = *k.method.Views
		k.predictor, err = memo.New(s, shape, classes)
	default:
		err = k.makeBase(s, shape, classes)
	}
	return err
}

// makeBase makes the plain predictor, and puts views before it where they are wanted.
func (k *network) makeBase(s runtime.Session, shape []int64, classes int) error {
	out := 0
	for i, p := range s.Outputs() {
		if p.Name == k.model.Manifest.Output.Name {
			out = i
		}
	}
	base, err := predict.NewBase(s, shape, out, classes)
	if err != nil {
		return err
	}
	k.predictor = base
	if k.method.Name != methodTTAug {
		return nil
	}
	k.views = *k.method.Views
	k.predictor, err = predict.NewAugmented(base, predict.AugmentSettings{Views: 1 + k.views.Count, Kind: k.kind, Merge: predict.Merge(k.method.Merge)})
	k.kind = predict.Probabilities
	return err
}

// lanes is how many streams are read side by side.
func (k *network) lanes(s share) int {
	if k.streams != nil {
		return s.batch
	}
	return 1
}
