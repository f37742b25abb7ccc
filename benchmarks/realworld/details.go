package realworld

import (
	"encoding/json"
	"math"
)

// details are the numbers of every identity with every predictor, which are too many for tables: percent, rounded to four digits, without a
// filter and then by mode.
type details struct {
	Filters    []string           `json:"filters"`
	Predictors []predictorDetails `json:"predictors"`
}

type predictorDetails struct {
	Predictor string            `json:"predictor"`
	Ordered   []identityDetails `json:"in_order"`
	Shuffled  []identityDetails `json:"shuffled,omitempty"` // over all draws
}

type identityDetails struct {
	Identity string    `json:"identity"`
	Items    int       `json:"items"`
	Accuracy []float64 `json:"accuracy"`
	MacroF1  []float64 `json:"macro_f1"`
}

func (f *found) details() (json.RawMessage, error) {
	out := details{Filters: append([]string{"none"}, modeNames...)}
	for _, o := range f.outcomes {
		out.Predictors = append(out.Predictors, predictorDetails{o.predictor, detailsOf(o.ordered), detailsOf(o.shuffled)})
	}
	return json.Marshal(out)
}

func detailsOf(modes []outcomeOf) (out []identityDetails) {
	if len(modes) == 0 {
		return nil
	}
	for k, one := range modes[0].Streams {
		d := identityDetails{one.Stream, one.Raw.Items, []float64{percent(one.Raw.Accuracy)}, []float64{percent(one.Raw.MacroF1)}}
		for _, mode := range modes {
			after := mode.Streams[k].Adapted
			d.Accuracy, d.MacroF1 = append(d.Accuracy, percent(after.Accuracy)), append(d.MacroF1, percent(after.MacroF1))
		}
		out = append(out, d)
	}
	return out
}

func percent(share float64) float64 { return math.Round(1e6*share) / 1e4 }
