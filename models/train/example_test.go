package train_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"testing"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

func TestMain(m *testing.M) { orttest.Main(m) }

// A small network learns to tell slow waves from fast ones.
func Example() {
	ctx := context.Background()
	library, err := ortlib.Find(ctx, ortlib.Options{}) // that `oatta setup` fetched, or the system's
	check(err)
	engine, err := ort.Load(library.Path)
	check(err)
	net, err := backbone.New("cnn1d", backbone.Options{Channels: 1, Samples: 32, Classes: 2})
	check(err)
	program, err := train.Build(onnx.New(net.Graph), train.Settings{Optimizer: optim.Settings{Method: optim.AdamW, Decay: 0.01}})
	check(err)
	trainer, err := program.Open(engine, runtime.Config{})
	check(err)
	defer trainer.Close()
	batch := waves()
	for range 40 {
		_, err := trainer.Step(ctx, batch, 1e-3)
		check(err)
	}
	result, err := trainer.Evaluate(ctx, batch, nil)
	check(err)
	model, err := trainer.Export()
	check(err)
	fmt.Printf("%d of %d are right after %d steps\n", result.Right, result.Items, trainer.Steps())
	fmt.Println(model.Graph.NameOf(model.Graph.Outputs()[0]), "of", len(program.Parameters), "tensors that were trained")
	// Output:
	// 32 of 32 are right after 40 steps
	// logits of 11 tensors that were trained
}

// waves are 32 windows: slow and fast waves in turn, each from another phase on.
func waves() train.Batch {
	const items, samples = 32, 32
	x, labels := make([]float32, items*samples), make([]int, items)
	for i := range labels {
		labels[i] = i % 2
		for t := range samples {
			x[i*samples+t] = float32(math.Sin(float64(t)*(0.3+0.5*float64(labels[i])) + float64(i)))
		}
	}
	return train.Batch{Inputs: []runtime.Tensor{runtime.TensorOf(x, items, 1, samples)}, Labels: labels}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
