package method

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/onnx"
)

// lacks is what decision trees do not have that a predictor changes.
var lacks = map[string]string{
	Tent:      "no normalisation that could adapt along a stream",
	Memo:      "no parameters that a gradient could move",
	MCDropout: "no layer that could drop elements",
}

// fits says why a predictor cannot be made of a model of decision trees, before its graph is looked for what it cannot have.
func (s Settings) fits(m *models.Model) error {
	trees := slices.ContainsFunc(m.Graph.Ops, func(o onnx.OpCount) bool { return strings.HasPrefix(o.Op, "ai.onnx.ml.TreeEnsemble") })
	if why := lacks[s.Name]; trees && why != "" {
		return fmt.Errorf("method: %s: %s is of decision trees, which have %s: %s takes it as it is, %s merges views", s.Name, m.Manifest.Name, why, Base, TTAug)
	}
	return nil
}
