package predictors

import (
	"fmt"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/predict"
	imageprep "github.com/oatta/oatta/preprocess/image"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/tent"
)

// method is one predictor with its settings.
type method struct {
	name  string
	views imageprep.Views // of ttaug and memo
	merge predict.Merge   // of ttaug
	memo  *memo.Settings
	tent  *tent.Settings
	mc    bool
}

// methods are the five, as `oatta eval` has them for pictures of this size where no flag says otherwise, and Tent with a tenth of an item's own
// statistics (--statistics 0.1).
func methods() ([]method, error) {
	s, err := memo.Preset("cifar")
	rate := tent.DefaultRate(tent.Settings{}.Optimizer)
	return []method{
		{name: "base"},
		{name: "mc-dropout", mc: true},
		{name: "ttaug", views: imageprep.Views{Set: imageprep.Crops, Augmented: 9}, merge: predict.MergeMean},
		{name: "tent", tent: &tent.Settings{Rate: rate}},
		{name: "tent, statistics 0.1", tent: &tent.Settings{Rate: rate, Batch: 0.1}},
		{name: "memo", views: imageprep.Views{Set: imageprep.MemoCIFAR, Augmented: s.Views}, memo: &s},
	}, err
}

// key says which settings it has, for the cache.
func (m method) key() string {
	switch {
	case m.tent != nil:
		o := m.tent.Optimizer
		return fmt.Sprintf("tent batch=%g %v rate=%g before=%t reset=%v,%d", m.tent.Batch, o.Method, m.tent.Rate, m.tent.Before, m.tent.Reset.When, m.tent.Reset.Items)
	case m.memo != nil:
		return fmt.Sprintf("memo %v,%d %s rate=%g prior=%g %s", m.views.Set, m.views.Augmented, m.memo.Method, m.memo.Rate, m.memo.Prior, m.memo.Parameters)
	case m.mc:
		return fmt.Sprintf("mc-dropout %d,%g", dropout.DefaultPasses, dropout.DefaultP)
	case m.merge != "":
		return fmt.Sprintf("ttaug %v,%d,%d %s", m.views.Set, m.views.Augmented, m.views.Padding, m.merge)
	}
	return "base"
}

// graph is what the engine runs for it.
func (m method) graph(net *network) (*onnx.Model, error) {
	switch {
	case m.tent != nil:
		return tent.Build(net.model, *m.tent)
	case m.memo != nil:
		return memo.Build(net.model, *m.memo)
	case m.mc:
		return dropout.Build(net.model, dropout.Settings{Input: shape})
	}
	return net.model, nil
}

// open opens its graph on one thread.
func (m method) open(e runtime.Engine, net *network) (runtime.Session, error) {
	g, err := m.graph(net)
	if err != nil {
		return nil, err
	}
	b, err := g.Bytes()
	if err != nil {
		return nil, err
	}
	return e.Open(b, runtime.Config{IntraThreads: 1})
}

// predictor makes what predicts in any order, on a session of its graph.
func (m method) predictor(s runtime.Session) (predict.Predictor, predict.Kind, error) {
	switch {
	case m.memo != nil:
		p, err := memo.New(s, shape, classes)
		return p, predict.Logits, err
	case m.mc:
		p, err := predict.NewMCDropout(s, shape, classes, predict.MCDropoutSettings{})
		return p, predict.Probabilities, err
	}
	base, err := predict.NewBase(s, shape, 0, classes)
	if err != nil || m.merge == "" {
		return base, predict.Logits, err
	}
	p, err := predict.NewAugmented(base, predict.AugmentSettings{Views: 1 + m.views.Augmented, Merge: m.merge})
	return p, predict.Probabilities, err
}
