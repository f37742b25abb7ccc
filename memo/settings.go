package memo

import (
	"fmt"
	"math"
	"slices"

	"github.com/oatta/oatta/models/forms"
)

// Method is the rule of the one step.
type Method string

// The methods. The empty string is SGD.
const (
	SGD   Method = "sgd"
	AdamW Method = "adamw"
)

// Parameters chooses what the step moves.
type Parameters string

// The choices. The empty string is All, which is what the paper moves.
const (
	All   Parameters = "all"
	Norms Parameters = "norms" // scales and biases of normalisations, and nothing else
)

// Settings say what one step is. The zero value is not valid, because the rate and the number of views depend on the network: start
// from a [Preset].
type Settings struct {
	Views      int // of each input, beside the plain one; 1 to MaxViews
	Method     Method
	Rate       float64 // learning rate, > 0
	Decay      float64 // >= 0: added to the gradient as Decay*p by SGD, taken off the parameter as Rate*Decay*p by AdamW
	Parameters Parameters

	// Prior is how many batches the source's statistics of a BatchNormalization count for against one batch of what is being predicted:
	// mean and variance are (Prior source + 1 batch)/(Prior+1), where the batch is the views for the step and the plain input alone
	// for the prediction. 0 takes the source's alone. The official code has 16 on ImageNet, and no BatchNormalization on CIFAR; no
	// gradient flows through statistics, as there. Networks without that operator do not mind.
	Prior float64

	// Kind says what the network puts out: "logits" (also ""), "probabilities" or "log-probabilities".
	Kind string

	// Forms chooses how convolutions of the views are written; nil: by rules. The plain pass keeps the network's.
	Forms *forms.Plan

	// Report adds outputs: the entropy before the step, and for each parameter NAME its gradient as "gradient.NAME".
	Report bool
}

// MaxViews bounds the views of one input.
const MaxViews = 1024

// presets are the published settings, and ours for small networks.
var presets = map[string]Settings{
	// cifar-10-exps/test_calls/test_adapt.py of the official code.
	"cifar": {Views: 32, Method: SGD, Rate: 5e-3},
	// imagenet-exps/script_test_in.py and test_calls/test_adapt.py. What runs there with --optimizer sgd has no weight decay.
	"imagenet": {Views: 64, Method: SGD, Rate: 2.5e-4, Prior: 16},
	// The same files' settings of RVT and ResNeXt.
	"transformer": {Views: 64, Method: AdamW, Rate: 1e-5, Decay: 0.01, Prior: 16},
	"signal":      {Views: 16, Method: SGD, Rate: 1e-3},
	"text":        {Views: 16, Method: AdamW, Rate: 1e-5, Decay: 0.01},
}

// Preset returns settings by name, one of [Presets].
//
//	cifar        32 views, SGD 5e-3                         official, for small pictures
//	imagenet     64 views, SGD 2.5e-4, statistics 16 to 1   official, for ResNet-50
//	transformer  64 views, AdamW 1e-5, decay 0.01, 16 to 1  official, for RVT and ResNeXt
//	signal       16 views, SGD 1e-3                         ours, for 1-D networks of some 100,000 parameters
//	text         16 views, AdamW 1e-5, decay 0.01           ours, for BERT and its kin
//
// Ours are reasoned, not tuned on data. They take half the views of the smallest official setting, because a jittered window or a text that
// lost a word stays closer to the plain one than an AugMix picture does, so that the mean over views settles earlier. The rate of signals
// lies between the official ones for pictures of 32 and of 224 pixels; that of text is the official one for transformers.
func Preset(name string) (Settings, error) {
	s, ok := presets[name]
	if !ok {
		return s, fmt.Errorf("memo: no preset %q: want one of %v", name, Presets())
	}
	return s, nil
}

// Presets returns the names of the presets, sorted.
func Presets() []string {
	var out []string
	for name := range presets {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// filled spells defaults out.
func (s Settings) filled() Settings {
	if s.Method == "" {
		s.Method = SGD
	}
	if s.Parameters == "" {
		s.Parameters = All
	}
	if s.Kind == "" {
		s.Kind = "logits"
	}
	return s
}

// Validate reports the first setting out of its range.
func (s Settings) Validate() error {
	switch {
	case s.Views < 1 || s.Views > MaxViews:
		return fmt.Errorf("memo: Views %d: want 1 to %d", s.Views, MaxViews)
	case s.Method != "" && s.Method != SGD && s.Method != AdamW:
		return fmt.Errorf("memo: Method %q: want %s or %s", s.Method, SGD, AdamW)
	case s.Parameters != "" && s.Parameters != All && s.Parameters != Norms:
		return fmt.Errorf("memo: Parameters %q: want %s or %s", s.Parameters, All, Norms)
	case !(s.Rate > 0) || math.IsInf(s.Rate, 0):
		return fmt.Errorf("memo: Rate %v: want more than 0", s.Rate)
	case !(s.Decay >= 0) || math.IsInf(s.Decay, 0):
		return fmt.Errorf("memo: Decay %v: want at least 0", s.Decay)
	case !(s.Prior >= 0) || math.IsInf(s.Prior, 0):
		return fmt.Errorf("memo: Prior %v: want at least 0", s.Prior)
	case !slices.Contains([]string{"", "logits", "probabilities", "log-probabilities"}, s.Kind):
		return fmt.Errorf("memo: Kind %q: want logits, probabilities or log-probabilities", s.Kind)
	}
	return nil
}
