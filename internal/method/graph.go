package method

import (
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/forms"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/tent"
)

// HasGraph tells whether the predictor runs a graph of its own, and not the model's.
func (s Settings) HasGraph() bool { return s.Name != Base && s.Name != TTAug }

// Graph makes the graph that a predictor with one of its own runs.
func (s Settings) Graph(m *models.Model) (*onnx.Model, error) {
	if err := s.fits(m); err != nil {
		return nil, err
	}
	net, err := m.Network()
	if err != nil {
		return nil, err
	}
	return s.build(net, m.Manifest)
}

// Tuned returns the settings with the forms that a tuner chose for the predictor's graph. Settings without such a graph stay.
func (s Settings) Tuned(m *models.Model, t *forms.Tuner) (Settings, error) {
	if m.Made() != "" || s.Name != Tent && s.Name != Memo {
		return s, nil
	}
	net, err := m.Network()
	if err != nil {
		return s, err
	}
	plan := t.Plan()
	if _, err := s.buildBy(net, m.Manifest, plan); err != nil {
		return s, err
	}
	s.Forms = plan.Choices()
	return s, nil
}

func (s Settings) build(net *onnx.Model, m models.Manifest) (*onnx.Model, error) {
	if s.Forms == nil {
		return s.buildBy(net, m, nil)
	}
	plan, err := forms.Recorded(s.Forms)
	if err != nil {
		return nil, err
	}
	return s.buildBy(net, m, plan)
}

// buildBy makes the graph in the forms of a plan.
func (s Settings) buildBy(net *onnx.Model, m models.Manifest, plan *forms.Plan) (*onnx.Model, error) {
	out, kind := m.Output.Name, m.Output.Kind
	switch s.Name {
	case MCDropout:
		return dropout.Build(net, dropout.Settings{Output: out, Kind: kind, At: s.Dropout.At, P: s.Dropout.P, Passes: s.Dropout.Passes, Input: m.Shape()})
	case Tent:
		t, err := s.Tent.build(kind)
		if err != nil {
			return nil, err
		}
		t.Output, t.Forms = out, plan
		return tent.Build(net, t)
	case Memo:
		x := s.Memo.build(s.Views.Count, kind)
		x.Forms = plan
		return memo.Build(net, x)
	}
	return net, nil
}
