package run

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// motionFlags are those that run and eval share.
func motionFlags() []cli.Flag {
	return slices.Concat(modelFlags("", models.DefaultMotion), reading.MotionFlags(), computeFlags(), predictor.Flags(), filtering.StreamFlags())
}

func runMotionCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "motion",
		Usage:     "tell what people did from recordings of accelerometers, window by window",
		ArgsUsage: "DIR|FILE...",
		Description: "Reads HARTH and other CSV tables, Axivity CWA, ActiGraph GT3X, and the folder or archive of HAPT. Every recording is a stream of\n" +
			"windows of the model's length; it is read twice and never held. Windows that a gap touches are left out. The model in the binary is\n" +
			"for a phone at the waist; other places need one of their own (`oatta train motion` makes it).",
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

// waistOnly is told whenever nobody has chosen a model: elsewhere on the body the same movements look otherwise.
const waistOnly = "model " + models.DefaultMotion + ": made for a phone at the waist, upright, and six activities; -m names a model for a wrist or other places"

var movement = kind[*inputs.Motion]{
	noun: "recording", reads: motion.IsRecording,
	open: func(c *cli.Context, _ bool) (func(*models.Model) (*inputs.Motion, error), error) {
		o, err := reading.MotionOptions(c)
		return func(m *models.Model) (*inputs.Motion, error) {
			return inputs.OpenMotion(c.Context, c.Args().Slice(), m.Manifest, o)
		}, err
	},
	model: func(*cli.Context) (string, []string, error) {
		return models.DefaultMotion, []string{waistOnly}, nil
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
		Flags: slices.Concat(motionFlags(), resultFlags(), evalFlags(), labelFlags(), []cli.Flag{
			&cli.Float64Flag{Name: "purity", Value: 0.5, Category: console.TruthCategory, Usage: "share of a window that its label must have; a window of less is not compared"},
		}),
		Action: func(c *cli.Context) error { return movement.eval(c, env) },
	}
}
