package run

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// motionFlags are those that run and eval share.
func motionFlags() []cli.Flag {
	return slices.Concat(modelFlags(""), []cli.Flag{
		&cli.StringFlag{Name: "time-column", Category: console.InputCategory, Usage: "CSV: column of times (default: time, timestamp, ...; -: none, and --sample-rate spaces the rows)"},
		&cli.StringFlag{Name: "time-layout", Category: console.InputCategory, Usage: "CSV: " + timeLayoutUsage},
		&cli.StringFlag{Name: "stream-column", Category: console.InputCategory, Usage: "CSV: column that tells whose samples they are: each of its values is a recording of its own (default: none, a file is one recording)"},
		&cli.StringSliceFlag{Name: "channel-column", Category: console.InputCategory, Usage: "CSV: `COLUMN` of a channel, once for each (default: all columns of numbers)"},
		&cli.StringFlag{Name: "unit", Category: console.InputCategory, Usage: "CSV: unit of columns that name none: g (default), mg, m/s2"},
		&cli.StringFlag{Name: "label-column", Category: console.InputCategory, Usage: "CSV: column of the true label (default: label, activity, ...)"},
		&cli.Float64Flag{Name: "sample-rate", Category: console.InputCategory, Usage: "CSV: Hz, where times do not tell"},
		&cli.StringFlag{Name: "comma", Category: console.InputCategory, Usage: "CSV: what parts the columns: , ; or tab (default: what the header has most of)"},
		quoteFlag(),
		&cli.IntFlag{Name: "skip-lines", Category: console.InputCategory, Usage: "CSV: lines before the header (those of ActiLife are found without)"},
		&cli.BoolFlag{Name: "no-header", Category: console.InputCategory, Usage: "CSV: the first row is one of samples; columns are time, x, y and z where they look like that, else 1, 2, 3 ..."},
		&cli.IntFlag{Name: "hop", Category: console.InputCategory, DefaultText: "the model's", Usage: "samples at the network's rate from one window to the next"},
		&cli.Float64Flag{Name: "max-gap", Category: console.InputCategory, DefaultText: "0.1", Usage: "seconds without a sample that are bridged; a window that a longer gap touches is left out"},
	}, computeFlags(), predictor.Flags(), filtering.StreamFlags())
}

func motionOptions(c *cli.Context) (inputs.MotionOptions, error) {
	comma, err := commaOf(c)
	if err != nil {
		return inputs.MotionOptions{}, err
	}
	o := inputs.MotionOptions{
		Table: motion.Options{
			Time: c.String("time-column"), Channels: c.StringSlice("channel-column"), Unit: c.String("unit"),
			Label: c.String("label-column"), Rate: c.Float64("sample-rate"), Delimiter: comma, Quote: c.String("quote"),
			TimeLayout: c.String("time-layout"), Stream: c.String("stream-column"), SkipLines: c.Int("skip-lines"), NoHeader: c.Bool("no-header"),
		},
		Hop: c.Int("hop"), Purity: c.Float64("purity"), MaxGap: c.Float64("max-gap"),
	}
	if o.Hop < 0 {
		return o, fmt.Errorf("--hop %d: want 1 or more samples", o.Hop)
	}
	if o.Table.SkipLines < 0 {
		return o, fmt.Errorf("--skip-lines %d: want 0 or more", o.Table.SkipLines)
	}
	if _, err := datasets.GoLayout(o.Table.TimeLayout); err != nil {
		return o, fmt.Errorf("--time-layout: %w", err)
	}
	return o, nil
}

func runMotionCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "motion",
		Usage:     "tell what people did from recordings of accelerometers, window by window",
		ArgsUsage: "DIR|FILE...",
		Description: "Reads HARTH and other CSV tables, Axivity CWA, ActiGraph GT3X, and the folder or archive of HAPT. Every recording is a stream of\n" +
			"windows of the model's length; it is read twice and never held. Windows that a gap touches are left out.",
		Flags: slices.Concat(motionFlags(), resultFlags(), writtenFlags(), []cli.Flag{
			&cli.StringFlag{Name: "summary", Category: console.OutputCategory, Usage: "`FILE` of JSON with the time of each class, by recording, before and after the filter"},
		}),
		Action: func(c *cli.Context) error { return runMotion(c, env) },
	}
}

func runMotion(c *cli.Context, env console.Environment) error {
	summary := c.String("summary")
	if err := files.MayReplace(summary, c.Bool("overwrite") || c.Bool("resume")); err != nil {
		return err
	}
	if summary != "" {
		if err := files.MayCreate(filepath.Dir(summary)); err != nil {
			return fmt.Errorf("--summary: %w", err)
		}
	}
	return movement.run(c, env, files.At("the summary", summary))
}

var movement = kind[*inputs.Motion]{
	noun: "recording", reads: motion.IsRecording,
	open: func(c *cli.Context, _ bool) (func(*models.Model) (*inputs.Motion, error), error) {
		o, err := motionOptions(c)
		return func(m *models.Model) (*inputs.Motion, error) {
			return inputs.OpenMotion(c.Context, c.Args().Slice(), m.Manifest, o)
		}, err
	},
	more: func(c *cli.Context, r *classification, m *models.Model, in *inputs.Motion) error {
		if path := c.String("summary"); path != "" {
			t := newTimes(m.Manifest.Labels, in.Period())
			r.observe, r.scores = t.add, t.writer(path)
		}
		return nil
	},
}

func evalMotionCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "motion",
		Usage:     "classify labelled recordings and score the labels before and after the filter",
		ArgsUsage: "DIR|FILE...",
		Description: "The label of a window is that of most of its samples. HARTH's twelve activities are read as its six groups. A label of the data\n" +
			"that the model does not have takes part in its stream and is not compared; --label-map translates.",
		Flags: slices.Concat(motionFlags(), resultFlags(), evalFlags(), []cli.Flag{
			&cli.Float64Flag{Name: "purity", Value: 0.5, Category: console.TruthCategory, Usage: "share of a window that its label must have; a window of less is not compared"},
		}),
		Action: func(c *cli.Context) error { return movement.eval(c, env) },
	}
}
