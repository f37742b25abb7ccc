package charts

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot/vg/draw"
)

// timeTicks places round times at the first record that is as late. Records are drawn at equal distances, whatever time is between
// them: a camera that sees nothing for a month would otherwise leave a figure without figures. The second line has dates, where the
// first does not say them.
func (sh *sheet) timeTicks() (labels, dates []placed) {
	clock := func(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }
	first, last := clock(slices.Min(sh.Times)), clock(slices.Max(sh.Times))
	unit := clockUnit(last.Sub(first))
	style := letters(tickSize, draw.XCenter, draw.YCenter)
	next, day := sh.left-40, ""
	record := 0
	for t := unit.first(first); !t.After(last); t = unit.after(t) {
		for record < len(sh.Times) && clock(sh.Times[record]).Before(t) {
			record++
		}
		if record == len(sh.Times) {
			break
		}
		p := placed{sh.x(float64(record)), t.Format(unit.layout)}
		half := max(style.Width(p.label), style.Width(t.Format(unit.date)))/2 + 3
		if p.x-half < next || p.x+half > streamWidth {
			continue // no room beside the one before: much was missing here
		}
		next = p.x + half
		labels = append(labels, p)
		if d := t.Format(unit.date); d != day {
			day = d
			dates = append(dates, placed{p.x, d})
		}
	}
	return labels, dates
}

// unit is a distance of ticks of time, and how to write them.
type unit struct {
	months       int // or
	length       time.Duration
	layout, date string
}

// clockUnit returns the least unit that divides a span into at most eight.
func clockUnit(span time.Duration) unit {
	const day = 24 * time.Hour
	for _, u := range []struct {
		length time.Duration
		layout string
	}{
		{time.Millisecond, "05.000"},
		{10 * time.Millisecond, "05.000"},
		{100 * time.Millisecond, "05.000"},
		{time.Second, "15:04:05"},
		{5 * time.Second, "15:04:05"},
		{15 * time.Second, "15:04:05"},
		{time.Minute, "15:04"},
		{5 * time.Minute, "15:04"},
		{15 * time.Minute, "15:04"},
		{30 * time.Minute, "15:04"},
		{time.Hour, "15:04"},
		{2 * time.Hour, "15:04"},
		{3 * time.Hour, "15:04"},
		{6 * time.Hour, "15:04"},
		{12 * time.Hour, "15:04"},
	} {
		if span <= 8*u.length {
			return unit{length: u.length, layout: u.layout, date: "2006-01-02"}
		}
	}
	for _, days := range []time.Duration{1, 2, 4, 7} {
		if span <= 8*days*day {
			return unit{length: days * day, layout: "01-02", date: "2006"}
		}
	}
	for _, months := range []int{1, 2, 3, 6} {
		if span <= 8*time.Duration(months)*30*day {
			return unit{months: months, layout: "2006-01"}
		}
	}
	years := int(math.Ceil(float64(span) / float64(8*365*day)))
	return unit{months: 12 * years, layout: "2006"}
}

// first returns the first round time that is not before t.
func (u unit) first(t time.Time) time.Time {
	if u.months == 0 {
		if r := t.Truncate(u.length); r.Equal(t) {
			return r
		}
		return t.Truncate(u.length).Add(u.length)
	}
	months := t.Year()*12 + int(t.Month()) - 1
	r := time.Date(0, time.Month(1+months/u.months*u.months), 1, 0, 0, 0, 0, time.UTC)
	if r.Before(t) {
		return u.after(r)
	}
	return r
}

func (u unit) after(t time.Time) time.Time {
	if u.months == 0 {
		return t.Add(u.length)
	}
	return t.AddDate(0, u.months, 0)
}
