package calibrate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/calibration"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predicted"
)

// Command is `oatta calibrate`.
func Command(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "calibrate",
		Usage:     "fit temperature, class prior and the order of classes to labelled predictions, for the filter",
		ArgsUsage: "FILE|-",
		Description: "Reads what `oatta filter` reads, with a true label for each item, from data that the model was not trained on.\n" +
			"T, the temperature, undoes over-confidence: the T with which the probabilities fit the labels best. The gate auto tries 1.8 times its\n" +
			"temperature, too: settings and `oatta run` give it T/1.8 for a T over 1.8, and 1 for one between. The paper's gates take T as it is; off\n" +
			"loses by it on streams with little order and gains on those with much.\n" +
			"The class prior is the class frequencies of the training data. The paper's gates divide by it; auto only starts from it.\n" +
			"The transitions are how often which class follows which in the order of the streams, for the gate auto: --transitions-out writes them\n" +
			"for --transitions of filter, run and eval. Counts under 5 are pooled, and the file says of how many streams it is.\n" +
			"Streams are held out in turn, and filtered with and without what the others teach: the prior is written for auto, and the\n" +
			"transitions into a manifest, only where the adapted probabilities of the truth gain by it for sure.\n" +
			"For a model of pictures: oatta run images DIR -o raw.jsonl --vectors, then oatta calibrate raw.jsonl --labels labels.csv.",
		Flags:  slices.Concat(labelledFlags(), calibrateFlags()),
		Action: func(c *cli.Context) error { return calibrate(c, env) },
	}
}

// labelledFlags are those of filter that say what the input and the truth are.
func labelledFlags() (out []cli.Flag) {
	for _, f := range predicted.Flags() {
		categorised, ok := f.(cli.CategorizableFlag)
		if ok && slices.Contains([]string{"INPUT", "TRUTH"}, categorised.GetCategory()) && !slices.Contains([]string{"scores", "max-streams", "format"}, f.Names()[0]) {
			out = append(out, f)
		}
	}
	return out
}

func calibrateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "input-format", Category: "INPUT", Usage: "jsonl, csv, megadetector or speciesnet (default: by the file's ending and content; jsonl for standard input)"},
		&cli.StringFlag{Name: "class-prior", Value: "labels", Usage: "the prior: labels (their frequencies), none (leave it alone), or the numbers of training items of each class, `NUMBERS` or a file of them"},
		&cli.StringFlag{Name: "gate", Value: string(adapt.GateAuto), Usage: "`GATE` that settings are for: auto, off, ewma or window; the paper's get the prior whether auto gains by it or not, and so does a manifest then"},
		&cli.IntFlag{Name: "resamples", Value: 2000, Usage: "of whole streams, for the interval of the temperature"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "of the resampling"},
		&cli.Int64Flag{Name: "max-memory", Value: calibration.DefaultMaxBytes, Usage: "the most `BYTES` of log-probabilities kept, four a class and item; items beyond are not used"},
		&cli.StringFlag{Name: "format", Value: "text", Category: console.OutputCategory, Usage: "of the report on standard output: text or json"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: console.OutputCategory, Usage: "`FILE` of settings with temperature and prior, for filter --settings"},
		&cli.StringFlag{Name: "transitions-out", Category: console.OutputCategory, Usage: "`FILE` of the transitions, for --transitions of filter, run and eval"},
		&cli.StringFlag{Name: "model", Category: console.OutputCategory, Usage: "ONNX `FILE` or manifest whose manifest gets temperature, prior and transitions; all else in it stays as it is"},
		&cli.StringFlag{Name: "diagram", Category: console.OutputCategory, Usage: "`PREFIX` of the reliability diagram, PREFIX.svg and PREFIX.png"},
		&cli.BoolFlag{Name: "overwrite", Category: console.OutputCategory, Usage: "replace settings, transitions and diagram that are there"},
	}
}

// job is one pass over labelled predictions.
type job struct {
	predicted.Reading
	target     *manifestTarget // nil without --model
	gate       adapt.Gate      // that settings are for
	counts     []float64       // of training items, nil: from the labels
	recordings *calibration.Recordings
	beyond     int // labelled items that the recordings did not take
}

func calibrate(c *cli.Context, env console.Environment) error {
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
	if err := r.read(in); err != nil {
		if errors.Is(err, predicted.ErrInterrupted) {
			return console.Exit(console.Interrupted, fmt.Errorf("interrupted after %s", console.Number(r.Items, "item")))
		}
		return err
	}
	report, err := r.fit()
	if errors.Is(err, calibration.ErrStopped) {
		return console.Exit(console.Interrupted, errors.New("interrupted in the comparison by streams held out"))
	}
	if err != nil {
		return err
	}
	err = r.write(report)
	if err = errors.Join(report.print(c, env), err); err != nil {
		return console.Exit(console.Partial, err)
	}
	if r.Failures > 0 {
		return console.Exit(console.Partial, nil)
	}
	return nil
}

// newJob reads all of the flags, and what they name, before any input is read.
func newJob(c *cli.Context, env console.Environment) (*job, error) {
	in, err := predicted.NewReading(c, env, "input-format")
	if err != nil {
		return nil, err
	}
	r := &job{Reading: in}
	if err := r.readFlags(); err != nil {
		return nil, err
	}
	return r, r.checkOutputs()
}

func (r *job) readFlags() (err error) {
	c := r.C
	if f := c.String("format"); f != "text" && f != "json" {
		return fmt.Errorf("--format %q: want text or json, of the report (--input-format is that of the input)", f)
	}
	if c.Int64("max-memory") < 1 || c.Int("resamples") < 100 || c.Int("resamples") > 100_000 {
		return fmt.Errorf("--max-memory %d, --resamples %d: want at least 1, and 100 to 100000", c.Int64("max-memory"), c.Int("resamples"))
	}
	if r.gate = adapt.Gate(c.String("gate")); !slices.Contains(adapt.Gates(), r.gate) {
		return fmt.Errorf("--gate %q: want one of %v", r.gate, adapt.Gates())
	}
	if p := c.String("class-prior"); p != "labels" && p != "none" {
		if r.counts, err = filtering.NumbersOf("class-prior", p); err != nil {
			return err
		}
	}
	if r.target, err = openManifest(c.String("model")); err != nil {
		return err
	}
	if r.target != nil && r.Options.Classes == nil && r.Format == predictions.FormatJSONLines {
		r.Options.Classes = r.target.labels // a line by itself names no classes
	}
	r.Truths, err = r.ReadTruths()
	if err == nil && r.target != nil {
		r.Truths.SetCodes(r.target.had.Codes)
	}
	return err
}

// checkOutputs finds out early what would otherwise be found after the work: files that are there, folders that are not.
func (r *job) checkOutputs() error {
	var paths []string
	for _, flag := range []string{"output", "transitions-out"} {
		if o := r.C.String(flag); o == "-" {
			return fmt.Errorf("--%s -: standard output is for the report: want a file", flag)
		} else if o != "" {
			paths = append(paths, o)
		}
	}
	if d := r.C.String("diagram"); d != "" {
		paths = append(paths, d+".svg", d+".png")
	}
	var outputs []files.Place
	for _, file := range paths {
		outputs = append(outputs, files.At("an output", file))
	}
	if err := files.KeepApart([]files.Place{files.At("the input", r.C.Args().First()), files.At("the file of labels", r.C.String("labels")), files.At("the model", r.C.String("model"))}, outputs); err != nil {
		return err
	}
	for _, file := range paths {
		if info, err := os.Stat(filepath.Dir(file)); err != nil {
			return err
		} else if !info.IsDir() {
			return fmt.Errorf("%s: %s is no folder", file, filepath.Dir(file))
		}
		if _, err := os.Lstat(file); err == nil && !r.C.Bool("overwrite") {
			return fmt.Errorf("%s: exists: --overwrite replaces it", file)
		}
	}
	return nil
}
