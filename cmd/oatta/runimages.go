package main

import (
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/models"
)

func runImagesCommand(env environment) *cli.Command {
	return &cli.Command{
		Name:      "images",
		Usage:     "classify camera-trap pictures, stream by stream",
		ArgsUsage: "DIR|FILE...",
		Description: "Walks the folders, orders the pictures of every stream by capture time, runs the network, and passes its probabilities\n" +
			"through the filter of the stream. A picture that cannot be read is a recorded failure; the run goes on.\n" +
			"Exit code 0: all well; 1: some pictures failed; 2: nothing done; 130: interrupted, --resume continues.",
		Flags: slices.Concat(imageFlags(), resultFlags(), writtenFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Category: outputCategory, Usage: "show the streams and their order; run nothing"},
		}),
		Action: func(c *cli.Context) error { return runImages(c, env) },
	}
}

func runImages(c *cli.Context, env environment) error {
	begin := time.Now()
	l, err := listing(c, env)
	if err != nil {
		return err
	}
	listed := time.Since(begin)
	warn(c, env, l.Warnings)
	if c.Bool("dry-run") {
		return dryRun(env.out, l)
	}
	m, err := models.Load(c.String("model"))
	if err != nil {
		return err
	}
	warnGuesses(c, env, m)
	in, err := picturesOf(c, l, m)
	if err != nil {
		return err
	}
	r := &classification{c: c, env: env, input: in, path: c.String("output"), format: c.String("format")}
	return r.run(m, listed)
}
