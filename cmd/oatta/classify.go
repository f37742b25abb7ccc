package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/explain"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/models"
)

// resultFlags say where results go.
func resultFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "vectors", Category: outputCategory, Usage: "write both full probability vectors (jsonl, csv)"},
		&cli.IntFlag{Name: "top", Value: 5, Category: outputCategory, Usage: "classes that MegaDetector classifications list"},
		&cli.BoolFlag{Name: "resume", Category: outputCategory, Usage: "continue an interrupted run"},
		&cli.BoolFlag{Name: "overwrite", Category: outputCategory, Usage: "replace an output that is there"},
	}
}

// writtenFlags are those of run alone: where its one result goes.
func writtenFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Category: outputCategory, Usage: "`FILE` for the results; its ending chooses the format: .jsonl .csv .json (MegaDetector) .txt (table); - is standard output"},
		&cli.StringFlag{Name: "format", Category: outputCategory, Usage: "jsonl, csv, megadetector or table (default: by the file's ending, else jsonl)"},
	}
}

// classification is one pass over an input of any kind, of run and of eval.
type classification struct {
	c       *cli.Context
	env     environment
	input   inputs.Input
	path    string // of the results; "" or "-": standard output, or nowhere for eval
	format  string // of the results; "": by the ending of path
	discard bool   // no results are wanted, only the observer
	observe func(i int, r *results.Record)
	scores  func(report pipeline.Report) error // if set, prints what the observer gathered, before the output is declared complete
	eval    bool                               // the scores are what the run is for
	truth   *truth                             // of eval

	k         *network
	filter    streams.Options
	taught    *transitions // of other streams; nil if there are none
	memory    *runMemory   // of streams from run to run; nil if they are forgotten
	explained *explained   // nil if nothing is to be explained
	starved   *adapt.Starvation
	manifest  runManifest
	output    *pipeline.Output
}

// run opens everything in the order of what is cheapest to get wrong, then runs. The error carries the exit code.
func (r *classification) run(m *models.Model, listed time.Duration) (err error) {
	if err = r.filtering(m); err != nil {
		return err
	}
	warn(r.c, r.env, r.taught.note())
	record, err := r.outputRecord()
	if err != nil {
		return err
	}
	if r.k, err = openNetwork(r.c, m, r.input); err != nil {
		return err
	}
	defer r.k.Close()
	if err = r.memory.open(&r.filter, r.input.Streams()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.memory.close()) }()
	s, err := r.k.share(r.c)
	if err != nil {
		return err
	}
	r.tellDevice()
	if r.k.note != "" {
		warn(r.c, r.env, []string{"one stream at a time: " + r.k.note})
	}
	r.manifest = runManifest{Settings: r.settings(s, record), Started: time.Now().UTC()}
	if err = r.memory.begin(&r.manifest.Settings, r.c.Bool("resume")); err != nil {
		return err
	}
	job, err := r.job(s, record)
	if err != nil {
		return r.abandon(err)
	}
	report, err := r.pipe(job)
	return r.close(report, listed, err)
}

// filtering reads how the streams are filtered.
func (r *classification) filtering(m *models.Model) error {
	s, taught, err := filterOf(r.c, m, r.input)
	if err != nil {
		return err
	}
	r.taught = taught
	if r.filter, err = hindsightOf(r.c, hindsightByDefault(r.c, s.Gate)); err != nil {
		return err
	}
	r.filter.Classes, r.filter.Settings = len(m.Manifest.Labels), s
	r.filter.Times = &streams.Times{Policy: timeline.PolicyKeep} // items come in order
	if r.filter.Times.Settings, err = gapsOf(r.c, s.Gate); err != nil {
		return err
	}
	if r.memory, err = runMemoryOf(r.c); err != nil {
		return err
	}
	if r.explained, err = explainedOf(r.c, r.filter.Mode); err != nil {
		return err
	}
	if err = r.explained.begin(m.Manifest.Labels); err != nil {
		return err
	}
	if r.starved, err = adapt.NewStarvation(r.filter.Classes, s); err != nil {
		return err
	}
	return r.checkPlaces()
}

// checkPlaces refuses outputs that would destroy what is read beside the input, or each other.
func (r *classification) checkPlaces() error {
	c := r.c
	read := []place{
		{"the state", c.String("state")},
		{"the key", c.String("state-key")},
		{"the file of settings", c.String("settings")},
		{"the file of transitions", c.String("transitions")},
		{"the model", c.String("model")},
	}
	written := []place{{"the results", r.path}}
	if isFile(r.path) {
		written = append(written, place{"the manifest", manifestPath(r.path)})
	}
	return keepApart(read, append(written, r.explained.places()...))
}

// abandon closes an output that was opened for a run that cannot begin.
func (r *classification) abandon(err error) error {
	if r.output == nil {
		return err
	}
	return errors.Join(err, r.output.Close())
}

// outputRecord decides the format before any work is done.
func (r *classification) outputRecord() (outputRecord, error) {
	o := outputRecord{Format: r.format, Vectors: r.c.Bool("vectors"), Top: r.c.Int("top")}
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
	if o.Vectors && (o.Format == "table" || o.Format == "megadetector") {
		return o, fmt.Errorf("--vectors: format %s has no place for full vectors: want jsonl or csv", o.Format)
	}
	return o, err
}

func (r *classification) toFile() bool { return r.path != "" && r.path != "-" }

func (r *classification) tellDevice() {
	if r.k.config.Device == "auto" && !r.c.Bool("quiet") {
		fmt.Fprintf(r.env.err, "oatta: runs on %s: %s\n", r.k.device(), r.k.reason)
	}
}

func (r *classification) job(s share, record outputRecord) (pipeline.Job, error) {
	all := r.input.Items()
	format, err := results.New(record.Format, results.Options{
		Labels: r.k.model.Manifest.Labels, Vectors: record.Vectors, Top: record.Top,
		Info: r.manifest.Settings.public(), Boxes: detected(r.input), Files: names(all), Pieces: len(all) > 0 && all[0].Duration > 0,
	})
	if err != nil {
		return pipeline.Job{}, err
	}
	load, err := r.input.Loader(r.k.views, r.k.lanes(s))
	if err != nil {
		return pipeline.Job{}, err
	}
	if beforeLoad != nil {
		load = delayed(load)
	}
	job := pipeline.Job{
		Items: all, Load: load, Predictor: r.k.predictor, Streams: r.k.streams, Seed: r.k.method.Seed, Kind: r.k.kind,
		Filter: r.filter, Format: format, Clocks: r.memory.clocks(),
		Batch: s.batch, Loaders: s.loaders, Runners: s.runs, Stop: r.env.stops.begin(), Whole: r.observe != nil || r.explained != nil,
	}
	if r.explained != nil {
		job.Trace, job.Ended = r.trace, r.explained.keep
	}
	return job, r.connect(&job)
}

// trace shows an answer to who explains its stream.
func (r *classification) trace(i int, record *results.Record, s *streams.Result) {
	truth := -1
	if r.truth != nil {
		truth = r.truth.class[i]
	}
	r.explained.add(s, explain.Step{Raw: record.Raw, Adapted: record.Adapted, Truth: truth, Time: record.Time})
}

// beforeLoad, if a test sets it, is called before each item is loaded.
var beforeLoad func()

func delayed(load pipeline.Loader) pipeline.Loader {
	return func(dst []float32, i int, seed uint64) error {
		beforeLoad()
		return load(dst, i, seed)
	}
}

func names(items []pipeline.Item) []string {
	out := make([]string, len(items))
	for i := range items {
		out[i] = items[i].Name
	}
	return out
}

// connect gives the job its output: a resumable file, or a stream.
func (r *classification) connect(job *pipeline.Job) error {
	if r.discard {
		job.Stream = nowhere{}
		return nil
	}
	mode, err := outputMode(r.c)
	if err != nil {
		return err
	}
	if !r.toFile() || !isRegular(r.path) {
		if mode == pipeline.Resume {
			return errors.New("--resume: only a run that writes to a file can be resumed: name it by -o")
		}
		return r.toStream(job)
	}
	r.output, err = pipeline.OpenOutput(r.path, r.manifest.Settings.identity(), mode)
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
	was, readErr := readManifest(r.path)
	if readErr != nil {
		return fmt.Errorf("%w: nothing to resume, and no manifest tells that it is this run's (--overwrite replaces it): %w", err, readErr)
	}
	if diff := pipeline.Differences(was.Settings.identity(), r.manifest.Settings.identity()); diff != "" {
		return fmt.Errorf("%w, but it was another run (--overwrite replaces it):\n%s", err, diff)
	}
	if r.eval {
		return fmt.Errorf("%w: its predictions cannot be scored again without being made again (--overwrite)", err)
	}
	code := exitFine
	if was.Summary != nil && was.Summary.Failures > 0 {
		code = exitSome // as it ended
	}
	return exitError{fmt.Errorf("%w: nothing to resume", err), code}
}

// toStream writes to standard output, or to a device or pipe that was named.
func (r *classification) toStream(job *pipeline.Job) error {
	job.Stream = r.env.out
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

// nowhere takes what nobody wants to see.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

func (r *classification) pipe(job pipeline.Job) (pipeline.Report, error) {
	p := newProgress(r.env.err, len(job.Items), r.c.Bool("quiet"), r.input.Noun()+"s")
	if r.output == nil && !r.discard && isTerminal(r.env.out) {
		p.bar = nil // a bar would run through the results
	}
	defer p.finish()
	job.Observe = func(i int, record *results.Record) {
		if !record.Failed() {
			r.starved.Add(record.Stream, record.Raw)
		}
		if r.observe != nil {
			r.observe(i, record)
		}
	}
	job.Progress = p.add
	if r.output != nil {
		p.resumeAt(r.output.Done())
	}
	report, err := pipeline.Run(r.c.Context, job)
	return report, heldHint(err)
}

// close writes the last manifest and the summary, declares the output complete if it is, and turns the report into an exit code.
func (r *classification) close(report pipeline.Report, listed time.Duration, err error) error {
	sum := newSummary(report, listed, r.input, r.filter.Mode)
	ended := err == nil && !report.Stopped
	if r.output != nil {
		now := time.Now().UTC()
		r.manifest.Finished, r.manifest.Summary, r.manifest.Complete = &now, sum, ended
		err = errors.Join(err, r.manifest.write(r.path))
	}
	if r.scores != nil && err == nil { // what broke off in the middle would look like the whole
		err = r.scores(report)
	}
	if ended && err == nil {
		said := r.env.err
		if r.c.Bool("quiet") {
			said = io.Discard
		}
		err = errors.Join(r.explained.write(said), r.memory.commit())
	}
	if r.output != nil {
		if ended && err == nil {
			err = r.output.Finish()
		}
		err = errors.Join(err, r.output.Close())
	}
	if !r.c.Bool("quiet") {
		sum.print(r.env.err)
		printTimes(r.env.err, report.Times, timeline.PolicyKeep)
	}
	if w := r.starved.Warning(); w != "" {
		warn(r.c, r.env, []string{w})
	}
	return r.exit(report, err)
}

func (r *classification) exit(report pipeline.Report, err error) error {
	done := report.Items > report.Failures
	if err != nil && r.output != nil && report.Items > 0 {
		err = fmt.Errorf("%w\n%s are done; the same command with --resume continues", err, number(report.Items, r.input.Noun()))
	}
	switch {
	case report.Stopped && (err == nil || errors.Is(err, context.Canceled)):
		return exitError{r.stopped(report), exitInterrupted}
	case err != nil && done:
		return exitError{err, exitSome}
	case err != nil:
		return err
	case !done:
		return fmt.Errorf("%s failed", number(report.Items, r.input.Noun()))
	case report.Failures > 0:
		return exitError{nil, exitSome}
	}
	return nil
}

func (r *classification) stopped(report pipeline.Report) error {
	hint := ""
	if r.output != nil {
		hint = "; the same command with --resume continues"
	}
	return fmt.Errorf("stopped after %d of %s%s", report.Items, number(r.manifest.Settings.Items, r.input.Noun()), hint)
}

func warnGuesses(c *cli.Context, env environment, m *models.Model) {
	if len(m.Guessed) == 0 {
		return
	}
	warn(c, env, []string{fmt.Sprintf("%s has no manifest; guessed from the graph (`oatta models inspect --write` saves it to be corrected):", m.Path)})
	for _, g := range m.Guessed {
		warn(c, env, []string{"  " + g})
	}
}
