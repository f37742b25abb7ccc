package method

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/tent"
)

// The predictors.
const (
	Base      = "base"
	MCDropout = "mc-dropout"
	TTAug     = "ttaug"
	Tent      = "tent"
	Memo      = "memo"
)

// Names lists the predictors, the plain network first.
func Names() []string { return []string{Base, MCDropout, TTAug, Tent, Memo} }

// Settings are a predictor and its settings, as a run's manifest records them.
type Settings struct {
	Name  string `json:"name"`
	Seed  uint64 `json:"seed"`
	Views *Views `json:"views,omitempty"` // ttaug, memo
	Merge string `json:"merge,omitempty"` // ttaug: one of predict.Merges, "" is the mean

	Dropout *DropoutSettings `json:"mc_dropout,omitempty"`
	Tent    *TentSettings    `json:"tent,omitempty"`
	Memo    *MemoSettings    `json:"memo,omitempty"`

	// Forms of tent's and memo's convolutions, by their cases, that were chosen by timing ([Tuned]); none: by rules.
	Forms map[string]string `json:"forms,omitempty"`
}

// Views say which augmented inputs an item gets beside the plain one.
type Views struct {
	Set   string `json:"set,omitempty"`   // names a set of the modality
	Count int    `json:"count,omitempty"` // views, the plain one not among them, 1 to MaxViews
}

// MaxViews bounds the views of an item, the plain one not among them.
const MaxViews = memo.MaxViews - 1

// DropoutSettings are those of Monte Carlo dropout.
type DropoutSettings struct {
	Passes int      `json:"passes"`       // 0: dropout.DefaultPasses
	P      float64  `json:"p,omitempty"`  // 0: the network's
	At     []string `json:"at,omitempty"` // nodes; none: those of the network, else one before its head
}

// TentSettings are those of Tent. Empty words and zeros stand for its defaults.
type TentSettings struct {
	Statistics float64 `json:"batch_statistics"` // their share, 0 to 1
	Optimizer  string  `json:"optimizer"`        // sgd, momentum or adam
	Rate       float64 `json:"rate"`
	Steps      int     `json:"steps"`
	Predict    string  `json:"predict"` // before or after the item's step
	Reset      string  `json:"reset"`   // as tent.ParseWhen reads it
	Items      int     `json:"reset_items,omitempty"`
	Rows       int     `json:"rows,omitempty"` // that runs mostly have, for which forms were chosen; 0: it is not known
}

// MemoSettings are those of MEMO. Empty words stand for its defaults.
type MemoSettings struct {
	Preset     string  `json:"preset"` // that the numbers come from; decides nothing itself
	Optimizer  string  `json:"optimizer"`
	Rate       float64 `json:"rate"`
	Decay      float64 `json:"decay"`
	Parameters string  `json:"parameters"`
	Prior      float64 `json:"statistics_prior"`
}

// Validate reports the first setting that is none of the predictor's or out of range.
func (s Settings) Validate() error {
	if !slices.Contains(Names(), s.Name) {
		return fmt.Errorf("method: %q: want %s", s.Name, strings.Join(Names(), ", "))
	}
	for _, own := range []struct {
		name string
		is   bool
	}{{MCDropout, s.Dropout != nil}, {Tent, s.Tent != nil}, {Memo, s.Memo != nil}} {
		if own.is != (s.Name == own.name) {
			return fmt.Errorf("method: predictor %s: the settings of %s are those of that predictor alone, which needs them", s.Name, own.name)
		}
	}
	if takes := s.Name == TTAug || s.Name == Memo; takes != (s.Views != nil) {
		return fmt.Errorf("method: predictor %s: views are those of %s and %s alone, which need them", s.Name, TTAug, Memo)
	}
	if s.Views != nil && (s.Views.Count < 1 || s.Views.Count > MaxViews) {
		return fmt.Errorf("method: %d views: want 1 to %d", s.Views.Count, MaxViews)
	}
	return s.validateOwn()
}

func (s Settings) validateOwn() error {
	switch s.Name {
	case TTAug:
		return s.augment("").Validate()
	case Tent:
		b, err := s.Tent.build("")
		if err != nil {
			return err
		}
		return b.Validate()
	case Memo:
		return s.Memo.build(s.Views.Count, "").Validate()
	}
	return nil
}

func (s Settings) augment(kind predict.Kind) predict.AugmentSettings {
	return predict.AugmentSettings{Views: 1 + s.Views.Count, Kind: kind, Merge: predict.Merge(s.Merge)}
}

// optimizer reads the name of one of Tent's optimisers.
func (x *TentSettings) optimizer() (optim.Settings, error) {
	switch x.Optimizer {
	case "", "sgd":
		return optim.Settings{}, nil
	case "momentum":
		return optim.Settings{Momentum: 0.9}, nil
	case "adam":
		return optim.Settings{Method: optim.Adam}, nil
	}
	return optim.Settings{}, fmt.Errorf("method: optimizer %q: want sgd, momentum or adam for tent", x.Optimizer)
}

// DefaultRate is the learning rate of the optimiser where nobody asks for another.
func (x *TentSettings) DefaultRate() (float64, error) {
	o, err := x.optimizer()
	return tent.DefaultRate(o), err
}

// DefaultBatch is how many items one run of a network takes, or how many streams it advances, where nobody asks for a number.
func DefaultBatch(device string) int {
	if device == string(runtime.DeviceCPU) {
		return 4
	}
	return 32
}

// ForRows returns the settings for runs that mostly advance so many streams: Tent's convolutions are written in the forms that are fastest
// for them on a CPU, which elsewhere nobody measured. Runs of other numbers compute the same, in another time. Other predictors, and Tent
// in a file that holds its graph, stay.
func (s Settings) ForRows(rows int, d runtime.Device) Settings {
	if s.Tent == nil || cmp.Or(d, runtime.DeviceCPU) != runtime.DeviceCPU {
		return s
	}
	t := *s.Tent
	if t.Rows = rows; t.Reset == tent.Never.String() {
		t.Rows = min(rows, 1) // streams go one after another
	}
	s.Tent = &t
	return s
}

// build returns the settings of the graph, whose output is of a kind.
func (x *TentSettings) build(kind string) (tent.Settings, error) {
	o, err := x.optimizer()
	when, whenErr := tent.ParseWhen(cmp.Or(x.Reset, tent.Every.String()))
	if x.Predict != "" && x.Predict != "before" && x.Predict != "after" {
		err = errors.Join(err, fmt.Errorf("method: predict %q: want before or after", x.Predict))
	}
	if err = errors.Join(err, whenErr); err != nil {
		return tent.Settings{}, err
	}
	return tent.Settings{
		Batch: x.Statistics, Optimizer: o, Rate: x.Rate, Steps: x.Steps, Before: x.Predict == "before", Kind: kind,
		Reset: tent.Reset{When: when, Items: x.Items}, Rows: x.Rows,
	}, nil
}

// build returns the settings of the graph.
func (x *MemoSettings) build(views int, kind string) memo.Settings {
	return memo.Settings{
		Views: views, Method: memo.Method(x.Optimizer), Rate: x.Rate, Decay: x.Decay,
		Parameters: memo.Parameters(x.Parameters), Prior: x.Prior, Kind: kind,
	}
}
