package networks

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/weights"
	imageprep "github.com/oatta/oatta/preprocess/image"
)

const (
	classes = 10 // of CIFAR-10
	side    = 32
)

// Network is a classifier of pictures.
type Network struct {
	Name      string
	Model     *models.Model
	transform *imageprep.Transform
}

// New returns a model of pictures under a name.
func New(name string, m *models.Model) (*Network, error) {
	t, err := m.Transform()
	if err != nil {
		return nil, fmt.Errorf("networks: %s: %w", name, err)
	}
	return &Network{name, m, t}, nil
}

// Classes returns the numbers of one prediction.
func (n *Network) Classes() int { return len(n.Model.Manifest.Labels) }

// Open returns a network by name: resnet20, the embedded one; resnet18, the project's, of the folder of shared data; or else what
// models.Load takes.
func Open(name, shared string) (*Network, error) {
	switch name {
	case "resnet20":
		return ResNet20()
	case "resnet18":
		return ResNet18(shared)
	}
	m, err := models.Load(name)
	if err != nil {
		return nil, err
	}
	return New(m.Manifest.Name, m)
}

// ofCIFAR makes a classifier of CIFAR-10 of a graph that puts out logits.
func ofCIFAR(name string, net *onnx.Model, mean, std []float64) (*Network, error) {
	m, err := models.New(net, models.Manifest{
		Name: name, Labels: datasets.CIFARNames(),
		Input:  models.Input{Name: net.Graph.NameOf(net.Graph.Inputs()[0]), Height: side, Width: side, Mean: mean, Std: std},
		Output: models.Output{Name: net.Graph.NameOf(net.Graph.Outputs()[0])},
	})
	if err != nil {
		return nil, err
	}
	return New(name, m)
}

// ResNet20 is the embedded one, for CIFAR-10.
func ResNet20() (*Network, error) {
	m, err := models.Load("resnet20-cifar10")
	if err != nil {
		return nil, err
	}
	net, err := m.Network()
	if err != nil {
		return nil, err
	}
	return ofCIFAR("ResNet-20", net, m.Manifest.Input.Mean, m.Manifest.Input.Std)
}

// ResNet18 is the one of the folder of shared data that was trained on balanced classes of CIFAR-10, with dropout 0.2 before its head.
func ResNet18(shared string) (*Network, error) { return resNet18("ResNet-18", shared, "balanced") }

// ImbalancedResNet18 is the same network, trained with classes 5 to 9 at a tenth.
func ImbalancedResNet18(shared string) (*Network, error) {
	return resNet18("ResNet-18, imbalanced", shared, "imbalanced")
}

func resNet18(title, shared, trained string) (*Network, error) {
	const name = "cifar_resnet18"
	info, err := backbone.Describe(name)
	if err != nil {
		return nil, err
	}
	net, err := backbone.New(name, backbone.Options{})
	if err != nil {
		return nil, err
	}
	if err := LoadWeights(net, filepath.Join(shared, "models", "cifar10-resnet18", trained+".fp16.safetensors")); err != nil {
		return nil, err
	}
	recipe := info.Recipes[0]
	out, err := ofCIFAR(title, onnx.New(net.Graph), recipe.Mean[:], recipe.Std[:])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// LoadWeights gives a network the weights of a file.
func LoadWeights(net *backbone.Net, file string) error {
	f, err := weights.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // read only
	_, err = net.Load(f)
	return err
}

// Waves are numbers of a network's input, the same everywhere: those of torch_peer.py.
func Waves(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Sin(0.37*float64(i) + 0.11*float64(i%7)))
	}
	return x
}

// TentSource reads the parameters that a stream begins with from the metadata of Tent's graph.
func TentSource(m *onnx.Model) ([]float32, error) {
	b, err := base64.StdEncoding.DecodeString(m.Meta("oatta.tent.source"))
	if err != nil {
		return nil, err
	}
	theta := make([]float32, len(b)/4)
	_, err = binary.Decode(b, binary.LittleEndian, theta)
	return theta, err
}
