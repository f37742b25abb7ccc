package main

import (
	"fmt"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/internal/results"
)

// methods are the columns of the tables; the first is the base that the others are compared with.
func methods() []benchmarks.Method {
	return []benchmarks.Method{
		benchmarks.Base(),
		benchmarks.Filter("auto", adapt.Settings{}),
		lagged(1, adapt.Settings{}),
		lagged(5, adapt.Settings{}),
		lagged(20, adapt.Settings{}),
		smoothed("hindsight", adapt.Settings{}),
		{Name: "vote of five", Label: vote},
		smoothed("off, smoothed", adapt.Settings{Gate: adapt.GateOff}),
		smoothed("ewma, smoothed", adapt.Settings{Gate: adapt.GateEWMA}),
		{Name: "Viterbi", Label: viterbi},
	}
}

func lagged(lag int, s adapt.Settings) benchmarks.Method {
	return benchmarks.Method{Name: fmt.Sprintf("lag %d", lag), Label: func(dst []int, q [][]float64) {
		if len(q) == 0 {
			return
		}
		l, err := adapt.NewLagged(len(q[0]), s, lag)
		if err != nil {
			panic(err)
		}
		out, done := make([]float64, len(q[0])), 0
		take := func(ok bool) bool {
			if ok {
				dst[done], _ = results.Top(out)
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
	}}
}

func smoothed(name string, s adapt.Settings) benchmarks.Method {
	return benchmarks.Method{Name: name, Label: func(dst []int, q [][]float64) {
		out := like(q)
		if _, err := adapt.Smooth(classes(q), s, out, q); err != nil {
			panic(err)
		}
		for t, row := range out {
			dst[t], _ = results.Top(row)
		}
	}}
}

func classes(q [][]float64) int {
	if len(q) == 0 {
		return 1
	}
	return len(q[0])
}

func like(q [][]float64) [][]float64 {
	out := make([][]float64, len(q))
	for t, row := range q {
		out[t] = make([]float64, len(row))
	}
	return out
}

func viterbi(dst []int, q [][]float64) {
	if _, err := adapt.Viterbi(classes(q), adapt.Settings{}, dst, q); err != nil {
		panic(err)
	}
}

// vote is the label that most of the five items around an item have, fewer at the ends. Among labels with as many votes the item's
// own wins, then the smallest.
func vote(dst []int, q [][]float64) {
	const reach = 2
	raw := make([]int, len(q))
	benchmarks.Base().Label(raw, q)
	count := make([]int, classes(q))
	for t := range raw {
		clear(count)
		for _, label := range raw[max(t-reach, 0):min(t+reach+1, len(raw))] {
			count[label]++
		}
		best := raw[t]
		for label, n := range count {
			if n > count[best] {
				best = label
			}
		}
		dst[t] = best
	}
}
