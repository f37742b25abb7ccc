package streams

import "github.com/oatta/oatta/adapt"

// pending is an item that waits for its answer.
type pending[R any] struct {
	ref   R
	known bool
	event Event
}

// stepLagged steps a lagged filter; the answer, if one is due, is that of the item that waits longest.
func (r *Runner[R]) stepLagged(s *stream[R], item Item[R], e Event) error {
	if e.Restart {
		if err := r.flushLagged(s); err != nil {
			return err
		}
		s.lagged.Reset()
	}
	e.Tell(s.lagged)
	s.waiting.Push(pending[R]{item.Ref(), item.Known, e})
	var d adapt.Diagnostics
	var due bool
	if item.Known {
		d, due = s.lagged.StepKnown(r.out, item.Class)
	} else {
		d, due = s.lagged.Step(r.out, item.Probs)
	}
	if !due {
		return nil
	}
	return r.answerLate(s, d)
}

func (r *Runner[R]) answerLate(s *stream[R], d adapt.Diagnostics) error {
	w := s.waiting.Pop()
	return r.answer(Answer[R]{Waited: true, Ref: w.ref, Result: Result{Stream: s.name, Probs: r.out, Class: -1, Known: w.known, Diagnostics: d, Event: w.event}})
}

// flushLagged answers what waits for a lag.
func (r *Runner[R]) flushLagged(s *stream[R]) error {
	for s.lagged != nil {
		d, due := s.lagged.Flush(r.out)
		if !due {
			break
		}
		if err := r.answerLate(s, d); err != nil {
			return err
		}
	}
	return nil
}
