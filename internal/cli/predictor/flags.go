package predictor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/models/dropout"
	"github.com/oatta/oatta/models/predict"
	"github.com/oatta/oatta/tent"
)

// Category is where the flags stand in the help.
const Category = "PREDICTOR"

// Flags choose the predictor and its settings.
func Flags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "method", Value: method.Base, Category: Category, Usage: "base (the network as it is), mc-dropout, ttaug (augmented views), tent (adapts normalisations along the stream), memo (adapts to the views of each item)"},
		&cli.Uint64Flag{Name: "seed", Category: Category, Usage: "mc-dropout, ttaug, memo: of masks and views"},
		&cli.IntFlag{Name: "views", Category: Category, DefaultText: "9 for ttaug, 16 or 32 for memo", Usage: "ttaug, memo: views beside the plain input"},
		&cli.StringFlag{Name: "augment", Category: Category, Usage: "ttaug, memo: `SET` of views; pictures: flip, crops, scales, ten-crop, augmix, memo-cifar, memo-imagenet; signals: usual, jitter, shift; texts: usual, words, handles"},
		&cli.StringFlag{Name: "merge", Value: string(predict.MergeMean), Category: Category, Usage: "ttaug: mean, geometric, max or entropy (mean weighed by certainty)"},
	}, GraphFlags()...)
}

// GraphFlags decide what the graph of a predictor computes, so that export has them, too.
func GraphFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "passes", Value: dropout.DefaultPasses, Category: Category, Usage: "mc-dropout: passes with random masks"},
		&cli.Float64Flag{Name: "dropout", Category: Category, DefaultText: "the network's, else 0.2", Usage: "mc-dropout: probability of dropping an element"},
		&cli.StringSliceFlag{Name: "dropout-at", Category: Category, Usage: "mc-dropout: `NODE` that drops, or behind which dropout is put (default: those of the network, else one before its head)"},
		&cli.StringFlag{Name: "preset", Category: Category, Usage: "memo: official settings: " + strings.Join(memo.Presets(), ", ") + " (default: by the network's task and size)"},
		&cli.StringFlag{Name: "optimizer", Category: Category, Usage: "tent: sgd (default), momentum, adam; memo: sgd, adamw"},
		&cli.Float64Flag{Name: "rate", Category: Category, DefaultText: "the method's", Usage: "tent, memo: learning rate"},
		&cli.Float64Flag{Name: "decay", Category: Category, DefaultText: "the preset's", Usage: "memo: weight decay"},
		&cli.StringFlag{Name: "adapt", Category: Category, DefaultText: "all", Usage: "memo: parameters that move, all or norms"},
		&cli.StringFlag{Name: "statistics", Value: "source", Category: Category, Usage: "tent: of batch normalisation: source, batch (of the item), or the batch's share, as 0.1"},
		&cli.IntFlag{Name: "steps", Value: 1, Category: Category, Usage: "tent: gradient steps an item"},
		&cli.StringFlag{Name: "predict", Value: "after", Category: Category, Usage: "tent: before or after the item's step; before costs two thirds"},
		&cli.StringFlag{Name: "reset", Value: "100", Category: Category, Usage: "tent: when a stream takes the source's parameters again: a number of items, item, stream, collapse, or never (not even between streams)"},
	}
}

// methodOnly lists the flags that only some predictors read.
var methodOnly = map[string][]string{
	"seed": {method.MCDropout, method.TTAug, method.Memo}, "views": {method.TTAug, method.Memo}, "augment": {method.TTAug, method.Memo}, "merge": {method.TTAug},
	"passes": {method.MCDropout}, "dropout": {method.MCDropout}, "dropout-at": {method.MCDropout},
	"preset": {method.Memo}, "decay": {method.Memo}, "adapt": {method.Memo}, "optimizer": {method.Tent, method.Memo}, "rate": {method.Tent, method.Memo},
	"statistics": {method.Tent}, "steps": {method.Tent}, "predict": {method.Tent}, "reset": {method.Tent},
}

// notZero lists the flags whose 0 would stand for a default.
var notZero = []string{"passes", "dropout", "rate", "steps"}

// Of reads the flags. A file that holds a predictor's graph has its method and settings already.
func Of(c *cli.Context, m *models.Model) (s method.Settings, err error) {
	name := c.String("method")
	if made := method.MadeFor(m); made != "" {
		if c.IsSet("method") && name != made {
			return s, fmt.Errorf("--method %s: the model's file holds a graph for %s", name, made)
		}
		s, err = madeMethod(c, m)
	} else if !slices.Contains(method.Names(), name) {
		return s, fmt.Errorf("--method %q: want %s", name, strings.Join(method.Names(), ", "))
	} else {
		s, err = MethodSettings(c, name, m.Manifest)
	}
	s.Seed = c.Uint64("seed")
	return s, err
}

// madeMethod reads what a predictor's graph leaves open: the views.
func madeMethod(c *cli.Context, m *models.Model) (method.Settings, error) {
	name := method.MadeFor(m)
	for flag := range methodOnly {
		open := flag == "seed" || flag == "augment" && name == method.Memo
		if c.IsSet(flag) && !(open && slices.Contains(methodOnly[flag], name)) {
			return method.Settings{}, fmt.Errorf("--%s: the model's file holds the graph of %s with its settings", flag, name)
		}
	}
	return method.Of(m, c.String("augment"))
}

// MethodSettings reads what the flags say of the predictor that has been named.
func MethodSettings(c *cli.Context, name string, m models.Manifest) (s method.Settings, err error) {
	for _, flag := range slices.Sorted(maps.Keys(methodOnly)) {
		if c.IsSet(flag) && !slices.Contains(methodOnly[flag], name) {
			return s, fmt.Errorf("--%s is a setting of --method %s", flag, strings.Join(methodOnly[flag], " and "))
		}
	}
	for _, flag := range notZero { // which the packages below take for their default, and a manifest would record
		if c.IsSet(flag) && c.Float64(flag) == 0 {
			return s, fmt.Errorf("--%s 0: want more than 0", flag)
		}
	}
	if name == method.Memo {
		s, err = method.Preset(c.String("preset"), m)
	} else {
		s, err = method.Default(name, m)
	}
	if err != nil {
		return s, err
	}
	switch name {
	case method.MCDropout:
		s.Dropout = &method.DropoutSettings{Passes: c.Int("passes"), P: c.Float64("dropout"), At: c.StringSlice("dropout-at")}
	case method.TTAug:
		s.Merge = c.String("merge")
		err = readViews(c, s.Views)
	case method.Tent:
		if err = readTent(c, s.Tent); err == nil {
			err = s.Validate()
		}
	case method.Memo:
		readMemo(c, s.Memo)
		if err = s.Validate(); err == nil {
			err = readViews(c, s.Views)
		}
	}
	return s, err
}

// readViews reads how many views there are, and of which set.
func readViews(c *cli.Context, v *method.Views) error {
	if c.String("augment") != "" {
		*v = *method.DefaultViews(c.String("augment"), v.Count)
	}
	if c.IsSet("views") {
		v.Count = c.Int("views")
	}
	if v.Count < 1 || v.Count > method.MaxViews {
		return fmt.Errorf("--views %d: want 1 to %d", v.Count, method.MaxViews)
	}
	return nil
}

func readMemo(c *cli.Context, x *method.MemoSettings) {
	x.Optimizer = cmp.Or(c.String("optimizer"), x.Optimizer)
	x.Parameters = cmp.Or(c.String("adapt"), x.Parameters)
	if c.IsSet("rate") {
		x.Rate = c.Float64("rate")
	}
	if c.IsSet("decay") {
		x.Decay = c.Float64("decay")
	}
}

func readTent(c *cli.Context, x *method.TentSettings) (err error) {
	x.Optimizer, x.Steps, x.Predict = cmp.Or(c.String("optimizer"), x.Optimizer), c.Int("steps"), c.String("predict")
	if x.Statistics, err = statistics(c.String("statistics")); err != nil {
		return err
	}
	if x.Predict != "before" && x.Predict != "after" {
		return fmt.Errorf("--predict %q: want before or after", x.Predict)
	}
	x.Reset, x.Items = c.String("reset"), 0
	if n, err := strconv.Atoi(x.Reset); err == nil {
		if n < 1 {
			return fmt.Errorf("--reset %d: want 1 or more items", n)
		}
		x.Reset, x.Items = tent.Every.String(), n
	}
	if x.Rate, err = x.DefaultRate(); err != nil {
		return fmt.Errorf("--optimizer %q: want sgd, momentum or adam for tent", x.Optimizer)
	}
	if c.IsSet("rate") {
		x.Rate = c.Float64("rate")
	}
	return nil
}

// statistics reads the share of an item's own statistics.
func statistics(text string) (share float64, err error) {
	switch text {
	case "source":
		return 0, nil
	case "batch":
		return 1, nil
	}
	if share, err = strconv.ParseFloat(text, 64); err != nil {
		return 0, fmt.Errorf("--statistics %q: want source, batch, or a share of 0 to 1", text)
	}
	return share, nil
}
