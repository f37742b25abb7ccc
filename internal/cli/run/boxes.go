package run

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/results"
)

// boxFlags are those of a detector's boxes.
func boxFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "boxes", Category: console.InputCategory, Usage: "classify the boxes in `FILE`, results of MegaDetector with names relative to DIR, instead of whole pictures; each is a step of the stream"},
		&cli.Float64Flag{Name: "box-confidence", Value: 0.2, Category: console.InputCategory, Usage: "least confidence of the detector's that counts"},
		&cli.StringFlag{Name: "box-categories", Value: "animal", Category: console.InputCategory, Usage: "the detector's categories that are classified, by name or number, divided by commas; or all"},
		&cli.Float64Flag{Name: "box-margin", Category: console.InputCategory, DefaultText: "0", Usage: "enlarge each box on all sides by this share of its longer side, as far as the picture goes"},
	}
}

// boxesOf reads the boxes of the flags; nil where whole pictures are to be classified.
func boxesOf(c *cli.Context, l *datasets.Listing) (*inputs.Boxes, error) {
	if !c.IsSet("boxes") {
		for _, name := range []string{"box-confidence", "box-categories", "box-margin"} {
			if c.IsSet(name) {
				return nil, fmt.Errorf("--%s is about the file of --boxes, and there is none", name)
			}
		}
		return nil, nil
	}
	o := inputs.BoxOptions{Path: c.String("boxes"), Confidence: c.Float64("box-confidence"), Margin: c.Float64("box-margin")}
	for name := range strings.SplitSeq(c.String("box-categories"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			o.Categories = append(o.Categories, name)
		}
	}
	return inputs.ReadBoxes(l, o)
}

// detected returns what MegaDetector JSON keeps of a detector's file; nil for an input that is none's.
func detected(in inputs.Input) results.Boxes {
	if b, ok := in.(results.Boxes); ok {
		return b
	}
	return nil
}
