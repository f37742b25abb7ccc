package method

import (
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/dropout"
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

func (s Settings) build(net *onnx.Model, m models.Manifest) (*onnx.Model, error) {
	out, kind := m.Output.Name, m.Output.Kind
	switch s.Name {
	case MCDropout:
		return dropout.Build(net, dropout.Settings{Output: out, Kind: kind, At: s.Dropout.At, P: s.Dropout.P, Passes: s.Dropout.Passes, Input: m.Shape()})
	case Tent:
		t, err := s.Tent.build(kind)
		if err != nil {
			return nil, err
		}
		t.Output = out
		return tent.Build(net, t)
	case Memo:
		return memo.Build(net, s.Memo.build(s.Views.Count, kind))
	}
	return net, nil
}
