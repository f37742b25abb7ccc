package predict

import (
	"context"
	"fmt"
)

// Predictor stands between prepared inputs and raw predictions where the order of the items does not matter: the plain network, Monte
// Carlo dropout, augmentation at test time, MEMO. [Augmented] wraps one. It is safe for concurrent use.
type Predictor interface {
	// InputLen returns the numbers that are read for one item: [input...], or [views, input...] with the plain input first.
	InputLen() int
	Classes() int
	// Size returns the items of one run where want is asked for: a network with a fixed batch has the last word.
	Size(want int) int
	// Predict writes dst [n, Classes] for src [n, InputLen]. What is random in item i depends on seeds[i] alone. After an error dst
	// is undefined.
	Predict(ctx context.Context, dst, src []float32, seeds []uint64) error
}

// StreamPredictor learns from the items of a stream in their order, as Tent does. It holds the state of several streams, one a lane,
// and advances them in one run. What it puts out for a row, and what becomes of the row's lane, depends on that row, its lane and how
// many rows there are, and not on the other rows. Its methods are called by one goroutine at a time.
type StreamPredictor interface {
	InputLen() int
	Classes() int
	// Lanes returns how many streams one run may advance where want is asked for.
	Lanes(want int) int
	// Begin gives the lane, from 0 to Lanes-1, to a new stream, whose state is that of the source.
	Begin(lane int)
	// Step advances each of lanes, which have begun and are all different, by one item: row i of dst [n, Classes] and src
	// [n, InputLen] belongs to lanes[i]. An error that is [RowErrors] concerns some rows; after any other, dst is undefined and the
	// state of all lanes is what it was before.
	Step(ctx context.Context, dst, src []float32, lanes []int) error
}

// RowErrors is an error of some rows of a [StreamPredictor.Step]. For all others the step was made.
type RowErrors interface {
	error
	// Row returns why row i of the step has no result, or nil if it has one. The state of its lane is the predictor's to decide: the
	// step counts as one of its stream.
	Row(i int) error
}

// Restarter is a [StreamPredictor] that now and then takes the source's state again within a stream, or never does.
type Restarter interface {
	// Restart tells which part of a stream's steps its state after so many of them depends on: from returns the number of those that
	// need not be made again if the lane begins behind them. A negative number means that what other streams left counts, too, so that
	// the whole run must be repeated; such a predictor has one lane.
	Restart(steps int) (from int)
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
