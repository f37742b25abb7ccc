package reading

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/inputs"
)

// LabelsFlag names a table of labels that go before those of the data, as [Relabelled] reads it.
func LabelsFlag(name string) cli.Flag {
	return &cli.StringFlag{Name: name, Category: console.TruthCategory, Usage: "CSV `FILE` with the columns file, stream and label, as `oatta view` writes it: these labels go before those of the data"}
}

// Relabelled gives an input the labels of the table, if the flag of this name names one.
func Relabelled(c *cli.Context, env console.Environment, name string, in inputs.Input) (inputs.Input, error) {
	path := c.String(name)
	if path == "" {
		return in, nil
	}
	table, err := datasets.ReadLabels(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", name, err)
	}
	out, notes, err := inputs.Relabel(in, table)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", name, err)
	}
	console.Warn(c, env, notes)
	return out, nil
}
