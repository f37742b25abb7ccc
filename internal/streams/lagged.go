package streams

// addLagged steps a lagged filter; the answer, if one is due, is that of the item that waits longest.
func (r *Runner[R]) addLagged(s *stream[R], item Item[R]) error {
	s.waiting.push(item.Ref())
	d, due := s.lagged.Step(r.out, item.Probs)
	if !due {
		return nil
	}
	return r.answer(Answer[R]{Waited: true, Ref: s.waiting.pop(), Stream: s.name, Probs: r.out, Class: -1, Diagnostics: d})
}

// flushLagged answers what waits, stream by stream in the order of their names: a map has none.
func (r *Runner[R]) flushLagged() error {
	for _, name := range sortedNames(r.streams) {
		s := r.streams[name]
		for s.lagged != nil {
			d, due := s.lagged.Flush(r.out)
			if !due {
				break
			}
			if err := r.answer(Answer[R]{Waited: true, Ref: s.waiting.pop(), Stream: name, Probs: r.out, Class: -1, Diagnostics: d}); err != nil {
				return err
			}
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
