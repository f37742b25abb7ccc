package tent

import (
	"fmt"
	"slices"

	"github.com/oatta/oatta/models/forms"
	"github.com/oatta/oatta/models/optim"
)

// Settings choose what a step does. The zero value is what the paper does, one step for each item and the source's weights again after
// every 100, on the source's statistics, with the step of [DefaultRate].
type Settings struct {
	// Layers and Frozen choose among the normalisation layers by the beginning of their names, as "layer4.": those of Layers, or all if
	// it is empty, without those of Frozen. What comes before the first chosen layer is computed once, and nothing is derived there.
	Layers, Frozen []string

	// Batch is the weight of the item's own statistics in BatchNormalization, 0 to 1; the rest is the source's. 0 is source statistics,
	// 1 those of Wang et al., which need a batch of items or large maps of features. Variances are biased.
	Batch float64

	Optimizer optim.Settings // plain descent by default; its ClipNorm must be 0
	Rate      float64        // learning rate, > 0; 0 means [DefaultRate] of the optimiser
	RateInput bool           // the rate is an input of the graph, "rate"; Rate is what a predictor feeds

	Steps  int  // gradient steps for each item, 1 to 16; 0 means 1
	Before bool // predict before the last step, as the official code does, at two thirds of the cost; else after it

	// Together makes one step of many items of one stream, with common statistics and the mean of their entropies, as the official
	// code does, in place of a row of parameters for each item. Such a graph advances one stream.
	Together bool

	// Rows is how many rows runs mostly have, where the network leaves that open: convolutions are written as is fastest for them. Graphs
	// for any number of rows do the same for another, in another time. 0 leaves convolutions as they are.
	Rows  int
	Forms *forms.Plan // chooses them; nil: by rules

	Output string // the output that predicts; "" is the first
	Kind   string // what it holds: logits, probabilities, log-probabilities; "" looks at the graph's last operator

	Reset Reset
}

// When says when parameters become the source's again.
type When uint8

// The policies. Every one but [Never] also begins each stream with the source's parameters.
const (
	Every    When = iota // after every Reset.Items items of the stream
	Stream               // when a stream begins
	Item                 // before each item: nothing is carried on
	Collapse             // when predictions have become too certain: see [Reset]
	// Never keeps what one stream left for the next, which is the online protocol of Wang et al. It makes the order of the streams
	// matter, so there is one lane, and parameters do leak: results of one stream depend on all before it.
	Never
)

var whens = []string{"every", "stream", "item", "collapse", "never"}

// String returns the policy as flags and manifests write it.
func (w When) String() string {
	if int(w) < len(whens) {
		return whens[w]
	}
	return fmt.Sprintf("When(%d)", uint8(w))
}

// ParseWhen reads what [When.String] writes.
func ParseWhen(s string) (When, error) {
	if i := slices.Index(whens, s); i >= 0 {
		return When(i), nil
	}
	return 0, fmt.Errorf("tent: reset %q: want every, stream, item, collapse or never", s)
}

// Reset is a policy. The zero value resets after every 100 items.
//
// Collapse follows the mean entropy m of the predictions before their step: m = h at the first item after a reset, then m = Keep m +
// (1-Keep) h. When m falls below Below ln K, for K classes, the next item meets the source's parameters, and m begins anew. That is the
// recovery of SAR (Niu et al. 2023, 0.9 and 0.2 nats of ln 1000 = 6.9), stated for any number of classes.
type Reset struct {
	When  When
	Items int     // of Every, >= 1; 0 means 100
	Keep  float64 // of Collapse, 0 <= Keep < 1; 0 means 0.9
	Below float64 // of Collapse, 0 < Below < 1; 0 means 0.03
}

func (r Reset) filled() Reset {
	if r.Items == 0 {
		r.Items = 100
	}
	if r.Keep == 0 {
		r.Keep = 0.9
	}
	if r.Below == 0 {
		r.Below = 0.03
	}
	return r
}

// Validate reports the first setting out of its range.
func (r Reset) Validate() error {
	switch r = r.filled(); {
	case int(r.When) >= len(whens):
		return fmt.Errorf("tent: reset policy %v", r.When)
	case r.Items < 1:
		return fmt.Errorf("tent: reset after every %d items, want 1 or more", r.Items)
	case !(r.Keep >= 0 && r.Keep < 1):
		return fmt.Errorf("tent: reset: the mean keeps %v of itself, want 0 to below 1", r.Keep)
	case !(r.Below > 0 && r.Below < 1):
		return fmt.Errorf("tent: reset below %v of the largest entropy, want above 0 and below 1", r.Below)
	}
	return nil
}

// maxSteps bounds the copies of the network in one graph.
const maxSteps = 16

// DefaultRate is the learning rate of an optimiser where the settings give none: one that leaves accuracy on single items as it is, or
// better. With ResNet-20 on four corruptions of CIFAR-10-C, the source's weights again after every 100 items, the mean accuracy in percent
// is, in random order and in order of class:
//
//	no step     50.8  50.8
//	SGD 1e-5    50.9  50.8
//	Adam 1e-5   50.8  51.0    1e-4: 50.0 and 51.3
//
// On another four (no step: 49.0), SGD at 1e-4 had 48.4 in random order, at 1e-3 45.2. Rates that help where neighbours are alike hurt where they are not.
func DefaultRate(o optim.Settings) float64 {
	if o.Method != optim.SGD {
		return 1e-5
	}
	return 1e-5 * (1 - o.Momentum)
}

func (s Settings) filled() Settings {
	if s.Rate == 0 {
		s.Rate = DefaultRate(s.Optimizer)
	}
	if s.Steps == 0 {
		s.Steps = 1
	}
	s.Reset = s.Reset.filled()
	return s
}

// Validate reports the first setting out of its range.
func (s Settings) Validate() error {
	switch s = s.filled(); {
	case !(s.Batch >= 0 && s.Batch <= 1):
		return fmt.Errorf("tent: weight %v of the item's statistics, want 0 to 1", s.Batch)
	case !(s.Rate > 0 && s.Rate <= maxRate):
		return fmt.Errorf("tent: learning rate %v, want above 0 and at most %v", s.Rate, maxRate)
	case s.Steps < 1 || s.Steps > maxSteps:
		return fmt.Errorf("tent: %d steps for each item, want 1 to %d", s.Steps, maxSteps)
	case s.Rows < 0:
		return fmt.Errorf("tent: %d rows in most runs, want 0 or more", s.Rows)
	case s.Optimizer.ClipNorm != 0:
		return fmt.Errorf("tent: the optimiser bounds the norm of the gradient, which streams in one run would share")
	case s.Kind != "" && !slices.Contains(kinds, s.Kind):
		return fmt.Errorf("tent: output kind %q, want one of %v", s.Kind, kinds)
	}
	if err := s.Optimizer.Validate(); err != nil {
		return fmt.Errorf("tent: %w", err)
	}
	return s.Reset.Validate()
}

const maxRate = 1e6

var kinds = []string{"logits", "probabilities", "log-probabilities"}
