package calibration

import (
	"fmt"
	"math"
)

// Pseudocount is added to the number of items of every class: half an item, so that a class without any keeps a prior over 0.
const Pseudocount = 0.5

// Prior returns the class frequencies of counts [classes], with pseudo added to each. The filter divides by them: that of a class
// that has no item is a guess, and boosts the class by as much as it is small. Every entry is at least 1e-12, the least that the
// filter takes, or the error names the class.
func Prior[N int | float64](counts []N, pseudo float64) ([]float64, error) {
	total := 0.0
	for k, n := range counts {
		if !(float64(n) >= 0) || math.IsInf(float64(n), 0) {
			return nil, fmt.Errorf("calibration: count of class %d is %v: want a number from 0", k, n)
		}
		total += float64(n) + pseudo
	}
	prior := make([]float64, len(counts))
	for k, n := range counts {
		prior[k] = (float64(n) + pseudo) / total
		if !(prior[k] >= 1e-12) {
			return nil, fmt.Errorf("calibration: prior of class %d would be %g: want at least 1e-12", k, prior[k])
		}
	}
	return prior, nil
}
