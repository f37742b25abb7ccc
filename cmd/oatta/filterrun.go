package main

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
	"github.com/oatta/oatta/internal/explain"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/streams"
)

// filterRun is one pass over predictions.
type filterRun struct {
	reading
	settings adapt.Settings
	taught   *transitions // of other streams; nil if there are none
	streams  streams.Options
	memory   *filterMemory // of streams from run to run; nil if they are forgotten

	begun time.Time
	bytes int64

	steps, changed, streamCount int

	times timeline.Counts

	starvation *adapt.Starvation // nil until the classes are known
	explained  *explained        // nil if nothing is to be explained

	relabelled bool // told already
	whole      bool // the input came to its end
}

// newFilterRun reads all of the flags, so that what is wrong with them is said before any input is read.
func newFilterRun(c *cli.Context, env environment) (*filterRun, error) {
	in, err := newReading(c, env, "format")
	if err != nil {
		return nil, err
	}
	r := &filterRun{reading: in, begun: time.Now()}
	if r.settings, err = settingsOf(c, nil, 0); err != nil {
		return nil, err
	}
	if err = r.settings.Validate(max(2, len(r.settings.Prior))); err != nil { // how many classes there are, the input will tell
		return nil, err
	}
	if r.taught, err = transitionsOf(c, nil, 0); err != nil {
		return nil, err
	}
	if _, err = r.taught.check(r.settings); err != nil {
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
		r.memory.times = asJSON(r.streams.Times.Settings)
	}
	if r.explained, err = explainedOf(c, r.streams.Mode); err != nil {
		return nil, err
	}
	if err = r.checkPlaces(); err != nil {
		return nil, err
	}
	r.truths, err = readTruths(c.String("labels"))
	return r, err
}

// checkPlaces refuses outputs that would destroy what is read, or each other, or what is there.
func (r *filterRun) checkPlaces() error {
	c, out := r.c, r.c.String("output")
	inputs := []place{
		at("the input", c.Args().First()),
		at("the file of labels", c.String("labels")),
		at("the file of settings", c.String("settings")),
		at("the file of transitions", c.String("transitions")),
		at("the state", c.String("state")),
		at("the key", c.String("state-key")),
	}
	outputs := []place{at("the output", out), at("the scores", c.String("scores"))}
	if isFile(out) {
		outputs = append(outputs, at("the manifest", manifestPath(out)))
	}
	if err := keepApart(inputs, append(outputs, r.explained.places()...)); err != nil {
		return err
	}
	if err := mayReplace(c.String("scores"), c.Bool("overwrite")); err != nil {
		return err
	}
	if !isFile(out) || r.memory != nil {
		return nil
	}
	return mayReplace(manifestPath(out), c.Bool("overwrite"))
}

// refuseForFormat names flags that the format of the input does not know: they would do nothing.
func (r *filterRun) refuseForFormat() error {
	lines := r.format == predictions.FormatJSONLines || r.format == predictions.FormatCSV
	if r.format != predictions.FormatCSV {
		if err := refuse(r.c, []string{"columns", "logits"}, "CSV; JSON lines say `probs` or `logits` themselves"); err != nil {
			return err
		}
	}
	if lines {
		return refuse(r.c, []string{"top", "stream-pattern", "min-conf"}, "MegaDetector and SpeciesNet documents")
	}
	return refuse(r.c, []string{"state"}, "JSON lines and CSV: a document is one piece, and is filtered as one")
}

// streamOptions reads the flags that say how streams are filtered.
func streamOptions(c *cli.Context) (streams.Options, error) {
	o, err := hindsightOf(c, streams.Filtered)
	if o.MaxStreams = c.Int("max-streams"); err == nil && o.MaxStreams < 1 {
		err = fmt.Errorf("--max-streams %d: want at least 1", o.MaxStreams)
	}
	return o, err
}

// begin fixes the classes, at the header or at the first vector, and returns what makes a runner.
func (r *filterRun) begin(classes int, labels []string) error {
	hint := ""
	if labels == nil {
		hint = " (--classes names them)"
		labels = make([]string, classes)
		for i := range labels {
			labels[i] = strconv.Itoa(i)
		}
	}
	if err := r.taught.give(&r.settings, labels); err != nil {
		return fmt.Errorf("%w%s", err, hint)
	}
	warn(r.c, r.env, r.taught.note())
	if err := r.settings.Validate(classes); err != nil {
		return err
	}
	r.classes, r.labels = classes, labels
	r.streams.Classes, r.streams.Settings = classes, r.settings
	r.truths.begin(labels)
	var err error
	if r.starvation, err = adapt.NewStarvation(classes, r.settings); err != nil {
		return err
	}
	return errors.Join(r.explained.begin(labels), r.memory.begin(classes, r.settings))
}

// adapted is what is written for an item, and counts it.
func (r *filterRun) adapted(item *predictions.Item, result streams.Result) predictions.Adapted {
	before, _ := results.Top(item.Probs)
	class := result.Class
	if class < 0 {
		class, _ = results.Top(result.Probs)
	}
	a := predictions.Adapted{Label: r.labels[before], AdaptedLabel: r.labels[class], Probs: result.Probs, Gate: result.Gate, Mode: string(r.streams.Mode)}
	r.items++
	r.steps++
	if before != class {
		r.changed++
	}
	if len(item.Label) > 0 && string(item.Label) != a.Label && !r.relabelled {
		r.relabelled = true // once is enough, and not at the end: in a pipe the truth may be gone by then
		warn(r.c, r.env, []string{fmt.Sprintf("the field label holds %q where the label of the probabilities is %q, which replaces it "+
			"here and in what follows: --classes names the classes, --truth-field label keeps a true label", item.Label, a.Label)})
	}
	r.starvation.Add(result.Stream, item.Probs)
	truth := r.truths.add(item, result.Probs, class)
	r.explained.add(&result, explain.Step{Raw: item.Probs, Adapted: result.Probs, Truth: truth, Time: timeOf(item)})
	return a
}

// close prints scores and the summary, and turns the outcome into an exit code.
func (r *filterRun) close(err error) error {
	if r.steps > 0 {
		err = errors.Join(err, r.printScores())
	}
	said := r.env.err
	if r.c.Bool("quiet") {
		said = io.Discard
	}
	err = errors.Join(err, r.explained.write(said))
	if !r.c.Bool("quiet") && (r.items > 0 || err == nil) {
		r.printSummary()
	}
	if r.rounded > 0 {
		warn(r.c, r.env, []string{r.roundedNote()})
	}
	if r.starvation != nil && r.starvation.Warning() != "" {
		warn(r.c, r.env, []string{r.starvation.Warning()})
	}
	switch {
	case errors.Is(err, streams.ErrStreams):
		err = fmt.Errorf("%w (--max-streams)", err)
	case errors.As(err, new(*streams.OrderError)):
		err = fmt.Errorf("%w (--late keep, drop, reorder or restart goes on)", err)
	case errors.Is(err, streams.ErrHeld):
		err = heldHint(err)
	}
	switch {
	case errors.Is(err, errInterrupted):
		return exit(exitInterrupted, fmt.Errorf("interrupted after %d items", r.items))
	case err != nil && r.steps > 0:
		return exit(exitSome, err)
	case err != nil:
		return err
	case r.failures > 0 && r.steps == 0:
		return exit(exitNothing, fmt.Errorf("all of %d items failed", r.items))
	case r.failures > 0:
		return exit(exitSome, nil)
	}
	return nil
}

func (r *filterRun) printSummary() {
	seconds := time.Since(r.begun).Seconds()
	fmt.Fprintf(r.env.err, "%s in %s: %d failed, %d without a prediction, %s changed by the filter (%s)\n",
		number(r.items, "item"), number(r.streamCount, "stream"), r.failures, r.unpredicted, number(r.changed, "label"), r.streams.Mode)
	printTimes(r.env.err, r.times, r.streams.Times.Policy)
	fmt.Fprintf(r.env.err, "%.0f items and %.1f MB a second: %.2f s\n", float64(r.items)/seconds, float64(r.bytes)/1e6/seconds, seconds)
}
