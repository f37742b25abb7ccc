package graph_test

import (
	"fmt"
	"log"

	"github.com/oatta/oatta/models/graph"
)

// A network is built operator by operator; shapes follow.
func ExampleGraph() {
	g := graph.New("linear", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Shape{graph.Sym("N"), graph.N(3)}})
	w := g.Param("w", graph.NewTensor([]float32{1, 0, 0, 1, 1, 1}, 3, 2))
	logits := g.Op("MatMul", []graph.Value{x, w})
	g.Output("p", g.Op("Softmax", []graph.Value{logits}, graph.A("axis", -1)))
	if err := g.Check(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.TypeOf(logits))
	fmt.Println(len(g.Nodes()), "nodes,", len(g.Params()), "parameter")
	// Output:
	// float32[N,2]
	// 2 nodes, 1 parameter
}

// An error names the operator that caused it, however late it is asked for.
func ExampleGraph_Err() {
	g := graph.New("wrong", 18)
	x := g.Input("x", graph.Type{Elem: graph.Float32, Shape: graph.Of(2, 3)})
	g.Op("MatMul", []graph.Value{x, x})
	fmt.Println(g.Err() != nil)
	// Output:
	// true
}
