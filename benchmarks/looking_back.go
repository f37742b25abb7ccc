package benchmarks

import (
	"fmt"

	"github.com/oatta/oatta/adapt"
)

// The methods here are adapt's with more than the past in view. Settings must be valid for the number of classes.

// Lagged is the filter that answers lag items late.
func Lagged(name string, s adapt.Settings, lag int) Method {
	return Soft(name, func(dst, q [][]float64) {
		l, err := adapt.NewLagged(len(q[0]), s, lag)
		if err != nil {
			panic(fmt.Sprintf("benchmarks: %s: %v", name, err))
		}
		done, out := 0, make([]float64, len(q[0]))
		take := func(ok bool) bool {
			if ok {
				copy(dst[done], out)
				done++
			}
			return ok
		}
		for _, row := range q {
			_, ok := l.Step(out, row)
			take(ok)
		}
		for more := true; more; {
			_, ok := l.Flush(out)
			more = take(ok)
		}
	})
}

// Smoothed has the whole recording in view.
func Smoothed(name string, s adapt.Settings) Method {
	return Soft(name, func(dst, q [][]float64) {
		if _, err := adapt.Smooth(len(q[0]), s, dst, q); err != nil {
			panic(fmt.Sprintf("benchmarks: %s: %v", name, err))
		}
	})
}

// Path is the most probable sequence of labels of a whole recording.
func Path(name string, s adapt.Settings) Method {
	return Method{Name: name, Label: func(dst []int, q [][]float64) {
		if len(q) == 0 {
			return
		}
		if _, err := adapt.Viterbi(len(q[0]), s, dst, q); err != nil {
			panic(fmt.Sprintf("benchmarks: %s: %v", name, err))
		}
	}}
}
