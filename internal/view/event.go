package view

import (
	"time"

	"github.com/oatta/oatta/internal/report"
)

// An event of pictures are those of a stream with less than a minute from one to the next; of all else, and of pictures without times, it is
// an item with its neighbours.
const (
	eventGap  = time.Minute
	eventMost = 60 // pictures
	around    = 2  // neighbours on each side
)

// event returns the items of the event of an item, in their order.
func (c *Collection) event(i int) []int32 {
	r := &c.records[i]
	list, at := c.streams[r.stream].items, int(r.place)
	from, to := at, at+1
	if !c.burst(i) {
		return list[max(0, at-around):min(len(list), at+around+1)]
	}
	for from > 0 && to-from < eventMost && c.near(list[from-1], list[from]) {
		from--
	}
	for to < len(list) && to-from < eventMost && c.near(list[to-1], list[to]) {
		to++
	}
	return list[from:to]
}

// burst tells whether the event of an item is a burst of pictures.
func (c *Collection) burst(i int) bool {
	return c.Kind == report.Pictures && !c.records[i].time.IsZero()
}

// near tells whether two neighbours are of one event. Without times nothing tells.
func (c *Collection) near(a, b int32) bool {
	x, y := &c.records[a], &c.records[b]
	if x.time.IsZero() || y.time.IsZero() {
		return false
	}
	d := y.time.Sub(x.time)
	return d <= eventGap && d >= -eventGap
}

// majority returns the label that most items of an event have, their given one before that of the filter, and how many. Of several the
// first counts.
func (s *snapshot) majority(items []int32) (label string, of int) {
	count := map[string]int{}
	for _, i := range items {
		l := s.given[i]
		if l == "" {
			l = s.text(s.records[i].adapted)
		}
		if l == "" {
			continue
		}
		count[l]++
	}
	for _, i := range items {
		for _, l := range []string{s.given[i], s.text(s.records[i].adapted)} {
			if l != "" && count[l] > of {
				label, of = l, count[l]
			}
		}
	}
	return label, of
}
