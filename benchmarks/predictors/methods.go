package predictors

import (
	"fmt"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/models/dropout"
	imageprep "github.com/oatta/oatta/preprocess/image"
	"github.com/oatta/oatta/runtime"
)

// candidate is one predictor with its settings.
type candidate struct {
	name     string
	settings method.Settings
	views    imageprep.Views // of ttaug and memo
}

// alongStreams tells whether what it predicts depends on the order.
func (c candidate) alongStreams() bool { return c.settings.Name == method.Tent }

// plain is the network as it is.
func plain() candidate {
	return candidate{name: method.Base, settings: method.Settings{Name: method.Base}}
}

// candidates are the five, as `oatta eval` has them for pictures of this size where no flag says otherwise, and Tent with a tenth of an
// item's own statistics (--statistics 0.1).
func candidates(net *network) (list []candidate, err error) {
	for _, name := range []string{method.Base, method.MCDropout, method.TTAug, method.Tent, method.Tent, method.Memo} {
		c := candidate{name: name}
		if c.settings, err = method.Default(name, net.model.Manifest); err != nil {
			return nil, err
		}
		if v := c.settings.Views; v != nil {
			if c.views.Set, err = imageprep.ParseSet(v.Set); err != nil {
				return nil, err
			}
			c.views.Augmented = v.Count
		}
		list = append(list, c)
	}
	list[4].name, list[4].settings.Tent.Statistics = "tent, statistics 0.1", 0.1
	return list, nil
}

// key says which settings it has, for the cache.
func (c candidate) key() string {
	switch s := c.settings; s.Name {
	case method.Tent:
		t := s.Tent
		return fmt.Sprintf("tent batch=%g %s rate=%g before=%t reset=%s,%d", t.Statistics, t.Optimizer, t.Rate, t.Predict == "before", t.Reset, t.Items)
	case method.Memo:
		m := s.Memo
		return fmt.Sprintf("memo %v,%d %s rate=%g prior=%g %s", c.views.Set, c.views.Augmented, m.Optimizer, m.Rate, m.Prior, m.Parameters)
	case method.MCDropout:
		return fmt.Sprintf("mc-dropout %d,%g", s.Dropout.Passes, dropout.DefaultP)
	case method.TTAug:
		return fmt.Sprintf("ttaug %v,%d,%d %s", c.views.Set, c.views.Augmented, c.views.Padding, s.Merge)
	}
	return c.settings.Name
}

// open opens it on one thread.
func (c candidate) open(e runtime.Engine, net *network) (*method.Predictor, error) {
	return method.Open(e, net.model, c.settings, method.Options{Config: runtime.Config{IntraThreads: 1}})
}
