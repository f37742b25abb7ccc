package tent_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
	"github.com/oatta/oatta/runtime/ort/orttest"
	"github.com/oatta/oatta/tent"
)

func TestMain(m *testing.M) { orttest.Main(m) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Tent on an ONNX file: the pictures of one camera in, in their order, and adapted probabilities out.
func Example() {
	ctx := context.Background()
	library, err := ortlib.Find(ctx, ortlib.Options{}) // that `oatta setup` fetched, or the system's
	check(err)
	engine, err := ort.Load(library.Path)
	check(err)
	m, err := models.Load("../models/embedded/resnet20-cifar10.onnx")
	check(err)
	transform, err := m.Transform()
	check(err)
	session, err := m.OpenGraph(engine, runtime.Config{}, func(net *onnx.Model) (*onnx.Model, error) { return tent.Build(net, tent.Settings{}) })
	check(err)
	p, err := tent.New(session, tent.Options{})
	check(err)
	defer p.Close()
	p.Begin(0) // a new stream, in lane 0
	x, y, q := make([]float32, p.InputLen()), make([]float32, p.Classes()), make([]float64, p.Classes())
	for _, picture := range []string{"38-RCNX0031.JPG", "38-RCNX0032.JPG", "39-RCNX0033.JPG"} {
		check(transform.File(x, "../datasets/samples/heron/202105310825"+picture))
		check(p.Step(ctx, y, x, []int{0}))
		check(p.Kind().Probabilities(q, y))
		fmt.Printf("%s %.2f\n", m.Manifest.Labels[2], q[2])
	}
	// Output:
	// bird 0.00
	// bird 0.12
	// bird 0.12
}

// What a stream has learned is kept, and goes on elsewhere bit for bit.
func ExamplePredictor_Snapshot() {
	library, err := ortlib.Find(context.Background(), ortlib.Options{})
	check(err)
	engine, err := ort.Load(library.Path)
	check(err)
	m, err := models.Load("resnet20-cifar10")
	check(err)
	session, err := m.OpenGraph(engine, runtime.Config{}, func(net *onnx.Model) (*onnx.Model, error) {
		return tent.Build(net, tent.Settings{Rate: 1e-3, Reset: tent.Reset{When: tent.Stream}})
	})
	check(err)
	p, err := tent.New(session, tent.Options{})
	check(err)
	defer p.Close()
	x, y := make([]float32, p.InputLen()), make([]float32, 2*p.Classes())
	p.Begin(0)
	check(p.Step(context.Background(), y[:10], x, []int{0}))
	check(p.Restore(1, p.Snapshot(0)))
	check(p.Step(context.Background(), y, append(x, x...), []int{0, 1}))
	fmt.Println(p.Parameters(), "parameters of each stream,", y[0] == y[10])
	// Output:
	// 1376 parameters of each stream, true
}
