package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/benchmarks/calibration"
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
	Wrote     []string  `json:"wrote"`
	Warnings  []string  `json:"warnings"`
}

// fit makes the report of what was read.
func (r *calibrateRun) fit() (*calibrationReport, error) {
	t := r.truths
	if r.set == nil || r.set.Len() == 0 {
		return nil, r.nothing()
	}
	fit, err := r.set.Fit(calibration.Options{Resamples: r.c.Int("resamples"), Seed: r.c.Uint64("seed")})
	if err != nil {
		return nil, err
	}
	report := &calibrationReport{
		Items: r.items, Failures: r.failures, Unlabelled: t.unlabelled, Unknown: t.unknown, Unused: r.beyond,
		Fit: fit, Classes: r.labels, Counts: r.set.Counts(), Wrote: []string{}, Warnings: []string{},
	}
	if err := r.prior(report); err != nil {
		return nil, err
	}
	report.Auto = report.settings().Temperature
	report.warn(r)
	return report, nil
}

// nothing says why there is nothing to fit.
func (r *calibrateRun) nothing() error {
	switch t := r.truths; {
	case r.items == 0:
		return fmt.Errorf("%s: holds no item", r.name)
	case r.failures == r.items:
		return fmt.Errorf("all of %s failed", number(r.items, "item"))
	case t.unknown > 0:
		return fmt.Errorf("no true label is one of the %d classes: the labels are %s; the classes are %s (--classes names them)",
			len(r.labels), some(t.resolver.strange(), 8), some(r.labels, 8))
	}
	return fmt.Errorf("none of %s has a true label: give --labels FILE or --truth-field NAME", number(r.items, "item"))
}

// prior finds the class prior.
func (r *calibrateRun) prior(report *calibrationReport) (err error) {
	switch {
	case r.counts != nil:
		report.PriorFrom = "counts"
		report.Prior, err = calibration.Prior(r.counts, calibration.Pseudocount)
	case r.c.String("class-prior") == "none":
		report.PriorFrom = "none"
	default:
		report.PriorFrom = "labels"
		report.Prior, err = calibration.Prior(r.set.Counts(), calibration.Pseudocount)
	}
	return err
}

// warn collects what a user should know before the numbers are used.
func (report *calibrationReport) warn(r *calibrateRun) {
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
		say("%s gave the truth a probability under %g, taken as that: no temperature mends a zero in the filter; logits, or more digits, would", number(f.Floored, "item"), calibration.Floor)
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
	if report.Unused > 0 {
		say("%s beyond the first %d did not fit into --max-memory and were not used", number(report.Unused, "labelled item"), r.set.Len())
	}
	if strange := r.truths.resolver.strange(); len(strange) > 0 {
		say("%s a true label that is none of the classes: %s", plural(report.Unknown, "item has", "items have"), some(strange, 8))
	}
	report.warnPrior(say)
}

func (report *calibrationReport) warnPrior(say func(string, ...any)) {
	if report.PriorFrom != "labels" {
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
		say("no item is of %s: their prior is a guess, and the filter divides by it: %s", plural(len(absent), "class", "classes"), some(absent, 8))
	}
}

// print writes the report, and warnings to where warnings go.
func (report *calibrationReport) print(c *cli.Context, env environment) error {
	if c.String("format") == "json" {
		return writeIndented(env.out, report)
	}
	warn(c, env, report.Warnings)
	return report.text(env.out)
}

func (report *calibrationReport) text(w io.Writer) error {
	f := report.Fit
	fmt.Fprintf(w, "%d of %s fitted, of %s (%d failed, %d without a label, %d with a label that is no class, %d unused)\n",
		f.Items, number(report.Items, "item"), number(f.Streams, "stream"), report.Failures, report.Unlabelled, report.Unknown, report.Unused)
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
	if report.Prior != nil {
		err = errors.Join(err, report.printPrior(w))
	}
	for _, file := range report.Wrote {
		fmt.Fprintf(w, "wrote %s\n", file)
	}
	return err
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
