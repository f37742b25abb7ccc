package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/urfave/cli/v2"
)

type outputRecord struct {
	Format  string `json:"format"`
	Vectors bool   `json:"vectors"`
	Top     int    `json:"top,omitempty"`
	Quoted  bool   `json:"spreadsheet,omitempty"`
}

// resultFlags say where results go.
func resultFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "vectors", Category: console.OutputCategory, Usage: "write both full probability vectors (jsonl, csv)"},
		&cli.IntFlag{Name: "top", Value: 5, Category: console.OutputCategory, Usage: "classes that MegaDetector classifications list"},
		&cli.BoolFlag{Name: "spreadsheet", Category: console.OutputCategory, Usage: "CSV: an apostrophe before cells that a spreadsheet would calculate, names that begin with = + - or @"},
		&cli.BoolFlag{Name: "resume", Category: console.OutputCategory, Usage: "continue an interrupted run"},
		&cli.BoolFlag{Name: "overwrite", Category: console.OutputCategory, Usage: "replace an output that is there"},
	}
}

// writtenFlags are those of run alone: where its one result goes.
func writtenFlags() []cli.Flag {
	return slices.Concat(knownFlags(), []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: console.OutputCategory, Usage: "`FILE` for the results; its ending chooses the format: .jsonl .csv .json (MegaDetector) .txt (table); - is standard output"},
		&cli.StringFlag{Name: "format", Category: console.OutputCategory, Usage: "jsonl, csv, megadetector or table (default: by the file's ending, else jsonl)"},
	})
}

// knownFlags say how the labels of --labels-known are read, as those that eval scores against are.
func knownFlags() []cli.Flag { return evaluation.Flags(console.TruthCategory) }

// outputRecord decides the format before any work is done.
func (r *classification) outputRecord() (outputRecord, error) {
	o := outputRecord{Format: r.format, Vectors: r.c.Bool("vectors"), Top: r.c.Int("top"), Quoted: r.c.Bool("spreadsheet")}
	if r.discard || o.Format == "" && !r.toFile() {
		o.Format = "jsonl"
	}
	var err error
	if o.Format == "" {
		o.Format, err = results.FromPath(r.path)
	}
	if err == nil && o.Top < 1 {
		err = fmt.Errorf("--top %d: want 1 or more", o.Top)
	}
	if err == nil {
		_, err = results.New(o.Format, results.Options{})
	}
	if o.Format != "megadetector" {
		o.Top = 0 // decides nothing there
	}
	if o.Quoted && o.Format != "csv" {
		return o, fmt.Errorf("--spreadsheet: is about CSV, and the format is %s", o.Format)
	}
	if o.Vectors && (o.Format == "table" || o.Format == "megadetector") {
		return o, fmt.Errorf("--vectors: format %s has no place for full vectors: want jsonl or csv", o.Format)
	}
	return o, err
}

func (r *classification) toFile() bool { return r.path != "" && r.path != "-" }

// connect gives the job its output: a resumable file, or a stream.
func (r *classification) connect(job *pipeline.Job) error {
	if r.discard {
		job.Stream = io.Discard
		return nil
	}
	mode, err := outputMode(r.c)
	if err != nil {
		return err
	}
	if !r.toFile() || !files.IsRegular(r.path) {
		if mode == pipeline.Resume {
			return errors.New("--resume: only a run that writes to a file can be resumed: name it by -o")
		}
		return r.toStream(job)
	}
	r.output, err = pipeline.OpenOutput(r.path, r.manifest.Settings.Identity(), mode)
	if errors.Is(err, pipeline.ErrComplete) {
		return r.complete(err)
	}
	if err != nil {
		return err
	}
	if r.memory != nil && r.memory.kept {
		return r.ended(len(job.Items))
	}
	job.Output = r.output
	return r.manifest.write(r.path)
}

// ended answers the resumption of a run that was killed when all but its last step was done: the store has its streams.
func (r *classification) ended(items int) error {
	if done := r.output.Done(); done < items {
		return fmt.Errorf("%s: remembers the streams of this run, of which only %d items are in %s: --overwrite needs another file for the state", r.memory.path, done, r.path)
	}
	if err := r.output.Finish(); err != nil {
		return err
	}
	return r.complete(errKept)
}

// complete answers a resumption of a run that has come to its end, or of a file that is none of this run's.
func (r *classification) complete(err error) error {
	was, readErr := ReadManifest(r.path)
	if readErr != nil {
		return fmt.Errorf("%w: nothing to resume, and no manifest tells that it is this run's (--overwrite replaces it): %w", err, readErr)
	}
	if diff := pipeline.Differences(was.Settings.Identity(), r.manifest.Settings.Identity()); diff != "" {
		return fmt.Errorf("%w, but it was another run (--overwrite replaces it):\n%s", err, diff)
	}
	if r.eval {
		return fmt.Errorf("%w: its predictions cannot be scored again without being made again (--overwrite)", err)
	}
	code := console.Fine
	if was.Summary != nil && was.Summary.Failures > 0 {
		code = console.Partial // as it ended
	}
	return console.Exit(code, fmt.Errorf("%w: nothing to resume", err))
}

// toStream writes to standard output, or to a device or pipe that was named.
func (r *classification) toStream(job *pipeline.Job) error {
	job.Stream = r.env.Out
	if r.toFile() {
		f, err := os.OpenFile(r.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		job.Stream = f // closed by the end of the process
	}
	return nil
}

func outputMode(c *cli.Context) (pipeline.Mode, error) {
	switch {
	case c.Bool("resume") && c.Bool("overwrite"):
		return 0, errors.New("--resume and --overwrite: choose one")
	case c.Bool("resume"):
		return pipeline.Resume, nil
	case c.Bool("overwrite"):
		return pipeline.Overwrite, nil
	}
	return pipeline.Fresh, nil
}
