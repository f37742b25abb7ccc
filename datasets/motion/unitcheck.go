package motion

import (
	"math"
	"slices"
	"strings"
)

// checkUnit looks at channels whose unit nobody named: three axes of an accelerometer at rest have a length of 1 g, and mostly near it in movement.
func (d *csvDecoder) checkUnit(unit string) {
	if unit != "" || len(d.channels)%3 != 0 {
		return
	}
	for k := 0; k+2 < len(d.channels); k += 3 {
		axes := d.channels[k : k+3]
		if !d.unnamed(axes) {
			continue
		}
		names := d.rec.head.Names()[k : k+3]
		at, ok := d.medianLength(axes)
		if !ok || at > 0.25 && at < 4 {
			continue
		}
		hint := "--unit names the unit"
		switch {
		case at > 8 && at < 12:
			hint = "the unit may be m/s2: --unit m/s2"
		case at > 800 && at < 1200:
			hint = "the unit may be mg: --unit mg"
		}
		d.rec.notes.say("%s: the length of %s is %.4g g in the middle, where rest is 1 g: %s", show(d.name), strings.Join(names, ", "), at, hint)
		return
	}
}

// unnamed tells whether none of the columns names its unit.
func (d *csvDecoder) unnamed(columns []int) bool {
	return !slices.ContainsFunc(columns, func(c int) bool {
		_, unit := cutUnit(strings.TrimSpace(d.header[c]))
		return unit != ""
	})
}

// medianLength returns the median length of three columns over the first rows.
func (d *csvDecoder) medianLength(columns []int) (float64, bool) {
	var lengths []float64
	for _, row := range d.head {
		sum := 0.0
		for _, c := range columns {
			v, err := number(row.Get(c))
			if err != nil {
				v = nan
			}
			sum += float64(v) * float64(v)
		}
		if !math.IsNaN(sum) {
			lengths = append(lengths, math.Sqrt(sum))
		}
	}
	if len(lengths) < 100 { // too few to say
		return 0, false
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2], true
}
