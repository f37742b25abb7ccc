package run

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/models"
)

func runImagesCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "images",
		Usage:     "classify camera-trap pictures, stream by stream",
		ArgsUsage: "DIR|FILE...",
		Description: "Walks the folders, orders the pictures of every stream by capture time, runs the network, and passes its probabilities\n" +
			"through the filter of the stream. A picture that cannot be read is a recorded failure; the run goes on.\n" +
			"So is a damaged JPEG, though libjpeg, and a detector with it, would read over the damage: its result would look like any other. With\n" +
			"--damaged use, what is left of it is used, and named at the end.\n" +
			"With --boxes, the network classifies what a detector found in the pictures: each box is an item of its own, FILE#NUMBER, and a step of\n" +
			"its stream; those of a picture come by falling confidence. Boxes are of the picture as EXIF turns it, which is how MegaDetector sees it, or\n" +
			"with --ignore-orientation as it is stored. They are cut as they are, and then resized like a picture.",
		Flags: slices.Concat(imageFlags(), resultFlags(), writtenFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Category: console.OutputCategory, Usage: "show the streams and their order; run nothing"},
		}),
		Action: func(c *cli.Context) error { return runImages(c, env) },
	}
}

func runImages(c *cli.Context, env console.Environment) error {
	l, boxes, listed, err := collected(c, env)
	if err != nil {
		return err
	}
	console.Warn(c, env, l.Warnings)
	if boxes != nil {
		console.Warn(c, env, boxes.Warnings())
	}
	if c.Bool("dry-run") {
		return dryRun(env.Out, l, boxes)
	}
	m, err := models.Load(c.String("model"))
	if err != nil {
		return err
	}
	warnGuesses(c, env, m)
	in, err := picturesOf(c, l, boxes, m)
	if err != nil {
		return err
	}
	defer tellDamaged(c, env, in)
	r := &classification{c: c, env: env, input: in, path: c.String("output"), format: c.String("format")}
	return r.run(m, listed)
}
