package datasets

import (
	"cmp"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets/internal/message"
)

// sortKey is the place of an item in its stream.
type sortKey struct {
	at    time.Time
	burst string // natural-first name of its sequence, or its own name: keeps bursts of the same second apart
	frame int
}

// order sorts the items, which must be in natural order of names, into the listing.
func (l *Listing) order(items []*item) {
	streams := map[string][]*item{}
	var names []string
	for _, it := range items {
		if _, ok := streams[it.Stream]; !ok {
			names = append(names, it.Stream)
		}
		streams[it.Stream] = append(streams[it.Stream], it)
	}
	slices.SortFunc(names, CompareNatural)
	l.Pictures = make([]Picture, 0, len(items))
	for _, name := range names {
		if !l.warnJumps(name, streams[name]) {
			l.warnFolds(name, streams[name])
		}
		l.warnMixed(name, streams[name])
		for _, it := range sortStream(streams[name]) {
			l.Pictures = append(l.Pictures, it.Picture)
		}
	}
	l.warnUntimed()
}

// sortStream orders the items of one stream, given in natural order of names.
func sortStream(items []*item) []*item {
	keys := sortKeys(items)
	slices.SortFunc(items, func(a, b *item) int {
		x, y := keys[a], keys[b]
		return cmp.Or(x.at.Compare(y.at), CompareNatural(x.burst, y.burst), cmp.Compare(x.frame, y.frame), CompareNatural(a.Name, b.Name))
	})
	return items
}

// sortKeys computes the keys. An item without a time takes the time and burst of the last one before it that has a time; those at the
// beginning, which have none before them, take those of the first that has.
func sortKeys(items []*item) map[*item]sortKey {
	instants := allZoned(items)
	first := map[string]string{}
	for _, it := range items {
		if _, ok := first[it.sequence]; !ok {
			first[it.sequence] = it.Name
		}
	}
	keys := make(map[*item]sortKey, len(items))
	var last sortKey
	if i := slices.IndexFunc(items, func(it *item) bool { return !it.Time.IsZero() }); i >= 0 {
		// Before the first timed one by their names, not by its burst: theirs is the lower name.
		last = sortKey{at: clock(items[i].Time, instants)}
	}
	for _, it := range items {
		k := sortKey{at: last.at, burst: last.burst, frame: last.frame}
		if !it.Time.IsZero() {
			k = sortKey{at: clock(it.Time, instants), burst: it.Name}
		}
		if it.sequence != "" {
			k.burst, k.frame = first[it.sequence], it.frame
		}
		if !it.Time.IsZero() {
			last = k
		}
		keys[it] = k
	}
	return keys
}

// allZoned reports whether all times of the items are instants.
func allZoned(items []*item) bool {
	for _, it := range items {
		if !it.Time.IsZero() && !it.Zoned {
			return false
		}
	}
	return true
}

// warnMixed tells of a stream of which some times are instants and some are not.
func (l *Listing) warnMixed(stream string, items []*item) {
	zoned, wall := 0, 0
	for _, it := range items {
		switch {
		case it.Time.IsZero():
		case it.Zoned:
			zoned++
		default:
			wall++
		}
	}
	if zoned > 0 && wall > 0 {
		l.warn("%s: times with a zone: %d, without: %d; the order is that of the clock on the wall", message.Show(stream), zoned, wall)
	}
}

// clock returns what a time compares by: itself among instants, else what the clock on the wall showed.
func clock(t time.Time, instants bool) time.Time {
	if instants {
		return t
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// warnUntimed tells which streams lack capture times: all of them, which makes the order that of the names, or some.
func (l *Listing) warnUntimed() {
	var without, partly few
	for _, s := range l.Streams() {
		n := len(s.Pictures)
		switch timed := s.Timed(); {
		case timed == 0:
			without.add(s.Name)
		case timed < n:
			if partly.add(s.Name); partly.n <= 10 {
				l.warn("%s: %d of %s %s by name", message.Show(s.Name), n-timed, message.Count(n, "picture"),
					choose(n-timed, "has no capture time; it keeps its place", "have no capture time; they keep their place"))
			}
		}
	}
	if partly.n > 10 {
		l.warn("and %s with some pictures without capture time", message.Count(partly.n-10, "more stream"))
	}
	if without.n > 0 {
		l.warn("%s without any capture time, ordered by name: %s", message.Count(without.n, "stream"), without.String())
	}
}
