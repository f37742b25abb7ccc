package queue

// Queue is first in, first out. The zero value is empty.
type Queue[T any] struct {
	ring     []T
	first, n int
}

// Len returns how many wait.
func (q *Queue[T]) Len() int { return q.n }

// First returns the one that waits longest, in place; there must be one.
func (q *Queue[T]) First() *T { return &q.ring[q.first] }

// Push puts v behind the others.
func (q *Queue[T]) Push(v T) {
	if q.n == len(q.ring) {
		grown := make([]T, max(4, 2*q.n))
		for i := range q.n {
			grown[i] = q.ring[(q.first+i)%q.n]
		}
		q.ring, q.first = grown, 0
	}
	q.ring[(q.first+q.n)%len(q.ring)] = v
	q.n++
}

// Pop takes the one that waits longest; there must be one.
func (q *Queue[T]) Pop() T {
	var none T
	v := q.ring[q.first]
	q.ring[q.first] = none // what it refers to may be large
	q.first = (q.first + 1) % len(q.ring)
	q.n--
	return v
}
