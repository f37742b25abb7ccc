package hindsight

import (
	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
)

// methods are the columns of the tables; the first is the base that the others are compared with.
func methods() []benchmarks.Method {
	return []benchmarks.Method{
		benchmarks.Base(),
		benchmarks.Filter("auto", adapt.Settings{}),
		benchmarks.Lagged("lag 1", adapt.Settings{}, 1),
		benchmarks.Lagged("lag 5", adapt.Settings{}, 5),
		benchmarks.Lagged("lag 20", adapt.Settings{}, 20),
		benchmarks.Smoothed("hindsight", adapt.Settings{}),
		benchmarks.CentredVote(),
		benchmarks.Smoothed("off, smoothed", adapt.Settings{Gate: adapt.GateOff}),
		benchmarks.Smoothed("ewma, smoothed", adapt.Settings{Gate: adapt.GateEWMA}),
		benchmarks.Path("Viterbi", adapt.Settings{}),
	}
}
