package priors

import "github.com/oatta/oatta/datasets"

// common is the number of classes that the training set has in full; the others it has at a tenth.
const common = 5

// keeping is one of the paper's printed matrices, which keep the imbalance of the training set: the probabilities that a common class and
// a rare one follow themselves, and those of any other common or rare class to follow.
type keeping struct{ stayCommon, stayRare, toCommon, toRare float64 }

// The matrices of the paper's appendix "Prior Sensitivity and Label Shift", at a stickiness of 0.7 and 0.5. They are printed with four
// digits: rows sum to 1 within a thousandth, and what is left of a draw falls to the last class.
var (
	keepingSticky = keeping{.755, .705, .055, .005}
	keepingLoose  = keeping{.5909, .5091, .0909, .0091}
)

// row writes P(. | from).
func (m keeping) row(dst []float64, from int) {
	for to := range dst {
		dst[to] = m.toRare
		if to < common {
			dst[to] = m.toCommon
		}
	}
	dst[from] = m.stayRare
	if from < common {
		dst[from] = m.stayCommon
	}
}

// condition is a column of the paper's table.
type condition struct {
	name   string
	stream datasets.Controlled
}

// conditions are S2 and S4 with label shift, where their classes are balanced, and without.
func conditions() []condition {
	return []condition{
		{"shift/s2", datasets.S2(0.7)},
		{"shift/s4", datasets.S4()},
		{"no-shift/s2", datasets.Controlled{Name: "s2 unequal", Transition: func(dst []float64, from, _, _ int) { keepingSticky.row(dst, from) }}},
		{"no-shift/s4", datasets.Controlled{Name: "s4 unequal", Transition: func(dst []float64, from, t, steps int) {
			if t < steps/2 {
				keepingSticky.row(dst, from)
			} else {
				keepingLoose.row(dst, from)
			}
		}}},
	}
}
