package calibration

import (
	"fmt"
	"math"

	"github.com/oatta/oatta/internal/results"
)

// Floor is the least probability that the fit knows: what is below, zero included, counts as this. -log of it is 27.6 nats.
const Floor = 1e-12

// DefaultMaxBytes bounds a set in the program: 26 million items of ten classes, 268,000 of a thousand.
const DefaultMaxBytes = 1 << 30

// Set is labelled predictions, kept as log-probabilities. It is not safe for concurrent use.
type Set struct {
	classes, limit int
	logs           []float32 // [items][classes] log q, floored
	truth          []int32
	hit            []bool  // the most probable class is the truth
	stream         []int32 // number of the stream of each item
	streams        map[string]int32
	counts         []int
	floored        int
}

// NewSet returns an empty set that holds as many items as fit into maxBytes of log-probabilities, at least one. It panics if classes
// is under 1.
func NewSet(classes int, maxBytes int64) *Set {
	if classes < 1 {
		panic(fmt.Sprintf("calibration: %d classes", classes))
	}
	limit := min(max(maxBytes/4/int64(classes), 1), math.MaxInt32)
	return &Set{classes: classes, limit: int(limit), streams: map[string]int32{}, counts: make([]int, classes)}
}

// Add keeps the prediction q [classes], which must pass adapt.Check, for an item whose class is truth. It returns false if the set is
// full. It panics if a length is not that of the set or truth is no class.
func (s *Set) Add(stream string, truth int, q []float64) bool {
	if len(q) != s.classes || truth < 0 || truth >= s.classes {
		panic(fmt.Sprintf("calibration: truth %d and %d probabilities for %d classes", truth, len(q), s.classes))
	}
	if len(s.truth) == s.limit {
		return false
	}
	for _, v := range q {
		s.logs = append(s.logs, float32(math.Log(max(v, Floor))))
	}
	if q[truth] < Floor {
		s.floored++
	}
	n, known := s.streams[stream]
	if !known {
		n = int32(len(s.streams))
		s.streams[stream] = n
	}
	label, _ := results.Top(q) // of what was given: in float32 two classes may tie
	s.truth, s.stream, s.hit = append(s.truth, int32(truth)), append(s.stream, n), append(s.hit, label == truth)
	s.counts[truth]++
	return true
}

// Len returns the number of items.
func (s *Set) Len() int { return len(s.truth) }

// Limit returns the number of items that the set can hold.
func (s *Set) Limit() int { return s.limit }

// Classes returns the length of a prediction.
func (s *Set) Classes() int { return s.classes }

// Streams returns the number of streams that the items come from.
func (s *Set) Streams() int { return len(s.streams) }

// Counts returns the number of items of each class. The slice is the set's.
func (s *Set) Counts() []int { return s.counts }

// row returns the log-probabilities of item i.
func (s *Set) row(i int) []float32 { return s.logs[i*s.classes : (i+1)*s.classes] }
