package autodiff_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/oatta/oatta/models/autodiff"
	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

func TestMain(m *testing.M) { orttest.Main(m) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A graph of one's own differentiated: what comes out is an ordinary graph, which stock ONNX Runtime runs.
func ExampleGradient() {
	g := graph.New("squares", onnx.Normal)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Of(3)})
	loss := g.Op("ReduceSum", []graph.Value{g.Op("Mul", []graph.Value{x, x})}, graph.A("keepdims", 0))
	grads, err := autodiff.Gradient(g, loss, []graph.Value{x})
	check(err)
	g.Output("loss", loss)
	g.Output("gradient", grads[0])
	data, err := onnx.New(g).Bytes()
	check(err)

	library, err := ortlib.Find(context.Background(), ortlib.Options{}) // that `oatta setup` fetched, or the system's
	check(err)
	engine, err := ort.Load(library.Path)
	check(err)
	session, err := engine.Open(data, runtime.Config{})
	check(err)
	defer session.Close()
	dst := make([]runtime.Tensor, 2)
	check(session.Run(context.Background(), dst, []runtime.Tensor{runtime.TensorOf([]float32{1, 2, 3}, 3)}))
	fmt.Println(dst[0].Data, dst[1].Data)
	// Output:
	// [14] [2 4 6]
}
