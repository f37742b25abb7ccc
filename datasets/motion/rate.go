package motion

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// findRate reads the times of the first rows.
func (d *csvDecoder) findRate(o Options) error {
	if o.Rate != 0 && !(o.Rate > 0 && o.Rate <= maxRate) {
		return fmt.Errorf("motion: rate of %v Hz: want over 0 and at most %d", o.Rate, maxRate)
	}
	d.rate = o.Rate
	if d.time < 0 {
		d.rec.head.Rate, d.rec.head.Start = d.rate, d.preamble.start
		return nil
	}
	times := d.headTimes(o)
	if len(times) == 0 {
		row := d.head[0]
		return d.errorf(row.Line, "column %d: %s is no time; --time-layout tells the form of times", d.time+1, show(row.Cells[min(d.time, len(row.Cells)-1)]))
	}
	d.first = times[0]
	if !d.stamps.relative {
		d.wall = !d.stamps.zoned
		d.rec.head.Start, d.rec.head.Zoned = time.Unix(0, times[0]).UTC(), d.stamps.zoned
	}
	rate, repeats := rateOf(times)
	switch {
	case d.rate == 0 && len(times) > 2 && repeats*2 > len(times):
		return d.errorf(d.head[0].Line, "times repeat: too coarse to place samples; give the rate and no column of times")
	case d.rate == 0 && rate == 0:
		return d.errorf(d.head[0].Line, "times do not increase in the first %d rows: the rate is unknown", len(d.head))
	case d.rate == 0:
		d.rate = rate
	case rate != 0 && math.Abs(rate/d.rate-1) > 0.1:
		d.rec.notes.say("%s: times say %.4g Hz, not %.4g", show(d.name), rate, d.rate)
	}
	d.rec.head.Rate = d.rate
	return nil
}

const maxRate = 100_000 // Hz

// headTimes reads the times of the head that can be read, and settles their form by the first.
func (d *csvDecoder) headTimes(o Options) []int64 {
	var out []int64
	settled := false
	for _, row := range d.head {
		if d.time >= len(row.Cells) {
			continue
		}
		text := row.Cells[d.time]
		if !settled {
			if d.stamps, settled = newStamps(d.timeName, text, o.TimeLayout); !settled {
				continue
			}
		}
		if ns, ok := d.stamps.parse(text); ok {
			out = append(out, ns)
		}
	}
	d.stamps.reader, d.stamps.quickly = d.reader, 0 // times of the head come again, and are counted then
	return out
}

// rateOf returns the rate of times, 0 if they do not increase, and how many repeat their predecessor. Gaps do not count: steps of more
// than twice the median one are left out, and the mean of the others is taken, since stamps are often rounded.
func rateOf(times []int64) (rate float64, repeats int) {
	var steps []int64
	for i := 1; i < len(times); i++ {
		switch step := times[i] - times[i-1]; {
		case step > 0:
			steps = append(steps, step)
		case step == 0:
			repeats++
		}
	}
	if len(steps) == 0 {
		return 0, repeats
	}
	slices.Sort(steps)
	median := steps[len(steps)/2]
	sum, n := 0.0, 0
	for _, s := range steps {
		if s <= 2*median {
			sum += float64(s)
			n++
		}
	}
	return neat(1e9 * float64(n) / sum), repeats
}

// neat rounds a rate to a whole number that is near, within half a percent.
func neat(rate float64) float64 {
	if r := math.Round(rate); r > 0 && math.Abs(rate/r-1) < 0.005 {
		return r
	}
	return rate
}

// rateCheck looks for a change of rate on the way.
type rateCheck struct{ steps []int64 }

func (c *rateCheck) check(d *csvDecoder, times []float64) {
	if len(times) < 64 {
		return
	}
	c.steps = c.steps[:0]
	for _, t := range times {
		c.steps = append(c.steps, int64(math.Round(t*1e9)))
	}
	if rate, _ := rateOf(c.steps); rate > 0 && math.Abs(rate/d.rate-1) > 0.2 {
		d.rec.notes.add(fmt.Sprintf("stretches of %d samples that have not the %.4g Hz of the recording", batchRows, d.rate), fmt.Sprintf("%s: %.4g Hz", d.where(0), rate))
	}
}
