package predictors

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
	imageprep "github.com/oatta/oatta/preprocess/image"
)

const (
	classes = 10
	side    = 32
)

// network is a classifier of CIFAR-10 that puts out logits.
type network struct {
	name      string
	model     *models.Model
	hash      string // of the model's bytes, for the cache
	transform *imageprep.Transform
}

func newNetwork(name string, net *onnx.Model, mean, std []float64) (*network, error) {
	m, err := models.New(net, models.Manifest{
		Name: name, Labels: strings.Fields("0 1 2 3 4 5 6 7 8 9"),
		Input:  models.Input{Name: net.Graph.NameOf(net.Graph.Inputs()[0]), Height: side, Width: side, Mean: mean, Std: std},
		Output: models.Output{Name: net.Graph.NameOf(net.Graph.Outputs()[0])},
	})
	if err != nil {
		return nil, err
	}
	t, err := m.Transform()
	if err != nil {
		return nil, err
	}
	return &network{name, m, m.Hash()[:8], t}, nil
}

// resnet20 is the embedded one.
func resnet20(Settings) (*network, error) {
	m, err := models.Load("resnet20-cifar10")
	if err != nil {
		return nil, err
	}
	net, err := m.Network()
	if err != nil {
		return nil, err
	}
	return newNetwork("ResNet-20", net, m.Manifest.Input.Mean, m.Manifest.Input.Std)
}

// resnet18 is the one that was trained on balanced classes, with dropout 0.2 before its head.
func resnet18(o Settings) (*network, error) {
	const name = "cifar_resnet18"
	info, err := backbone.Describe(name)
	if err != nil {
		return nil, err
	}
	net, err := backbone.New(name, backbone.Options{})
	if err != nil {
		return nil, err
	}
	f, err := weights.Open(filepath.Join(o.Shared, "models", "cifar10-resnet18", "balanced.fp16.safetensors"))
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	if _, err := net.Load(f); err != nil {
		return nil, err
	}
	recipe := info.Recipes[0]
	out, err := newNetwork("ResNet-18", onnx.New(net.Graph), recipe.Mean[:], recipe.Std[:])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}
