//go:build unix

package torch

import (
	"fmt"
	"path/filepath"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/backbone/backbonetest"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
)

// network is a network in memory, and its weights in a file that PyTorch can take.
type network struct {
	model   *onnx.Model
	weights string
	side    int     // of its pictures, in pixels
	rate    float64 // of every step: large enough for the prediction to move
}

// newNetwork builds a network with the weights of a file, and writes them into a folder. Without a file it takes those of the reference, which a rule
// makes up: unlike a fresh start they keep logits and gradients in the range of a trained network, so that none is denormal, which is slow.
func newNetwork(name, file, dir string) (*network, error) {
	net, err := backbone.New(name, backbone.Options{})
	if err != nil {
		return nil, err
	}
	rate := 1e-3
	if file == "" {
		rate, err = 0.1, backbonetest.Fill(net)
	} else {
		err = networks.LoadWeights(net, file)
	}
	if err != nil {
		return nil, err
	}
	out := &network{model: onnx.New(net.Graph), weights: filepath.Join(dir, "weights.safetensors"), side: net.Options.Size, rate: rate}
	return out, saveWeights(net, out.weights)
}

// saveWeights writes every tensor under its name, in float32.
func saveWeights(net *backbone.Net, file string) error {
	var out []*weights.Tensor
	for _, t := range net.Tensors {
		b, err := net.Graph.ConstOf(t.Value).Bytes()
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		shape := make([]int, len(t.Dims))
		for i, d := range t.Dims {
			shape[i] = int(d)
		}
		w, err := weights.New(t.Name, weights.F32, shape, b)
		if err != nil {
			return err
		}
		out = append(out, w)
	}
	return weights.Save(file, out, nil)
}
