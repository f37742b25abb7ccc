package timeline

import (
	"fmt"
	"time"
)

// Reorder puts items in the order of their times, as far as that is possible by holding N of them back: an item that comes in at most
// N items late gets its place. Items of equal times keep their order. One without a time keeps its place after those that were there.
// Make it with [NewReorder]. A Reorder belongs to one stream.
type Reorder[T any] struct {
	limit    int
	heap     []waiting[T] // the earliest first, by the usual rule: entry i is no later than 2i+1 and 2i+2
	basis    basis
	latest   moment // of all that came
	released moment // time of the last that went
	came     uint64
	moved    int
}

type waiting[T any] struct {
	moment
	turn uint64 // in which it came
	item T
}

// MaxReorder is the most items that a Reorder holds back.
const MaxReorder = 1 << 16

// NewReorder returns an empty buffer that holds n items back, 0 to MaxReorder.
func NewReorder[T any](n int) (*Reorder[T], error) {
	if n < 0 || n > MaxReorder {
		return nil, fmt.Errorf("timeline: reorder within %d items: want 0 to %d", n, MaxReorder)
	}
	return &Reorder[T]{limit: n}, nil
}

// Len returns how many items are held back.
func (r *Reorder[T]) Len() int { return len(r.heap) }

// Moved returns how many items overtook another.
func (r *Reorder[T]) Moved() int { return r.moved }

// Push takes an item with its time, the zero time if it has none. Once more than N are held, it returns the earliest, and true.
func (r *Reorder[T]) Push(at time.Time, item T) (earliest T, ok bool) {
	now := r.latest
	if !at.IsZero() {
		now = r.moment(at)
	}
	switch {
	case at.IsZero():
	case now.at.Before(r.latest.at):
		if !now.at.Before(r.released.at) { // else it comes too late to overtake
			r.moved++
		}
	default:
		r.latest = now
	}
	r.heap = append(r.heap, waiting[T]{now, r.came, item})
	r.came++
	r.up(len(r.heap) - 1)
	if len(r.heap) <= r.limit {
		return earliest, false
	}
	return r.pop(), true
}

// Mixed tells whether there were instants and times on the [Wall]: all compare as what it showed.
func (r *Reorder[T]) Mixed() bool { return r.basis == mixed }

// moment returns what a time compares by. The first of another kind than those before it makes all what a clock on the wall showed.
func (r *Reorder[T]) moment(t time.Time) moment {
	was := r.basis
	if r.basis = was.take(t); was == instants && r.basis == mixed {
		r.latest.toWall()
		r.released.toWall()
		for i := range r.heap {
			r.heap[i].toWall()
			r.up(i)
		}
	}
	return r.basis.moment(t)
}

// Flush returns the earliest item that is held back, and true, until there is none. It begins anew with the next Push.
func (r *Reorder[T]) Flush() (earliest T, ok bool) {
	if len(r.heap) == 0 {
		r.basis, r.latest, r.released = anyBasis, moment{}, moment{}
		return earliest, false
	}
	return r.pop(), true
}

func (r *Reorder[T]) pop() T {
	first, end := r.heap[0], len(r.heap)-1
	r.heap[0], r.heap[end] = r.heap[end], waiting[T]{} // what it refers to may be large
	r.heap = r.heap[:end]
	r.down(0)
	r.released = first.moment
	return first.item
}

func (r *Reorder[T]) before(i, j int) bool {
	a, b := &r.heap[i], &r.heap[j]
	if c := a.at.Compare(b.at); c != 0 {
		return c < 0
	}
	return a.turn < b.turn
}

func (r *Reorder[T]) up(i int) {
	for i > 0 && r.before(i, (i-1)/2) {
		r.heap[i], r.heap[(i-1)/2] = r.heap[(i-1)/2], r.heap[i]
		i = (i - 1) / 2
	}
}

func (r *Reorder[T]) down(i int) {
	for {
		next := i
		for child := 2*i + 1; child <= min(2*i+2, len(r.heap)-1); child++ {
			if r.before(child, next) {
				next = child
			}
		}
		if next == i {
			return
		}
		r.heap[i], r.heap[next] = r.heap[next], r.heap[i]
		i = next
	}
}
