package filter

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/cli/predicted"
	"github.com/oatta/oatta/internal/explain"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
)

// job is one pass over predictions.
type job struct {
	predicted.Reading
	settings adapt.Settings
	taught   *filtering.Transitions // of other streams; nil if there are none
	streams  streams.Options
	memory   *filterMemory // of streams from run to run; nil if they are forgotten

	begun time.Time
	bytes int64

	steps, changed, streamCount int

	times timeline.Counts

	starvation *adapt.Starvation      // nil until the classes are known
	explained  *filtering.Explanation // nil if nothing is to be explained
	known      *evaluation.Known      // labels that are certain; nil if there are none

	relabelled bool // told already
	whole      bool // the input came to its end
}

// newJob reads all of the flags, so that what is wrong with them is said before any input is read.
func newJob(c *cli.Context, env console.Environment) (*job, error) {
	in, err := predicted.NewReading(c, env, "format")
	if err != nil {
		return nil, err
	}
	r := &job{Reading: in, begun: time.Now()}
	if r.settings, err = filtering.SettingsOf(c, nil, 0); err != nil {
		return nil, err
	}
	if err = r.settings.Validate(max(2, len(r.settings.Prior))); err != nil { // how many classes there are, the input will tell
		return nil, err
	}
	if r.taught, err = filtering.TransitionsOf(c, nil, 0); err != nil {
		return nil, err
	}
	if _, err = r.taught.Check(r.settings); err != nil {
		return nil, err
	}
	if err = r.refuseForFormat(); err != nil {
		return nil, err
	}
	if r.streams, err = streamOptions(c); err != nil {
		return nil, err
	}
	if r.streams.Times, err = timesOf(c, r.settings.Gate); err != nil {
		return nil, err
	}
	if r.memory, err = memoryOf(c); err != nil {
		return nil, err
	}
	if r.memory != nil {
		r.memory.times = filtering.AsJSON(r.streams.Times.Settings)
	}
	if r.explained, err = filtering.ExplanationOf(c, r.streams.Mode); err != nil {
		return nil, err
	}
	if r.known, err = evaluation.KnownOf(c); err != nil {
		return nil, err
	}
	if err = r.checkPlaces(); err != nil {
		return nil, err
	}
	r.Truths, err = r.ReadTruths()
	return r, err
}

// checkPlaces refuses outputs that would destroy what is read, or each other, or what is there.
func (r *job) checkPlaces() error {
	c, out := r.C, r.C.String("output")
	inputs := []files.Place{
		files.At("the input", c.Args().First()),
		files.At("the file of labels", c.String("labels")),
		files.At("the file of settings", c.String("settings")),
		files.At("the file of transitions", c.String("transitions")),
		files.At("the known labels", c.String(evaluation.KnownFlag)),
		files.At("the state", c.String("state")),
		files.At("the key", c.String("state-key")),
	}
	outputs := []files.Place{files.At("the output", out), files.At("the scores", c.String("scores"))}
	if files.IsFile(out) {
		outputs = append(outputs, files.At("the manifest", files.ManifestPath(out)))
	}
	if err := files.KeepApart(inputs, append(outputs, r.explained.Places()...)); err != nil {
		return err
	}
	if err := files.MayReplace(c.String("scores"), c.Bool("overwrite")); err != nil {
		return err
	}
	if !files.IsFile(out) || r.memory != nil {
		return nil
	}
	return files.MayReplace(files.ManifestPath(out), c.Bool("overwrite"))
}

// refuseForFormat names flags that the format of the input does not know: they would do nothing.
func (r *job) refuseForFormat() error {
	lines := r.Format == predictions.FormatJSONLines || r.Format == predictions.FormatCSV
	if r.Format != predictions.FormatCSV {
		if err := console.Refuse(r.C, []string{"columns", "logits"}, "CSV; JSON lines say `probs` or `logits` themselves"); err != nil {
			return err
		}
	}
	if lines {
		return console.Refuse(r.C, []string{"top", "stream-pattern", "min-conf"}, "MegaDetector and SpeciesNet documents")
	}
	return console.Refuse(r.C, []string{"state"}, "JSON lines and CSV: a document is one piece, and is filtered as one")
}

// streamOptions reads the flags that say how streams are filtered.
func streamOptions(c *cli.Context) (streams.Options, error) {
	o, err := filtering.HindsightOf(c, streams.Filtered)
	if o.MaxStreams = c.Int("max-streams"); err == nil && o.MaxStreams < 1 {
		err = fmt.Errorf("--max-streams %d: want at least 1", o.MaxStreams)
	}
	return o, err
}

// begin fixes the classes, at the header or at the first vector, and returns what makes a runner.
func (r *job) begin(classes int, labels []string) error {
	hint := ""
	if labels == nil {
		hint = " (--classes names them)"
		labels = make([]string, classes)
		for i := range labels {
			labels[i] = strconv.Itoa(i)
		}
	}
	if err := r.taught.Give(&r.settings, labels); err != nil {
		return fmt.Errorf("%w%s", err, hint)
	}
	console.Warn(r.C, r.Env, r.taught.Warning())
	if err := r.settings.Validate(classes); err != nil {
		return err
	}
	r.Classes, r.Labels = classes, labels
	r.streams.Classes, r.streams.Settings = classes, r.settings
	if err := errors.Join(r.known.Begin(labels), r.Truths.Begin(labels)); err != nil {
		return err
	}
	var err error
	if r.starvation, err = adapt.NewStarvation(classes, r.settings); err != nil {
		return err
	}
	return errors.Join(r.explained.Begin(labels), r.memory.begin(classes, r.settings))
}

// adapted is what is written for an item, and counts it.
func (r *job) adapted(item *predictions.Item, result streams.Result) predictions.Adapted {
	before, _ := results.Top(item.Probs)
	class := result.Class
	if class < 0 {
		class, _ = results.Top(result.Probs)
	}
	a := predictions.Adapted{Label: r.Labels[before], AdaptedLabel: r.Labels[class], Probs: result.Probs, Gate: result.Gate, Mode: string(r.streams.Mode)}
	truth := -1
	if result.Known { // says nothing of the predictor, and is no success of the filter
		a.Mode = results.ModeKnown
	} else {
		r.starvation.Add(result.Stream, item.Probs)
		truth = r.Truths.Add(item, before, class, func() (raw, adapted []float64) { return item.Probs, result.Probs })
	}
	r.count(item, a)
	r.explained.Add(&result, explain.Step{Raw: item.Probs, Adapted: result.Probs, Truth: truth, Time: r.TimeAgain(item)})
	return a
}

// count counts an item that was filtered, and warns once of a label that is replaced.
func (r *job) count(item *predictions.Item, a predictions.Adapted) {
	r.Items++
	r.steps++
	if a.Label != a.AdaptedLabel && a.Mode != results.ModeKnown {
		r.changed++
	}
	if len(item.Label) > 0 && string(item.Label) != a.Label && !r.relabelled {
		r.relabelled = true // once is enough, and not at the end: in a pipe the truth may be gone by then
		console.Warn(r.C, r.Env, []string{fmt.Sprintf("the field label holds %q where the label of the probabilities is %q, which replaces it "+
			"here and in what follows: --classes names the classes, --truth-field label keeps a true label", item.Label, a.Label)})
	}
}

// close prints scores and the summary, and turns the outcome into an exit code.
func (r *job) close(err error) error {
	if r.steps > 0 {
		err = errors.Join(err, r.printScores())
	}
	said := r.Env.Err
	if r.C.Bool("quiet") {
		said = io.Discard
	}
	err = errors.Join(err, r.explained.Write(said), r.tellKnown())
	if !r.C.Bool("quiet") && (r.Items > 0 || err == nil) {
		r.printSummary()
	}
	console.Warn(r.C, r.Env, r.TimeNotes())
	if n := r.times.Mixed; n > 0 {
		console.Warn(r.C, r.Env, []string{fmt.Sprintf("times with a zone among some without in %s, which go by the clock on the wall from the first one that differs on", console.Number(n, "stream"))})
	}
	if r.Rounded > 0 {
		console.Warn(r.C, r.Env, []string{r.RoundedNote()})
	}
	if r.starvation != nil && r.starvation.Warning() != "" {
		console.Warn(r.C, r.Env, []string{r.starvation.Warning()})
	}
	switch {
	case errors.Is(err, streams.ErrStreams):
		err = fmt.Errorf("%w (--max-streams)", err)
	case errors.As(err, new(*streams.OrderError)):
		err = fmt.Errorf("%w (--late keep, drop, reorder or restart goes on)", err)
	case errors.Is(err, streams.ErrHeld):
		err = filtering.HeldHint(err)
	}
	switch {
	case errors.Is(err, predicted.ErrInterrupted):
		return console.Exit(console.Interrupted, fmt.Errorf("interrupted after %d items", r.Items))
	case err != nil && r.whole && r.steps > 0:
		return console.Exit(console.Partial, err)
	case err != nil && r.steps > 0:
		return console.Exit(console.Unfinished, err)
	case err != nil:
		return err
	case r.Failures > 0 && r.steps == 0:
		return console.Exit(console.Nothing, fmt.Errorf("all of %d items failed", r.Items))
	case r.Items == r.Unpredicted && r.memory == nil: // an input that grows may have nothing new
		return console.Exit(console.Nothing, fmt.Errorf("nothing was filtered: %s, and none has a prediction", console.Number(r.Items, "item")))
	case r.Failures > 0:
		return console.Exit(console.Partial, nil)
	}
	return nil
}

// labelOf returns the label of an item that is known for certain, if it is. Where none are given, as in most runs, nothing is looked up.
func (r *job) labelOf(item *predictions.Item) (class int, known bool, err error) {
	if r.known == nil {
		return 0, false, nil
	}
	return r.known.Of(string(item.Stream), string(item.ID))
}

// tellKnown tells, of an input that was read to its end, which known labels are of none of its items.
func (r *job) tellKnown() error {
	if !r.whole {
		return nil
	}
	notes, err := r.known.Warnings()
	console.Warn(r.C, r.Env, notes)
	return err
}

func (r *job) printSummary() {
	seconds := time.Since(r.begun).Seconds()
	known := ""
	if n := r.known.Found(); n > 0 {
		known = fmt.Sprintf(", %s known", console.Number(n, "label"))
	}
	fmt.Fprintf(r.Env.Err, "%s in %s: %d failed, %d without a prediction, %s changed by the filter (%s)%s\n",
		console.Number(r.Items, "item"), console.Number(r.streamCount, "stream"), r.Failures, r.Unpredicted, console.Number(r.changed, "label"), r.streams.Mode, known)
	filtering.PrintTimes(r.Env.Err, r.times, r.streams.Times.Policy)
	fmt.Fprintf(r.Env.Err, "%.0f items and %.1f MB a second: %.2f s\n", float64(r.Items)/seconds, float64(r.bytes)/1e6/seconds, seconds)
}
