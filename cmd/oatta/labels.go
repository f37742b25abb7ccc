package main

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/datasets"
)

// labelResolver finds true labels among those of a model, each once.
type labelResolver struct {
	labels []string
	class  map[string]int // of labels met; -1 for one that is no class
}

func newLabelResolver(labels []string) *labelResolver {
	return &labelResolver{labels: labels, class: map[string]int{}}
}

// of returns the class of a label, or -1.
func (r *labelResolver) of(label string) int {
	class, known := r.class[label]
	if !known {
		var err error
		if class, err = datasets.ResolveLabel(label, r.labels); err != nil {
			class = -1
		}
		r.class[label] = class
	}
	return class
}

// unknown lists, quoted and sorted, the labels met that are no class.
func (r *labelResolver) unknown() (out []string) {
	for label, class := range r.class {
		if class < 0 {
			out = append(out, fmt.Sprintf("%q", label))
		}
	}
	slices.Sort(out)
	return out
}
