package timeline

import "time"

// Wall is where times without a zone are held: one of it is what a clock on the wall showed, and no instant. Times of all other locations are instants.
var Wall = time.FixedZone("", 0)

// OnWall returns what a clock on the wall showed at t, in its zone.
func OnWall(t time.Time) time.Time {
	_, east := t.Zone()
	return t.Add(time.Duration(east) * time.Second).In(Wall)
}

// basis is what the times of a stream compare by: instants where all are, what clocks on the wall showed where none is, or from the first on that is not of
// the kind of those before it.
type basis byte

const (
	anyBasis basis = iota // no time was there yet
	instants
	onWall
	mixed // on the wall, too, but there were instants
)

// take returns the basis with one more time.
func (b basis) take(t time.Time) basis {
	wall := t.Location() == Wall
	switch {
	case b == anyBasis && wall:
		return onWall
	case b == anyBasis:
		return instants
	case b == instants && wall, b == onWall && !wall:
		return mixed
	}
	return b
}

// moment is a time that another compares with.
type moment struct {
	at   time.Time // in UTC, of instants or on the wall
	east int32     // seconds of its zone east of Greenwich, while it is an instant
}

// moment returns what a time compares by.
func (b basis) moment(t time.Time) moment {
	t = t.Round(0) // without the reading of a monotonic clock
	if b != instants {
		return moment{at: OnWall(t).UTC()}
	}
	_, east := t.Zone()
	return moment{t.UTC(), int32(east)}
}

// toWall makes an instant what a clock on the wall showed then. The zero time stays.
func (m *moment) toWall() {
	if m.at.IsZero() {
		return
	}
	at := m.at.Add(time.Duration(m.east) * time.Second)
	if s := at.Unix(); s >= firstSecond && s <= lastSecond && !at.IsZero() {
		m.at = at
	}
	m.east = 0
}
