package report

import (
	"math"
	"sort"
	"time"

	"github.com/oatta/oatta/internal/report/items"
)

// series is one stream over its items, in bounded memory: when it is full, each two neighbours become one, and from then on as many items
// as a record then holds make one. A record has the classes and the time of its first item, and the means of its numbers.
type series struct {
	records []record
	each    int // items of a full record
	n       int
}

type record struct {
	first               int32
	count               int32
	raw, adapted, truth int32
	time                int64 // nanoseconds since 1970; math.MinInt64: none
	gate, prob, after   float32
}

func (s *series) add(it *items.Item, raw, adapted int) {
	s.each = max(s.each, 1)
	r := record{first: int32(min(s.n+1, math.MaxInt32)), count: 1, raw: int32(raw), adapted: int32(adapted), truth: -1, time: math.MinInt64, gate: float32(it.Gate), prob: float32(it.Prob), after: float32(it.AdaptedProb)}
	if !it.Time.IsZero() {
		r.time = it.Time.UnixNano()
	}
	s.n++
	if last := len(s.records) - 1; last >= 0 && int(s.records[last].count) < s.each {
		s.records[last].join(r)
		return
	}
	if len(s.records) == mostRecords {
		s.halve()
	}
	s.records = append(s.records, r)
}

func (s *series) halve() {
	for i := range len(s.records) / 2 {
		r := s.records[2*i]
		r.join(s.records[2*i+1])
		s.records[i] = r
	}
	s.records = s.records[:len(s.records)/2]
	s.each *= 2
}

// join adds a later record.
func (r *record) join(other record) {
	a, b := float32(r.count), float32(other.count)
	mean := func(x, y float32) float32 {
		if x != x {
			return y
		}
		if y != y {
			return x
		}
		return (a*x + b*y) / (a + b)
	}
	r.gate, r.prob, r.after = mean(r.gate, other.gate), mean(r.prob, other.prob), mean(r.after, other.after)
	if r.raw < 0 {
		r.raw, r.adapted = other.raw, other.adapted
	}
	r.count += other.count
}

// mark tells the true class of item n, from 1: a record has that of its first item.
func (s *series) mark(n, class int) {
	i := sort.Search(len(s.records), func(i int) bool { return int(s.records[i].first) > n }) - 1
	if i >= 0 && int(s.records[i].first) == n {
		s.records[i].truth = int32(class)
	}
}

// timed tells that every record has a time.
func (s *series) timed() bool {
	for _, r := range s.records {
		if r.time == math.MinInt64 {
			return false
		}
	}
	return len(s.records) > 0
}

// night is the stages of a recording.
type night struct {
	raw, adapted  []uint8 // class + 1 of each epoch; 0: none
	truth         []uint8 // as they; nil: nobody knows
	probs, after  [][]float32
	start         time.Time
	seconds       float64 // of an epoch
	offset        float64 // of the first epoch
	vectors, full bool    // there are vectors; there is no room for more
}

// mostStages is how many classes a hypnodensity may have.
const mostStages = 16

// add counts an epoch; probs and after, of all classes, may be nil.
func (n *night) add(it *items.Item, raw, adapted int, probs, after []float64) {
	if len(n.raw) == 0 {
		n.start, n.seconds, n.offset = it.Time, it.Duration, it.Offset
		if n.seconds <= 0 {
			n.seconds = 30
		}
	}
	// what is missing in between is not scored
	for at := int(math.Round((it.Offset - n.offset) / n.seconds)); it.Piece() && len(n.raw) < min(at, mostEpochs); {
		n.append(0, 0, nil, nil)
	}
	if len(n.raw) >= mostEpochs {
		n.full = true
		return
	}
	n.append(uint8(raw+1), uint8(adapted+1), probs, after)
}

// mark tells the true class of an epoch.
func (n *night) mark(it *items.Item, class int) {
	at := int(math.Round((it.Offset - n.offset) / n.seconds))
	if !it.Piece() || at < 0 || at >= len(n.raw) {
		return
	}
	if n.truth == nil {
		n.truth = make([]uint8, len(n.raw))
	}
	n.truth[at] = uint8(class + 1)
}

func (n *night) append(raw, adapted uint8, probs, after []float64) {
	n.raw, n.adapted = append(n.raw, raw), append(n.adapted, adapted)
	n.vectors = n.vectors || probs != nil
	n.probs, n.after = append(n.probs, singles(probs)), append(n.after, singles(after))
}

func singles(p []float64) []float32 {
	if p == nil {
		return nil
	}
	out := make([]float32, len(p))
	for i, v := range p {
		out[i] = float32(v)
	}
	return out
}

// day is the hours of a day in slots, each of which has the class of most of its items, and how long each class lasted.
type day struct {
	date  time.Time // midnight; of a recording without times, 1970-01-01 and so on
	slots [2][slots]uint16
	now   [2]slot
	hours [2]map[int]float64
}

// slots is how many parts a day has: two minutes each.
const slots = 720

// slot counts the classes of the part in hand.
type slot struct {
	at     int
	counts map[int]int
}

// movement is what a recording shows by day.
type movement struct {
	days    []*day
	dropped int // days beyond the last that is kept
	clock   bool
	spans   [2][]span // runs of a class, while they are few
	many    bool      // runs are too many to be drawn one by one
}

type span struct {
	from, to time.Time
	class    int
}

const mostSpans = 3000

// add counts an item of a class before and after, which lasts for seconds.
func (m *movement) add(it *items.Item, raw, adapted int, seconds float64) {
	t := it.Time
	m.clock = !t.IsZero()
	if !m.clock {
		t = time.Unix(0, 0).UTC().Add(time.Duration(it.Offset * float64(time.Second)))
	}
	midnight := t.Truncate(24 * time.Hour)
	n := len(m.days)
	if n == 0 || !m.days[n-1].date.Equal(midnight) {
		if n >= mostDays {
			m.dropped++
			return
		}
		if n > 0 {
			m.days[n-1].close()
		}
		m.days = append(m.days, &day{date: midnight, hours: [2]map[int]float64{{}, {}}})
		n++
	}
	d := m.days[n-1]
	for k, class := range [2]int{raw, adapted} {
		if class < 0 {
			continue
		}
		d.hours[k][class] += seconds / 3600
		first := t.Sub(midnight).Seconds() / (86400. / slots)
		d.count(k, int(first), class)
		if seconds > 86400./slots { // a long item fills more than one
			for at := int(first) + 1; at < slots && float64(at) < first+seconds/(86400./slots); at++ {
				d.count(k, at, class)
			}
		}
		m.run(k, t, seconds, class)
	}
}

// run lengthens the last run, or begins another.
func (m *movement) run(k int, t time.Time, seconds float64, class int) {
	end := t.Add(time.Duration(seconds * float64(time.Second)))
	if n := len(m.spans[k]); n > 0 {
		last := &m.spans[k][n-1]
		if last.class == class && t.Sub(last.to) <= time.Duration(0.5*seconds*float64(time.Second)) {
			last.to = end
			return
		}
		if last.to.After(t) {
			last.to = t
		}
	}
	if len(m.spans[k]) >= mostSpans {
		m.many = true
		return
	}
	m.spans[k] = append(m.spans[k], span{t, end, class})
}

func (d *day) count(k, at, class int) {
	if at < 0 || at >= slots {
		return
	}
	s := &d.now[k]
	if s.counts == nil || s.at != at {
		d.settle(k)
		s.at, s.counts = at, map[int]int{}
	}
	s.counts[class]++
}

func (d *day) settle(k int) {
	best, most := -1, 0
	for class, n := range d.now[k].counts {
		if n > most || n == most && class < best {
			best, most = class, n
		}
	}
	if best >= 0 {
		d.slots[k][d.now[k].at] = uint16(best + 1)
	}
}

func (d *day) close() {
	d.settle(0)
	d.settle(1)
}
