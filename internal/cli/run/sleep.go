package run

import (
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/cli/console"
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
		Action: func(c *cli.Context) error { return nights.run(c, env) },
	}
}

var nights = kind[*inputs.Sleep]{
	noun: "recording", reads: inputs.IsNight,
	open: func(c *cli.Context, eval bool) (func(*models.Model) (*inputs.Sleep, error), error) {
		o := inputs.SleepOptions{Trim: -1}
		if eval {
			o = inputs.SleepOptions{Scored: true, Trim: c.Float64("trim")}
			if math.IsNaN(o.Trim) || o.Trim > 1e6 {
				return nil, fmt.Errorf("--trim %g: want minutes", o.Trim)
			}
		}
		return func(m *models.Model) (*inputs.Sleep, error) {
			o, err := sleepOptions(c, o)
			if err != nil {
				return nil, err
			}
			return inputs.OpenSleep(c.Context, c.Args().Slice(), m.Manifest, o)
		}, nil
	},
	more: func(c *cli.Context, r *classification, m *models.Model, in *inputs.Sleep) error {
		dir := c.String("hypnograms")
		if dir == "" {
			return nil
		}
		h, err := newHypnograms(dir, in.Nights(), m.Manifest.Labels, c.Bool("overwrite") || c.Bool("resume"))
		if err == nil {
			r.observe, r.scores = h.add, h.write
		}
		return err
	},
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
		Action: func(c *cli.Context) error { return nights.eval(c, env) },
	}
}
