package benchmarks

import (
	"fmt"
	"path"
	"slices"

	"github.com/oatta/oatta/adapt"
)

// MatrixStrength is how many observations of the class frequencies the rows of a population's matrix hold besides what was counted.
const MatrixStrength = 1

// AutoThird is the method that the goals are tried on where no other is named: the filter as it is by default.
const AutoThird = "auto 3"

// Tried is a method that is made anew for each stream. Make returns false where a stream lacks what the method needs to know of others.
type Tried struct {
	Name string
	Make func(known Known) (Method, bool)
}

// Known is what may be known of others than the one of a stream; nil: nothing.
type Known struct {
	Own     *Population // the labels that its predictor was trained on, or those of other people
	Renamed *Population // the same with the classes permuted
	Other   *Population // that of another set with as many classes
	// Confusions are how often items of class i of the other people's streams in the set were predicted as class j.
	Confusions [][]float64
}

// realMethods are those tried, in the order of the tables: what the filter does, what it does in hindsight, and what others do.
func realMethods() []Tried {
	first, second := adapt.FirstAuto(), adapt.SecondAuto()
	one, two, three := adapt.Settings{Auto: &first}, adapt.Settings{Auto: &second}, adapt.Settings{}
	return []Tried{
		always(Base()),
		always(Filter("off", adapt.Settings{Gate: adapt.GateOff})),
		always(Filter("ewma", adapt.Settings{Gate: adapt.GateEWMA})),
		always(Filter("auto 1", one)),
		always(Filter("auto 2", two)),
		autoWith("auto 2 + population", two, Filter, Known.ofOwn),
		always(Filter(AutoThird, three)),
		OfPopulation("auto 3 + frequencies", func(p *Population) Method { return Filter("", adapt.Settings{Prior: p.Frequencies}) }),
		autoWith("auto 3 + population", three, Filter, Known.ofOwn),
		autoWith("auto 3 + permuted population", three, Filter, Known.ofRenamed),
		autoWith("auto 3 + other population", three, Filter, Known.ofOther),
		always(Lagged("auto 1 lag 10", one, 10)),
		always(Lagged("auto 3 lag 10", three, 10)),
		always(Smoothed("auto 1 smoothed", one)),
		always(Smoothed("auto 3 smoothed", three)),
		autoWith("auto 3 + population smoothed", three, Smoothed, Known.ofOwn),
		always(Path("auto 3 Viterbi", three)),
		Always("vote of 5", CentredVote()),
		Always("rolling mode of 5", RollingMode()),
		Always("exponential mean", ExponentialMean()),
		OfPopulation("HMM filter", (*Population).ScaledFilter),
		OfPopulation("HMM smoother", (*Population).ScaledSmoother),
		OfPopulation("HMM Viterbi", func(p *Population) Method { return p.Viterbi(true) }),
		always(LAME()),
	}
}

func (p Known) ofOwn() *Population     { return p.Own }
func (p Known) ofRenamed() *Population { return p.Renamed }
func (p Known) ofOther() *Population   { return p.Other }

func always(m Method) Tried { return Always(m.Name, m) }

// Always is a method that needs to know of nobody, under a name of its own.
func Always(name string, m Method) Tried {
	m.Name = name
	return Tried{name, func(Known) (Method, bool) { return m, true }}
}

// autoWith is auto with one of the populations, run as run says.
func autoWith(name string, s adapt.Settings, run func(name string, s adapt.Settings) Method, which func(p Known) *Population) Tried {
	return Tried{name, func(p Known) (Method, bool) {
		known := which(p)
		if known == nil {
			return Method{}, false
		}
		s.Population = known.Hypothesis()
		return run(name, s), true
	}}
}

// OfPopulation is a method that needs a population of the labels that the predictor was trained on.
func OfPopulation(name string, run func(p *Population) Method) Tried {
	return Tried{name, func(p Known) (Method, bool) {
		if p.Own == nil {
			return Method{}, false
		}
		m := run(p.Own)
		m.Name = name
		return m, true
	}}
}

// chosen returns those of the names that match one of the patterns, all if there is none. A pattern that matches none is an error.
func chosen(what string, names, patterns []string) ([]string, error) {
	if len(patterns) == 0 {
		return names, nil
	}
	found := make([]bool, len(names))
	for _, pattern := range patterns {
		matched := false
		for i, name := range names {
			ok, err := path.Match(pattern, name)
			if err != nil {
				return nil, fmt.Errorf("benchmarks: %s %q: %w", what, pattern, err)
			}
			found[i], matched = found[i] || ok, matched || ok
		}
		if !matched {
			return nil, fmt.Errorf("benchmarks: %s %q: want one of %q", what, pattern, names)
		}
	}
	var out []string
	for i, name := range names {
		if found[i] {
			out = append(out, name)
		}
	}
	return out, nil
}

// MethodsOnReal names the methods, in the order of the tables.
func MethodsOnReal() (names []string) { return namesOf(realMethods()) }

func namesOf(methods []Tried) (names []string) {
	for _, m := range methods {
		names = append(names, m.Name)
	}
	return names
}

func chosenMethods(methods []Tried, patterns []string) ([]Tried, error) {
	names, err := chosen("method", namesOf(methods), patterns)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(methods), func(m Tried) bool { return !slices.Contains(names, m.Name) }), nil
}
