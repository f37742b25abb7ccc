package autodiff

import (
	"fmt"

	"github.com/oatta/oatta/models/graph"
)

// ConvForms name how the derivatives of a convolution are written. Each computes the same in another order. Empty ones are left to rules
// that were measured.
type ConvForms struct {
	Input  string // one of those that [FormsOf] lists
	Weight string
}

// The forms, by their names in caches and manifests.
const (
	transposedConv = "transposed" // ConvTranspose
	turnedConv     = "turned"     // Conv, with the weight turned around
	products       = "products"   // one matrix product, and a shift for each tap
	tapProducts    = "taps"       // a matrix product for each tap
	oneProduct     = "one"        // one matrix product for all taps
	shortProducts  = "short"      // by minimal filtering
)

// FormsOf lists the forms of the derivatives of a Conv by its input and by its weight.
func FormsOf(g *graph.Graph, n *graph.Node) (input, weight []string, err error) {
	if n.Op != "Conv" || n.Domain != "" {
		return nil, nil, fmt.Errorf("autodiff: %v is no convolution", n)
	}
	c := &call{g: g, n: n}
	w, group, err := c.filter(func(kernel []int64) (window, error) { return c.window(kernel, c.x(), c.y()) })
	if err != nil {
		return nil, nil, fmt.Errorf("autodiff: %v: %w", n, err)
	}
	input = c.inputForms(c.y(), c.x(), w, group)
	if group == 1 {
		weight = c.weightForms(c.x(), w)
	}
	return input, weight, nil
}
