package run

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
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
	return slices.Concat(modelFlags(""), computeFlags(), predictor.Flags(), filtering.StreamFlags(), []cli.Flag{
		&cli.StringSliceFlag{Name: "channels", Category: console.InputCategory, Usage: "`LABELS` to find in place of those that the manifest names, in its order; EEG#2 is the second of several that are called EEG"},
		&cli.StringFlag{Name: "unit", Category: console.InputCategory, Usage: "`UNIT` of channels whose own is no voltage: uV, mV or V (default: taken as microvolts, with a warning)"},
	})
}

// sleepOptions reads the flags that say how recordings and hypnograms are read.
func sleepOptions(c *cli.Context, o inputs.SleepOptions) (inputs.SleepOptions, error) {
	o.Channels, o.Unit, o.Hypnogram = c.StringSlice("channels"), c.String("unit"), c.String("hypnogram")
	if !c.IsSet("channels") {
		o.Channels = nil
	}
	path := c.String("stage-words")
	if path == "" {
		return o, nil
	}
	words, err := datasets.ReadLabelMap(path)
	if err != nil {
		return o, err
	}
	o.Words = map[string]hypnogram.Stage{}
	for from, to := range words.All() {
		stage, ok := hypnogram.ParseLabel(to)
		if !ok && to != "" && to != hypnogram.Unscored.String() {
			return o, fmt.Errorf("--stage-words: %s: %q is no stage: want W, N1, N2, N3, R or ?", path, to)
		}
		o.Words[from] = stage
	}
	return o, nil
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
	if o, err = sleepOptions(c, o); err != nil {
		return nil, nil, 0, err
	}
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
		Description: "Hypnograms are EDF+ files of annotations, XML of the NSRR or of Compumedics, or .annot files of Luna that share their name with a\n" +
			"recording (night1.edf and night1-hypnogram.edf, night1.xml or night1.annot; or as in Sleep-EDF), or annotations of the\n" +
			"recording itself. Stages of Rechtschaffen and Kales are read as the AASM's; what was not scored takes part in its stream and is\n" +
			"not compared.",
		Flags: slices.Concat(sleepFlags(), resultFlags(), evalFlags(), []cli.Flag{
			&cli.Float64Flag{Name: "trim", Value: 30, Category: console.TruthCategory, Usage: "minutes of wakefulness kept before and after sleep; negative: all"},
			&cli.StringFlag{Name: "hypnogram", Category: console.TruthCategory, Usage: "`FILE` that is the hypnogram of the only recording, or a CSV file with the columns recording and hypnogram (default: by their names)"},
			&cli.StringFlag{Name: "stage-words", Category: console.TruthCategory, Usage: "CSV `FILE` with the columns from and to: texts of hypnograms, and the stages W, N1, N2, N3, R or ? that they stand for"},
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
	m, in, listed, err := openSleep(c, inputs.SleepOptions{Scored: true, Trim: c.Float64("trim")})
	if err != nil {
		return err
	}
	return evaluate(c, env, m, in, listed)
}
