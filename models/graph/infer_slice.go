package graph

import (
	"fmt"
	"slices"
)

// slice: starts, ends, axes and steps are inputs.
func slice(c *inference) error {
	x := c.shape(0)
	if x == nil {
		return c.set(0, c.elem(0), nil)
	}
	spans, err := c.spans(len(x))
	if err != nil {
		return err
	}
	if spans == nil {
		return c.set(0, c.elem(0), unknown(len(x)))
	}
	out := slices.Clone(x)
	for a, s := range spans {
		out[a] = s.size(x[a])
	}
	return c.set(0, c.elem(0), out)
}

// cut is what Slice does along one axis.
type cut struct {
	start, end datum
	step       int64
}

// spans returns the cut of every axis that is cut, nil if the axes are not known.
func (c *inference) spans(rank int) (map[int]cut, error) {
	starts, ends := c.data(1), c.data(2)
	list, ok := c.ints(3)
	if !c.has(3) {
		n := len(starts)
		if d := c.shape(1).Elements(); starts == nil && d.Known() && d.Size <= int64(rank) {
			n = int(d.Size)
		}
		for i := range n {
			list = append(list, int64(i))
		}
		ok = n > 0 || starts != nil
	}
	if !ok {
		return nil, nil
	}
	where, err := Axes(list, rank)
	if err != nil {
		return nil, err
	}
	steps, stepsKnown := c.ints(4)
	if starts != nil && len(starts) != len(where) || ends != nil && len(ends) != len(where) || stepsKnown && len(steps) != len(where) {
		return nil, fmt.Errorf("%d starts, %d ends, %d steps for %d axes", len(starts), len(ends), len(steps), len(where))
	}
	out := make(map[int]cut, len(where))
	for i, a := range where {
		s := cut{step: 1}
		if starts != nil {
			s.start = starts[i]
		}
		if ends != nil {
			s.end = ends[i]
		}
		if c.has(4) {
			if !stepsKnown {
				s.start = datum{}
			} else if s.step = steps[i]; s.step == 0 {
				return nil, fmt.Errorf("step 0")
			}
		}
		out[a] = s
	}
	return out, nil
}

// farAway is where exporters put an end that is not to be reached: at least the largest int32.
const farAway = 1<<31 - 1

func (s cut) size(d Dim) Dim {
	if !s.start.ok || !s.end.ok {
		return Any
	}
	whole := s.start.is(0) && s.step == 1 && (s.end.isNumber() && s.end.n >= farAway || s.end == datumOf(d))
	back := s.step == -1 && s.start.is(-1) && s.end.isNumber() && s.end.n <= -farAway
	if whole || back {
		return d
	}
	if s.start.is(0) && s.step == 1 && !s.end.isNumber() && !d.Known() {
		return Any // the shorter of two names
	}
	if !d.Known() || !s.start.isNumber() || !s.end.isNumber() {
		return Any
	}
	_, count, _ := Cut(s.start.n, s.end.n, s.step, d.Size)
	return N(count)
}
