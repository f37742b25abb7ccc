package reading

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/inputs"
)

// PictureFlags say which pictures are read, and how.
func PictureFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "streams", Category: console.InputCategory, Usage: "what makes a stream: folder, pattern or metadata (default: what the other flags suggest, else folder)"},
		&cli.StringFlag{Name: "stream-pattern", Category: console.InputCategory, Usage: "`REGEXP` on the file name with path; its group named stream, else its first group, is the stream"},
		&cli.StringFlag{Name: "metadata", Category: console.InputCategory, Usage: "`FILE` with streams, times or labels: CSV, COCO Camera Traps JSON, or Camtrap DP (datapackage.json or its folder)"},
		&cli.StringFlag{Name: "metadata-format", Category: console.InputCategory, Usage: "csv, cct or camtrapdp (default: by the file's name)"},
		&cli.StringFlag{Name: "file-column", Category: console.InputCategory, Usage: "CSV: column of the file name (default: file)"},
		&cli.StringFlag{Name: "folder-column", Category: console.InputCategory, Usage: "CSV: column of the folder, where that of the file name does not tell it (default: RelativePath beside File, Directory beside FileName)"},
		&cli.StringFlag{Name: "stream-column", Category: console.InputCategory, Usage: "column or field of the stream (default: stream, location or deploymentID)"},
		&cli.StringFlag{Name: "time-column", Category: console.InputCategory, Usage: "CSV: column of the capture time (default: time; -: none)"},
		&cli.StringFlag{Name: "label-column", Category: console.InputCategory, Usage: "CSV: column of the true label (default: label)"},
		&cli.BoolFlag{Name: "name-times", Category: console.InputCategory, Usage: "take the capture time from dates in file names where metadata and EXIF tell none"},
		&cli.StringFlag{Name: "time-pattern", Category: console.InputCategory, Usage: "`REGEXP` on the file name whose first group is the capture time, with --time-layout"},
		&cli.StringFlag{Name: "time-layout", Category: console.InputCategory, Usage: TimeLayoutUsage + "; of --time-pattern, else of the metadata"},
		&cli.BoolFlag{Name: "ignore-orientation", Category: console.InputCategory, Usage: "leave pictures as stored instead of turning them as EXIF says"},
		&cli.Int64Flag{Name: "max-pixels", Category: console.InputCategory, DefaultText: "128 Mi", Usage: "refuse larger pictures"},
		&cli.StringFlag{Name: "damaged", Value: "fail", Category: console.InputCategory, Usage: "fail or use: whether damaged JPEGs of which a part can be read are failures, or are used with grey for the rest, as MegaDetector does"},
	}
}

func datasetOptions(c *cli.Context, progress func(done, total int)) datasets.Options {
	o := datasets.Options{
		Streams: datasets.StreamBy(c.String("streams")), StreamPattern: c.String("stream-pattern"),
		Metadata: c.String("metadata"), MetadataFormat: datasets.Format(c.String("metadata-format")),
		Fields: datasets.Fields{
			File: c.String("file-column"), Folder: c.String("folder-column"), Stream: c.String("stream-column"), Time: c.String("time-column"), Label: c.String("label-column"),
		},
		NameTimes: c.Bool("name-times"), TimePattern: c.String("time-pattern"), TimeLayout: c.String("time-layout"),
		Progress: progress,
	}
	if o.TimePattern == "" && o.Metadata != "" {
		o.Fields.TimeLayout, o.TimeLayout = o.TimeLayout, ""
	}
	return o
}

// Pictures reads the collection that the arguments name.
func Pictures(c *cli.Context, env console.Environment) (*datasets.Listing, error) {
	if c.NArg() == 0 {
		return nil, fmt.Errorf("no folder or picture given; see `%s --help`", c.Command.HelpName)
	}
	p := console.NewProgress(env.Err, 0, c.Bool("quiet"), "capture times")
	defer p.Finish()
	return inputs.ListPictures(c.Context, c.Args().Slice(), datasetOptions(c, p.At))
}

// PictureOptions reads how pictures are decoded.
func PictureOptions(c *cli.Context) (inputs.PictureOptions, error) {
	o := inputs.PictureOptions{IgnoreOrientation: c.Bool("ignore-orientation"), MaxPixels: c.Int64("max-pixels")}
	switch policy := c.String("damaged"); policy {
	case "fail":
	case "use":
		o.UseDamaged = true
	default:
		return o, fmt.Errorf("--damaged %q: want fail or use", policy)
	}
	return o, nil
}
