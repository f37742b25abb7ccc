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

// realMethod is one of the methods tried. make returns false where a stream lacks the population that the method needs.
type realMethod struct {
	name string
	make func(p populationsOf) (Method, bool)
}

// populationsOf are what may be known of a stream's population; nil: nothing.
type populationsOf struct {
	own     *Population // the labels that its predictor was trained on, or those of other people
	renamed *Population // the same with the classes permuted
	other   *Population // that of another set with as many classes
}

// realMethods are those tried, in the order of the tables: what the filter does, what it does in hindsight, and what others do.
func realMethods() []realMethod {
	first, second := adapt.FirstAuto(), adapt.SecondAuto()
	one, two, three := adapt.Settings{Auto: &first}, adapt.Settings{Auto: &second}, adapt.Settings{}
	return []realMethod{
		always(Base()),
		always(Filter("off", adapt.Settings{Gate: adapt.GateOff})),
		always(Filter("ewma", adapt.Settings{Gate: adapt.GateEWMA})),
		always(Filter("auto 1", one)),
		always(Filter("auto 2", two)),
		autoWith("auto 2 + population", two, Filter, populationsOf.ofOwn),
		always(Filter(AutoThird, three)),
		ofPopulation("auto 3 + frequencies", func(p *Population) Method { return Filter("", adapt.Settings{Prior: p.Frequencies}) }),
		autoWith("auto 3 + population", three, Filter, populationsOf.ofOwn),
		autoWith("auto 3 + permuted population", three, Filter, populationsOf.ofRenamed),
		autoWith("auto 3 + other population", three, Filter, populationsOf.ofOther),
		always(Lagged("auto 1 lag 10", one, 10)),
		always(Lagged("auto 3 lag 10", three, 10)),
		always(Smoothed("auto 1 smoothed", one)),
		always(Smoothed("auto 3 smoothed", three)),
		autoWith("auto 3 + population smoothed", three, Smoothed, populationsOf.ofOwn),
		always(Path("auto 3 Viterbi", three)),
		named("vote of 5", CentredVote()),
		named("rolling mode of 5", RollingMode()),
		named("exponential mean", ExponentialMean()),
		ofPopulation("HMM filter", (*Population).ScaledFilter),
		ofPopulation("HMM smoother", (*Population).ScaledSmoother),
		ofPopulation("HMM Viterbi", func(p *Population) Method { return p.Viterbi(true) }),
		always(LAME()),
	}
}

func (p populationsOf) ofOwn() *Population     { return p.own }
func (p populationsOf) ofRenamed() *Population { return p.renamed }
func (p populationsOf) ofOther() *Population   { return p.other }

func always(m Method) realMethod { return named(m.Name, m) }

func named(name string, m Method) realMethod {
	m.Name = name
	return realMethod{name, func(populationsOf) (Method, bool) { return m, true }}
}

// autoWith is auto with one of the populations, run as run says.
func autoWith(name string, s adapt.Settings, run func(name string, s adapt.Settings) Method, which func(p populationsOf) *Population) realMethod {
	return realMethod{name, func(p populationsOf) (Method, bool) {
		known := which(p)
		if known == nil {
			return Method{}, false
		}
		s.Population = known.Hypothesis()
		return run(name, s), true
	}}
}

func ofPopulation(name string, run func(p *Population) Method) realMethod {
	return realMethod{name, func(p populationsOf) (Method, bool) {
		if p.own == nil {
			return Method{}, false
		}
		m := run(p.own)
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
func MethodsOnReal() (names []string) {
	for _, m := range realMethods() {
		names = append(names, m.name)
	}
	return names
}

func chosenMethods(patterns []string) ([]realMethod, error) {
	names, err := chosen("method", MethodsOnReal(), patterns)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(realMethods(), func(m realMethod) bool { return !slices.Contains(names, m.name) }), nil
}
