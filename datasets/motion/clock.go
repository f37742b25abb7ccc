package motion

import (
	"math"
)

const (
	hour        = 3600.0
	foldSlack   = 60.0 // seconds that a clock set back an hour may have lost in between
	resetFall   = hour + foldSlack
	jumpAhead   = hour
	afterReset  = 60.0 // seconds to the samples behind a clock that was reset: how long it was is not known
	resetProves = 3    // samples in order behind a fall that make it one of the clock
)

// clockErrors mends the times of a batch in place: an hour that a clock was set back by is kept, samples whose time alone is far ahead have none, and behind
// a clock that was reset the times go on.
type clockErrors struct {
	shift float64 // seconds that are added to times
	last  float64 // time of the last sample, with its shift
	begun bool
}

func (c *clockErrors) mend(d *csvDecoder, times []float64) {
	for i := range times {
		t := times[i] + c.shift
		step := t - c.last
		switch {
		case !c.begun || math.IsNaN(t):
		case d.wall && step < foldSlack-hour && step >= -hour && goesOn(times[i:]):
			d.rec.notes.add("clock set back an hour, as at the end of summer time; the times behind it are an hour later than the file has them", d.where(i))
			c.shift += hour
			t += hour
		case step < -resetFall && goesOn(times[i:]) && !returns(times[i:], c.last-c.shift):
			d.rec.notes.add("clock set back; the times behind it go on a minute after the sample before", d.where(i))
			c.shift += afterReset - step
			t = c.last + afterReset
		case step > jumpAhead && back(times[i:], c.last-c.shift):
			if !d.rec.notes.again("samples whose clock was ahead for a moment left out") {
				d.rec.notes.add("samples whose clock was ahead for a moment left out", d.where(i))
			}
			times[i] = math.NaN()
			continue
		}
		times[i] = t
		if !math.IsNaN(t) && (!c.begun || t > c.last) {
			c.last, c.begun = t, true
		}
	}
}

// goesOn tells whether the next samples are in order.
func goesOn(times []float64) bool {
	if len(times) < 2 {
		return false
	}
	for i := 1; i < min(len(times), resetProves+1); i++ {
		if !(times[i] > times[i-1]) || times[i]-times[i-1] > jumpAhead {
			return false
		}
	}
	return true
}

// returns tells whether a later sample is behind the last time again.
func returns(times []float64, last float64) bool {
	for _, t := range times {
		if t > last {
			return true
		}
	}
	return false
}

// back tells whether a later sample is between the last one and the one in hand, near the last one.
func back(times []float64, last float64) bool {
	for _, t := range times[1:] {
		if t >= last && t-last < (times[0]-last)/2 {
			return true
		}
	}
	return false
}
