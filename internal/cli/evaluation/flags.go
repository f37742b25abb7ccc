package evaluation

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
)

// Flags are those that say how true labels are read, the same for every command that scores.
func Flags(category string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "label-map", Category: category, Usage: "CSV `FILE` with the columns from and to: labels of the data in the words of the model; an empty to is no label"},
		&cli.StringFlag{Name: "label-index", Category: category, Usage: "true labels that are numbers are positions of classes, counted from `0 or 1` (default: names, else known codes, else refused)"},
	}
}

// OptionsOf reads the flags.
func OptionsOf(c *cli.Context) (o Options, err error) {
	switch first := c.String("label-index"); first {
	case "":
	case "0", "1":
		o.Positions, o.First = true, int(first[0]-'0')
	default:
		return o, fmt.Errorf("--label-index %q: want 0 or 1, the number of the first class", first)
	}
	if path := c.String("label-map"); path != "" {
		m, err := datasets.ReadLabelMap(path)
		if err != nil {
			return o, err
		}
		o.Map = m.Map
	}
	return o, nil
}
