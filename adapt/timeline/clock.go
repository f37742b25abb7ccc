package timeline

import (
	"math"
	"time"
)

// Order says where an item stands among those before it.
type Order int

// The orders.
const (
	InOrder   Order = iota
	Untimed         // it has no time
	Late            // its time is before that of an item that was there already
	Duplicate       // it has been there already: its id at its time
)

// String names the order for messages.
func (o Order) String() string {
	return [...]string{"in order", "without a time", "late", "duplicate"}[o]
}

// Gap is what lies between the last item and this one.
type Gap struct {
	Order  Order
	Missed int  // steps of the rhythm without an item; 0 beside a break
	Break  bool // longer than a long gap
	// Since is the time from the last item that had one, negative for one that is late; 0 if one of the two has none.
	Since time.Duration
}

// Clock follows the times of one stream's items. Make it with [NewClock].
type Clock struct {
	settings Settings // resolved
	basis    basis
	last     moment
	untimed  int // items without a time since the last that had one
	steps    steps
	recent   recent
}

// mostMissed bounds counts of missed steps.
const mostMissed = math.MaxInt32

// The seconds of the years 1 to 9999, as [time.Time.Unix] counts them.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

// NewClock returns a clock at the start of a stream, or the error of a setting out of range.
func NewClock(s Settings) (*Clock, error) {
	s, err := s.Resolved()
	if err != nil {
		return nil, err
	}
	return &Clock{settings: s, steps: newSteps(s.Window)}, nil
}

// Settings returns the settings in force, defaults filled in.
func (c *Clock) Settings() Settings { return c.settings }

// Reset returns to the start of a stream.
func (c *Clock) Reset() {
	c.basis, c.last, c.untimed, c.recent = anyBasis, moment{}, 0, recent{}
	c.steps.reset()
}

// Rhythm returns the time from one item to the next where none is missed; false while it is not known.
func (c *Clock) Rhythm() (time.Duration, bool) {
	switch {
	case c.settings.Rhythm > 0:
		return c.settings.Rhythm, true
	case c.settings.Rhythm < 0 || len(c.steps.order) < c.settings.Least:
		return 0, false
	}
	return c.steps.median(), true
}

// Last returns the latest time so far in UTC, the zero time before the first; where times compare by the clock on the wall, that.
func (c *Clock) Last() time.Time { return c.last.at }

// Mixed tells whether there were instants and times on the [Wall].
func (c *Clock) Mixed() bool { return c.basis == mixed }

// Mix makes times compare by the clock on the wall from here on, as the first time of the other kind does.
func (c *Clock) Mix() {
	if c.basis == instants {
		c.last.toWall()
	}
	c.basis = mixed
}

// Next takes the time of the next item, the zero time if it has none, and its id, empty if it has none. The id is not retained. An
// item that is late or a duplicate leaves the clock as it was. A time outside of the years 1 to 9999 is none. Instants compare as such, and times on
// the [Wall] as what it showed; where both come, all compare as that from there on, and whether an item was there already is not known of those before.
func (c *Clock) Next(t time.Time, id []byte) Gap {
	if t.IsZero() || t.Unix() < firstSecond || t.Unix() > lastSecond {
		c.untimed = min(c.untimed+1, mostMissed)
		return Gap{Order: Untimed}
	}
	basis := c.basis.take(t)
	if basis == mixed {
		c.Mix()
	}
	now := basis.moment(t)
	key := keyOf(now.at, id)
	since := c.since(now.at)
	if len(id) > 0 && c.recent.has(key) {
		return Gap{Order: Duplicate, Since: since}
	}
	if since < 0 {
		return Gap{Order: Late, Since: since}
	}
	gap := c.gap(since)
	if !c.last.at.IsZero() && since > 0 && c.untimed == 0 {
		c.steps.push(since)
	}
	c.basis, c.last, c.untimed = basis, now, 0
	if len(id) > 0 {
		c.recent.push(key)
	}
	return gap
}

func (c *Clock) since(t time.Time) time.Duration {
	if c.last.at.IsZero() {
		return 0
	}
	return t.Sub(c.last.at)
}

// gap judges a step forward in time.
func (c *Clock) gap(since time.Duration) Gap {
	g, s := Gap{Since: since}, c.settings
	rhythm, known := c.Rhythm()
	parts := float64(since) / float64(rhythm)
	if s.Gaps == GapsBreaks || s.Gaps == GapsAll {
		g.Break = s.LongGap > 0 && since > s.LongGap || s.LongSteps > 0 && known && parts > s.LongSteps
	}
	if known && !g.Break && (s.Gaps == GapsMissed || s.Gaps == GapsAll) {
		const rounding = 1e-9                                                  // 11 s are not late for 10 s with a tolerance of 0.1
		missed := math.Ceil(parts-1-s.Tolerance-rounding) - float64(c.untimed) // those without a time took steps
		g.Missed = int(max(0, min(missed, mostMissed)))
	}
	return g
}
