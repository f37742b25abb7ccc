package reading

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/motion"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/inputs"
)

// MotionFlags say how recordings of movement are read.
func MotionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "time-column", Category: console.InputCategory, Usage: "CSV: column of times (default: time, timestamp, ...; -: none, and --sample-rate spaces the rows)"},
		&cli.StringFlag{Name: "time-layout", Category: console.InputCategory, Usage: "CSV: " + TimeLayoutUsage},
		&cli.StringFlag{Name: "stream-column", Category: console.InputCategory, Usage: "CSV: column that tells whose samples they are: each of its values is a recording of its own (default: none, a file is one recording)"},
		&cli.StringSliceFlag{Name: "channel-column", Category: console.InputCategory, Usage: "CSV: `COLUMN` of a channel, once for each (default: all columns of numbers)"},
		&cli.StringFlag{Name: "unit", Category: console.InputCategory, Usage: "CSV: unit of columns that name none: g (default), mg, m/s2"},
		&cli.StringFlag{Name: "label-column", Category: console.InputCategory, Usage: "CSV: column of the true label (default: label, activity, ...)"},
		&cli.Float64Flag{Name: "sample-rate", Category: console.InputCategory, Usage: "CSV: Hz, where times do not tell"},
		&cli.StringFlag{Name: "comma", Category: console.InputCategory, Usage: "CSV: what parts the columns: , ; or tab (default: what the header has most of)"},
		QuoteFlag(),
		&cli.IntFlag{Name: "skip-lines", Category: console.InputCategory, Usage: "CSV: lines before the header (those of ActiLife are found without)"},
		&cli.BoolFlag{Name: "no-header", Category: console.InputCategory, Usage: "CSV: the first row is one of samples; columns are time, x, y and z where they look like that, else 1, 2, 3 ..."},
		&cli.IntFlag{Name: "hop", Category: console.InputCategory, DefaultText: "the model's", Usage: "samples at the network's rate from one window to the next"},
		&cli.Float64Flag{Name: "max-gap", Category: console.InputCategory, DefaultText: "0.1", Usage: "seconds without a sample that are bridged; a window that a longer gap touches is left out"},
	}
}

// MotionOptions reads the flags.
func MotionOptions(c *cli.Context) (inputs.MotionOptions, error) {
	comma, err := CommaOf(c)
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
