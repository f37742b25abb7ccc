package gaps

import (
	"fmt"
	"slices"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/internal/results"
)

type choice struct {
	name     string
	settings timeline.Settings
}

// choices are the rows: what the filter is told of time.
func choices() []choice {
	out := []choice{
		{"nothing", timeline.Settings{Gaps: timeline.GapsOff}},
		{"missed steps", timeline.Settings{Gaps: timeline.GapsMissed}},
	}
	for _, minutes := range []time.Duration{1, 5, 15, 60} {
		s := timeline.Settings{Gaps: timeline.GapsBreaks, LongGap: minutes * time.Minute}
		out = append(out, choice{fmt.Sprintf("breaks after %d min", minutes), s})
	}
	for _, n := range []float64{30, 100, 300, 1000} {
		out = append(out, choice{fmt.Sprintf("breaks after %g steps", n), timeline.Settings{Gaps: timeline.GapsBreaks, LongSteps: n}})
	}
	for _, n := range []float64{100, 300, 1000} {
		s := timeline.Settings{Gaps: timeline.GapsAll, LongSteps: n}
		out = append(out, choice{fmt.Sprintf("missed steps, breaks after %g steps", n), s})
	}
	return out
}

// base returns the mean accuracy of the predictor, in percent.
func (c condition) base() float64 {
	total := 0.0
	for _, s := range c.streams {
		hits := 0
		for t, row := range s.q {
			if label, _ := results.Top(row); label == s.truth[t] {
				hits++
			}
		}
		total += 100 * float64(hits) / float64(len(s.q))
	}
	return total / float64(len(c.streams))
}

// change returns the mean over the streams of what the filter changes, and that of the group where it is least, in points.
func (c condition) change(m method, clock timeline.Settings, workers int) (mean, worst float64) {
	changes := make([]float64, len(c.streams))
	_ = benchmarks.Parallel(workers, len(changes), func(i int) error { // no job fails
		changes[i] = c.streams[i].change(m, clock)
		return nil
	})
	sums, counts := make([]float64, c.groups), make([]float64, c.groups)
	for i, v := range changes {
		mean += v / float64(len(changes))
		sums[c.streams[i].group] += v
		counts[c.streams[i].group]++
	}
	for g := range sums {
		sums[g] /= counts[g]
	}
	return mean, slices.Min(sums)
}

// change returns what the filter changes on one stream. The settings are valid: whoever made them has tried them.
func (s *timed) change(m method, clock timeline.Settings) float64 {
	c, err := timeline.NewClock(clock)
	if err != nil {
		panic(err)
	}
	missed, out := make([]int, len(s.q)), make([][]float64, len(s.q))
	for t, row := range s.q {
		gap := c.Next(s.times[t], nil)
		if missed[t] = gap.Missed; gap.Break {
			missed[t] = adapt.Broken
		}
		out[t] = make([]float64, len(row))
	}
	m.run(out, s.q, missed)
	gained := 0
	for t, row := range s.q {
		before, _ := results.Top(row)
		after, _ := results.Top(out[t])
		if before == s.truth[t] {
			gained--
		}
		if after == s.truth[t] {
			gained++
		}
	}
	return 100 * float64(gained) / float64(len(s.q))
}

// method is a filter, causal or with the whole recording in view.
type method struct {
	adapt.Settings
	smooth bool
}

func (m method) String() string {
	if m.smooth {
		return string(m.Gate) + ", smoothed"
	}
	return string(m.Gate)
}

func (m method) run(dst, q [][]float64, missed []int) {
	k := len(q[0])
	if m.smooth {
		if _, err := adapt.SmoothGaps(k, m.Settings, dst, q, missed); err != nil {
			panic(err)
		}
		return
	}
	f, err := adapt.New(k, m.Settings)
	if err != nil {
		panic(err)
	}
	for t, row := range q {
		if missed[t] == adapt.Broken {
			f.Break()
		} else {
			f.Skip(missed[t])
		}
		f.Step(dst[t], row)
	}
}
