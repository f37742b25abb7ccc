package train

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oatta/oatta/internal/cli/setup"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models/backbone"
)

// Where flags stand in the help.
const (
	modelCategory   = "MODEL"
	learnCategory   = "LEARNING"
	changeCategory  = "CHANGES OF EXAMPLES"
	computeCategory = "COMPUTE"
)

// modelFlags say what network learns and where it goes.
func modelFlags(k kind) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: console.OutputCategory, Usage: "`FOLDER` for the model and all that belongs to it"},
		&cli.BoolFlag{Name: "resume", Category: console.OutputCategory, Usage: "go on with the training that the folder holds"},
		&cli.BoolFlag{Name: "overwrite", Category: console.OutputCategory, Usage: "begin anew where the folder holds a training"},
		&cli.StringFlag{Name: "arch", Value: k.arch, Category: modelCategory, Usage: "`NETWORK`: " + strings.Join(networks(k.takes), ", ")},
		&cli.StringFlag{Name: "weights", Aliases: []string{"w"}, Category: modelCategory, Usage: "`FILE` of weights to begin with (default: a fresh start from --seed)"},
		&cli.Float64Flag{Name: "dropout", Category: modelCategory, DefaultText: "the network's own", Usage: "`RATE` before the last layer; negative: none"},
		&cli.StringFlag{Name: "name", Category: modelCategory, Usage: "`NAME` of the model (default: that of the folder)"},
		&cli.StringFlag{Name: "license", Category: modelCategory, Usage: "SPDX `IDENTIFIER` under which the model may be used, for manifest and page"},
	}
}

// networks are the names of those that take a kind of input.
func networks(takes backbone.Kind) []string {
	return slices.DeleteFunc(backbone.Names(), func(name string) bool {
		info, err := backbone.Describe(name)
		return err != nil || info.Kind != takes
	})
}

// dataFlags say which examples there are, and who is held out.
func dataFlags(k kind) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "labels", Category: console.TruthCategory, Usage: "the classes in the network's order: `NAMES` with commas between, or a file of one a line; items of other labels are not used (default: all labels of the data, sorted)"},
		reading.LabelsFlag("corrections"),
		&cli.StringFlag{Name: "groups", Category: console.TruthCategory, Usage: "`REGEXP` on the stream whose first group names the " + k.group + " that it is of, as '^SC4(..)' (default: what known collections have in their names, else the stream)"},
		&cli.StringFlag{Name: "test", Category: console.TruthCategory, DefaultText: "one in five", Usage: "`WHO` is never trained on and is scored at the end: a number of " + k.group + "s, those with the most items; a share; or names and patterns with commas between, as 'user2[1-9],user30'; 0: nobody"},
		&cli.BoolFlag{Name: "test-later", Category: console.TruthCategory, Usage: "do not score the test yet, so that no setting is chosen by it: the page has the scores of the validation; --resume without this flag scores the test"},
		&cli.StringFlag{Name: "validation", Category: console.TruthCategory, DefaultText: "one in ten", Usage: "`WHO` of the others chooses learning rate and checkpoint: a number or a share, drawn by --seed, or names"},
	}, evaluation.Flags(console.TruthCategory)...)
}

// learningFlags say how the network learns. Those that are not given are the recipe's.
func learningFlags(k kind) []cli.Flag {
	var recipes []string
	for _, r := range training.Recipes() {
		recipes = append(recipes, r.Name)
	}
	s := k.recipe
	text := func(v any) string { return fmt.Sprint(v) }
	return []cli.Flag{
		&cli.StringFlag{Name: "recipe", Category: learnCategory, Usage: "`NAME` of settings of the paper's: " + strings.Join(recipes, ", ") + "; flags go before it"},
		&cli.IntFlag{Name: "epochs", Category: learnCategory, DefaultText: text(s.Epochs), Usage: "times that each example is shown"},
		&cli.IntFlag{Name: "steps", Category: learnCategory, Usage: "steps of the optimizer, in place of epochs"},
		&cli.IntFlag{Name: "batch", Category: learnCategory, DefaultText: text(s.Batch), Usage: "examples that are shown at once"},
		&cli.IntFlag{Name: "accumulate", Category: learnCategory, DefaultText: "1", Usage: "batches that make one step"},
		&cli.StringFlag{Name: "lr", Category: learnCategory, DefaultText: numbers(s.Rates), Usage: "learning `RATES` with commas between: each is tried, and the best on the validation examples counts"},
		&cli.StringFlag{Name: "schedule", Category: learnCategory, DefaultText: s.Schedule.Course, Usage: "of the rate: constant, steps (a tenth after half and three quarters), linear, cosine"},
		&cli.IntFlag{Name: "warmup", Category: learnCategory, DefaultText: text(s.Schedule.Warmup), Usage: "steps in which the rate rises"},
		&cli.StringFlag{Name: "optimizer", Category: learnCategory, DefaultText: s.Optimizer, Usage: "sgd (Nesterov's, with momentum), adam or adamw"},
		&cli.Float64Flag{Name: "momentum", Category: learnCategory, DefaultText: "0.9", Usage: "of sgd"},
		&cli.Float64Flag{Name: "decay", Category: learnCategory, DefaultText: text(s.Decay), Usage: "weight decay, of all but biases and norms"},
		&cli.Float64Flag{Name: "clip", Category: learnCategory, DefaultText: text(s.Clip), Usage: "bound of the gradient's norm; 0: none"},
		&cli.Float64Flag{Name: "smoothing", Category: learnCategory, DefaultText: "0", Usage: "part of each label that is shared among all classes"},
		&cli.BoolFlag{Name: "balanced", Category: learnCategory, Usage: "rare classes weigh as much as frequent ones"},
		&cli.IntFlag{Name: "patience", Category: learnCategory, DefaultText: "none", Usage: "looks at the validation examples without a better one, after which a rate is given up"},
		&cli.StringFlag{Name: "keep", Category: learnCategory, DefaultText: training.KeepBest, Usage: "`WHICH` network of a rate counts: best, of the looks at the validation examples, or last, of the last step"},
		&cli.IntFlag{Name: "every", Category: learnCategory, DefaultText: "an epoch", Usage: "steps from one look to the next"},
		&cli.StringSliceFlag{Name: "freeze", Category: learnCategory, Usage: "`PATTERN` of names of parameters that stay as they are, as 'layer1.*'"},
		&cli.BoolFlag{Name: "head-only", Category: learnCategory, Usage: "only the last layer learns"},
		&cli.Uint64Flag{Name: "seed", Category: learnCategory, DefaultText: "0", Usage: "of weights, order, changes, dropout and of who validates"},
		&cli.Float64Flag{Name: "mixup", Category: changeCategory, DefaultText: "0", Usage: "`A`: another example is laid over each, with a weight from Beta(A, A)"},
	}
}

func computeFlags() []cli.Flag {
	return append(setup.DeviceFlags(computeCategory),
		&cli.IntFlag{Name: "threads", Category: computeCategory, DefaultText: "one a core", Usage: "threads of a step; another number may give another last bit"},
		&cli.IntFlag{Name: "loaders", Category: computeCategory, DefaultText: "2", Usage: "batches loaded beside each other"},
		&cli.DurationFlag{Name: "save-every", Category: computeCategory, DefaultText: "1m", Usage: "time between two checkpoints, beside those of each look"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no summary"},
	)
}

func numbers(values []float64) string {
	var out []string
	for _, v := range values {
		out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(out, ",")
}

// readSettings lays the flags over the recipe.
func (t *task) readSettings() error {
	c := t.c
	t.settings = t.kind.recipe
	if t.recipe = c.String("recipe"); t.recipe != "" {
		r, err := training.RecipeOf(t.recipe)
		if err != nil {
			return err
		}
		t.settings = r.Settings
	}
	s := &t.settings
	if c.IsSet("epochs") && c.IsSet("steps") {
		return fmt.Errorf("--epochs and --steps: choose one")
	}
	if c.IsSet("epochs") {
		s.Epochs, s.Steps, s.Every = c.Int("epochs"), 0, 0
	}
	if c.IsSet("steps") {
		s.Epochs, s.Steps = 0, c.Int("steps")
	}
	for name, to := range map[string]*int{"batch": &s.Batch, "accumulate": &s.Accumulate, "warmup": &s.Schedule.Warmup, "patience": &s.Patience, "every": &s.Every} {
		if c.IsSet(name) {
			*to = c.Int(name)
		}
	}
	for name, to := range map[string]*float64{"momentum": &s.Momentum, "decay": &s.Decay, "clip": &s.Clip, "smoothing": &s.Smoothing, "mixup": &s.Mixup} {
		if c.IsSet(name) {
			*to = c.Float64(name)
		}
	}
	if s.Keep = c.String("keep"); s.Keep == training.KeepBest {
		s.Keep = "" // as without the flag
	}
	s.Balanced, s.Freeze, s.HeadOnly, s.Seed = c.Bool("balanced"), c.StringSlice("freeze"), c.Bool("head-only"), c.Uint64("seed")
	if err := t.readOptimizer(); err != nil {
		return err
	}
	return s.Validate()
}

// readOptimizer reads what depends on which optimizer and schedule there are.
func (t *task) readOptimizer() error {
	c, s := t.c, &t.settings
	if c.IsSet("optimizer") {
		s.Optimizer = c.String("optimizer")
	}
	switch {
	case s.Optimizer != "sgd" && c.IsSet("momentum"):
		return fmt.Errorf("--momentum is a setting of sgd, and the optimizer is %s", s.Optimizer)
	case s.Optimizer != "sgd":
		s.Momentum, s.Nesterov = 0, false
	case !c.IsSet("momentum") && s.Momentum == 0:
		s.Momentum = 0.9
	}
	s.Nesterov = s.Momentum > 0
	if c.IsSet("schedule") {
		s.Schedule.Course = c.String("schedule")
	}
	if s.Schedule.Drops, s.Schedule.DropFactor = nil, 0; s.Schedule.Course == training.Steps {
		s.Schedule.Drops, s.Schedule.DropFactor = []float64{0.5, 0.75}, 0.1
	}
	if !c.IsSet("lr") {
		return nil
	}
	s.Rates = nil
	for part := range strings.SplitSeq(c.String("lr"), ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return fmt.Errorf("--lr: %q is no number", part)
		}
		s.Rates = append(s.Rates, v)
	}
	return nil
}

// choiceOf reads who is held out.
func choiceOf(flag, text string) (training.Choice, error) {
	if n, err := strconv.Atoi(text); err == nil {
		return training.Choice{Number: n}, nil
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		if !(v > 0 && v < 1) {
			return training.Choice{}, fmt.Errorf("--%s %s: want a whole number, a share over 0 and below 1, or names", flag, text)
		}
		return training.Choice{Share: v}, nil
	}
	var c training.Choice
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			c.Names = append(c.Names, name)
		}
	}
	if len(c.Names) == 0 {
		return c, fmt.Errorf("--%s: nobody is named", flag)
	}
	return c, nil
}
