package predict

import (
	"context"
	"fmt"
)

// Predictor is what [Augmented] wraps, and what all predictors of this package are: something between ready inputs and raw
// predictions, in which the order of the inputs does not matter. Implementations are safe for concurrent use.
type Predictor interface {
	// InputLen returns the numbers that are read for one item: [views, input...], the plain input first where there are several.
	InputLen() int
	Classes() int
	// Size returns the items of one run where want is asked for: a network with a fixed batch has the last word.
	Size(want int) int
	// Predict writes dst [n, Classes] for src [n, InputLen]. What is random in item i depends on seeds[i] alone.
	Predict(ctx context.Context, dst, src []float32, seeds []uint64) error
}

// checkRows returns the items of a call, and panics where its slices contradict.
func checkRows(p Predictor, dst, src []float32, seeds []uint64) int {
	n := len(dst) / p.Classes()
	if len(dst) != n*p.Classes() || len(src) != n*p.InputLen() || seeds != nil && len(seeds) != n {
		panic(fmt.Sprintf("predict: %d numbers of output, %d of input, %d seeds: want %d, %d, 1 for each item",
			len(dst), len(src), len(seeds), p.Classes(), p.InputLen()))
	}
	return n
}
