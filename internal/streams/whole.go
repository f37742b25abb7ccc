package streams

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/oatta/oatta/adapt"
)

// place is where an item of the input stands in its stream; stream is nil for one that was passed.
type place[R any] struct {
	ref    R
	stream *stream[R]
	t      int
}

// recording is a stream that is taken as a whole.
type recording struct {
	q     [][]float64 // [T][K]; after smoothing the answers
	path  []int       // [T], of Options.Path
	gates []float64   // [T]
}

// addWhole keeps the item.
func (r *Runner[R]) addWhole(s *stream[R], item Item[R]) error {
	r.order = append(r.order, place[R]{item.Ref(), s, len(s.whole.q)})
	s.whole.q = append(s.whole.q, slices.Clone(item.Probs))
	return r.hold(2*len(item.Probs) + 8)
}

// flushWhole smooths all streams, several at a time, and answers in the order of the input.
func (r *Runner[R]) flushWhole() error {
	var g errgroup.Group
	g.SetLimit(max(1, r.o.Workers))
	for _, name := range sortedNames(r.streams) {
		s := r.streams[name]
		g.Go(func() error {
			if err := s.whole.smooth(r.o); err != nil {
				return fmt.Errorf("stream %q: %w", name, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range r.order {
		if err := r.answer(r.order[i].answer()); err != nil {
			return err
		}
		r.order[i] = place[R]{} // what it refers to may be large
	}
	return nil
}

func (p *place[R]) answer() Answer[R] {
	a := Answer[R]{Waited: true, Ref: p.ref, Class: -1}
	if p.stream == nil {
		return a
	}
	w := &p.stream.whole
	a.Stream, a.Probs, a.Gate = p.stream.name, w.q[p.t], w.gates[p.t]
	if w.path != nil {
		a.Class = w.path[p.t]
	}
	return a
}

// smooth replaces the predictions by what the whole recording says of them.
func (w *recording) smooth(o Options) error {
	dst := rows(len(w.q), o.Classes)
	s, err := adapt.Smooth(o.Classes, o.Settings, dst, w.q)
	if err != nil {
		return err
	}
	if w.gates, err = gatesOf(o, s, w.q); err != nil {
		return err
	}
	if o.Path {
		w.path = make([]int, len(w.q))
		if _, err := adapt.Viterbi(o.Classes, o.Settings, w.path, w.q); err != nil {
			return err
		}
	}
	w.q = dst
	return nil
}

// gatesOf returns the share of each answer that owes itself to order: under auto the weight of all readings but `none`, in the paper's
// modes the gate of the causal pass, which is that of smoothing.
func gatesOf(o Options, s adapt.Smoothed, q [][]float64) ([]float64, error) {
	gates := make([]float64, len(q))
	if s.Hypotheses != nil {
		ordered := 0.0
		for _, h := range s.Hypotheses {
			if h.Kind != "none" {
				ordered += h.Weight
			}
		}
		for t := range gates {
			gates[t] = ordered
		}
		return gates, nil
	}
	f, err := adapt.New(o.Classes, o.Settings)
	if err != nil {
		return nil, err
	}
	scratch := make([]float64, o.Classes)
	for t, v := range q {
		gates[t] = f.Step(scratch, v).Gate
	}
	return gates, nil
}

// rows returns count slices of n numbers.
func rows(count, n int) [][]float64 {
	out, all := make([][]float64, count), make([]float64, count*n)
	for i := range out {
		out[i] = all[i*n : (i+1)*n : (i+1)*n]
	}
	return out
}

func sortedNames[S any](m map[string]S) []string { return slices.Sorted(maps.Keys(m)) }
