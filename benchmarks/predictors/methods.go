package predictors

import (
	"context"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/internal/method"
)

// candidates are the five, as `oatta eval` has them for pictures of this size where no flag says otherwise, and Tent with a tenth of an
// item's own statistics (--statistics 0.1).
func candidates(net *networks.Network) (list []networks.Candidate, err error) {
	for _, name := range []string{method.Base, method.MCDropout, method.TTAug, method.Tent, method.Tent, method.Memo} {
		c, err := networks.Default(name, net)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	list[4].Name, list[4].Settings.Tent.Statistics = "tent, statistics 0.1", 0.1
	return list, nil
}

// predictAll returns the probabilities [set][picture][class] of a candidate for which order does not count.
func (s *study) predictAll(ctx context.Context, net *networks.Network, c networks.Candidate, sets []*networks.Set) ([][][]float64, error) {
	out := make([][][]float64, len(sets))
	for i, set := range sets {
		var err error
		if out[i], err = s.runner.Predict(ctx, net, c, set); err != nil {
			return nil, err
		}
	}
	return out, nil
}
