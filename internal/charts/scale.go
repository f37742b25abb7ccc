package charts

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// axis maps numbers to lengths. On a logarithmic one lo and hi are decades, and numbers below lo are drawn at lo.
type axis struct {
	lo, hi   float64
	from, to vg.Length
	log      bool
}

// at returns where v is drawn, never outside the axis.
func (a axis) at(v float64) vg.Length {
	return a.from + (a.to-a.from)*vg.Length(a.part(v))
}

// part returns how far along the axis v is, 0 to 1.
func (a axis) part(v float64) float64 {
	if a.log {
		v = math.Log10(max(v, math.Pow(10, a.lo)))
	}
	return min(max((v-a.lo)/(a.hi-a.lo), 0), 1)
}

// straight returns values and axis with the logarithm taken, so that means of values are those that the axis shows.
func (a axis) straight(values []float64) ([]float64, axis) {
	if !a.log {
		return values, a
	}
	out, floor := make([]float64, len(values)), math.Pow(10, a.lo)
	for i, v := range values {
		out[i] = math.Log10(max(v, floor)) // of NaN, NaN
	}
	a.log = false
	return out, a
}

// tick is a labelled place on an axis.
type tick struct {
	value float64
	label string
}

// ticks returns at most about most round numbers within the axis.
func (a axis) ticks(most int) (out []tick) {
	if a.log {
		return a.decades(most)
	}
	step := roundStep((a.hi - a.lo) / float64(most))
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for k := math.Ceil(a.lo/step - 1e-9); k*step <= a.hi+1e-9*step; k++ {
		v := k * step
		if k == 0 {
			v = 0 // and not -0
		}
		out = append(out, tick{v, strconv.FormatFloat(v, 'f', digits, 64)})
	}
	return out
}

func (a axis) decades(most int) (out []tick) {
	step := max(1, math.Ceil((a.hi-a.lo)/float64(most)))
	for d := a.hi; d >= a.lo-1e-9; d -= step {
		out = append(out, tick{math.Pow(10, d), decade(int(math.Round(d)))})
	}
	return out
}

// decade writes 10^d shortly.
func decade(d int) string {
	if d < -3 || d > 4 {
		return "1e" + strconv.Itoa(d)
	}
	return strconv.FormatFloat(math.Pow(10, float64(d)), 'f', max(0, -d), 64)
}

// roundStep returns the least of 1, 2 and 5 times a power of ten that is at least v.
func roundStep(v float64) float64 {
	if !(v > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// decadesAround returns the decades that hold all positive values, from no lower than floor; one decade at least.
func decadesAround(floor float64, values ...[]float64) (lo, hi float64) {
	least, most := math.Inf(1), 0.0
	for _, series := range values {
		for _, v := range series {
			if v > 0 && !math.IsInf(v, 1) {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	if most == 0 {
		return math.Log10(floor), 0
	}
	hi = math.Ceil(math.Log10(max(most, floor)) - 1e-9)
	lo = math.Floor(math.Log10(max(least, floor)) + 1e-9)
	return min(lo, hi-1), hi
}

// span returns the range of all finite values, widened to hold the given ones.
func span(lo, hi float64, values ...[]float64) (float64, float64) {
	for _, series := range values {
		for _, v := range series {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	return lo, hi
}

// column is what the records that share one column of a drawing amount to.
type column struct{ lo, hi, mean float64 }

// columns gathers values into n columns of equal width; a column without a number has the mean NaN. There must be at least n values.
func columns(values []float64, n int) []column {
	out := make([]column, n)
	for k := range out {
		c := column{lo: math.Inf(1), hi: math.Inf(-1)}
		sum, count := 0.0, 0
		for _, v := range values[k*len(values)/n : (k+1)*len(values)/n] {
			if !math.IsNaN(v) {
				c.lo, c.hi = min(c.lo, v), max(c.hi, v)
				sum += v
				count++
			}
		}
		c.mean = sum / float64(count)
		out[k] = c
	}
	return out
}
