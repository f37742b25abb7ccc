package norms

import (
	"errors"
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// errNone is in every error of [Explain].
var errNone = errors.New("no normalisation layer to adapt")

// Explain returns nil if the graph has a layer that can be adapted, and otherwise why it has none and what to do. The producer is the
// exporter's name as the file states it; it may be empty.
func Explain(g *graph.Graph, producer string) error {
	if len(Find(g)) > 0 {
		return nil
	}
	biased, frozen := 0, 0
	for _, n := range g.Nodes() {
		switch {
		case n.Op == "Conv" && input(n, 2) != graph.None:
			biased++
		case n.Op == "BatchNormalization" || n.Op == "LayerNormalization":
			frozen++
		}
	}
	by := "the exporter"
	if producer != "" {
		by += " (" + producer + ")"
	}
	switch {
	case frozen > 0:
		return fmt.Errorf("norms: graph %q: %w: the scales and biases of its %d normalisations are computed, not constant", g.Name, errNone, frozen)
	case biased > 0:
		return fmt.Errorf("norms: graph %q: %w: %s seems to have folded BatchNormalization into the %d convolutions that have a bias: "+
			"export with training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False, dynamo=False, or build the backbone from its weights by oatta models build",
			g.Name, errNone, by, biased)
	}
	return fmt.Errorf("norms: graph %q: %w: the network was made without any; base, mc-dropout, ttaug and memo work", g.Name, errNone)
}
