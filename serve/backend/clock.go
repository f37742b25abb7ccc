package backend

import "time"

// clock tells the time of day, evenly: that of the wall clock when it was made, and from then on what has passed. A wall clock that is set forward or
// back while the server runs makes no stream look idle, and none look new.
type clock struct {
	day   time.Time // when it was made, by the wall clock
	begun time.Time // the same by the clock that is never set
}

func newClock() clock {
	now := time.Now()
	return clock{day: now.Round(0), begun: now}
}

func (c *clock) now() time.Time { return c.day.Add(time.Since(c.begun)) }
