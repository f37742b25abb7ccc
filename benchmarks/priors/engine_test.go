package priors

import (
	"context"
	"testing"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/internal/testdata"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

func TestMain(m *testing.M) { orttest.Main(m) }

// The imbalanced network on corrupted pictures is as good as the paper's on CIFAR-10.1.
func TestPredicted(t *testing.T) {
	testdata.Heavy(t, "a thousand pictures take half a minute")
	engine := orttest.Engine(t)
	shared := testdata.Tree(t, append([]string{"models/cifar10-resnet18/imbalanced.fp16.safetensors", "data/cifar10c/elastic_transform.png"}, testdata.CIFARPredictions...)...)
	r := &networks.Runner{Engine: func(context.Context) (runtime.Engine, error) { return engine, nil }}
	sets, missing, err := predicted(context.Background(), r, shared, []string{"elastic_transform"})
	if err != nil || missing != nil || len(sets) != 1 {
		t.Fatal(missing, err)
	}
	if a := sets[0].Accuracy; a != 61.9 {
		t.Errorf("%g %% are right, want 61.9", a)
	}
}
