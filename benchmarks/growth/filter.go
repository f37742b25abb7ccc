package growth

import (
	"math/rand/v2"

	"github.com/oatta/oatta/adapt"
)

// classes is a step of the filter by the number of classes.
func classes(x []float64, rounds int, least float64) (*Axis, error) {
	a := &Axis{
		ID: "classes", Title: "A step of the filter against the number of classes", Grows: "classes",
		Note: "The matrix of the paper's filter has K² entries, all of which a step moves. What auto learns is bounded by its active classes, 64.",
		X:    x, Series: []Series{{Name: "off", Bound: 2}, {Name: "ewma", Bound: 2}, {Name: "auto", Bound: 1}},
	}
	var work [][]point
	for _, gate := range []adapt.Gate{adapt.GateOff, adapt.GateEWMA, adapt.GateAuto} {
		var points []point
		for _, k := range x {
			f, err := adapt.New(int(k), adapt.Settings{Gate: gate})
			if err != nil {
				return nil, err
			}
			q, dst, t := predictions(int(k), 64), make([]float64, int(k)), 0
			points = append(points, point{1, func() error {
				f.Step(dst, q[t%len(q)])
				t++
				return nil
			}})
		}
		work = append(work, points)
	}
	return a, a.measure(work, rounds, least)
}

// streams is a step of the filter by the number of streams that take one in turn.
func streams(x []float64, rounds int, least float64) (*Axis, error) {
	a := &Axis{
		ID: "streams", Title: "A step of the filter against the number of streams", Grows: "streams",
		Note: "The states of many streams are beyond the caches of the processor and come from memory.",
		X:    x, Series: []Series{{Name: "2 classes"}, {Name: "10 classes"}, {Name: "64 classes"}},
	}
	var work [][]point
	for _, k := range []int{2, 10, 64} {
		var points []point
		for _, n := range x {
			step, err := batch(k, int(n))
			if err != nil {
				return nil, err
			}
			points = append(points, point{int(n), step})
		}
		work = append(work, points)
	}
	return a, a.measure(work, rounds, least)
}

// batch returns a step of so many streams of k classes each.
func batch(k, streams int) (func() error, error) {
	filters, dst, q := make([]*adapt.Filter, streams), make([][]float64, streams), make([][]float64, streams)
	rows, t := predictions(k, 64), 0
	for i := range filters {
		var err error
		if filters[i], err = adapt.New(k, adapt.Settings{}); err != nil {
			return nil, err
		}
		dst[i] = make([]float64, k)
	}
	return func() error {
		for i := range q {
			q[i] = rows[(t+i)%len(rows)]
		}
		t++
		adapt.StepBatch(filters, dst, q, nil)
		return nil
	}, nil
}

// lengths is an item of a stream by the stream's length.
func lengths(x []float64, rounds int, least float64) (*Axis, error) {
	const k = 6
	a := &Axis{
		ID: "items", Title: "An item against the length of its stream", Grows: "items",
		Note: "Six classes. Looking back keeps what it needs of every item in memory, so that its memory grows with the stream; a causal filter's does not.",
		X:    x, Series: []Series{{Name: "causal"}, {Name: "looking back"}},
	}
	work := make([][]point, 2)
	for _, n := range x {
		q := predictions(k, int(n))
		dst := make([][]float64, len(q))
		for i := range dst {
			dst[i] = make([]float64, k)
		}
		f, err := adapt.New(k, adapt.Settings{})
		if err != nil {
			return nil, err
		}
		work[0] = append(work[0], point{len(q), func() error {
			f.Reset()
			for i := range q {
				f.Step(dst[i], q[i])
			}
			return nil
		}})
		work[1] = append(work[1], point{len(q), func() error {
			_, err := adapt.Smooth(k, adapt.Settings{}, dst, q)
			return err
		}})
	}
	return a, a.measure(work, rounds, least)
}

// predictions are those of a stream that stays in a class for some ten items, of a predictor that errs.
func predictions(k, n int) [][]float64 {
	r := rand.New(rand.NewPCG(7, uint64(k)))
	out, y := make([][]float64, n), 0
	for t := range out {
		if r.Float64() < 0.1 {
			y = r.IntN(k)
		}
		q, total := make([]float64, k), 0.0
		for i := range q {
			q[i] = r.ExpFloat64()
			total += q[i]
		}
		q[y] += total
		for i := range q {
			q[i] /= 2 * total
		}
		out[t] = q
	}
	return out
}
