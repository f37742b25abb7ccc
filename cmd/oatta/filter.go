package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

func predictionFlags() []cli.Flag {
	const input, truth = "INPUT", "TRUTH"
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Category: outputCategory, Usage: "`FILE` for the result; .gz is gzipped; - is standard output"},
		&cli.BoolFlag{Name: "overwrite", Category: outputCategory, Usage: "replace an output that is there"},
		&cli.IntFlag{Name: "top", Category: outputCategory, Usage: "classes in the adapted lists of MegaDetector and SpeciesNet (default: as many as in the raw list)"},
		&cli.StringFlag{Name: "format", Category: input, Usage: "jsonl, csv, megadetector or speciesnet (default: by the file's ending and content; jsonl for standard input)"},
		&cli.StringFlag{Name: "classes", Category: input, Usage: "names of the classes in order: a `FILE` with one a line, or NAMES separated by commas"},
		&cli.StringFlag{Name: "columns", Category: input, Usage: "CSV: `NAMES` of the columns of probabilities, separated by commas; name* is all that begin like it (default: p:*, else --classes)"},
		&cli.BoolFlag{Name: "logits", Category: input, Usage: "CSV: the columns hold logits"},
		&cli.StringFlag{Name: "stream-field", Category: input, Usage: "field or column of the stream (default: stream)"},
		&cli.StringFlag{Name: "id-field", Category: input, Usage: "field or column of the item's name (default: id, else file)"},
		&cli.StringFlag{Name: "stream", Category: input, Usage: "`NAME` of the stream of all items that name none"},
		&cli.StringFlag{Name: "stream-pattern", Category: input, Usage: "MegaDetector, SpeciesNet: `REGEXP` on the file name; its group named stream, else its first group, is the stream (default: the folder)"},
		&cli.Float64Flag{Name: "min-conf", Category: input, Usage: "MegaDetector: leave detections under this confidence alone"},
		&cli.StringFlag{Name: "on-error", Value: "skip", Category: input, Usage: "a malformed line: skip (name it, write it unchanged, go on) or stop"},
		&cli.IntFlag{Name: "max-messages", Value: 100, Category: input, Usage: "name at most so many failed lines, and count the others; 0: all"},
		&cli.IntFlag{Name: "max-line", Value: predictions.DefaultMaxLine, Category: input, Usage: "the most `BYTES` of a line"},
		&cli.Int64Flag{Name: "max-document", Value: predictions.DefaultMaxDocument, Category: input, Usage: "the most `BYTES` of MegaDetector or SpeciesNet JSON, which is held in memory"},
		&cli.IntFlag{Name: "max-streams", Value: 100_000, Category: input, Usage: "the most streams of JSON lines and CSV, each of which keeps a filter in memory"},
		&cli.StringFlag{Name: "labels", Category: truth, Usage: "CSV `FILE` with the columns file and label: scores before and after the filter"},
		&cli.StringFlag{Name: "truth-field", Category: truth, Usage: "field or column that holds the true label (default: truth)"},
		&cli.StringFlag{Name: "scores", Category: truth, Usage: "`FILE` for the scores as JSON"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no summary"},
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

// predictionOptions reads the flags that say what the input is.
func predictionOptions(c *cli.Context) (predictions.Options, error) {
	o := predictions.Options{
		Stream: c.String("stream"), StreamField: c.String("stream-field"), IDField: c.String("id-field"), TruthField: c.String("truth-field"),
		Logits: c.Bool("logits"), StreamPattern: c.String("stream-pattern"), MinConf: c.Float64("min-conf"), Top: c.Int("top"),
		MaxLine: c.Int("max-line"), MaxDocument: c.Int64("max-document"),
	}
	if c.IsSet("columns") {
		o.Columns = splitNames(c.String("columns"))
	}
	if c.IsSet("classes") {
		var err error
		if o.Classes, err = readClasses(c.String("classes")); err != nil {
			return o, err
		}
	}
	return o, o.Validate()
}

// readClasses reads the names of the classes from the file that the argument names, else from the argument.
func readClasses(arg string) ([]string, error) {
	data, err := os.ReadFile(arg)
	if err == nil {
		text := strings.TrimPrefix(string(data), "\ufeff")
		return trimmed(strings.Split(strings.TrimRight(text, "\r\n"), "\n")), nil
	}
	if !strings.Contains(arg, ",") {
		return nil, fmt.Errorf("--classes %s: neither names separated by commas nor a file: %w", arg, err)
	}
	return splitNames(arg), nil
}

func splitNames(arg string) []string { return trimmed(strings.Split(arg, ",")) }

func trimmed(names []string) []string {
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	return names
}

// predictionFormat returns the format of the flag, else that of the file's ending.
func predictionFormat(c *cli.Context) (predictions.Format, error) {
	return formatOf(c.Args().First(), "format", c.String("format"))
}

// formatOf returns the format that a flag of that name gives, else that of the path's ending.
func formatOf(path, flag, value string) (predictions.Format, error) {
	if f := predictions.Format(value); f != "" {
		if !slices.Contains(predictions.Formats(), f) {
			return "", fmt.Errorf("--%s %q: want one of %v", flag, f, predictions.Formats())
		}
		return f, nil
	}
	if path == "-" {
		return predictions.FormatJSONLines, nil
	}
	switch ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz"))); ending {
	case ".jsonl", ".ndjson":
		return predictions.FormatJSONLines, nil
	case ".csv", ".tsv":
		return predictions.FormatCSV, nil
	case ".json":
		return predictions.FormatJSON, nil
	default:
		return "", fmt.Errorf("%s: no format for the ending %q: want .jsonl, .ndjson, .csv, .tsv or .json, or --%s", path, ending, flag)
	}
}
