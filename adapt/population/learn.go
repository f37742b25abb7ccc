package population

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/oatta/oatta/adapt/timeline"
)

// The constants of what is learned.
const (
	Beta  = 1.0 // weight of the class frequencies in a row, in pairs
	Least = 5   // the least count that is told by itself
	Bins  = 12  // of the lengths of runs: 1, 2, 3 to 4, 5 to 8, ..., 513 to 1024, and more

	pseudo = 0.5 // items added to each class, so that no frequency is 0
)

// Item is one item of a stream.
type Item struct {
	Class int       // -1: not known
	Time  time.Time // zero if it has none
}

// Counts are what streams add up to. Make them with [NewCounts].
type Counts struct {
	pairs   [][]float64 // [from][to]
	items   []float64   // of each class
	runs    [][]float64 // [class][bin]
	lengths []float64   // of each class's runs, summed
	steps   []time.Duration
	streams int // with a label
}

// NewCounts returns the counts of no stream. It panics if classes is not 1 to [MaxClasses].
func NewCounts(classes int) *Counts {
	if classes < 1 || classes > MaxClasses {
		panic(fmt.Sprintf("population: %d classes", classes))
	}
	return &Counts{pairs: table(classes, classes), items: make([]float64, classes), runs: table(classes, Bins), lengths: make([]float64, classes)}
}

func table(rows, columns int) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, columns)
	}
	return out
}

// Add counts a stream, whose items come in its order. It panics at a class that is none.
func (c *Counts) Add(stream []Item) {
	steps := steps(stream)
	c.steps = append(c.steps, steps...)
	clock := newClock(steps)
	run, last := 0, -1
	for _, item := range stream {
		if item.Class < -1 || item.Class >= len(c.items) {
			panic(fmt.Sprintf("population: class %d of %d", item.Class, len(c.items)))
		}
		gap := clock.Next(item.Time, nil)
		next := last >= 0 && item.Class >= 0 && gap.Missed == 0 && !gap.Break && gap.Order != timeline.Late
		if next {
			c.pairs[last][item.Class]++
		}
		if !next || item.Class != last {
			c.endRun(last, run)
			run = 0
		}
		if item.Class >= 0 {
			c.items[item.Class]++
		}
		run, last = run+1, item.Class
	}
	c.endRun(last, run)
	if slices.ContainsFunc(stream, func(i Item) bool { return i.Class >= 0 }) {
		c.streams++
	}
}

func (c *Counts) endRun(class, length int) {
	if class < 0 {
		return
	}
	c.runs[class][bin(length)]++
	c.lengths[class] += float64(length)
}

// bin returns where the length of a run is counted: 0 for 1, 1 for 2, 2 for 3 and 4, and so on.
func bin(length int) int {
	b := 0
	for most := 1; length > most && b < Bins-1; most *= 2 {
		b++
	}
	return b
}

// steps returns the positive times from one item to the next.
func steps(stream []Item) (out []time.Duration) {
	for i := 1; i < len(stream); i++ {
		if a, b := stream[i-1].Time, stream[i].Time; !a.IsZero() && !b.IsZero() && b.After(a) {
			out = append(out, b.Sub(a))
		}
	}
	return out
}

// newClock returns one that knows the rhythm of a whole stream from its start; of a few steps it knows none.
func newClock(steps []time.Duration) *timeline.Clock {
	s := timeline.Settings{Rhythm: -1}
	if len(steps) >= timeline.DefaultLeast {
		s.Rhythm = median(steps)
	}
	clock, err := timeline.NewClock(s)
	if err != nil {
		panic(err) // a positive rhythm is fine
	}
	return clock
}

// median returns the lower of the two in the middle: a time that occurred.
func median(steps []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(steps))
	return sorted[(len(sorted)-1)/2]
}

// Order returns what was learned, with the classes' names. The error is that no item has a label, or that of the names.
func (c *Counts) Order(classes []string) (*Order, error) {
	if len(classes) != len(c.items) {
		panic(fmt.Sprintf("population: %d names for %d classes", len(classes), len(c.items)))
	}
	if c.streams == 0 {
		return nil, errors.New("population: no item has a label")
	}
	o := &Order{
		Version: Version, Classes: slices.Clone(classes), Frequencies: c.frequencies(), Dwell: c.dwell(),
		Streams: c.streams, Items: int(sum(c.items)),
	}
	for _, row := range c.pairs {
		o.Pairs += int(sum(row))
		o.Transitions = append(o.Transitions, smoothed(pooled(row, o.Frequencies, c.items), o.Frequencies))
	}
	if len(c.steps) > 0 {
		o.Rhythm = median(c.steps).Seconds()
	}
	for _, row := range append(o.Transitions, o.Frequencies) {
		for j, v := range row {
			row[j] = rounded(v)
		}
	}
	return o, o.Validate()
}

func (c *Counts) frequencies() []float64 {
	even := slices.Repeat([]float64{1}, len(c.items))
	f := pooled(c.items, even, c.items)
	total := sum(f) + pseudo*float64(len(f))
	for k := range f {
		f[k] = (f[k] + pseudo) / total
	}
	return f
}

// pooled returns counts in which the cells under Least share their total in proportion to share. occur tells, by numbers over 0, which
// cells could have counts: what would be left to one of them alone is rounded to 0 or Least.
func pooled(counts, share, occur []float64) []float64 {
	total, weight, could := 0.0, 0.0, 0
	for k, n := range counts {
		if n >= Least {
			continue
		}
		total, weight = total+n, weight+share[k]
		if occur[k] > 0 {
			could++
		}
	}
	if could < 2 && total > 0 {
		total = Least * math.Round(total/Least)
	}
	out := slices.Clone(counts)
	for k, n := range counts {
		if n < Least {
			out[k] = total * share[k] / weight
		}
	}
	return out
}

// smoothed makes probabilities of a row of counts.
func smoothed(row, frequencies []float64) []float64 {
	total := sum(row)
	for j := range row {
		row[j] = (row[j] + Beta*frequencies[j]) / (total + Beta)
	}
	return row
}

// dwell returns how long runs are, nil if there are too few to tell.
func (c *Counts) dwell() []Dwell {
	all := make([]float64, Bins)
	for _, row := range c.runs {
		for b, n := range row {
			all[b] += n
		}
	}
	if sum(all) < Least {
		return nil
	}
	general := dwellOf(all, sum(c.lengths))
	out := make([]Dwell, len(c.runs))
	for k, row := range c.runs {
		if out[k] = general; sum(row) >= Least {
			out[k] = dwellOf(row, c.lengths[k])
		}
	}
	return out
}

// dwellOf is of a class with runs [Bins] and the sum of their lengths. The lengths of a class whose stays do not depend on their past
// are geometric: by that rare lengths share what they have.
func dwellOf(runs []float64, lengths float64) Dwell {
	n := sum(runs)
	d := Dwell{Mean: rounded(lengths / n)}
	stay, geometric, longer := 1-n/lengths, make([]float64, Bins), 1.0
	for b := range geometric {
		least := 0.0 // chance of more than the bin holds
		if b < Bins-1 {
			least = math.Pow(stay, float64(int(1)<<b))
		}
		geometric[b], longer = longer-least+1e-9, least
	}
	d.Shares = pooled(runs, geometric, geometric)
	total := sum(d.Shares) // rounding of a pool may have changed it
	for b := range d.Shares {
		d.Shares[b] = rounded(d.Shares[b] / total)
	}
	return d
}

func sum(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
}
