package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/readback"
	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/internal/report"
	"github.com/oatta/oatta/internal/report/items"
	"github.com/oatta/oatta/internal/results"
)

// Command is `oatta report`.
func Command(env console.Environment) *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "make a page to look at and to send of the results of run, eval or filter",
		ArgsUsage: "RESULTS...",
		Description: "Writes one HTML file that needs nothing else: what was run, warnings and failures, classes before and after the filter, which labels\n" +
			"changed, each stream over time, and what its field looks at: pictures in their sequences, nights, days or accounts. RESULTS are JSON lines,\n" +
			"CSV, MegaDetector or SpeciesNet JSON with their manifests beside them, and the scores of `oatta eval --format json`. Nothing leaves the\n" +
			"machine, and the results are not changed.",
		Flags:  flags(),
		Action: func(c *cli.Context) error { return makeReport(c, env) },
	}
}

func flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: console.OutputCategory, Usage: "`FILE` for the page, as report.html; - is standard output"},
		&cli.StringFlag{Name: "figures", Category: console.OutputCategory, Usage: "`DIR` for each figure as SVG and PNG, with its numbers as CSV"},
		&cli.BoolFlag{Name: "spreadsheet", Category: console.OutputCategory, Usage: "CSV of figures: an apostrophe before cells that a spreadsheet would calculate, names that begin with = + - or @"},
		&cli.BoolFlag{Name: "overwrite", Category: console.OutputCategory, Usage: "replace outputs that are there"},
		&cli.StringFlag{Name: "title", Category: console.OutputCategory, Usage: "title of the page (default: the names of the results)"},
		&cli.IntFlag{Name: "streams", Value: 12, Category: console.OutputCategory, Usage: "streams that get figures of their own, those that order changed most"},
		&cli.IntFlag{Name: "thumbnails", Value: 500, Category: console.OutputCategory, Usage: "pictures at the most, changed ones first"},
		&cli.BoolFlag{Name: "transitions", Category: console.OutputCategory, Usage: "show which label follows which, which can reveal a routine"},
		&cli.StringFlag{Name: "inputs", Category: console.InputCategory, Usage: "`DIR` that the pictures or the file of posts are in, to show them; nothing outside it is opened"},
		readback.KindFlag(),
	}, readback.FieldFlags(), []cli.Flag{
		&cli.StringFlag{Name: "labels", Category: console.TruthCategory, Usage: "CSV `FILE` with the columns file and label: scores before and after the filter"},
		&cli.StringFlag{Name: "hypnogram", Category: console.TruthCategory, Usage: "`FILE` with the stages of the one recording of the results, as somebody scored them: EDF+, XML, text"},
		readback.TruthFlag(console.TruthCategory),
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no summary and no warnings"},
	}, evaluation.Flags(console.TruthCategory))
}

// job is one report in the making.
type job struct {
	c        *cli.Context
	env      console.Environment
	files    []*items.File
	places   []files.Place // of what is read
	settings report.Settings
}

func makeReport(c *cli.Context, env console.Environment) error {
	j := &job{c: c, env: env}
	if err := j.check(); err != nil {
		return err
	}
	if err := j.open(); err != nil {
		return err
	}
	defer j.close()
	collected, err := report.Gather(j.files, j.settings)
	if err == nil {
		err = collected.Again()
	}
	if err != nil {
		return err
	}
	if err := j.write(collected); err != nil {
		return err
	}
	console.Warn(c, env, collected.Warnings())
	if collected.Damaged() {
		return console.Exit(console.Partial, nil)
	}
	return nil
}

// check refuses what cannot be done, or would destroy something, before anything is read.
func (j *job) check() error {
	c := j.c
	out, dir := c.String("output"), c.String("figures")
	switch {
	case c.NArg() == 0:
		return errors.New("report: no results: want the output of run, eval or filter")
	case out == "" && dir == "":
		return errors.New("report: nowhere to write: -o FILE is for the page, --figures DIR for the figures")
	case c.Int("streams") < 1:
		return fmt.Errorf("--streams %d: want 1 or more", c.Int("streams"))
	case c.Int("thumbnails") < 1 || c.Int("thumbnails") > 500:
		return fmt.Errorf("--thumbnails %d: want 1 to 500", c.Int("thumbnails"))
	}
	j.places = []files.Place{files.At("the file of labels", c.String("labels")), files.At("the map of labels", c.String("label-map")), files.At("the hypnogram", c.String("hypnogram"))}
	for i, name := range c.Args().Slice() {
		if slices.Contains(c.Args().Slice()[:i], name) {
			return fmt.Errorf("report: %s is given twice", name)
		}
		j.places = append(j.places, files.At("a file of results", name), files.At("a manifest", items.ManifestPath(name)))
	}
	if err := files.KeepApart(j.places, []files.Place{files.At("the page", out)}); err != nil {
		return err
	}
	return files.MayReplace(out, c.Bool("overwrite"))
}

// open reads the flags and looks at the results.
func (j *job) open() (err error) {
	c, s := j.c, &j.settings
	s.Title, s.Program, s.Transitions = c.String("title"), "oatta "+console.Version(), c.Bool("transitions")
	s.Streams, s.Thumbnails = c.Int("streams"), c.Int("thumbnails")
	if s.Kind, err = readback.KindOf(c); err != nil {
		return err
	}
	o := readback.OptionsOf(c)
	for _, name := range c.Args().Slice() {
		f, err := items.Open(name, o)
		if err != nil {
			return err
		}
		j.files = append(j.files, f)
		if f.Format == "scores" {
			if err := j.scores(f); err != nil {
				return err
			}
		}
	}
	t, err := truthOf(c)
	if err != nil {
		return err
	}
	s.Truth, s.Labelled = t, t.labelled()
	return j.inputs()
}

// scores takes those of an eval.
func (j *job) scores(f *items.File) error {
	if j.settings.Scores != nil {
		return fmt.Errorf("%s: holds scores, as an earlier file does: one report has those of one eval", f.Path)
	}
	e, b, err := readScores(f.Path)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	j.settings.Scores, j.settings.Intervals = e, b
	return nil
}

// inputs opens the folder of pictures or posts.
func (j *job) inputs() error {
	dir := j.c.String("inputs")
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("--inputs: %w", err)
	}
	j.settings.Inputs = root
	j.settings.Texts = func(wanted map[string]string) error { return postsIn(root, j.files, wanted) }
	return nil
}

func (j *job) close() {
	if j.settings.Inputs != nil {
		_ = j.settings.Inputs.Close() // was only read
	}
}

// write writes the page and the figures.
func (j *job) write(collected *report.Collected) error {
	if dir := j.c.String("figures"); dir != "" {
		n, err := j.figures(collected, dir)
		if err != nil {
			return err
		}
		j.say(fmt.Sprintf("%s in %s, each as SVG, PNG and CSV", console.Number(n, "figure"), dir))
	}
	out := j.c.String("output")
	if out == "" {
		return nil
	}
	var page bytes.Buffer
	if err := collected.Page(&page); err != nil {
		return err
	}
	if out == "-" {
		_, err := j.env.Out.Write(page.Bytes())
		return err
	}
	if !files.IsRegular(out) {
		return os.WriteFile(out, page.Bytes(), 0o644) // a pipe or device
	}
	if err := replace.Bytes(out, page.Bytes()); err != nil {
		return err
	}
	j.say(fmt.Sprintf("%s: %s, %.1f MB", out, collected.Told(), float64(page.Len())/1e6))
	return nil
}

func (j *job) say(text string) {
	if !j.c.Bool("quiet") {
		fmt.Fprintln(j.env.Err, text)
	}
}

// figures writes each of them. Names that are there are refused before anything is written.
func (j *job) figures(collected *report.Collected, dir string) (int, error) {
	all, err := collected.Figures()
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, fmt.Errorf("--figures: %w", err)
	}
	endings := []string{".svg", ".png", ".csv"}
	outputs := []files.Place{files.At("the page", j.c.String("output"))}
	for _, f := range all {
		for _, ending := range endings {
			name := filepath.Join(dir, f.ID+ending)
			if err := files.MayReplace(name, j.c.Bool("overwrite")); err != nil {
				return 0, err
			}
			outputs = append(outputs, files.At("a figure", name))
		}
	}
	if err := files.KeepApart(j.places, outputs); err != nil {
		return 0, err
	}
	for _, f := range all {
		if j.c.Bool("spreadsheet") {
			f.Rows = uncalculated(f.Rows)
		}
		for _, ending := range endings {
			data, err := f.Bytes(ending[1:])
			if err == nil {
				err = replace.Bytes(filepath.Join(dir, f.ID+ending), data)
			}
			if err != nil {
				return 0, fmt.Errorf("--figures: %s: %w", f.ID, err)
			}
		}
	}
	return len(all), nil
}

// uncalculated are rows of which a spreadsheet takes the names, which begin as formulas do, for text, and the numbers for numbers.
func uncalculated(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err != nil {
				cell = results.NoFormula(cell)
			}
			out[i] = append(out[i], cell)
		}
	}
	return out
}
