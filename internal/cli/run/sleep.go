package run

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// sleepFlags are those that run and eval share.
func sleepFlags() []cli.Flag {
	return slices.Concat(modelFlags(""), computeFlags(), predictor.Flags(), filtering.StreamFlags())
}

func runSleepCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "sleep",
		Usage:     "stage the sleep of EDF and BDF recordings, epoch by epoch",
		ArgsUsage: "DIR|FILE...",
		Description: "Every recording is a stream of epochs of 30 seconds. Channels are found by the names in the model's manifest. Epochs with a gap\n" +
			"in the recording are recorded failures, as is a file that cannot be read; the run goes on.",
		Flags: slices.Concat(sleepFlags(), resultFlags(), writtenFlags(), []cli.Flag{
			&cli.StringFlag{Name: "hypnograms", Category: console.OutputCategory, Usage: "`DIR` for what other programs open: of each recording its stages as .csv, .tsv (BIDS) and .edf (EDF+ annotations), and a summary as .json"},
		}),
		Action: func(c *cli.Context) error { return runSleep(c, env) },
	}
}

func runSleep(c *cli.Context, env console.Environment) error {
	if err := files.CheckOutputs(c.Args().Slice(), []files.Place{files.At("the results", c.String("output"))}, inputs.IsNight); err != nil {
		return err
	}
	m, in, listed, err := openSleep(c, inputs.SleepOptions{Trim: -1})
	if err != nil {
		return err
	}
	console.Warn(c, env, in.Warnings())
	r := &classification{c: c, env: env, input: in, path: c.String("output"), format: c.String("format")}
	if dir := c.String("hypnograms"); dir != "" {
		h, err := newHypnograms(dir, in.Nights(), m.Manifest.Labels, c.Bool("overwrite") || c.Bool("resume"))
		if err != nil {
			return err
		}
		r.observe, r.scores = h.add, h.write
	}
	return r.run(m, listed)
}

// openSleep loads the model and lists the epochs.
func openSleep(c *cli.Context, o inputs.SleepOptions) (*models.Model, *inputs.Sleep, time.Duration, error) {
	m, err := namedModel(c, "recording")
	if err != nil {
		return nil, nil, 0, err
	}
	begin := time.Now()
	in, err := inputs.OpenSleep(c.Context, c.Args().Slice(), m.Manifest, o)
	return m, in, time.Since(begin), err
}

// namedModel loads the model of a command that has no default, after a look at the arguments.
func namedModel(c *cli.Context, what string) (*models.Model, error) {
	switch {
	case c.NArg() == 0:
		return nil, fmt.Errorf("no folder or %s given; see `%s --help`", what, c.Command.HelpName)
	case c.String("model") == "":
		return nil, fmt.Errorf("--model: name an ONNX file with its manifest (`oatta models build` makes one); there is none for this in the binary")
	}
	return models.Load(c.String("model"))
}

func evalSleepCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "sleep",
		Usage:     "stage scored recordings and compare the stages before and after the filter with the hypnograms",
		ArgsUsage: "DIR|FILE...",
		Description: "Hypnograms are EDF+ files of annotations, found by the names of Sleep-EDF, or annotations of the recording itself. Stages of\n" +
			"Rechtschaffen and Kales are read as the AASM's; what was not scored takes part in its stream and is not compared.",
		Flags: slices.Concat(sleepFlags(), resultFlags(), evalFlags(), []cli.Flag{
			&cli.Float64Flag{Name: "trim", Value: 30, Category: console.TruthCategory, Usage: "minutes of wakefulness kept before and after sleep; negative: all"},
		}),
		Action: func(c *cli.Context) error { return evalSleep(c, env) },
	}
}

func evalSleep(c *cli.Context, env console.Environment) error {
	if err := checkEvalFlags(c); err != nil {
		return err
	}
	if trim := c.Float64("trim"); math.IsNaN(trim) || trim > 1e6 {
		return fmt.Errorf("--trim %g: want minutes", trim)
	}
	if err := files.CheckOutputs(c.Args().Slice(), []files.Place{files.At("the predictions", c.String("predictions"))}, inputs.IsNight); err != nil {
		return err
	}
	translate, err := translation(c)
	if err != nil {
		return err
	}
	m, in, listed, err := openSleep(c, inputs.SleepOptions{Scored: true, Trim: c.Float64("trim")})
	if err != nil {
		return err
	}
	if c.String("label-map") == "" {
		translate = stageNames(m.Manifest.Labels)
	}
	return evaluate(c, env, m, in, listed, translate)
}

// stageNames translates the stages of hypnograms to what the model calls them, as R to REM.
func stageNames(labels []string) func(string) string {
	called := map[hypnogram.Stage]string{}
	for _, label := range labels {
		if stage, ok := hypnogram.ParseLabel(label); ok {
			called[stage] = label
		}
	}
	return func(label string) string {
		stage, _ := hypnogram.ParseLabel(label)
		return cmp.Or(called[stage], label)
	}
}
