package baselines

import (
	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
)

// The methods that those of others are compared with: the filter as it is by default.
const (
	ours         = "auto"
	oursSmoothed = "auto, smoothed"
)

// lag is the number of items that the lagged filter waits for.
const lag = 10

// causal are the methods that answer each item at once.
func causal() []benchmarks.Tried {
	return []benchmarks.Tried{
		benchmarks.Always("off (paper)", benchmarks.Filter("", adapt.Settings{Gate: adapt.GateOff})),
		benchmarks.Always("ewma (paper)", benchmarks.Filter("", adapt.Settings{Gate: adapt.GateEWMA})),
		benchmarks.Always("rolling mode of 5", benchmarks.RollingMode()),
		benchmarks.Always("mean of 5 probabilities", benchmarks.RollingMean()),
		benchmarks.Always("exponential mean", benchmarks.ExponentialMean()),
		benchmarks.OfPopulation("HMM filter, population", (*benchmarks.Population).ScaledFilter),
		benchmarks.Always(ours, benchmarks.Filter("", adapt.Settings{})),
		taught("auto, population", benchmarks.Filter),
	}
}

// waiting are the methods that wait for later items.
func waiting() []benchmarks.Tried {
	return []benchmarks.Tried{
		benchmarks.Always("vote of sequences of 10", SequenceVote(sequence)),
		benchmarks.Always("MegaDetector's rule, sequences of 10", Dominant(sequence)),
		benchmarks.Always("vote of the whole stream", SequenceVote(0)),
		benchmarks.Always("centred vote of 5", benchmarks.CentredVote()),
		benchmarks.Always("centred mean of 5 probabilities", benchmarks.CentredMean()),
		benchmarks.OfPopulation("HMM smoother, population", (*benchmarks.Population).ScaledSmoother),
		benchmarks.OfPopulation("HMM Viterbi, population", func(p *benchmarks.Population) benchmarks.Method { return p.Viterbi(true) }),
		{Name: "Viterbi on labels (OxWearables), population", Make: labelViterbi},
		benchmarks.Always("LAME", benchmarks.LAME()),
		{Name: "label-shift EM", Make: labelShifted},
		benchmarks.Always("auto, lag 10", benchmarks.Lagged("", adapt.Settings{}, lag)),
		taught("auto, population, lag 10", func(name string, s adapt.Settings) benchmarks.Method { return benchmarks.Lagged(name, s, lag) }),
		benchmarks.Always(oursSmoothed, benchmarks.Smoothed("", adapt.Settings{})),
		taught("auto, population, smoothed", benchmarks.Smoothed),
	}
}

// taught is auto that knows the transitions of a population, run as run says.
func taught(name string, run func(name string, s adapt.Settings) benchmarks.Method) benchmarks.Tried {
	return benchmarks.OfPopulation(name, func(p *benchmarks.Population) benchmarks.Method {
		return run(name, adapt.Settings{Population: p.Hypothesis()})
	})
}

func labelViterbi(k benchmarks.Known) (benchmarks.Method, bool) {
	if k.Own == nil || k.Confusions == nil {
		return benchmarks.Method{}, false
	}
	m := LabelViterbi(k.Own, k.Confusions)
	m.Name = "Viterbi on labels (OxWearables), population"
	return m, true
}

func labelShifted(k benchmarks.Known) (benchmarks.Method, bool) {
	if k.Own == nil {
		return LabelShift(nil), true
	}
	return LabelShift(k.Own.Frequencies), true
}
