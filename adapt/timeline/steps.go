package timeline

import (
	"slices"
	"time"
)

// steps holds the last positive steps in time, in the order in which they came and sorted.
type steps struct {
	limit  int
	order  []time.Duration // oldest first
	sorted []time.Duration
}

func newSteps(limit int) steps { return steps{limit: limit} }

func (s *steps) reset() { s.order, s.sorted = s.order[:0], s.sorted[:0] }

func (s *steps) push(d time.Duration) {
	if len(s.order) == s.limit {
		at, _ := slices.BinarySearch(s.sorted, s.order[0])
		s.sorted = slices.Delete(s.sorted, at, at+1)
		s.order = slices.Delete(s.order, 0, 1)
	}
	s.order = append(s.order, d)
	at, _ := slices.BinarySearch(s.sorted, d)
	s.sorted = slices.Insert(s.sorted, at, d)
}

// median returns the lower of the two in the middle: a time that occurred.
func (s *steps) median() time.Duration { return s.sorted[(len(s.sorted)-1)/2] }

// remembered is how many of the last items are known by hash.
const remembered = 64

// recent holds the keys of the last items.
type recent struct {
	keys  [remembered]uint64
	next  int
	count int
}

func (r *recent) has(key uint64) bool { return slices.Contains(r.keys[:r.count], key) }

func (r *recent) push(key uint64) {
	r.keys[r.next] = key
	r.next = (r.next + 1) % remembered
	r.count = min(r.count+1, remembered)
}

// keyOf hashes the instant and the id, by 64-bit FNV-1a: with 64 of them in hand, two items are taken for the same once in 3e17.
func keyOf(t time.Time, id []byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, word := range [2]uint64{uint64(t.Unix()), uint64(t.Nanosecond())} {
		for range 8 {
			h = (h ^ word&0xff) * prime
			word >>= 8
		}
	}
	for _, b := range id {
		h = (h ^ uint64(b)) * prime
	}
	return h
}
