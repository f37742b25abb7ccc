package memo_test

import (
	"testing"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/backbone"
	"github.com/oatta/oatta/models/onnx"
)

// TestEveryNetwork: a graph is made of every network by every preset, in its own size, which is where the forms of convolutions differ. That
// graphs compute what they should is shown on some.
func TestEveryNetwork(t *testing.T) {
	for _, name := range backbone.Names() {
		t.Run(name, func(t *testing.T) {
			net, err := backbone.New(name, backbone.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, preset := range memo.Presets() {
				for _, parameters := range []memo.Parameters{memo.All, memo.Norms} {
					s, err := memo.Preset(preset)
					if err != nil {
						t.Fatal(err)
					}
					s.Parameters = parameters
					if _, err := memo.Build(onnx.New(net.Graph.Clone()), s); err != nil {
						t.Errorf("%s, %s: %v", preset, parameters, err)
					}
				}
			}
		})
	}
}
