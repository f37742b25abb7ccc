package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/models"
)

// imageFlags are those that run and eval share.
func imageFlags() []cli.Flag {
	return slices.Concat(modelFlags(models.Default), []cli.Flag{
		&cli.StringFlag{Name: "streams", Category: inputCategory, Usage: "what makes a stream: folder, pattern or metadata (default: what the other flags suggest, else folder)"},
		&cli.StringFlag{Name: "stream-pattern", Category: inputCategory, Usage: "`REGEXP` on the file name with path; its group named stream, else its first group, is the stream"},
		&cli.StringFlag{Name: "metadata", Category: inputCategory, Usage: "`FILE` with streams, times or labels: CSV, COCO Camera Traps JSON, or Camtrap DP (datapackage.json or its folder)"},
		&cli.StringFlag{Name: "metadata-format", Category: inputCategory, Usage: "csv, cct or camtrapdp (default: by the file's name)"},
		&cli.StringFlag{Name: "file-column", Category: inputCategory, Usage: "CSV: column of the file name (default: file)"},
		&cli.StringFlag{Name: "stream-column", Category: inputCategory, Usage: "column or field of the stream (default: stream, location or deploymentID)"},
		&cli.StringFlag{Name: "time-column", Category: inputCategory, Usage: "CSV: column of the capture time (default: time)"},
		&cli.StringFlag{Name: "label-column", Category: inputCategory, Usage: "CSV: column of the true label (default: label)"},
		&cli.BoolFlag{Name: "name-times", Category: inputCategory, Usage: "take the capture time from dates in file names where metadata and EXIF tell none"},
		&cli.StringFlag{Name: "time-pattern", Category: inputCategory, Usage: "`REGEXP` on the file name whose first group is the capture time, with --time-layout"},
		&cli.StringFlag{Name: "time-layout", Category: inputCategory, Usage: "Go `LAYOUT` of such times, as 20060102_150405"},
		&cli.BoolFlag{Name: "ignore-orientation", Category: inputCategory, Usage: "leave pictures as stored instead of turning them as EXIF says"},
		&cli.Int64Flag{Name: "max-pixels", Category: inputCategory, DefaultText: "128 Mi", Usage: "refuse larger pictures"},
	}, boxFlags(), computeFlags(), methodFlags(), streamFlags())
}

func datasetOptions(c *cli.Context, progress func(done, total int)) datasets.Options {
	return datasets.Options{
		Streams: datasets.StreamBy(c.String("streams")), StreamPattern: c.String("stream-pattern"),
		Metadata: c.String("metadata"), MetadataFormat: datasets.Format(c.String("metadata-format")),
		Fields: datasets.Fields{
			File: c.String("file-column"), Stream: c.String("stream-column"), Time: c.String("time-column"), Label: c.String("label-column"),
		},
		NameTimes: c.Bool("name-times"), TimePattern: c.String("time-pattern"), TimeLayout: c.String("time-layout"),
		Progress: progress,
	}
}

// listing reads the collection that the arguments name.
func listing(c *cli.Context, env environment) (*datasets.Listing, error) {
	if c.NArg() == 0 {
		return nil, fmt.Errorf("no folder or picture given; see `%s --help`", c.Command.HelpName)
	}
	p := newProgress(env.err, 0, c.Bool("quiet"), "capture times")
	defer p.finish()
	return inputs.ListPictures(c.Context, c.Args().Slice(), datasetOptions(c, p.at))
}

// picturesOf makes the input of a listing: its pictures, or the boxes that a detector found in them.
func picturesOf(c *cli.Context, l *datasets.Listing, boxes *inputs.Boxes, m *models.Model) (inputs.Input, error) {
	o := inputs.PictureOptions{IgnoreOrientation: c.Bool("ignore-orientation"), MaxPixels: c.Int64("max-pixels")}
	if boxes != nil {
		return inputs.NewCrops(boxes, m.Manifest, o)
	}
	return inputs.NewPictures(l, m.Manifest, o)
}
