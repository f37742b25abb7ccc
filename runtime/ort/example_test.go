//go:build !noengine

package ort_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
	"github.com/oatta/oatta/runtime/ort/ortlib"
	"github.com/oatta/oatta/runtime/ort/orttest"
)

func TestMain(m *testing.M) { orttest.Main(m) }

// Any ONNX file runs on the library that was found.
func Example() {
	library, err := ortlib.Find(context.Background(), ortlib.Options{Device: runtime.DeviceCPU})
	if err != nil {
		log.Fatal(err) // ortlib.Setup, or `oatta setup`, fetches one
	}
	engine, err := ort.Load(library.Path)
	if err != nil {
		log.Fatal(err)
	}
	session, err := engine.OpenFile("../../models/embedded/resnet20-cifar10.onnx", runtime.Config{IntraThreads: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	dst := make([]runtime.Tensor, 1) // the engine allocates
	if err := session.Run(context.Background(), dst, []runtime.Tensor{runtime.NewTensor[float32](2, 3, 32, 32)}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.Inputs()[0], dst[0].Shape)
	// Output:
	// input float32[?,3,32,32] [2 10]
}
