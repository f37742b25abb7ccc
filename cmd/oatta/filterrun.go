package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/datasets/predictions"
	"github.com/oatta/oatta/internal/results"
)

// filterRun is one pass over predictions.
type filterRun struct {
	c        *cli.Context
	env      environment
	stop     <-chan struct{} // closed at an interrupt
	name     string          // of the input, for messages
	format   predictions.Format
	options  predictions.Options
	settings adapt.Settings
	truths   *itemTruths
	stopAt   bool // the first failure

	classes int // 0: the first vector will tell
	labels  []string
	streams map[string]*adapt.Filter
	adapted []float64
	begun   time.Time
	bytes   int64

	items, steps, failures, unpredicted, changed, streamCount int

	stream     string // of the document's last step
	relabelled bool   // told already
	whole      bool   // the input came to its end
}

// newFilterRun reads all of the flags, so that what is wrong with them is said before any input is read.
func newFilterRun(c *cli.Context, env environment) (*filterRun, error) {
	if c.NArg() != 1 {
		return nil, fmt.Errorf("filter: %d inputs: want one file, or - for standard input", c.NArg())
	}
	r := &filterRun{c: c, env: env, name: c.Args().First(), streams: map[string]*adapt.Filter{}, begun: time.Now()}
	if r.name == "-" {
		r.name = "standard input"
	}
	switch c.String("on-error") {
	case "stop":
		r.stopAt = true
	case "skip":
	default:
		return nil, fmt.Errorf("--on-error %q: want skip or stop", c.String("on-error"))
	}
	if c.Int("max-streams") < 1 {
		return nil, fmt.Errorf("--max-streams %d: want at least 1", c.Int("max-streams"))
	}
	var err error
	if r.format, err = predictionFormat(c); err != nil {
		return nil, err
	}
	if r.options, err = predictionOptions(c); err != nil {
		return nil, err
	}
	if r.settings, err = settingsOf(c); err != nil {
		return nil, err
	}
	r.truths, err = readTruths(c.String("labels"))
	return r, err
}

// begin fixes the classes, at the header or at the first vector.
func (r *filterRun) begin(classes int, labels []string) error {
	if err := r.settings.Validate(classes); err != nil {
		return err
	}
	if labels == nil {
		labels = make([]string, classes)
		for i := range labels {
			labels[i] = strconv.Itoa(i)
		}
	}
	r.classes, r.labels, r.adapted = classes, labels, make([]float64, classes)
	r.truths.begin(labels)
	return nil
}

// fatal is an error that no later line can mend.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

// lines passes one line after another.
func (r *filterRun) lines(in predictions.Lines, from *predictionInput, out *predictionOutput) error {
	if out.zip == nil { // flushing in the middle would spoil compression
		from.idle = out.Flush
	}
	labels, err := in.Begin()
	if err == nil && labels != nil {
		err = r.begin(len(labels), labels)
	}
	if err != nil {
		return err
	}
	line := in.Head(nil)
	for err == nil {
		if _, err = out.Write(line); err == nil {
			line, err = r.line(line[:0], in, out)
		}
	}
	if err == io.EOF {
		r.whole, err = true, nil
	}
	return err
}

// line reads one line and appends it with its adapted values. One that has none is written as it is. io.EOF is the end.
func (r *filterRun) line(dst []byte, in predictions.Lines, out io.Writer) ([]byte, error) {
	item, err := in.Next()
	var bad *predictions.LineError
	if err != nil && !errors.As(err, &bad) {
		return dst, err
	}
	var a predictions.Adapted
	step := false
	if err == nil {
		if a, step, err = r.item(item); err != nil {
			err = &predictions.LineError{Name: r.name, Line: in.Line(), Err: err}
		}
	}
	if err = r.failed(err); err != nil {
		return dst, err
	}
	if step {
		return in.Append(dst, a), nil
	}
	return dst, in.Unchanged(out)
}

// failed counts and names a failure. It returns an error that ends the run.
func (r *filterRun) failed(err error) error {
	if err == nil {
		return nil
	}
	r.failures++
	r.items++
	var end fatal
	if r.stopAt || errors.As(err, &end) || errors.Is(err, predictions.ErrNeedsClasses) {
		return err
	}
	if most := r.c.Int("max-messages"); most == 0 || r.failures <= most {
		fmt.Fprintf(r.env.err, "oatta: %v\n", err)
	} else if r.failures == most+1 {
		fmt.Fprintln(r.env.err, "oatta: further failures are counted and not named (--max-messages)")
	}
	return nil
}

// item makes one step with the filter of the item's stream. step is false for an item that has no probabilities.
func (r *filterRun) item(item *predictions.Item) (a predictions.Adapted, step bool, err error) {
	switch {
	case item.Blank:
		return a, false, nil
	case item.Probs == nil:
		r.items++
		r.unpredicted++
		return a, false, nil
	}
	classes := r.classes
	if classes == 0 {
		classes = len(item.Probs)
	}
	if err := adapt.Check(item.Probs, classes); err != nil {
		return a, false, err
	}
	if r.classes == 0 {
		if err := r.begin(classes, nil); err != nil {
			return a, false, fatal{err}
		}
	}
	f, err := r.filterOf(item.Stream)
	if err != nil {
		return a, false, fatal{err}
	}
	return r.step(f, item), true, nil
}

// step passes the probabilities through the filter and counts.
func (r *filterRun) step(f *adapt.Filter, item *predictions.Item) predictions.Adapted {
	d := f.Step(r.adapted, item.Probs)
	before, _ := results.Top(item.Probs)
	after, _ := results.Top(r.adapted)
	a := predictions.Adapted{Label: r.labels[before], AdaptedLabel: r.labels[after], Probs: r.adapted, Gate: d.Gate}
	r.items++
	r.steps++
	if before != after {
		r.changed++
	}
	if len(item.Label) > 0 && string(item.Label) != a.Label && !r.relabelled {
		r.relabelled = true // once is enough, and not at the end: in a pipe the truth may be gone by then
		warn(r.c, r.env, []string{fmt.Sprintf("the field label holds %q where the label of the probabilities is %q, which replaces it "+
			"here and in what follows: --classes names the classes, --truth-field label keeps a true label", item.Label, a.Label)})
	}
	r.truths.add(item, r.adapted)
	return a
}

// filterOf returns the filter of a stream, a new one at its first item.
func (r *filterRun) filterOf(stream []byte) (*adapt.Filter, error) {
	if f := r.streams[string(stream)]; f != nil {
		return f, nil
	}
	if most := r.c.Int("max-streams"); len(r.streams) >= most {
		return nil, fmt.Errorf("stream %q would be one more than --max-streams %d allows; each keeps a filter in memory", stream, most)
	}
	f, err := adapt.New(r.classes, r.settings)
	if err == nil {
		r.streams[string(stream)] = f
		r.streamCount++
	}
	return f, err
}

// document passes the items of a document, stream by stream with one filter.
func (r *filterRun) document(from *predictionInput, out *predictionOutput) error {
	d, err := predictions.ReadDocument(r.name, from, r.format, r.options)
	if err != nil {
		return err
	}
	var f *adapt.Filter
	if len(d.Classes()) > 0 {
		if err := r.begin(len(d.Classes()), d.Classes()); err != nil {
			return err
		}
		if f, err = adapt.New(r.classes, r.settings); err != nil {
			return err
		}
	}
	probs := make([]float64, r.classes)
	for i := range d.Len() {
		select {
		case <-r.stop:
			return errInterrupted
		default:
		}
		if err := r.failed(r.documentItem(d, i, f, probs)); err != nil {
			return err
		}
	}
	r.whole = true
	_, err = d.WriteTo(out)
	return err
}

// documentItem makes the step of item i. The filter starts anew where another stream begins.
func (r *filterRun) documentItem(d *predictions.Document, i int, f *adapt.Filter, probs []float64) error {
	item, err := d.Item(i, probs)
	if err != nil {
		return err
	}
	if item.Probs == nil {
		r.items++
		r.unpredicted++
		return nil
	}
	if err := adapt.Check(probs, r.classes); err != nil {
		return d.Fail(i, err)
	}
	if r.streamCount == 0 || string(item.Stream) != r.stream {
		f.Reset()
		r.stream = string(item.Stream)
		r.streamCount++
	}
	d.Adapt(i, r.step(f, &item))
	return nil
}

// close prints scores and the summary, and turns the outcome into an exit code.
func (r *filterRun) close(err error) error {
	if r.steps > 0 {
		err = errors.Join(err, r.printScores())
	}
	if !r.c.Bool("quiet") && (r.items > 0 || err == nil) {
		r.printSummary()
	}
	switch {
	case errors.Is(err, errInterrupted):
		return exitError{fmt.Errorf("interrupted after %d items", r.items), exitInterrupted}
	case err != nil && r.steps > 0:
		return exitError{err, exitSome}
	case err != nil:
		return err
	case r.failures > 0 && r.steps == 0:
		return exitError{fmt.Errorf("all of %d items failed", r.items), exitNothing}
	case r.failures > 0:
		return exitError{nil, exitSome}
	}
	return nil
}

func (r *filterRun) printSummary() {
	seconds := time.Since(r.begun).Seconds()
	fmt.Fprintf(r.env.err, "%s in %s: %d failed, %d without a prediction, %s changed by the filter\n",
		number(r.items, "item"), number(r.streamCount, "stream"), r.failures, r.unpredicted, number(r.changed, "label"))
	fmt.Fprintf(r.env.err, "%.0f items and %.1f MB a second: %.2f s\n", float64(r.items)/seconds, float64(r.bytes)/1e6/seconds, seconds)
}
