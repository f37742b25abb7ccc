package backbone_test

import (
	"fmt"
	"log"

	"github.com/oatta/oatta/models/backbone"
)

// A network by name, for one's own classes, with a fresh start.
func ExampleNew() {
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 5, Channels: 3, Samples: 150, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	g := net.Graph
	fmt.Println(g.TypeOf(g.Inputs()[0]), g.TypeOf(g.Outputs()[0]), len(net.Tensors), "tensors")
	// Output:
	// float32[N,3,150] float32[N,5] 17 tensors
}
