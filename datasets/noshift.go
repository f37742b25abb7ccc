package datasets

import "fmt"

// NoShiftClasses is the number of classes of the no-shift streams, those of CIFAR-10.
const NoShiftClasses = 10

// majority is how many classes the imbalanced training set has in full; of the others it has a tenth.
const majority = 5

// NoShiftS2 is the paper's sticky stream for a model trained on imbalanced classes whose stream has the same imbalance (appendix "Prior
// Sensitivity and Label Shift"): classes 0 to 4 make up eleven twelfths of it. It is for 10 classes; Labels panics with another number.
//
// A label stays with probability 0.7, and else the next is drawn, whatever the last was: 0.055 for each of the five common classes and 0.005
// for each of the five rare ones. So the paper's matrix has 0.755 and 0.705 on its diagonal. The first label is uniform here, as of
// every Controlled stream; the paper does not say.
func NoShiftS2() Controlled {
	return Controlled{"no-shift s2", func(dst []float64, from, _, _ int) { imbalanced(dst, from, 0.7, 0.055, 0.005) }}
}

// NoShiftS4 is NoShiftS2 until the middle of the stream; from label T/2 on a label stays with probability 0.5, and common classes have 0.0909
// each, rare ones 0.0091. The frequencies of the classes stay about the same.
func NoShiftS4() Controlled {
	return Controlled{"no-shift s4", func(dst []float64, from, t, steps int) {
		if t < steps/2 {
			imbalanced(dst, from, 0.7, 0.055, 0.005)
		} else {
			imbalanced(dst, from, 0.5, 0.0909, 0.0091)
		}
	}}
}

// imbalanced writes the row of a matrix that stays, or draws anew.
func imbalanced(dst []float64, from int, stay, common, rare float64) {
	if len(dst) != NoShiftClasses {
		panic(fmt.Sprintf("datasets: no-shift stream of %d classes: want %d", len(dst), NoShiftClasses))
	}
	for class := range dst {
		dst[class] = rare
		if class < majority {
			dst[class] = common
		}
	}
	dst[from] += stay
}
