package run

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// sleepFlags are those that run and eval share.
func sleepFlags() []cli.Flag {
	return slices.Concat(modelFlags("", "of YASA's classifiers the one for the channels that there are"), computeFlags(), predictor.Flags(), filtering.StreamFlags(), reading.SleepFlags())
}

func runSleepCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "sleep",
		Usage:     "stage the sleep of EDF and BDF recordings, epoch by epoch",
		ArgsUsage: "DIR|FILE...",
		Description: "Every recording is a stream of epochs of 30 seconds. Channels are found by the names in the model's manifest. Without a\n" +
			"model it is one of YASA's classifiers in the binary: of an EEG, and of an EOG and an EMG where every recording has them. Epochs with a\n" +
			"gap in the recording are recorded failures, as is a file that cannot be read; the run goes on.",
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
			if c.String("labels") != "" {
				if c.IsSet("trim") {
					return nil, errors.New("--trim: a table of labels names epochs as run counts them, from the beginning of the recording: with --labels all are taken")
				}
				o = inputs.SleepOptions{Trim: -1}
			}
		}
		return func(m *models.Model) (*inputs.Sleep, error) {
			o, err := reading.SleepOptions(c, o)
			if err != nil {
				return nil, err
			}
			o.Forward = c.Bool("causal") || c.IsSet("lag") || c.String("state") != ""
			return inputs.OpenSleep(c.Context, c.Args().Slice(), m.Manifest, o)
		}, nil
	},
	model: func(c *cli.Context) (string, []string, error) {
		o, err := reading.SleepOptions(c, inputs.SleepOptions{})
		if err != nil {
			return "", nil, err
		}
		return inputs.SleepModel(c.Context, c.Args().Slice(), o)
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
		Description: "Hypnograms are EDF+ files of annotations, XML of the NSRR or of Compumedics, .annot and .eannot files of Luna, events.tsv of BIDS,\n" +
			"or texts with one stage a line (words, or the codes of YASA) that share their name with a recording (night1.edf and\n" +
			"night1-hypnogram.edf, night1.xml, night1.annot or night1.txt; or as in Sleep-EDF), or annotations of the\n" +
			"recording itself. Stages of Rechtschaffen and Kales are read as the AASM's; what was not scored takes part in its stream and is\n" +
			"not compared. With --labels, epochs are those of run, from the beginning of each recording, scored or not.",
		Flags:  slices.Concat(sleepFlags(), resultFlags(), evalFlags(), labelFlags(), reading.HypnogramFlags()),
		Action: func(c *cli.Context) error { return nights.eval(c, env) },
	}
}
