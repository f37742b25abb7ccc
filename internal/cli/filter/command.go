package filter

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predicted"
)

// Command is `oatta filter`.
func Command(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "filter",
		Usage:     "pass the predictions of another program through the filter of their streams",
		ArgsUsage: "FILE|-",
		Description: "Reads JSON lines, CSV, MegaDetector results or SpeciesNet predictions, gzipped or not, and writes the same file with adapted values\n" +
			"beside the raw ones; all else stays byte for byte. Needs no model and no ONNX Runtime. JSON lines and CSV go line by line, each\n" +
			"line out as soon as it is in, in the memory of one filter a stream (K x K numbers for K classes), or with --state in that of --max-memory.",
		Flags:  slices.Concat(predicted.Flags(), lateFlags(), filtering.StreamFlags(), boundFlags()),
		Action: func(c *cli.Context) error { return filterPredictions(c, env) },
	}
}

func filterPredictions(c *cli.Context, env console.Environment) error {
	r, err := newJob(c, env)
	if err != nil {
		return err
	}
	r.Stop = env.Stops.Begin()
	in, err := predicted.Open(c.Args().First(), r.Stop)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := r.memory.open(in, r.Name); err != nil {
		return err
	}
	out, err := createPredictions(c, env, in, r.memory)
	if err != nil {
		return err
	}
	switch r.Format {
	case predictions.FormatJSONLines:
		err = r.lines(predictions.NewJSONLines(r.Name, in, r.Options), in, out)
	case predictions.FormatCSV:
		err = r.lines(predictions.NewCSV(r.Name, in, r.Options), in, out)
	default:
		err = r.document(in, out)
	}
	r.bytes = in.Bytes
	err = errors.Join(err, out.close(r.steps > 0 || err == nil))
	if out.file != nil && out.file.begun && r.Items > 0 {
		err = errors.Join(err, files.ReplaceJSON(files.ManifestPath(c.String("output")), r.manifest()))
	}
	return r.close(err)
}
