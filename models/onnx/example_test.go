package onnx_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/models/graph"
	"github.com/oatta/oatta/models/onnx"
)

// A graph becomes a file that any ONNX Runtime runs, and comes back as it was.
func ExampleModel_Save() {
	dir, err := os.MkdirTemp("", "onnx")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	g := graph.New("double", onnx.Normal)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N")}})
	g.Output("y", g.Op("Add", []graph.Value{x, x}))
	m := onnx.New(g)
	m.SetMeta("author", "me")
	file := filepath.Join(dir, "double.onnx")
	if err := m.Save(file, onnx.SaveSettings{}); err != nil {
		log.Fatal(err)
	}
	again, err := onnx.Read(file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Graph.Name, len(again.Graph.Nodes()), again.Meta("author"))
	// Output:
	// double 1 me
}

// What a file says of itself is read without its tensors.
func ExampleInspect() {
	data, err := os.ReadFile("../embedded/resnet20-cifar10.onnx")
	if err != nil {
		log.Fatal(err)
	}
	p, err := onnx.Decode(data)
	if err != nil {
		log.Fatal(err)
	}
	s := onnx.Inspect(p)
	fmt.Println(s.Inputs[0], s.Outputs[0], s.Nodes)
	// Output:
	// input float32[N,3,32,32] logits float32[N,10] 150
}
