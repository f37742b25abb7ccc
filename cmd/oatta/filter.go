package main

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/predictions"
)

func filterCommand(env environment) *cli.Command {
	return &cli.Command{
		Name:      "filter",
		Usage:     "pass the predictions of another program through the filter of their streams",
		ArgsUsage: "FILE|-",
		Description: "Reads JSON lines, CSV, MegaDetector results or SpeciesNet predictions, gzipped or not, and writes the same file with adapted values\n" +
			"beside the raw ones; all else stays byte for byte. Needs no model and no ONNX Runtime. JSON lines and CSV go line by line, each\n" +
			"line out as soon as it is in, in the memory of one filter a stream (K x K numbers for K classes).\n" +
			"Exit code 0: all well; 1: some lines failed; 2: nothing done; 130: interrupted.",
		Flags:  slices.Concat(predictionFlags(), lateFlags(), streamFlags()),
		Action: func(c *cli.Context) error { return filterPredictions(c, env) },
	}
}

func filterPredictions(c *cli.Context, env environment) error {
	r, err := newFilterRun(c, env)
	if err != nil {
		return err
	}
	r.stop = env.stops.begin()
	in, err := openPredictions(c.Args().First(), r.stop)
	if err != nil {
		return err
	}
	defer in.close()
	if err := r.memory.open(in, r.name); err != nil {
		return err
	}
	out, err := createPredictions(c, env, in, r.memory)
	if err != nil {
		return err
	}
	switch r.format {
	case predictions.FormatJSONLines:
		err = r.lines(predictions.NewJSONLines(r.name, in, r.options), in, out)
	case predictions.FormatCSV:
		err = r.lines(predictions.NewCSV(r.name, in, r.options), in, out)
	default:
		err = r.document(in, out)
	}
	r.bytes = in.bytes
	err = errors.Join(err, out.close(r.steps > 0 || err == nil))
	if out.file != nil && out.file.begun && r.items > 0 {
		err = errors.Join(err, replaceJSON(manifestPath(c.String("output")), r.manifest()))
	}
	return r.close(err)
}
