package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/population"
	"github.com/oatta/oatta/internal/calibration"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
)

// calibrationReport is what `oatta calibrate --format json` prints.
type calibrationReport struct {
	Items      int             `json:"items"` // of the input, failed ones included
	Failures   int             `json:"failures"`
	Unlabelled int             `json:"unlabelled"`
	Unknown    int             `json:"unknown"` // with a label that is none of the classes
	Unused     int             `json:"unused"`  // beyond --max-memory
	Fit        calibration.Fit `json:"fit"`
	// Auto is the temperature to give to the gate auto, which tries hotter ones besides; the paper's gates take that of the fit.
	Auto      float64   `json:"auto_temperature"`
	Classes   []string  `json:"classes"`
	Counts    []int     `json:"counts"`          // labelled items of each class
	Prior     []float64 `json:"prior,omitempty"` // of each class
	PriorFrom string    `json:"prior_from"`      // labels, counts or none
	// PriorUsed tells whether settings and manifest get the prior: always for the paper's gates, for auto where the streams held out gain.
	PriorUsed   bool                 `json:"prior_used"`
	Transitions *TransitionsReport   `json:"transitions,omitempty"`
	HeldOut     *calibration.HeldOut `json:"held_out,omitempty"` // none where there are not two streams
	Wrote       []string             `json:"wrote"`
	Warnings    []string             `json:"warnings"`

	order *population.Order // nil if there is none
	gate  adapt.Gate
}

// TransitionsReport sums up what the file of transitions tells.
type TransitionsReport struct {
	Streams int     `json:"streams"`
	Items   int     `json:"items"`
	Pairs   int     `json:"pairs"`
	Stay    float64 `json:"stay"` // mean of the diagonal over the class frequencies
	Rhythm  float64 `json:"rhythm_seconds,omitempty"`
	Used    bool    `json:"used"` // a manifest gets them: the streams held out gain
}

// fit makes the report of what was read.
func (r *job) fit() (*calibrationReport, error) {
	t := r.Truths
	if r.recordings == nil || r.recordings.Set().Len() == 0 {
		return nil, r.nothing()
	}
	set := r.recordings.Set()
	fit, err := set.Fit(calibration.Options{Resamples: r.C.Int("resamples"), Seed: r.C.Uint64("seed")})
	if err != nil {
		return nil, err
	}
	report := &calibrationReport{
		Items: r.Items, Failures: r.Failures, Unlabelled: t.Unlabelled, Unknown: t.Unknown, Unused: r.beyond,
		Fit: fit, Classes: r.Labels, Counts: set.Counts(), Wrote: []string{}, Warnings: []string{}, gate: r.gate,
		Auto: adapt.Settings{}.Calibrated(fit.Temperature).Temperature,
	}
	if err := r.prior(report); err != nil {
		return nil, err
	}
	r.transitions(report)
	if report.HeldOut, err = r.recordings.HeldOut(calibration.HeldOutOptions{
		Settings: adapt.Settings{Temperature: report.Auto}, Counts: r.counts, Stop: r.Stop,
	}); err != nil {
		return nil, err
	}
	report.decide()
	report.warn(r)
	return report, nil
}

// nothing says why there is nothing to fit.
func (r *job) nothing() error {
	switch t := r.Truths; {
	case r.Items == 0:
		return fmt.Errorf("%s: holds no item", r.Name)
	case r.Failures == r.Items:
		return fmt.Errorf("all of %s failed", console.Number(r.Items, "item"))
	case t.Unknown > 0:
		return fmt.Errorf("no true label is one of the %d classes: the labels are %s; the classes are %s (--classes names them)",
			len(r.Labels), console.Some(t.Resolver.Unknown(), 8), console.Some(r.Labels, 8))
	}
	return fmt.Errorf("none of %s has a true label: give --labels FILE or --truth-field NAME", console.Number(r.Items, "item"))
}

// prior finds the class prior.
func (r *job) prior(report *calibrationReport) (err error) {
	switch {
	case r.counts != nil:
		report.PriorFrom = "counts"
		report.Prior, err = calibration.Prior(r.counts, calibration.Pseudocount)
	case r.C.String("class-prior") == "none":
		report.PriorFrom = "none"
	default:
		report.PriorFrom = "labels"
		report.Prior, err = calibration.Prior(r.recordings.Set().Counts(), calibration.Pseudocount)
	}
	return err
}

// transitions learns the order of the classes.
func (r *job) transitions(report *calibrationReport) {
	counts := r.recordings.Counts()
	if counts == nil {
		return
	}
	o, err := counts.Order(r.Labels)
	if err != nil { // of two classes with one name, which only transitions cannot do with
		report.Warnings = append(report.Warnings, err.Error())
		return
	}
	report.order = o
	report.Transitions = &TransitionsReport{Streams: o.Streams, Items: o.Items, Pairs: o.Pairs, Rhythm: o.Rhythm}
	for k, f := range o.Frequencies {
		report.Transitions.Stay += f * o.Transitions[k][k]
	}
}

// decide settles what auto gets, by the streams held out.
func (report *calibrationReport) decide() {
	h := report.HeldOut
	if h == nil {
		h = &calibration.HeldOut{}
	}
	report.PriorUsed = report.Prior != nil && (report.gate != adapt.GateAuto || h.Prior.Sure())
	if report.Transitions != nil {
		report.Transitions.Used = h.Transitions.Sure() && len(report.Classes) <= manifestClasses
	}
}

// manifestClasses is up to how many classes a manifest has room for transitions.
const manifestClasses = 1024

// warn collects what a user should know before the numbers are used.
func (report *calibrationReport) warn(r *job) {
	say := func(format string, args ...any) {
		report.Warnings = append(report.Warnings, fmt.Sprintf(format, args...))
	}
	f := report.Fit
	switch f.Bound {
	case "lower":
		say("the temperature is at its lower bound, %g: all predictions are right, or nearly, and the loss falls as they are made surer; that is no calibration", f.Temperature)
	case "upper":
		say("the temperature is at its upper bound, %g: the predictions are no better than chance; do the labels and the classes belong together?", f.Temperature)
	}
	if f.Floored > 0 {
		say("%s gave the truth a probability under %g, taken as that: no temperature mends a zero in the filter; logits, or more digits, would", console.Number(f.Floored, "item"), calibration.Floor)
	}
	if f.Bound == "" && f.Low <= 1 && f.High >= 1 {
		say("1 lies in the interval of the temperature: the predictions may be left as they are")
	}
	switch {
	case f.Unit == "items":
		say("all items are of one stream: the interval takes them for independent, and is too narrow")
	case f.Streams < 10:
		say("the interval rests on %d streams only", f.Streams)
	}
	for _, note := range r.TimeNotes() {
		say("%s", note)
	}
	if r.Rounded > 0 {
		say("%s", r.RoundedNote())
	}
	if report.Unused > 0 {
		say("%s beyond the first %d did not fit into --max-memory and were not used", console.Number(report.Unused, "labelled item"), r.recordings.Len())
	}
	for _, note := range r.Truths.Notes() {
		say("%s", note)
	}
	if unknown := r.Truths.Resolver.Unknown(); len(unknown) > 0 {
		say("%s a true label that is none of the classes: %s", plural(report.Unknown, "item has", "items have"), console.Some(unknown, 8))
	}
	report.warnPrior(say)
	report.warnTransitions(r, say)
}

// few is how many streams there must be for what they teach not to be the habits of some.
const few = 5

func (report *calibrationReport) warnTransitions(r *job, say func(string, ...any)) {
	t := report.Transitions
	written := r.C.String("transitions-out") != "" || r.target != nil && t != nil && t.Used
	if written && t != nil && t.Streams < few {
		say("the transitions are of %s only: they tell habits of those", console.Number(t.Streams, "stream"))
	}
	if r.target != nil && len(report.Classes) > manifestClasses {
		say("a manifest has room for the transitions of %d classes at most: --transitions-out writes these", manifestClasses)
	}
	if r.target != nil && r.target.had.Prior != nil && !report.PriorUsed {
		say("the manifest keeps the prior that it had")
	}
	if r.target != nil && r.target.had.Transitions != nil && (t == nil || !t.Used) {
		say("the manifest keeps the transitions that it had")
	}
	if report.HeldOut == nil {
		say("there are no two streams with labels, one to learn from and one to try it on: auto gets no prior, and a manifest no transitions")
	}
}

func (report *calibrationReport) warnPrior(say func(string, ...any)) {
	if report.PriorFrom != "labels" || !report.PriorUsed {
		return
	}
	say("the prior is the class frequencies of these labels: right only if the training data had the same; --class-prior takes their counts, or none")
	var absent []string
	for k, n := range report.Counts {
		if n == 0 {
			absent = append(absent, report.Classes[k])
		}
	}
	if len(absent) > 0 {
		say("no item is of %s: their prior is a guess, and the paper's gates divide by it: %s", plural(len(absent), "class", "classes"), console.Some(absent, 8))
	}
}

// print writes the report, and warnings to where warnings go.
func (report *calibrationReport) print(c *cli.Context, env console.Environment) error {
	if c.String("format") == "json" {
		return files.WriteIndented(env.Out, report)
	}
	console.Warn(c, env, report.Warnings)
	return report.text(env.Out)
}

func (report *calibrationReport) text(w io.Writer) error {
	f := report.Fit
	fmt.Fprintf(w, "%d of %s fitted, of %s (%d failed, %d without a label, %d with a label that is no class, %d unused)\n",
		f.Items, console.Number(report.Items, "item"), console.Number(f.Streams, "stream"), report.Failures, report.Unlabelled, report.Unknown, report.Unused)
	fmt.Fprintf(w, "temperature %.4g, 95 %% interval %.4g to %.4g (bootstrap over %s), accuracy %.2f %%\n",
		f.Temperature, f.Low, f.High, f.Unit, 100*f.Before.Accuracy)
	fmt.Fprintf(w, "for the filter: --temperature %.4g with the gate auto, which tries hotter ones besides; %.4g with the paper's\n\n", report.Auto, f.Temperature)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tbefore\tafter\tchange\t")
	for _, row := range []struct {
		name          string
		before, after float64
	}{
		{"NLL (nats)", f.Before.NLL, f.After.NLL},
		{"ECE, equal width", f.Before.ECE, f.After.ECE},
		{"ECE, equal mass", f.Before.ECEMass, f.After.ECEMass},
	} {
		fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%+.4f\t\n", row.name, row.before, row.after, row.after-row.before)
	}
	err := t.Flush()
	report.printHeldOut(w)
	if report.Prior != nil {
		err = errors.Join(err, report.printPrior(w))
	}
	for _, file := range report.Wrote {
		fmt.Fprintf(w, "wrote %s\n", file)
	}
	return err
}

// printHeldOut says what the filter gains by prior and transitions, and what becomes of them.
func (report *calibrationReport) printHeldOut(w io.Writer) {
	if t := report.Transitions; t != nil {
		rhythm := "no rhythm, as items have no times"
		if t.Rhythm > 0 {
			rhythm = fmt.Sprintf("rhythm %.4g s", t.Rhythm)
		}
		fmt.Fprintf(w, "\ntransitions of %s (%d pairs): stay %.3f on average, %s\n", console.Number(t.Streams, "stream"), t.Pairs, t.Stay, rhythm)
	}
	h := report.HeldOut
	if h == nil {
		return
	}
	fmt.Fprintf(w, "%s of %s filtered by auto, held out in %d folds: NLL %.4f nats, accuracy %.2f %%\n", console.Number(h.Items, "item"), console.Number(h.Streams, "stream"), h.Folds, h.NLL, 100*h.Accuracy)
	for _, row := range []struct {
		name string
		gain *calibration.Gain
		used bool
		what string
	}{
		{"class prior", h.Prior, report.PriorUsed, "settings and manifest"},
		{"transitions", h.Transitions, report.Transitions != nil && report.Transitions.Used, "a manifest"},
	} {
		if row.gain == nil {
			continue
		}
		verdict := "not for " + row.what
		if row.used {
			verdict = "for " + row.what
		}
		fmt.Fprintf(w, "  with the %s of the others: %+.4f nats an item (%+.4f to %+.4f), %+.2f points: %s\n",
			row.name, row.gain.Nats, row.gain.Low, row.gain.High, 100*row.gain.Accuracy, verdict)
	}
}

// printPrior lists the classes, the most frequent first; of many only the first and how far they go.
func (report *calibrationReport) printPrior(w io.Writer) error {
	order := make([]int, len(report.Prior))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(report.Prior[b], report.Prior[a]) })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\nclass\titems\tprior (%s)\t\n", report.PriorFrom)
	const most = 20
	for _, k := range order[:min(most, len(order))] {
		fmt.Fprintf(t, "%q\t%d\t%.4g\t\n", report.Classes[k], report.Counts[k], report.Prior[k])
	}
	err := t.Flush()
	if more := len(order) - most; more > 0 {
		fmt.Fprintf(w, "and %d more, down to %.4g\n", more, report.Prior[order[len(order)-1]])
	}
	return err
}

func plural(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}
