package tent_test

import (
	"testing"

	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/tent"
)

// TestNarrow: the last stage of a ResNet-18 on small pictures is rewritten in all three passes, each kernel once for both forward passes,
// and nothing in networks of fewer channels. That the results are the same is seen by the tests against the reference.
func TestNarrow(t *testing.T) {
	for name, want := range map[string][2]int{"cifar_resnet18": {11, 7}, "cifar_resnet20": {0, 0}} {
		net, err := backbone.New(name, backbone.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := build(t, onnx.New(net.Graph), tent.Settings{})
		kernels, nodes := map[any]bool{}, 0
		for _, n := range m.Graph.Nodes() {
			if w := m.Graph.ConstOf(n.Inputs[min(1, len(n.Inputs)-1)]); n.Op == "Conv" && w != nil && len(w.Dims()) == 5 {
				kernels[w] = true
				nodes++
			}
		}
		if got := [2]int{nodes, len(kernels)}; got != want {
			t.Errorf("%s: nodes and kernels %v, want %v", name, got, want)
		}
	}
}
