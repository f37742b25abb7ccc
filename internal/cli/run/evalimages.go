package run

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/models"
)

func evalImagesCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "images",
		Usage:     "classify labelled pictures and score the labels before and after the filter",
		ArgsUsage: "DIR|FILE...",
		Description: "The truth comes from --labels, or from --metadata that holds labels. It is compared with the predictions only; nothing is\n" +
			"learned from it. Pictures without a label take part in their stream and are not scored. With --boxes, a picture's label is that of each of its boxes\n" +
			"that --labels does not name, as FILE#NUMBER.",
		Flags: slices.Concat(imageFlags(), resultFlags(), evalFlags(), []cli.Flag{
			&cli.StringFlag{Name: "labels", Category: console.TruthCategory, Usage: "CSV `FILE` with the columns file and label"},
		}),
		Action: func(c *cli.Context) error { return evalImages(c, env) },
	}
}

func evalImages(c *cli.Context, env console.Environment) error {
	if err := checkEvalFlags(c); err != nil {
		return err
	}
	l, boxes, listed, err := collected(c, env)
	if err != nil {
		return err
	}
	ofBoxes := boxes != nil && c.String("labels") != "" // which a table may name one by one
	if !ofBoxes {
		if err := applyLabels(c, l); err != nil {
			return err
		}
	}
	m, err := models.Load(c.String("model"))
	if err != nil {
		return err
	}
	in, err := picturesOf(c, l, boxes, m)
	if err != nil {
		return err
	}
	defer tellDamaged(c, env, in)
	labelled := in
	if ofBoxes {
		if labelled, err = reading.Relabelled(c, env, "labels", in); err != nil {
			return err
		}
	}
	return evaluate(c, env, m, in, labelled, listed)
}

// applyLabels brings the truth into the listing.
func applyLabels(c *cli.Context, l *datasets.Listing) error {
	if path := c.String("labels"); path != "" {
		labels, err := datasets.ReadLabels(path)
		if err != nil {
			return err
		}
		switch {
		case len(labels.Entries) == 0:
			return fmt.Errorf("%s: holds no label", path)
		case len(l.Pictures) == 0:
			return errors.New("no picture here can be read, so there is nothing to score")
		case labels.Apply(l) == 0:
			return fmt.Errorf("%s: no label is of a picture here: its first file is %q, the folder's first picture %q",
				path, labels.Entries[0].File, l.Pictures[0].Name)
		}
	}
	if l.Labelled() == 0 {
		return errors.New("no picture has a label: give --labels, or --metadata that holds labels")
	}
	return nil
}
