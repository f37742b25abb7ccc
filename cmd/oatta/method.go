package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/optim"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/tent"
)

const methodCategory = "PREDICTOR"

// The predictors.
const (
	methodBase      = "base"
	methodMCDropout = "mc-dropout"
	methodTTAug     = "ttaug"
	methodTent      = "tent"
	methodMemo      = "memo"
)

var methodNames = []string{methodBase, methodMCDropout, methodTTAug, methodTent, methodMemo}

// methodFlags choose the predictor and its settings.
func methodFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "method", Value: methodBase, Category: methodCategory, Usage: "base (the network as it is), mc-dropout, ttaug (augmented views), tent (adapts normalisations along the stream), memo (adapts to the views of each item)"},
		&cli.Uint64Flag{Name: "seed", Category: methodCategory, Usage: "mc-dropout, ttaug, memo: of masks and views"},
		&cli.IntFlag{Name: "views", Category: methodCategory, DefaultText: "9 for ttaug, 16 or 32 for memo", Usage: "ttaug, memo: views beside the plain input"},
		&cli.StringFlag{Name: "augment", Category: methodCategory, Usage: "ttaug, memo: `SET` of views; pictures: flip, crops, scales, ten-crop, augmix, memo-cifar, memo-imagenet; signals: usual, jitter, shift; texts: usual, words, handles"},
		&cli.StringFlag{Name: "merge", Value: string(predict.MergeMean), Category: methodCategory, Usage: "ttaug: mean, geometric, max or entropy (mean weighed by certainty)"},
	}, settingFlags()...)
}

// settingFlags decide what the graph of a predictor computes, so that export has them, too.
func settingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "passes", Value: dropout.DefaultPasses, Category: methodCategory, Usage: "mc-dropout: passes with random masks"},
		&cli.Float64Flag{Name: "dropout", Category: methodCategory, DefaultText: "the network's, else 0.2", Usage: "mc-dropout: probability of dropping an element"},
		&cli.StringSliceFlag{Name: "dropout-at", Category: methodCategory, Usage: "mc-dropout: `NODE` that drops, or behind which dropout is put (default: those of the network, else one before its head)"},
		&cli.StringFlag{Name: "preset", Category: methodCategory, Usage: "memo: official settings: " + strings.Join(memo.Presets(), ", ") + " (default: by the network's task and size)"},
		&cli.StringFlag{Name: "optimizer", Category: methodCategory, Usage: "tent: sgd (default), momentum, adam; memo: sgd, adamw"},
		&cli.Float64Flag{Name: "rate", Category: methodCategory, DefaultText: "the method's", Usage: "tent, memo: learning rate"},
		&cli.Float64Flag{Name: "decay", Category: methodCategory, DefaultText: "the preset's", Usage: "memo: weight decay"},
		&cli.StringFlag{Name: "adapt", Category: methodCategory, DefaultText: "all", Usage: "memo: parameters that move, all or norms"},
		&cli.StringFlag{Name: "statistics", Value: "source", Category: methodCategory, Usage: "tent: of batch normalisation: source, batch (of the item), or the batch's share, as 0.1"},
		&cli.IntFlag{Name: "steps", Value: 1, Category: methodCategory, Usage: "tent: gradient steps an item"},
		&cli.StringFlag{Name: "predict", Value: "after", Category: methodCategory, Usage: "tent: before or after the item's step; before costs two thirds"},
		&cli.StringFlag{Name: "reset", Value: "100", Category: methodCategory, Usage: "tent: when a stream takes the source's parameters again: a number of items, item, stream, collapse, or never (not even between streams)"},
	}
}

// methodOnly lists the flags that only some predictors read.
var methodOnly = map[string][]string{
	"seed": {methodMCDropout, methodTTAug, methodMemo}, "views": {methodTTAug, methodMemo}, "augment": {methodTTAug, methodMemo}, "merge": {methodTTAug},
	"passes": {methodMCDropout}, "dropout": {methodMCDropout}, "dropout-at": {methodMCDropout},
	"preset": {methodMemo}, "decay": {methodMemo}, "adapt": {methodMemo}, "optimizer": {methodTent, methodMemo}, "rate": {methodTent, methodMemo},
	"statistics": {methodTent}, "steps": {methodTent}, "predict": {methodTent}, "reset": {methodTent},
}

// notZero lists the flags whose 0 would stand for a default.
var notZero = []string{"passes", "dropout", "rate", "steps"}

// method is a predictor and its settings as a run's manifest records them.
type method struct {
	Name  string        `json:"name"`
	Seed  uint64        `json:"seed"`
	Views *inputs.Views `json:"views,omitempty"` // ttaug, memo
	Merge string        `json:"merge,omitempty"` // ttaug

	Dropout *dropoutMethod `json:"mc_dropout,omitempty"`
	Tent    *tentMethod    `json:"tent,omitempty"`
	Memo    *memoMethod    `json:"memo,omitempty"`
}

type dropoutMethod struct {
	Passes int      `json:"passes"`
	P      float64  `json:"p,omitempty"` // 0: the network's
	At     []string `json:"at,omitempty"`
}

type tentMethod struct {
	Statistics float64 `json:"batch_statistics"` // their share, 0 to 1
	Optimizer  string  `json:"optimizer"`
	Rate       float64 `json:"rate"`
	Steps      int     `json:"steps"`
	Predict    string  `json:"predict"`
	Reset      string  `json:"reset"`
	Items      int     `json:"reset_items,omitempty"`
}

type memoMethod struct {
	Preset     string  `json:"preset"`
	Optimizer  string  `json:"optimizer"`
	Rate       float64 `json:"rate"`
	Decay      float64 `json:"decay"`
	Parameters string  `json:"parameters"`
	Prior      float64 `json:"statistics_prior"`
}

// methodOfGraph tells which predictor runs a graph that was made for one, by what its metadata call it.
var methodOfGraph = map[string]string{"tent": methodTent, "memo": methodMemo, "mc": methodMCDropout}

// methodOf reads the flags. A file that holds a predictor's graph has its method and settings already.
func methodOf(c *cli.Context, m *models.Model) (x method, err error) {
	x = method{Name: c.String("method"), Seed: c.Uint64("seed")}
	if made := methodOfGraph[m.Made()]; made != "" {
		if c.IsSet("method") && x.Name != made {
			return x, fmt.Errorf("--method %s: the model's file holds a graph for %s", x.Name, made)
		}
		x.Name = made
		return x, x.made(c, m)
	}
	if !slices.Contains(methodNames, x.Name) {
		return x, fmt.Errorf("--method %q: want %s", x.Name, strings.Join(methodNames, ", "))
	}
	return x, x.settings(c, m)
}

// made reads what a predictor's graph leaves open: the views.
func (x *method) made(c *cli.Context, m *models.Model) (err error) {
	for flag := range methodOnly {
		open := flag == "seed" || flag == "augment" && x.Name == methodMemo
		if c.IsSet(flag) && !(open && slices.Contains(methodOnly[flag], x.Name)) {
			return fmt.Errorf("--%s: the model's file holds the graph of %s with its settings", flag, x.Name)
		}
	}
	if x.Name != methodMemo {
		return nil
	}
	s, err := memo.FromMetadata(m.Graph.Metadata)
	x.Views = &inputs.Views{Set: cmp.Or(c.String("augment"), memoSet(m)), Count: s.Views}
	return err
}

// settings reads what the flags say of the predictor that has been named.
func (x *method) settings(c *cli.Context, m *models.Model) (err error) {
	for _, flag := range slices.Sorted(maps.Keys(methodOnly)) {
		if c.IsSet(flag) && !slices.Contains(methodOnly[flag], x.Name) {
			return fmt.Errorf("--%s is a setting of --method %s", flag, strings.Join(methodOnly[flag], " and "))
		}
	}
	for _, flag := range notZero { // which the packages below take for their default, and a manifest would record
		if c.IsSet(flag) && c.Float64(flag) == 0 {
			return fmt.Errorf("--%s 0: want more than 0", flag)
		}
	}
	switch x.Name {
	case methodMCDropout:
		x.Dropout = &dropoutMethod{c.Int("passes"), c.Float64("dropout"), c.StringSlice("dropout-at")}
	case methodTTAug:
		x.Merge = c.String("merge")
		x.Views, err = viewsOf(c, defaultSet(m), 9)
	case methodTent:
		x.Tent, err = tentOf(c)
	case methodMemo:
		if x.Memo, err = memoOf(c, m); err == nil {
			s, presetErr := memo.Preset(x.Memo.Preset)
			err = presetErr
			if err == nil {
				x.Views, err = viewsOf(c, memoSet(m), memoViews(m, s))
			}
		}
	}
	return err
}

// viewsOf reads how many views there are, and of which set.
func viewsOf(c *cli.Context, set string, count int) (*inputs.Views, error) {
	v := &inputs.Views{Set: cmp.Or(c.String("augment"), set), Count: count}
	switch v.Set { // which have a number of their own
	case "flip":
		v.Count = 1
	case "ten-crop":
		v.Count = 9
	}
	if c.IsSet("views") {
		v.Count = c.Int("views")
	}
	if v.Count < 1 || v.Count > memo.MaxViews-1 {
		return nil, fmt.Errorf("--views %d: want 1 to %d", v.Count, memo.MaxViews-1)
	}
	return v, nil
}

// small is the side up to which pictures are taken for those of CIFAR: the whole of them is the object.
const small = 64

// isLarge tells pictures of which a run of many views takes gigabytes.
func isLarge(m *models.Model) bool {
	return m.Manifest.Signal == nil && m.Manifest.Text == nil && max(m.Manifest.Input.Height, m.Manifest.Input.Width) > small
}

// defaultSet is the set of views of a model's task.
func defaultSet(m *models.Model) string {
	if m.Manifest.Signal != nil || m.Manifest.Text != nil {
		return "usual"
	}
	return "crops"
}

// memoSet is the set of views of MEMO for a model's task. That of the official code for ImageNet takes crops down to 8 % of the picture,
// in which the animal of a camera trap is often not to be seen: large pictures are mixed without crops.
func memoSet(m *models.Model) string {
	switch in := m.Manifest.Input; {
	case m.Manifest.Signal != nil || m.Manifest.Text != nil:
		return "usual"
	case max(in.Height, in.Width) <= small:
		return "memo-cifar"
	}
	return "augmix"
}

// memoViews is how many views an item has unless asked for otherwise: those of the preset, but of large pictures 16, since the values of
// every layer are kept for all views at once (of EfficientNet-Lite0, 150 MB a view).
func memoViews(m *models.Model, s memo.Settings) int {
	if isLarge(m) {
		return min(s.Views, 16)
	}
	return s.Views
}

// memoPreset is the preset of a model's task.
func memoPreset(m *models.Model) string {
	switch in := m.Manifest.Input; {
	case m.Manifest.Signal != nil:
		return "signal"
	case m.Manifest.Text != nil:
		return "text"
	case max(in.Height, in.Width) <= small:
		return "cifar"
	}
	return "imagenet"
}

func memoOf(c *cli.Context, m *models.Model) (*memoMethod, error) {
	name := cmp.Or(c.String("preset"), memoPreset(m))
	s, err := memo.Preset(name)
	if err != nil {
		return nil, err
	}
	x := &memoMethod{
		Preset: name, Optimizer: cmp.Or(c.String("optimizer"), string(s.Method)), Rate: s.Rate, Decay: s.Decay,
		Parameters: cmp.Or(c.String("adapt"), string(cmp.Or(s.Parameters, memo.All))), Prior: s.Prior,
	}
	if c.IsSet("rate") {
		x.Rate = c.Float64("rate")
	}
	if c.IsSet("decay") {
		x.Decay = c.Float64("decay")
	}
	return x, x.build(1, "").Validate()
}

// build returns the settings of the graph.
func (x *memoMethod) build(views int, kind string) memo.Settings {
	return memo.Settings{
		Views: views, Method: memo.Method(x.Optimizer), Rate: x.Rate, Decay: x.Decay,
		Parameters: memo.Parameters(x.Parameters), Prior: x.Prior, Kind: kind,
	}
}

func tentOf(c *cli.Context) (*tentMethod, error) {
	x := &tentMethod{Optimizer: cmp.Or(c.String("optimizer"), "sgd"), Steps: c.Int("steps"), Predict: c.String("predict")}
	var err error
	switch s := c.String("statistics"); s {
	case "source":
	case "batch":
		x.Statistics = 1
	default:
		if x.Statistics, err = strconv.ParseFloat(s, 64); err != nil {
			return nil, fmt.Errorf("--statistics %q: want source, batch, or a share of 0 to 1", s)
		}
	}
	if x.Predict != "before" && x.Predict != "after" {
		return nil, fmt.Errorf("--predict %q: want before or after", x.Predict)
	}
	x.Reset = c.String("reset")
	if n, err := strconv.Atoi(x.Reset); err == nil {
		if n < 1 {
			return nil, fmt.Errorf("--reset %d: want 1 or more items", n)
		}
		x.Reset, x.Items = tent.Every.String(), n
	}
	o, err := tentOptimizer(x.Optimizer)
	if err != nil {
		return nil, err
	}
	x.Rate = tent.DefaultRate(o)
	if c.IsSet("rate") {
		x.Rate = c.Float64("rate")
	}
	s, err := x.build("")
	if err != nil {
		return nil, err
	}
	return x, s.Validate()
}

func tentOptimizer(name string) (optim.Settings, error) {
	switch name {
	case "sgd":
		return optim.Settings{}, nil
	case "momentum":
		return optim.Settings{Momentum: 0.9}, nil
	case "adam":
		return optim.Settings{Method: optim.Adam}, nil
	}
	return optim.Settings{}, fmt.Errorf("--optimizer %q: want sgd, momentum or adam for tent", name)
}

// build returns the settings of the graph.
func (x *tentMethod) build(kind string) (tent.Settings, error) {
	o, err := tentOptimizer(x.Optimizer)
	when, whenErr := tent.ParseWhen(x.Reset)
	if err = errors.Join(err, whenErr); err != nil {
		return tent.Settings{}, err
	}
	return tent.Settings{
		Batch: x.Statistics, Optimizer: o, Rate: x.Rate, Steps: x.Steps, Before: x.Predict == "before", Kind: kind,
		Reset: tent.Reset{When: when, Items: x.Items},
	}, nil
}
