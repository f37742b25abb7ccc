package evaluation

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/datasets"
)

// Labels finds true labels among those of a model, each once.
type Labels struct {
	labels []string
	Class  map[string]int // of labels met; -1 for one that is no class
}

// NewLabels returns a resolver of labels among those of a model.
func NewLabels(labels []string) *Labels {
	return &Labels{labels: labels, Class: map[string]int{}}
}

// Of returns the class of a label, or -1.
func (r *Labels) Of(label string) int {
	class, known := r.Class[label]
	if !known {
		var err error
		if class, err = datasets.ResolveLabel(label, r.labels); err != nil {
			class = -1
		}
		r.Class[label] = class
	}
	return class
}

// Unknown lists, quoted and sorted, the labels met that are no class.
func (r *Labels) Unknown() (out []string) {
	for label, class := range r.Class {
		if class < 0 {
			out = append(out, fmt.Sprintf("%q", label))
		}
	}
	slices.Sort(out)
	return out
}
