package motion

import (
	"fmt"
	"math"
)

// runSamples is how many samples a line is laid through at once.
const runSamples = 256

// roundedBy is how far from a line stamps may be to be taken for rounded ones, in samples.
const roundedBy = 0.3

// maxSecond bounds times, at 30,000 years.
const maxSecond = 1e12

// stretches cuts a recording where samples are missing, straightens stamps, bridges what is short, and passes stretches on to the grid.
type stretches struct {
	gap    float64 // seconds
	period float64 // of the source
	next   *grid

	times  []float64 // of the run in hand
	rows   []float32 // [samples, channels]
	labels []int32
	last   float64 // as stamped, of the sample before
	begun  bool    // there was a sample
	open   bool    // the grid has a stretch in hand
	gaps   int
}

// add takes a sample.
func (s *stretches) add(t float64, row []float32, label int32) error {
	if s.begun && !(t > s.last) || !(math.Abs(t) <= maxSecond) {
		return fmt.Errorf("a sample at second %v follows one at %v: times must increase", t, s.last)
	}
	step := t - s.last
	s.last = t
	if s.begun && (step > 1.5*s.period || len(s.times) == runSamples) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if s.begun && step > s.gap {
		s.gaps++
		if err := s.end(); err != nil {
			return err
		}
	}
	s.begun = true
	s.times = append(s.times, t)
	s.rows = append(s.rows, row...)
	s.labels = append(s.labels, label)
	return nil
}

// flush passes the run on.
func (s *stretches) flush() error {
	straighten(s.times, s.period)
	c := s.next.channels()
	for i, t := range s.times {
		if !s.open {
			s.next.begin(t, s.rows[i*c:(i+1)*c], s.labels[i])
			s.open = true
			continue
		}
		s.next.add(t, s.rows[i*c:(i+1)*c], s.labels[i])
	}
	s.times, s.rows, s.labels = s.times[:0], s.rows[:0], s.labels[:0]
	return s.next.produce(false)
}

// end ends the stretch in hand.
func (s *stretches) end() error {
	if err := s.flush(); err != nil || !s.open {
		return err
	}
	s.open = false
	return s.next.end()
}

// straighten puts times that were rounded on the line that they were rounded from, the one with the least squares of distances. Distances
// that are those of rounding change from one sample to the next; where they do not, or are large, the clock was uneven and is believed. Few
// points say too little of a line, and times that are on one stay as they are to the last bit.
func straighten(times []float64, period float64) {
	n := float64(len(times))
	if n < 16 {
		return
	}
	on := lineThrough(times)
	greatest, squares, neighbours, before := 0.0, 0.0, 0.0, 0.0
	for i, t := range times {
		d := t - on(i)
		greatest = max(greatest, math.Abs(d))
		squares += d * d
		neighbours += d * before
		before = d
	}
	if !(greatest <= roundedBy*period) || neighbours > squares/2 || greatest < 1e-6*period {
		return
	}
	for i := range times {
		times[i] = on(i)
	}
}

// lineThrough returns the line of least squares through times over their numbers.
func lineThrough(times []float64) func(i int) float64 {
	n, first := float64(len(times)), times[0]
	middle, square := (n-1)/2, n*(n*n-1)/12 // the sum of squares of 0, 1, ... n-1 around their mean
	mean, sum := 0.0, 0.0
	for i, t := range times {
		mean += (t - first) / n
		sum += (float64(i) - middle) * (t - first)
	}
	slope := sum / square
	return func(i int) float64 { return first + mean + slope*(float64(i)-middle) }
}
