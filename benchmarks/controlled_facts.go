package benchmarks

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Cell is one entry of a table, in points against the base predictor.
type Cell struct {
	Mean  float64 `json:"mean"`  // over sets and seeds
	SE    float64 `json:"se"`    // standard error of Mean over seeds, the sets taken as given; 0 with fewer than two seeds
	Worst float64 `json:"worst"` // of the means of single sets
}

// Cell returns the entry of a method and a stream over some of the sets.
func (r *ControlledResult) Cell(sets []int, stream, method int) Cell {
	perSeed, worst := make([]float64, r.Seeds), math.Inf(1)
	for _, i := range sets {
		change := r.Sets[i].Change[stream][method]
		for s, v := range change {
			perSeed[s] += v / float64(len(sets))
		}
		worst = min(worst, stat.Mean(change, nil))
	}
	mean, se := meanSE(perSeed)
	return Cell{mean, se, worst}
}

// meanSE returns mean and standard error of independent values.
func meanSE(x []float64) (mean, se float64) {
	if len(x) < 2 {
		return stat.Mean(x, nil), 0
	}
	return stat.Mean(x, nil), stat.StdDev(x, nil) / math.Sqrt(float64(len(x)))
}

// change is the mean over seeds.
func (r *ControlledResult) change(set, stream int, method string) float64 {
	return stat.Mean(r.Sets[set].Change[stream][slices.Index(r.Methods, method)], nil)
}

// ControlledFacts are what the study claims of auto, over some of the sets.
type ControlledFacts struct {
	// Auto against the better of the paper's filter and its LLR gate (exponential mean): at least as good less Slack, in how many
	// of the cells (set, stream). A cell is a mean over seeds.
	Slack       float64 `json:"slack"`
	Cells       int     `json:"cells"`
	CellsAtOdds []Odds  `json:"cells_at_odds"`

	// S1, where there is nothing to gain: the sets on which auto loses more than Slack, and its worst.
	S1AtOdds []Odds `json:"s1_at_odds"`
	S1Worst  Odds   `json:"s1_worst"`

	// Mean gain of auto over that of the limit by stream, where the latter is over 0.1: over all sets, and over those on which the
	// base is right more often than Strong percent.
	ShareOfLimit       map[string]float64 `json:"share_of_limit"`
	Strong             float64            `json:"strong_percent"`
	ShareOfLimitStrong map[string]float64 `json:"share_of_limit_strong"`

	Regressions []Regression `json:"regressions"` // gain against base accuracy
}

// Odds is a cell with the change of auto and what it is compared with, in points, and the standard error of their difference.
type Odds struct {
	Set    string  `json:"set"`
	Stream string  `json:"stream"`
	Auto   float64 `json:"auto"`
	Other  float64 `json:"other"`
	SE     float64 `json:"se"`
}

// Regression is the gain of a method in points on S2(0.7) as a linear function of the base accuracy in percent, over sets.
type Regression struct {
	Method    string  `json:"method"`
	R         float64 `json:"pearson_r"`
	Slope     float64 `json:"slope"`
	BreakEven float64 `json:"break_even_percent"` // base accuracy at which the line crosses zero
}

// Facts computes the claims over the given sets, which are the corruptions in the study.
func (r *ControlledResult) Facts(sets []int) ControlledFacts {
	f := ControlledFacts{Slack: 0.1, Strong: 60, S1Worst: Odds{Auto: math.Inf(1)}}
	for stream := range r.Streams {
		for _, set := range sets {
			f.judge(r, set, stream)
		}
	}
	var strong []int
	for _, set := range sets {
		if r.Sets[set].Accuracy > f.Strong {
			strong = append(strong, set)
		}
	}
	f.ShareOfLimit, f.ShareOfLimitStrong = r.shares(sets), r.shares(strong)
	if i := slices.Index(r.Streams, "s2 alpha=0.70"); i >= 0 && len(sets) > 2 {
		for _, method := range []string{"off", "ewma", "auto"} {
			f.Regressions = append(f.Regressions, r.regression(sets, i, method))
		}
	}
	return f
}

func (r *ControlledResult) shares(sets []int) map[string]float64 {
	out := map[string]float64{}
	for stream, name := range r.Streams {
		if len(sets) == 0 {
			break
		}
		auto := r.Cell(sets, stream, slices.Index(r.Methods, "auto")).Mean
		if limit := r.Cell(sets, stream, slices.Index(r.Methods, MethodLimit)).Mean; limit > 0.1 {
			out[name] = auto / limit
		}
	}
	return out
}

func (f *ControlledFacts) judge(r *ControlledResult, set, stream int) {
	change := func(method string) []float64 {
		return r.Sets[set].Change[stream][slices.Index(r.Methods, method)]
	}
	auto, paper := change("auto"), change("off")
	if llr := change("ewma"); stat.Mean(llr, nil) > stat.Mean(paper, nil) {
		paper = llr
	}
	f.Cells++
	if o := r.odds(set, stream, auto, paper); o.Auto < o.Other-f.Slack {
		f.CellsAtOdds = append(f.CellsAtOdds, o)
	}
	if r.Streams[stream] != "s1" {
		return
	}
	o := r.odds(set, stream, auto, make([]float64, len(auto)))
	if o.Auto < -f.Slack {
		f.S1AtOdds = append(f.S1AtOdds, o)
	}
	if o.Auto < f.S1Worst.Auto {
		f.S1Worst = o
	}
}

func (r *ControlledResult) odds(set, stream int, auto, other []float64) Odds {
	difference := make([]float64, len(auto))
	for i, v := range auto {
		difference[i] = v - other[i]
	}
	_, se := meanSE(difference)
	return Odds{r.Sets[set].Name, r.Streams[stream], stat.Mean(auto, nil), stat.Mean(other, nil), se}
}

func (r *ControlledResult) regression(sets []int, stream int, method string) Regression {
	var base, gain []float64
	for _, set := range sets {
		base = append(base, r.Sets[set].Base[stream])
		gain = append(gain, r.change(set, stream, method))
	}
	at0, slope := stat.LinearRegression(base, gain, nil, false)
	return Regression{method, stat.Correlation(base, gain, nil), slope, -at0 / slope}
}
