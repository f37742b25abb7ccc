package streams

import "github.com/oatta/oatta/adapt"

// pending is an item that waits for its answer.
type pending[R any] struct {
	ref   R
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
	e.tell(s.lagged)
	s.waiting.push(pending[R]{item.Ref(), e})
	d, due := s.lagged.Step(r.out, item.Probs)
	if !due {
		return nil
	}
	return r.answerLate(s, d)
}

func (r *Runner[R]) answerLate(s *stream[R], d adapt.Diagnostics) error {
	w := s.waiting.pop()
	return r.answer(Answer[R]{Waited: true, Ref: w.ref, Result: Result{Stream: s.name, Probs: r.out, Class: -1, Diagnostics: d, Event: w.event}})
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

// queue is first in, first out, in a ring that grows.
type queue[R any] struct {
	ring     []R
	first, n int
}

func (q *queue[R]) push(v R) {
	if q.n == len(q.ring) {
		grown := make([]R, max(4, 2*q.n))
		for i := range q.n {
			grown[i] = q.ring[(q.first+i)%q.n]
		}
		q.ring, q.first = grown, 0
	}
	q.ring[(q.first+q.n)%len(q.ring)] = v
	q.n++
}

func (q *queue[R]) pop() R {
	var none R
	v := q.ring[q.first]
	q.ring[q.first] = none // what it refers to may be large
	q.first = (q.first + 1) % len(q.ring)
	q.n--
	return v
}
