package benchmarks

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// What a method must not do. Changes are in points of accuracy.
const (
	leastShuffledMean   = -0.05 // of any set
	leastShuffledStream = -1    // of any long stream
	leastOrderedMean    = -0.10 // of any set
	mostHarmed          = 0.05  // of the long streams in order, by over a point
)

// RealGoals tells whether a method keeps what is promised of the default.
type RealGoals struct {
	Method string     `json:"method"`
	Goals  []RealGoal `json:"goals"` // none if the method was not run
}

// RealGoal is one promise.
type RealGoal struct {
	Goal     string `json:"goal"`
	Holds    bool   `json:"holds"`
	Measured string `json:"measured"`
}

func (r *RealResult) goals(method string) RealGoals {
	out := RealGoals{Method: method}
	if !slices.Contains(r.Methods, method) {
		return out
	}
	ordered, shuffled := r.rowsOf(method, false), r.rowsOf(method, true)
	out.Goals = []RealGoal{
		leastMean("shuffled, no set's mean is under", leastShuffledMean, shuffled),
		leastStream(shuffled),
		leastMean("in order, no set's mean is under", leastOrderedMean, ordered),
		fewHarmed(ordered),
	}
	return out
}

// setRow is a row with the name of its set.
type setRow struct {
	set string
	RealRow
}

// rowsOf returns a method's rows of all sets that have it.
func (r *RealResult) rowsOf(method string, shuffled bool) (out []setRow) {
	for _, set := range r.Sets {
		rows := set.Ordered
		if shuffled {
			rows = set.Shuffled
		}
		for _, row := range rows {
			if row.Method == method {
				out = append(out, setRow{set.Name, row})
			}
		}
	}
	return out
}

// failing tells which fell short, or else the least of all.
func failing(rows []setRow, bound float64, of func(r RealRow) float64) (holds bool, measured string) {
	var under []string
	for _, r := range rows {
		if v := of(r.RealRow); v < bound {
			under = append(under, r.set+" "+points(v))
		}
	}
	if len(under) > 0 {
		return false, strings.Join(under, ", ")
	}
	set, v := least(rows, of)
	return true, fmt.Sprintf("least %s (%s)", points(v), set)
}

// least returns the set in which a value is least, and the value.
func least(rows []setRow, of func(r RealRow) float64) (set string, value float64) {
	value = math.Inf(1)
	for _, r := range rows {
		if v := of(r.RealRow); v < value {
			set, value = r.set, v
		}
	}
	return set, value
}

func leastMean(goal string, least float64, rows []setRow) RealGoal {
	g := RealGoal{Goal: fmt.Sprintf("%s %.2f", goal, least)}
	g.Holds, g.Measured = failing(rows, least, func(r RealRow) float64 { return r.Mean })
	return g
}

func leastStream(rows []setRow) RealGoal {
	g := RealGoal{Goal: fmt.Sprintf("shuffled, no stream of %d items or more loses over %d point", LongStream, -leastShuffledStream)}
	g.Holds, g.Measured = failing(rows, leastShuffledStream, func(r RealRow) float64 { return r.WorstLong })
	return g
}

func fewHarmed(rows []setRow) RealGoal {
	harmed, long := 0, 0
	var where []string
	for _, r := range rows {
		harmed, long = harmed+r.Harmed, long+r.Long
		if r.Harmed > 0 {
			where = append(where, fmt.Sprintf("%s %d", r.set, r.Harmed))
		}
	}
	g := RealGoal{Goal: fmt.Sprintf("in order, at most %.0f %% of the streams of %d items or more lose over a point", 100*mostHarmed, LongStream)}
	g.Holds, g.Measured = float64(harmed) <= mostHarmed*float64(long), fmt.Sprintf("%d of %d", harmed, long)
	if len(where) > 0 {
		g.Measured += " (" + strings.Join(where, ", ") + ")"
	}
	return g
}
