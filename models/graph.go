package models

import (
	"fmt"
	"path/filepath"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
)

// Network returns the network as a graph that can be changed and built upon, with one output, that of the classes. Weights that are
// stored in half precision are computed with in float32.
func (m *Model) Network() (*onnx.Model, error) {
	data, err := m.Data()
	if err != nil {
		return nil, err
	}
	net, err := onnx.Parse(data, m.dir())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Manifest.Name, err)
	}
	net.Graph.Widen()
	if len(net.Graph.Outputs()) == 1 {
		return net, nil
	}
	classes := net.Graph.Lookup(m.Manifest.Output.Name)
	if classes == graph.None {
		return nil, fmt.Errorf("%s has no output %q", m.Manifest.Name, m.Manifest.Output.Name)
	}
	net.Graph = net.Graph.Extract(net.Graph.Inputs(), []graph.Value{classes})
	return net, nil
}

// OpenGraph opens what build makes of the network, as tent.Build does. Its ports are build's own, and are not held against the manifest.
func (m *Model) OpenGraph(e runtime.Engine, cfg runtime.Config, build func(*onnx.Model) (*onnx.Model, error)) (runtime.Session, error) {
	net, err := m.Network()
	if err != nil {
		return nil, err
	}
	g, err := build(net)
	if err != nil {
		return nil, err
	}
	data, err := g.Bytes()
	if err != nil {
		return nil, err
	}
	if cfg.ExternalData == "" {
		cfg.ExternalData = m.dir()
	}
	return e.Open(data, cfg)
}

// dir is the folder of external data; "" where there can be none.
func (m *Model) dir() string {
	if m.Path == "" {
		return ""
	}
	return filepath.Dir(m.Path)
}
