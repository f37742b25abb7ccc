package benchmarks

import (
	"fmt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/results"
)

// Method names what is done with the predictions of a stream: Label writes a class for every row of q [steps][classes] into dst. It
// must not change q, and must not keep anything from one call to the next.
type Method struct {
	Name  string
	Label func(dst []int, q [][]float64)
	// Probabilities writes those whose most probable classes the labels are; nil: the method knows none.
	Probabilities func(dst, q [][]float64)
}

// Soft is a method that knows probabilities. q has at least one row where they are asked for.
func Soft(name string, probabilities func(dst, q [][]float64)) Method {
	return Method{Name: name, Label: func(dst []int, q [][]float64) { labelsOf(dst, q, probabilities) }, Probabilities: probabilities}
}

// labelsOf writes the most probable classes. No row of q is none of labels.
func labelsOf(dst []int, q [][]float64, probabilities func(dst, q [][]float64)) {
	if len(q) == 0 {
		return
	}
	p := shaped(q)
	probabilities(p, q)
	for t, row := range p {
		dst[t], _ = results.Top(row)
	}
}

// shaped returns zeros in the shape of q, which has rows.
func shaped(q [][]float64) [][]float64 {
	k := len(q[0])
	all, out := make([]float64, k*len(q)), make([][]float64, len(q))
	for t := range out {
		out[t] = all[t*k : (t+1)*k : (t+1)*k]
	}
	return out
}

// Base takes each prediction as it is.
func Base() Method {
	return Soft("base", func(dst, q [][]float64) {
		for t, row := range q {
			copy(dst[t], row)
		}
	})
}

// Filter runs adapt's filter with settings that must be valid for the number of classes.
func Filter(name string, s adapt.Settings) Method {
	return Soft(name, func(dst, q [][]float64) {
		f, err := adapt.New(len(q[0]), s)
		if err != nil {
			panic(fmt.Sprintf("benchmarks: %s: %v", name, err))
		}
		for t, row := range q {
			f.Step(dst[t], row)
		}
	})
}

// Filters are the gates of the paper and auto, each with its defaults.
func Filters(prior []float64) []Method {
	var out []Method
	for _, gate := range adapt.Gates() {
		out = append(out, Filter(string(gate), adapt.Settings{Gate: gate, Prior: prior}))
	}
	return out
}
