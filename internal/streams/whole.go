package streams

import (
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/oatta/oatta/adapt"
)

// place is where an item of the input stands in its recording, which is nil for one that was passed.
type place[R any] struct {
	ref       R
	recording *recording
	t         int
	event     Event
}

// recording is a stream that is taken as a whole, or as much of it as there is until it starts anew.
type recording struct {
	stream string
	q      [][]float64 // [T][K]; after smoothing the answers
	missed []int       // [T] steps before each item, as [adapt.SmoothGaps] has them
	labels []int       // [T] what is known, as [adapt.SmoothKnown] has it; nil: nothing
	path   []int       // [T], of Options.Path
	gates  []float64   // [T]
}

// keep keeps the item.
func (r *Runner[R]) keep(s *stream[R], item Item[R], e Event) error {
	if s.whole == nil || e.Restart {
		s.whole = &recording{stream: s.name}
		r.recordings = append(r.recordings, s.whole)
	}
	w := s.whole
	r.order = append(r.order, place[R]{item.Ref(), w, len(w.q), e})
	w.q = append(w.q, slices.Clone(item.Probs))
	w.missed = append(w.missed, e.missed())
	w.know(item.Known, item.Class)
	return r.hold(2*len(item.Probs) + 8)
}

// know notes whether the label of the last item is known.
func (w *recording) know(known bool, class int) {
	if w.labels == nil && !known {
		return
	}
	for len(w.labels) < len(w.q) {
		w.labels = append(w.labels, adapt.Unknown)
	}
	if known {
		w.labels[len(w.q)-1] = class
	}
}

// knows tells whether the label of an item is known.
func (w *recording) knows(t int) bool { return t < len(w.labels) && w.labels[t] != adapt.Unknown }

// flushWhole smooths all recordings, several at a time, and answers in the order of the input.
func (r *Runner[R]) flushWhole() error {
	var g errgroup.Group
	g.SetLimit(max(1, r.o.Workers))
	for _, w := range r.recordings {
		g.Go(func() error {
			if err := w.smooth(r.o); err != nil {
				return fmt.Errorf("stream %q: %w", w.stream, err)
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
	a := Answer[R]{Waited: true, Ref: p.ref, Result: Result{Class: -1, Event: p.event}}
	w := p.recording
	if w == nil {
		return a
	}
	a.Stream, a.Probs, a.Gate, a.Known = w.stream, w.q[p.t], w.gates[p.t], w.knows(p.t)
	if w.path != nil {
		a.Class = w.path[p.t]
	}
	return a
}

// smooth replaces the predictions by what the whole recording says of them.
func (w *recording) smooth(o Options) error {
	dst := rows(len(w.q), o.Classes)
	s, err := adapt.SmoothKnown(o.Classes, o.Settings, dst, w.q, w.missed, w.labels)
	if err != nil {
		return err
	}
	if w.gates, err = w.gatesOf(o, s); err != nil {
		return err
	}
	if o.Path {
		w.path = make([]int, len(w.q))
		if _, err := adapt.ViterbiKnown(o.Classes, o.Settings, w.path, w.q, w.missed, w.labels); err != nil {
			return err
		}
	}
	w.q = dst
	return nil
}

// gatesOf, before the answers replace the predictions, returns the share of each answer that owes itself to order: under auto the weight of all readings but `none`, in the paper's
// modes the gate of the causal pass, which is that of smoothing.
func (w *recording) gatesOf(o Options, s adapt.Smoothed) ([]float64, error) {
	gates := make([]float64, len(w.q))
	if s.Hypotheses != nil {
		ordered := 0.0
		for _, h := range s.Hypotheses {
			if h.Ordered() {
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
	for t, v := range w.q {
		if w.missed[t] == adapt.Broken {
			f.Break()
		} else {
			f.Skip(w.missed[t])
		}
		if w.knows(t) {
			gates[t] = f.StepKnown(scratch, w.labels[t]).Gate
		} else {
			gates[t] = f.Step(scratch, v).Gate
		}
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
