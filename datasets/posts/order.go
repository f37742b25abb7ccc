package posts

import (
	"cmp"
	"slices"
)

// moment is what a post is ordered by.
type moment struct {
	second int64
	nano   uint32
	post   uint32 // its number in the file
}

// compare orders by time, and at equal times by the order of the file.
func (m moment) compare(o moment) int {
	return cmp.Or(cmp.Compare(m.second, o.second), cmp.Compare(m.nano, o.nano), cmp.Compare(m.post, o.post))
}

// byStream returns the numbers of the records stream by stream, and where each stream ends, which are those of the one before it where the next begins.
func (r *records) byStream() (order []uint32, ends []int) {
	ends = make([]int, len(r.streams.all)+1)
	for i := range r.n {
		ends[r.at(i).stream+1]++
	}
	for s := range r.streams.all {
		ends[s+1] += ends[s]
	}
	order = make([]uint32, r.n)
	for i := range r.n { // ends[s] is where the next of stream s goes, and so ends up as its end
		s := r.at(i).stream
		order[ends[s]] = uint32(i)
		ends[s]++
	}
	return order, ends[:len(ends)-1]
}

// sorter orders the posts of one stream after another.
type sorter struct {
	*records
	moments []moment
}

// sort orders by time, and a post without one with its predecessor, or the first that has one. Where all times are instants they are compared
// as such, else by what the clock showed; mixed tells that some are and some are not.
func (s *sorter) sort(order []uint32) (mixed bool) {
	zoned, wall, first := 0, 0, -1
	for k, i := range order {
		x := s.at(int(i))
		switch {
		case x.zone == 0:
			continue
		case s.zones[x.zone].zoned:
			zoned++
		default:
			wall++
		}
		if first < 0 {
			first = k
		}
	}
	if first < 0 {
		return false
	}
	last := s.moment(order[first], wall == 0)
	s.moments = s.moments[:0]
	for _, i := range order {
		if s.at(int(i)).zone != 0 {
			last = s.moment(i, wall == 0)
		}
		last.post = i
		s.moments = append(s.moments, last)
	}
	slices.SortFunc(s.moments, moment.compare)
	for k, m := range s.moments {
		order[k] = m.post
	}
	return zoned > 0 && wall > 0
}

// moment returns what a time compares by: itself among instants, else what the clock on the wall showed.
func (s *sorter) moment(i uint32, instants bool) moment {
	x := s.at(int(i))
	m := moment{second: x.second, nano: x.nano}
	if !instants {
		m.second += int64(s.zones[x.zone].offset)
	}
	return m
}
