package pipeline

import "math"

// plan deals the items of streams out to lanes, each stream to one lane in its order. A round advances every lane that has a stream by
// one item; a lane whose stream has ended takes the next stream that nobody has had.
//
// Outcomes are written in the order of the items, so those of later streams are held until all before them are there. The oldest
// unfinished stream always advances, and what it gives is written at once; the others advance only while fewer than limit outcomes are
// held. A round does not depend on how fast anything is, nor on which items fail, so that the rounds of a run are the same each time.
type plan struct {
	items  []Item
	lanes  []laneState
	next   int // first item of the first stream that no lane has had
	dealt  int // items so far
	limit  int
	resume int // the item at which a lane begins though its stream does not; -1: none
}

// laneState is the stream of a lane.
type laneState struct {
	item int // next
	busy bool
}

// slot is an item's place in a round.
type slot struct {
	item, lane int
	begin      bool // the lane begins
	end        bool // the stream ends
}

// nextRound appends the slots of the next round to dst; none at the end.
func (p *plan) nextRound(dst []slot) []slot {
	oldest := p.oldest()
	held := 0
	if oldest >= 0 {
		held = p.dealt - p.lanes[oldest].item
	}
	for lane := range p.lanes {
		h := &p.lanes[lane]
		begins := !h.busy
		if begins && p.next == len(p.items) || oldest >= 0 && lane != oldest && held >= p.limit {
			continue
		}
		if begins {
			h.item, p.next = p.next, p.endOf(p.next)
		}
		if oldest < 0 {
			oldest = lane
		} else if lane != oldest {
			held++
		}
		item := h.item
		h.item++
		h.busy = h.item < len(p.items) && p.items[h.item].Stream == p.items[item].Stream
		dst = append(dst, slot{item, lane, begins || item == p.resume, !h.busy})
		p.dealt++
	}
	return dst
}

// MeanRows returns how many streams a run of the network advances in the mean, rounded, where up to so many may: with streams of unequal
// length it is less than that, and than there are streams.
func MeanRows(items []Item, lanes, classes int) int {
	p, rounds := plan{items: items, lanes: make([]laneState, lanes), limit: heldLimit(classes), resume: -1}, 0
	for slots := p.nextRound(nil); len(slots) > 0; slots = p.nextRound(slots[:0]) {
		rounds++
	}
	return int(math.Round(float64(len(items)) / float64(max(1, rounds))))
}

// oldest returns the lane with the oldest unfinished stream, before which everything is dealt; -1 if there is none.
func (p *plan) oldest() int {
	oldest := -1
	for lane, h := range p.lanes {
		if h.busy && (oldest < 0 || h.item < p.lanes[oldest].item) {
			oldest = lane
		}
	}
	return oldest
}

// endOf returns the item behind the stream of item i.
func (p *plan) endOf(i int) int {
	for stream := p.items[i].Stream; i < len(p.items) && p.items[i].Stream == stream; {
		i++
	}
	return i
}

// from passes over the rounds that deal only items before the given one and appends the slots of the first other round to dst. A lane
// that begins within its stream then is one of a stream that nobody needs any more, but for the given item, which begins its lane.
func (p *plan) from(item int, dst []slot) []slot {
	p.resume = item
	for {
		start := len(dst)
		dst = p.nextRound(dst)
		if len(dst) == start {
			return dst
		}
		for _, s := range dst[start:] {
			if s.item >= item {
				return dst
			}
		}
		dst = dst[:start]
	}
}

// ring deals out memory of rows that is given back in the order in which it was taken.
type ring struct {
	rows  int
	start int // of what is taken next
	used  int
}

// take finds n rows that lie together, at row at. What it uses up, the rest of the ring's end included, is to be given back.
func (r *ring) take(n int) (at, used int, ok bool) {
	if r.used == 0 {
		r.start = 0
	}
	at, used = r.start, n
	if at+n > r.rows {
		at, used = 0, n+r.rows-r.start
	}
	if r.used+used > r.rows {
		return 0, 0, false
	}
	r.start = at + n
	r.used += used
	return at, used, true
}
