package pipeline

import "slices"

// sequence brings the outcomes of several streams at once into the order of the items.
type sequence struct {
	next     int        // first item that was not drained; what comes of those before it is thrown away
	segments []*segment // of streams that are not drained, in order
	of       []*segment // by lane
}

// segment is a piece of a stream that came out of a lane and waits until what comes before it is written.
type segment struct {
	next     int // item of the first outcome
	outcomes []outcome
	ended    bool
}

// add takes the outcome of a slot. It keeps what the outcome holds.
func (q *sequence) add(s slot, o outcome) {
	t := q.of[s.lane]
	if t == nil {
		t = &segment{next: s.item}
		q.of[s.lane] = t
		q.insert(t)
	}
	if s.item < q.next {
		t.next = s.item + 1
	} else {
		t.outcomes = append(t.outcomes, o)
	}
	if s.end {
		t.ended, q.of[s.lane] = true, nil
	}
}

// insert puts a segment into its place, which is the last, unless a lane that had a stream when an interrupted run ended comes late.
func (q *sequence) insert(t *segment) {
	at := len(q.segments)
	for at > 0 && q.segments[at-1].next > t.next {
		at--
	}
	q.segments = slices.Insert(q.segments, at, t)
}

// drain appends up to most outcomes before which nothing is missing to dst.
func (q *sequence) drain(dst []outcome, most int) []outcome {
	for len(q.segments) > 0 {
		t := q.segments[0]
		if len(t.outcomes) > 0 && t.next != q.next {
			break // of a stream whose predecessors are not done
		}
		n := min(len(t.outcomes), most-len(dst))
		dst = append(dst, t.outcomes[:n]...)
		clear(t.outcomes[:n])
		t.outcomes = t.outcomes[n:]
		t.next += n
		q.next += n
		if !t.ended || len(t.outcomes) > 0 {
			break
		}
		q.segments[0] = nil
		q.segments = q.segments[1:]
	}
	return dst
}
