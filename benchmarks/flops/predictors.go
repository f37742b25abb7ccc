package flops

import (
	"fmt"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/dropout"
)

// Cost is what one item costs with a predictor.
type Cost struct {
	Predictor string          `json:"predictor"`
	Settings  method.Settings `json:"settings"`
	Count     Count           `json:"count"`
	Seconds   float64         `json:"cpu_seconds"` // measured; 0 without an engine
}

// Network is what a network and its predictors cost.
type Network struct {
	Name  string `json:"name"`
	Hash  string `json:"sha256"`
	Costs []Cost `json:"costs"` // in the order of method.Names, the plain forward pass first
	// Filter is the CPU seconds of one step of the filter, by gate, measured between the runs of the network; empty without an engine.
	Filter map[string]float64 `json:"filter_cpu_seconds,omitempty"`
}

// count counts one item of every predictor, with the settings that a model gets where nobody asks for others.
func count(name string, m *models.Model) (*Network, error) {
	n := &Network{Name: name, Hash: m.Hash()}
	for _, predictor := range method.Names() {
		s, err := method.Default(predictor, m.Manifest)
		if err != nil {
			return nil, err
		}
		c := Cost{Predictor: predictor, Settings: s}
		if c.Count, err = countOf(m, s); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", predictor, name, err)
		}
		n.Costs = append(n.Costs, c)
	}
	return n, nil
}

// countOf counts one item: a run of the predictor's graph, or of the network for each of its views.
func countOf(m *models.Model, s method.Settings) (Count, error) {
	g, err := s.Graph(m)
	if err != nil {
		return Count{}, err
	}
	sizes := map[string]int64{"N": 1, "passes": dropout.DefaultPasses}
	if s.Name == method.TTAug {
		sizes["N"] = int64(1 + s.Views.Count)
	}
	return Of(g.Graph, sizes)
}
