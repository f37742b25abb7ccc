package norms_test

import (
	"fmt"
	"log"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/norms"
)

// What Tent moves: scales and biases of normalisations become one input, theta, and the entropy of each prediction an output.
func ExampleExpose() {
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 5})
	if err != nil {
		log.Fatal(err)
	}
	layers := norms.Find(net.Graph)
	theta, flat, err := norms.Expose(net.Graph, norms.Params(layers), "theta")
	if err != nil {
		log.Fatal(err)
	}
	entropy, _, err := norms.Entropy(net.Graph, net.Graph.Outputs()[0], "logits")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(layers), "layers,", flat.Len(), "parameters:", net.Graph.TypeOf(theta), net.Graph.TypeOf(entropy))
	// Output:
	// 3 layers, 640 parameters: float32[640] float32[N]
}
