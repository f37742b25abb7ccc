package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/explain"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/method"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
	"github.com/oatta/oatta/models"
)

// classification is one pass over an input of any kind, of run and of eval.
type classification struct {
	c       *cli.Context
	env     console.Environment
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
	taught    *filtering.Transitions // of other streams; nil if there are none
	memory    *runMemory             // of streams from run to run; nil if they are forgotten
	explained *filtering.Explanation // nil if nothing is to be explained
	known     *evaluation.Known      // labels that are certain; nil if there are none
	classes   []int                  // of the items, as [pipeline.Job].Known has them
	starved   *adapt.Starvation
	uniform   uniformity
	manifest  Manifest
	output    *pipeline.Output
	told      int // warnings of the input that stood there when the run began
}

// run opens everything in the order of what is cheapest to get wrong, then runs. The error carries the exit code.
func (r *classification) run(m *models.Model, listed time.Duration) (err error) {
	r.told = len(r.input.Warnings())
	if err = r.filtering(m); err != nil {
		return err
	}
	console.Warn(r.c, r.env, r.taught.Warning())
	if err = r.know(m); err != nil {
		return err
	}
	record, err := r.outputRecord()
	if err != nil {
		return err
	}
	if r.k, err = openNetwork(r.c, m, r.input, r.began()); err != nil {
		return err
	}
	defer r.k.Close()
	defer func() { err = errors.Join(err, r.memory.close()) }()
	if err = r.memory.open(&r.filter, r.input.Streams()); err != nil {
		return err
	}
	s, err := r.k.share(r.c)
	if err != nil {
		return err
	}
	r.tellDevice()
	if r.k.predictor.Note != "" {
		console.Warn(r.c, r.env, []string{"one stream at a time: " + r.k.predictor.Note})
	}
	r.manifest = Manifest{Settings: r.settings(s, record), Started: time.Now().UTC()}
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

// began is the predictor with which a run that is continued began; nil: it is a new run, or what it left is told where it is opened.
func (r *classification) began() *method.Settings {
	if !r.c.Bool("resume") || r.path == "" {
		return nil
	}
	was, err := ReadManifest(r.path)
	if err != nil {
		return nil
	}
	return &was.Settings.Method
}

// filtering reads how the streams are filtered.
func (r *classification) filtering(m *models.Model) error {
	s, taught, err := filterOf(r.c, m, r.input)
	if err != nil {
		return err
	}
	r.taught = taught
	if r.filter, err = filtering.HindsightOf(r.c, filtering.HindsightByDefault(r.c, s.Gate)); err != nil {
		return err
	}
	r.filter.Classes, r.filter.Settings = len(m.Manifest.Labels), s
	r.filter.Times = &streams.Times{Policy: timeline.PolicyKeep} // items come in order
	if r.filter.Times.Settings, err = filtering.GapsOf(r.c, s.Gate); err != nil {
		return err
	}
	if r.memory, err = runMemoryOf(r.c); err != nil {
		return err
	}
	if r.explained, err = filtering.ExplanationOf(r.c, r.filter.Mode); err != nil {
		return err
	}
	if err = r.explained.Begin(m.Manifest.Labels); err != nil {
		return err
	}
	if r.starved, err = adapt.NewStarvation(r.filter.Classes, s); err != nil {
		return err
	}
	return r.checkPlaces()
}

// know reads the labels that are known for certain, and finds their items.
func (r *classification) know(m *models.Model) (err error) {
	if r.known, err = evaluation.KnownOf(r.c); r.known == nil || err != nil {
		if err == nil && !r.eval {
			err = console.Refuse(r.c, []string{"label-map", "label-index"}, "--"+evaluation.KnownFlag+", and there is none")
		}
		return err
	}
	r.known.SetCodes(m.Manifest.Codes)
	if err := r.known.Begin(m.Manifest.Labels); err != nil {
		return err
	}
	items := r.input.Items()
	r.classes = make([]int, len(items))
	for i := range items {
		find := r.known.Of
		if items[i].Duration > 0 {
			find = func(stream, name string) (int, bool, error) { return r.known.OfPiece(stream, name, items[i].Offset) }
		}
		class, ok, err := find(items[i].Stream, items[i].Name)
		if err != nil {
			return err
		}
		if r.classes[i] = adapt.Unknown; ok {
			r.classes[i] = class
		}
	}
	notes, err := r.known.Warnings()
	console.Warn(r.c, r.env, notes)
	return err
}

// checkPlaces refuses outputs that would destroy what is read beside the input, or each other.
func (r *classification) checkPlaces() error {
	c := r.c
	read := []files.Place{
		files.At("the state", c.String("state")),
		files.At("the key", c.String("state-key")),
		files.At("the file of settings", c.String("settings")),
		files.At("the file of transitions", c.String("transitions")),
		files.At("the known labels", c.String(evaluation.KnownFlag)),
		files.At("the labels", c.String("labels")),
		files.At("the map of labels", c.String("label-map")),
		files.At("the model", c.String("model")),
	}
	written := []files.Place{files.At("the results", r.path)}
	if files.IsFile(r.path) {
		written = append(written, files.At("the manifest", files.ManifestPath(r.path)))
	}
	return files.KeepApart(read, append(written, r.explained.Places()...))
}

// abandon closes an output that was opened for a run that cannot begin.
func (r *classification) abandon(err error) error {
	if r.output == nil {
		return err
	}
	return errors.Join(err, r.output.Close())
}

func (r *classification) tellDevice() {
	if r.k.config.Device == "auto" && !r.c.Bool("quiet") {
		fmt.Fprintf(r.env.Err, "oatta: runs on %s: %s\n", r.k.predictor.Device(), r.k.reason)
	}
}

func (r *classification) job(s share, record outputRecord) (pipeline.Job, error) {
	all := r.input.Items()
	format, err := results.New(record.Format, results.Options{
		Labels: r.k.model.Manifest.Labels, Vectors: record.Vectors, Top: record.Top, Quoted: record.Quoted,
		Info: r.manifest.Settings.public(), Boxes: detected(r.input), Files: names(all), Pieces: len(all) > 0 && all[0].Duration > 0,
	})
	if err != nil {
		return pipeline.Job{}, err
	}
	load, err := r.input.Loader(inputs.Views(r.k.predictor.Views), r.k.streams(s))
	if err != nil {
		return pipeline.Job{}, err
	}
	if BeforeLoad != nil {
		load = delayed(load)
	}
	job := pipeline.Job{
		Items: all, Load: load, Predictor: r.k.predictor.Any, Streams: r.k.predictor.Streams, Seed: r.k.method.Seed, Kind: r.k.predictor.Kind,
		Filter: r.filter, Known: r.classes, Format: format, Clocks: r.memory.clocks(),
		Batch: s.batch, Loaders: s.loaders, Runners: s.runs, Stop: r.env.Stops.Begin(), Whole: r.observe != nil || r.explained != nil,
	}
	if r.explained != nil {
		job.Trace, job.Ended = r.trace, r.explained.Keep
	}
	return job, r.connect(&job)
}

// trace shows an answer to who explains its stream.
func (r *classification) trace(i int, record *results.Record, s *streams.Result) {
	truth := -1
	if r.truth != nil {
		truth = r.truth.class[i]
	}
	r.explained.Add(s, explain.Step{Raw: record.Raw, Adapted: record.Adapted, Truth: truth, Time: record.Time})
}

// BeforeLoad, if a test sets it, is called before each item is loaded.
var BeforeLoad func()

func delayed(load pipeline.Loader) pipeline.Loader {
	return func(dst []float32, i int, seed uint64) error {
		BeforeLoad()
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

func (r *classification) pipe(job pipeline.Job) (pipeline.Report, error) {
	p := console.NewProgress(r.env.Err, len(job.Items), r.c.Bool("quiet"), r.input.Noun()+"s")
	if r.output == nil && !r.discard && console.IsTerminal(r.env.Out) {
		p.Bar = nil // a bar would run through the results
	}
	defer p.Finish()
	job.Observe = func(i int, record *results.Record) {
		if !record.Failed() && !record.Known() { // what is known says nothing of the predictor
			r.starved.Add(record.Stream, record.Raw)
			r.uniform.Add(record.Raw)
		}
		if r.observe != nil {
			r.observe(i, record)
		}
	}
	job.Progress = p.Add
	if r.output != nil {
		p.ResumeAt(r.output.Done())
	}
	report, err := pipeline.Run(r.c.Context, job)
	return report, filtering.HeldHint(err)
}

func warnGuesses(c *cli.Context, env console.Environment, m *models.Model) {
	if len(m.Guessed) == 0 {
		return
	}
	console.Warn(c, env, []string{fmt.Sprintf("%s has no manifest; guessed from the graph (`oatta models inspect --write` saves it to be corrected):", m.Path)})
	for _, g := range m.Guessed {
		console.Warn(c, env, []string{"  " + g})
	}
}
