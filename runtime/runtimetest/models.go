package runtimetest

import (
	"context"
	"embed"
	"fmt"

	"github.com/oatta/oatta/runtime"
)

//go:embed testdata/*.onnx testdata/external.bin
var files embed.FS

// ONNX returns a model of the suite by name, without the ending: "add", "identity_float32", "nonzero" and so on; the script
// testdata/generate.py says what each computes. It panics if there is none of that name.
func ONNX(name string) []byte { return read(name + ".onnx") }

func read(name string) []byte {
	data, err := files.ReadFile("testdata/" + name)
	if err != nil {
		panic("runtimetest: ONNX: " + err.Error())
	}
	return data
}

// NewEngine returns a fake engine that computes the models of the suite.
func NewEngine() *Engine {
	e := &Engine{}
	for name, m := range suite() {
		m.Metadata = runtime.Metadata{
			Producer: "oatta-test", GraphName: name, Domain: "org.oatta.test", Description: "engine test: " + name, Version: 3,
		}
		if name == "add" {
			m.Metadata.Custom = map[string]string{"labels": "empty,heron", "colour": "RGB"}
		}
		e.Register(ONNX(name), m)
	}
	return e
}

// suite has a twin in Go for each model that an engine must open.
func suite() map[string]Model {
	const free = runtime.Dynamic
	f32 := func(name string, shape ...int64) runtime.Port {
		return runtime.Port{Name: name, Type: runtime.Float32, Shape: append([]int64{}, shape...)}
	}
	ports := func(p ...runtime.Port) []runtime.Port { return p }
	half := func(name string) runtime.Port {
		return runtime.Port{Name: name, Type: runtime.Float16, Shape: []int64{}}
	}
	models := map[string]Model{
		"add":            {Inputs: ports(f32("a", free, 4), f32("b", free, 4)), Outputs: ports(f32("sum", free, 4), f32("twice", free, 4)), Run: addTwice},
		"mismatch":       {Inputs: ports(f32("a", free), f32("b", free)), Outputs: ports(f32("y", free)), Run: addOne},
		"external":       {Inputs: ports(f32("x", free, 3, 2, 2)), Outputs: ports(f32("y", free, 2, 2, 2)), Run: conv, External: "external.bin"},
		"scalar_float32": {Inputs: ports(f32("x")), Outputs: ports(f32("y")), Run: identity},
		"scalar_float16": {Inputs: ports(half("x")), Outputs: ports(half("y")), Run: identity},
		"nonzero": {
			Inputs:  ports(f32("x", free)),
			Outputs: ports(runtime.Port{Name: "indices", Type: runtime.Int64, Shape: []int64{1, free}}),
			Run:     nonZero,
		},
		"unknown_rank": {
			Inputs:  ports(runtime.Port{Name: "x", Type: runtime.Float32}),
			Outputs: ports(runtime.Port{Name: "y", Type: runtime.Float32}),
			Run:     identity,
		},
		"loop": {
			Inputs:  ports(runtime.Port{Name: "steps", Type: runtime.Int64, Shape: []int64{}}, f32("m", 64, 64)),
			Outputs: ports(f32("product", 64, 64)),
			Run:     spin,
		},
	}
	for t := runtime.Float32; t <= runtime.Bool; t++ {
		port := func(name string) []runtime.Port {
			return []runtime.Port{{Name: name, Type: t, Shape: []int64{free, 3}}}
		}
		models["identity_"+t.String()] = Model{Inputs: port("x"), Outputs: port("y"), Run: identity}
	}
	return models
}

func identity(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) { return src, nil }

// addTwice computes a + b and 2 a, of one shape.
func addTwice(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
	a, b := src[0].Data.([]float32), src[1].Data.([]float32)
	if len(a) != len(b) {
		return nil, fmt.Errorf("node Add: %v against %v", src[0].Shape, src[1].Shape)
	}
	sum, twice := runtime.NewTensor[float32](src[0].Shape...), runtime.NewTensor[float32](src[0].Shape...)
	for i := range a {
		sum.Data.([]float32)[i] = a[i] + b[i]
		twice.Data.([]float32)[i] = 2 * a[i]
	}
	return []runtime.Tensor{sum, twice}, nil
}

// addOne computes a + b, with the broadcast of a single element.
func addOne(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
	a, b := src[0].Data.([]float32), src[1].Data.([]float32)
	if len(a) != len(b) && len(b) != 1 {
		return nil, fmt.Errorf("node the_add: %v against %v", src[0].Shape, src[1].Shape)
	}
	y := runtime.NewTensor[float32](src[0].Shape...)
	for i := range a {
		y.Data.([]float32)[i] = a[i] + b[i%len(b)]
	}
	return []runtime.Tensor{y}, nil
}

func nonZero(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
	found := []int64{}
	for i, v := range src[0].Data.([]float32) {
		if v != 0 {
			found = append(found, int64(i))
		}
	}
	return []runtime.Tensor{runtime.TensorOf(found, 1, int64(len(found)))}, nil
}

// spin takes steps turns, each a product with the identity, and looks at the context in between as an engine does.
func spin(ctx context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
	for range src[0].Data.([]int64)[0] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return src[1:], nil
}

// conv is the 1x1 convolution of external.onnx: weights w[o][c] = (3 o + c) / 4, x: [N, 3, 2, 2], y: [N, 2, 2, 2].
func conv(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
	x, n := src[0].Data.([]float32), src[0].Shape[0]
	y := make([]float32, n*2*4)
	for i := range y {
		batch, out, pixel := i/8, i/4%2, i%4
		for c := range 3 {
			y[i] += x[batch*12+c*4+pixel] * float32(3*out+c) / 4
		}
	}
	return []runtime.Tensor{runtime.TensorOf(y, n, 2, 2, 2)}, nil
}
