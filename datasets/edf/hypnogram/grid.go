package hypnogram

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/oatta/oatta/datasets/edf"
)

// span is a stage from one second to another, counted from the start of the file.
type span struct {
	stage    Stage
	from, to float64
}

// slack is how many seconds the ends of a span may lie off the grid: scorers round, and files begin within a second.
func (s span) slack() float64 { return min(1, (s.to-s.from)/4) }

// last gives annotations their ends. One without a duration, or of none, lasts to the next; the last one, an epoch.
func last(kept []edf.Annotation, stages []Stage) []span {
	out := make([]span, len(kept))
	for i, a := range kept {
		duration := a.Duration
		if !a.HasDuration || duration == 0 {
			duration = EpochSeconds
			if i+1 < len(kept) {
				duration = kept[i+1].Onset - a.Onset
			}
		}
		out[i] = span{stages[i], a.Onset, a.Onset + duration}
	}
	return out
}

// maxPhases bounds the search for the grid.
const maxPhases = 64

// phase returns the second, 0 to 30, at which the epochs begin: where most of the scored time lies on whole epochs.
func phase(spans []span) float64 {
	type candidate struct{ at, seconds float64 }
	var found []candidate
	for _, s := range spans {
		at := math.Mod(s.from, EpochSeconds)
		if at < 0 {
			at += EpochSeconds
		}
		near := func(c candidate) bool {
			d := math.Abs(c.at - at)
			return min(d, EpochSeconds-d) <= 1
		}
		if i := slices.IndexFunc(found, near); i >= 0 {
			found[i].seconds += s.to - s.from
		} else if len(found) < maxPhases {
			found = append(found, candidate{at, s.to - s.from})
		}
	}
	best := candidate{seconds: -1}
	for _, c := range found {
		if c.seconds > best.seconds {
			best = c
		}
	}
	if EpochSeconds-best.at <= 1 { // a little before the first epoch, not nearly an epoch after it
		return 0
	}
	return best.at
}

// grid is a hypnogram in the making.
type grid struct {
	phase     float64
	stages    []Stage
	covered   []bool                  // a span covers the whole epoch
	parts     map[int]*[R + 1]float64 // seconds of each stage, in epochs that spans cover in part
	conflicts int                     // epochs that two spans cover, of which the later counts
	mixed     int                     // epochs that lie across two stages
}

// lay puts spans, in order of their beginning, on a grid.
func lay(spans []span) *grid {
	g := &grid{phase: phase(spans), parts: map[int]*[R + 1]float64{}}
	for _, s := range spans {
		g.add(s)
	}
	for _, i := range slices.Sorted(maps.Keys(g.parts)) {
		g.settle(i, g.parts[i])
	}
	return g
}

// add puts one span on the grid: the epochs that it covers as a whole, and what it covers of the first and the last.
func (g *grid) add(s span) {
	from, to := g.epochs(s.from, s.slack()), g.epochs(s.to, s.slack())
	first, end := math.Ceil(from), math.Floor(to)
	if first > end { // within an epoch
		g.part(int(end), s.stage, to-from)
		return
	}
	g.part(int(first)-1, s.stage, first-from)
	g.part(int(end), s.stage, to-end)
	g.grow(int(end))
	for i := max(int(first), 0); i < int(end); i++ {
		if g.covered[i] && g.stages[i] != s.stage {
			g.conflicts++
		}
		g.stages[i], g.covered[i] = s.stage, true
	}
}

// epochs returns a second as a number of epochs, whole if it is nearly.
func (g *grid) epochs(second, slack float64) float64 {
	e := (second - g.phase) / EpochSeconds
	if whole := math.Round(e); math.Abs(e-whole)*EpochSeconds <= slack {
		return whole
	}
	return e
}

// part notes that a stage covers a share of an epoch.
func (g *grid) part(epoch int, stage Stage, share float64) {
	if share <= 0 || epoch < 0 {
		return
	}
	if g.parts[epoch] == nil {
		g.parts[epoch] = &[R + 1]float64{}
	}
	g.parts[epoch][stage] += share
}

func (g *grid) grow(n int) {
	for len(g.stages) < n {
		g.stages, g.covered = append(g.stages, Unscored), append(g.covered, false)
	}
}

// settle decides on an epoch of which spans cover parts. One of two stages is none; one of one stage is of that, if it has half of it.
func (g *grid) settle(epoch int, shares *[R + 1]float64) {
	stage, several := Unscored, false
	if epoch < len(g.stages) && g.covered[epoch] {
		if stage = g.stages[epoch]; stage == Unscored {
			return
		}
		shares[stage]++
	}
	for s := W; s <= R; s++ {
		if shares[s] > 0 {
			several = several || stage != Unscored && stage != s
			stage = s
		}
	}
	if several {
		g.mixed++
		stage = Unscored
	} else if shares[stage] < 0.5-1e-9 {
		return
	}
	g.grow(epoch + 1)
	g.stages[epoch] = stage
}

// warnings says what could not be placed.
func (g *grid) warnings() (out []string) {
	if g.conflicts > 0 {
		out = append(out, fmt.Sprintf("%d epochs are annotated with two stages: the later annotation counts", g.conflicts))
	}
	if g.mixed > 0 {
		out = append(out, fmt.Sprintf("%d of %d epochs of %d seconds lie across two stages and are not scored: its annotations go in other steps", g.mixed, len(g.stages), EpochSeconds))
	}
	return out
}
