package tent_test

import (
	"fmt"
	"testing"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/tent"
)

// TestEveryNetwork: a graph is made of every network by settings of every kind, in the network's own size, which is where the forms of
// convolutions differ. That graphs compute what they should is shown on some.
func TestEveryNetwork(t *testing.T) {
	for _, name := range backbone.Names() {
		t.Run(name, func(t *testing.T) {
			net, err := backbone.New(name, backbone.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, rows := range []int{0, 1, 8} {
				for _, s := range []tent.Settings{{}, {Before: true}, {Steps: 2}, {Together: true}, {Batch: 0.1}} {
					s.Rows = rows
					if _, err := tent.Build(onnx.New(net.Graph.Clone()), s); err != nil {
						t.Errorf("%s: %v", fmt.Sprintf("%+v", s), err)
					}
				}
			}
		})
	}
}
