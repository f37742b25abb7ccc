package bench

import (
	"slices"

	"github.com/oatta/oatta/benchmarks/report"
)

// chapter is a study in the report of all.
type chapter struct {
	name    string
	minutes float64  // that it takes on two cores, to tell the time that is left
	quick   []string // flags of a quick look, where the study has no flag quick
}

// order is that of the report: the paper's experiments, then what is the project's own. A study that is not named comes last.
var order = []chapter{
	{name: "controlled", minutes: 40},
	{name: "corruption", minutes: 1},
	{name: "plasticity", minutes: 1},
	{name: "threshold", minutes: 1},
	{name: "priors", minutes: 1},
	{name: "flops", minutes: 2},
	{name: "realworld", minutes: 10},
	{name: "baselines", minutes: 3},
	{name: "study", minutes: 3, quick: []string{"--seeds", "1", "--steps", "200", "--replay-seeds", "1"}},
	{name: "real", minutes: 3},
	{name: "hindsight", minutes: 2, quick: []string{"--seeds", "1", "--steps", "200", "--sets", "elastic_transform"}},
	{name: "gaps", minutes: 1, quick: []string{"--seeds", "1"}},
	{name: "corrections", minutes: 1, quick: []string{"--seeds", "1"}},
	{name: "truncation", minutes: 1, quick: []string{"--seeds", "1", "--steps", "200"}},
	{name: "detection", minutes: 2, quick: []string{"--seeds", "1", "--steps", "200"}},
	{name: "movement", minutes: 2, quick: []string{"--shuffles", "1", "--people", "(user21)$"}},
	{name: "sleepnet", minutes: 4, quick: []string{"--folds", "2", "--epochs", "1", "--seeds", "1", "--shuffles", "1"}},
	{name: "speed", minutes: 2},
	{name: "profile", minutes: 1},
	{name: "growth", minutes: 1},
}

// within are studies that another one of the report does.
var within = []string{"peers", "torch"}

// chapters puts studies into the order of the report.
func chapters(of []report.Study) (out []report.Study) {
	place := func(s report.Study) int {
		if at := slices.IndexFunc(order, func(c chapter) bool { return c.name == s.Name }); at >= 0 {
			return at
		}
		return len(order)
	}
	out = slices.DeleteFunc(slices.Clone(of), func(s report.Study) bool { return slices.Contains(within, s.Name) })
	slices.SortStableFunc(out, func(a, b report.Study) int { return place(a) - place(b) })
	return out
}

// chapterOf returns what is known of a study.
func chapterOf(name string) chapter {
	if at := slices.IndexFunc(order, func(c chapter) bool { return c.name == name }); at >= 0 {
		return order[at]
	}
	return chapter{name: name, minutes: 1}
}
