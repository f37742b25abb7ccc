package predicted

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/urfave/cli/v2"
)

// Flags say what the input is, where its labels are and where the output goes.
func Flags() []cli.Flag {
	const input, truth = "INPUT", "TRUTH"
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Category: console.OutputCategory, Usage: "`FILE` for the result; .gz is gzipped; - is standard output"},
		&cli.BoolFlag{Name: "overwrite", Category: console.OutputCategory, Usage: "replace an output that is there"},
		&cli.IntFlag{Name: "top", Category: console.OutputCategory, Usage: "classes in the adapted lists of MegaDetector and SpeciesNet (default: as many as in the raw list)"},
		&cli.StringFlag{Name: "format", Category: input, Usage: "jsonl, csv, megadetector or speciesnet (default: by the file's ending and content; jsonl for standard input)"},
		&cli.StringFlag{Name: "classes", Category: input, Usage: "names of the classes in order: a `FILE` with one a line, or NAMES separated by commas"},
		&cli.StringFlag{Name: "columns", Category: input, Usage: "CSV: `NAMES` of the columns of probabilities, separated by commas; name* is all that begin like it (default: p:*, else --classes)"},
		&cli.BoolFlag{Name: "logits", Category: input, Usage: "CSV: the columns hold logits"},
		&cli.StringFlag{Name: "stream-field", Category: input, Usage: "field or column of the stream (default: stream)"},
		&cli.StringFlag{Name: "id-field", Category: input, Usage: "field or column of the item's name (default: id, else file)"},
		&cli.StringFlag{Name: "time-field", Category: input, Usage: "JSON lines, CSV: field or column of the time (default: time; -: none)"},
		&cli.StringFlag{Name: "time-layout", Category: input, Usage: "`LAYOUT` of times in an unusual form, of Go or strftime, as 2/1/2006 15:04 or %d/%m/%Y %H:%M"},
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
	}, evaluation.Flags(truth))
}

// OptionsOf reads the flags that say what the input is.
func OptionsOf(c *cli.Context) (predictions.Options, error) {
	o := predictions.Options{
		Stream: c.String("stream"), StreamField: c.String("stream-field"), IDField: c.String("id-field"), TimeField: c.String("time-field"), TruthField: c.String("truth-field"),
		Logits: c.Bool("logits"), StreamPattern: c.String("stream-pattern"), MinConf: c.Float64("min-conf"), Top: c.Int("top"),
		MaxLine: c.Int("max-line"), MaxDocument: c.Int64("max-document"),
	}
	if c.IsSet("columns") {
		o.Columns = splitNames(c.String("columns"))
	}
	if c.IsSet("classes") {
		var err error
		if o.Classes, err = ReadClasses(c.String("classes")); err != nil {
			return o, err
		}
	}
	return o, o.Validate()
}

// maxClassNames bounds the bytes of a file of names.
const maxClassNames = 4 << 20

// ReadClasses reads the names of the classes from the file that the argument names, else from the argument.
func ReadClasses(arg string) ([]string, error) {
	data, err := files.ReadBounded(arg, maxClassNames)
	switch {
	case err == nil:
		text := strings.TrimPrefix(string(data), "\ufeff")
		return trimmed(strings.Split(strings.TrimRight(text, "\r\n"), "\n")), nil
	case data != nil: // a file, but not one of names
		return nil, fmt.Errorf("--classes: %w", err)
	case !strings.Contains(arg, ","):
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
