package megadetector

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// What is written of the format, whoever writes it.
const (
	FormatVersion = "1.6"
	Animal        = "1" // the category of animals, on which downstream tools depend
)

// Decimal is a number with six significant digits, enough for a probability that somebody reads, and always a decimal point or exponent:
// the format's validator refuses an integer as a confidence.
type Decimal float64

// Append appends the number.
func (v Decimal) Append(dst []byte) []byte {
	n := len(dst)
	dst = strconv.AppendFloat(dst, float64(v), 'g', 6, 64)
	if !bytes.ContainsAny(dst[n:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// MarshalJSON implements [json.Marshaler].
func (v Decimal) MarshalJSON() ([]byte, error) { return v.Append(nil), nil }

// Classification is an entry of "classifications", written as ["3",0.901].
type Classification struct {
	Class       int
	Probability float64
}

// MarshalJSON implements [json.Marshaler].
func (c Classification) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{strconv.Itoa(c.Class), Decimal(c.Probability)})
}

// Ranked returns the n most probable classes, most probable first; of equals, the lower class first.
func Ranked(p []float64, n int) []int {
	n = min(n, len(p))
	best := make([]int, 0, n+1)
	for class, v := range p {
		if len(best) == n && !(v > p[best[n-1]]) {
			continue
		}
		at := len(best)
		for at > 0 && v > p[best[at-1]] {
			at--
		}
		best = slices.Insert(best, at, class)[:min(n, len(best)+1)]
	}
	return best
}
