package run

import (
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predictor"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// imageFlags are those that run and eval share.
func imageFlags() []cli.Flag {
	return slices.Concat(modelFlags(models.Default, ""), reading.PictureFlags(), boxFlags(), computeFlags(), predictor.Flags(), filtering.StreamFlags())
}

// collected lists the pictures that the arguments name, and the boxes in them if there are some, and tells how long that took.
func collected(c *cli.Context, env console.Environment) (*datasets.Listing, *inputs.Boxes, time.Duration, error) {
	begin := time.Now()
	l, err := reading.Pictures(c, env)
	if err != nil {
		return nil, nil, 0, err
	}
	boxes, err := boxesOf(c, l)
	return l, boxes, time.Since(begin), err
}

// picturesOf makes the input of a listing: its pictures, or the boxes that a detector found in them.
func picturesOf(c *cli.Context, l *datasets.Listing, boxes *inputs.Boxes, m *models.Model) (inputs.Input, error) {
	o, err := reading.PictureOptions(c)
	if err != nil {
		return nil, err
	}
	if boxes != nil {
		return inputs.NewCrops(boxes, m.Manifest, o)
	}
	return inputs.NewPictures(l, m.Manifest, o)
}

// tellDamaged names the damaged pictures of a run that has ended.
func tellDamaged(c *cli.Context, env console.Environment, in inputs.Input) {
	if d, ok := in.(interface{ Damaged() []string }); ok {
		console.Warn(c, env, d.Damaged())
	}
}
