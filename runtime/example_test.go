package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/runtimetest"
)

// Tensors are slices with a shape; a port says what fits.
func ExamplePort_Check() {
	port := runtime.Port{Name: "x", Type: runtime.Float32, Shape: []int64{runtime.Dynamic, 3}}
	fmt.Println(port, port.Check(runtime.NewTensor[float32](5, 3)))
	fmt.Println(port.Check(runtime.TensorOf([]float32{1, 2}, 1, 2)))
	// Output:
	// x float32[?,3] <nil>
	// shape [1 2], want [?,3]
}

// A session runs a network: the caller allocates, or leaves it to the engine. Here it is a fake one, as tests have it.
func ExampleSession() {
	double := runtimetest.Model{
		Inputs:  []runtime.Port{{Name: "x", Type: runtime.Float32, Shape: []int64{runtime.Dynamic}}},
		Outputs: []runtime.Port{{Name: "y", Type: runtime.Float32, Shape: []int64{runtime.Dynamic}}},
		Run: func(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
			y := runtime.NewTensor[float32](src[0].Shape...)
			for i, v := range src[0].Data.([]float32) {
				y.Data.([]float32)[i] = 2 * v
			}
			return []runtime.Tensor{y}, nil
		},
	}
	var session runtime.Session = double.Open()
	defer session.Close()
	dst := make([]runtime.Tensor, 1)
	if err := session.Run(context.Background(), dst, []runtime.Tensor{runtime.TensorOf([]float32{1, 2, 3}, 3)}); err != nil {
		log.Fatal(err)
	}
	y, err := runtime.DataOf[float32](dst[0])
	fmt.Println(y, err)
	// Output:
	// [2 4 6] <nil>
}
