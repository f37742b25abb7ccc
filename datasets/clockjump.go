package datasets

import (
	"slices"
	"time"

	"github.com/oatta/oatta/datasets/internal/message"
)

const (
	jumpSpan  = 180 * 24 * time.Hour // a fall of the clock that no numbering of files explains, as one that starts anew after 9999
	mostJumps = 3                    // more of them are names that say nothing of the order
)

// clockJumps looks, in a stream whose items are in natural order of names, for a clock that falls back by more than half a year, as one that was reset
// or had a single wrong time before. It returns the first item of each fall; nil for names whose order is not that of time.
func clockJumps(items []*item) (falls []*item) {
	var last time.Time
	for _, it := range items {
		if it.Time.IsZero() {
			continue
		}
		if !last.IsZero() && last.Sub(it.Time) > jumpSpan {
			if falls = append(falls, it); len(falls) > mostJumps {
				return nil
			}
		}
		last = it.Time
	}
	return falls
}

// warnJumps tells of a stream whose clock was reset, or jumped ahead and came back, and reports whether it was: its order is that of the
// times all the same.
func (l *Listing) warnJumps(stream string, items []*item) bool {
	falls := clockJumps(items)
	if len(falls) == 0 {
		return false
	}
	first := slices.Index(items, falls[0])
	before := items[:first]
	at := slices.IndexFunc(before, func(it *item) bool { return it.Time.Sub(falls[0].Time) > jumpSpan })
	earlier, ahead := 0, 0 // which of the two sides is the odd one
	for _, it := range items[first:] {
		if !it.Time.IsZero() && before[at].Time.Sub(it.Time) > jumpSpan {
			earlier++
		}
	}
	for _, it := range before {
		if it.Time.Sub(falls[0].Time) > jumpSpan {
			ahead++
		}
	}
	l.warn("%s: the camera's clock falls from %s to %s at %s: %s before it by name and %s from it on are so far apart; their order is that of the times",
		message.Show(stream), before[lastTimed(before)].Time.Format(time.DateOnly), falls[0].Time.Format(time.DateOnly), message.Show(falls[0].Name),
		message.Count(ahead, "picture"), message.Count(earlier, "picture"))
	return true
}

// lastTimed returns the index of the last item with a time.
func lastTimed(items []*item) int {
	for i := len(items) - 1; i >= 0; i-- {
		if !items[i].Time.IsZero() {
			return i
		}
	}
	return 0
}
