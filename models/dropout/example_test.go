package dropout_test

import (
	"fmt"
	"log"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/onnx"
)

// A network with a dropout before its head becomes one whose masks are inputs.
func ExampleBuild() {
	net, err := backbone.New("cnn1d", backbone.Options{Classes: 5})
	if err != nil {
		log.Fatal(err)
	}
	mc, err := dropout.Build(onnx.New(net.Graph), dropout.Settings{Passes: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, in := range mc.Graph.Inputs() {
		fmt.Println(mc.Graph.NameOf(in), mc.Graph.TypeOf(in))
	}
	// Output:
	// input float32[N,3,150]
	// mask float32[N,passes,128]
}
