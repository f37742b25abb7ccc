package charts

import (
	"strings"

	"gonum.org/v1/plot"
)

// plain labels the usual ticks without decimals that are 0 in all of them: a fixed number of digits makes 750.00 of 750 where the ticks are few.
type plain struct{}

// Ticks implements [plot.Ticker].
func (plain) Ticks(lo, hi float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(lo, hi)
	for range 32 { // more decimals than a number has
		for _, t := range ticks {
			if t.Label != "" && (!strings.Contains(t.Label, ".") || strings.ContainsAny(t.Label, "eE") || !strings.HasSuffix(t.Label, "0") && !strings.HasSuffix(t.Label, ".")) {
				return ticks
			}
		}
		for i, t := range ticks {
			if t.Label != "" {
				ticks[i].Label = t.Label[:len(t.Label)-1]
			}
		}
	}
	return ticks
}

// round puts ticks at multiples of 1, 2 or 5 times a power of ten, about six to an axis.
type round struct{}

// Ticks implements [plot.Ticker].
func (round) Ticks(lo, hi float64) (ticks []plot.Tick) {
	if !(hi > lo) {
		return plain{}.Ticks(lo, hi)
	}
	for _, t := range (axis{lo: lo, hi: hi}).ticks(6) {
		ticks = append(ticks, plot.Tick{Value: t.value, Label: t.label})
	}
	return ticks
}
