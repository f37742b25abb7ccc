package evaluation

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/scores"
)

// Report is what `oatta eval --format json` prints.
type Report struct {
	What       string `json:"-"`        // an item is called; "" for item
	Settings   any    `json:"settings"` // of the run
	Items      int    `json:"items"`
	Failures   int    `json:"failures"`
	Unlabelled int    `json:"unlabelled"`      // items without a label
	Unknown    int    `json:"unknown"`         // items whose label is none of the model's
	Known      int    `json:"known,omitempty"` // items whose label the filter was given, and which are not scored
	Complete   bool   `json:"complete"`
	scores.Evaluation
	Intervals *scores.Bootstrap `json:"intervals,omitempty"` // over streams, or what --groups makes of them
}

// Write prints the scores of what was done, be it all or not.
func (e Report) Write(w io.Writer, format string) error {
	if format == "json" {
		return files.WriteIndented(w, e)
	}
	return e.Print(w)
}

// Print writes the scores as text.
func (e Report) Print(w io.Writer) error {
	what := cmp.Or(e.What, "item") + "s"
	known := ""
	if e.Known > 0 {
		known = fmt.Sprintf(", %d whose label the filter was given", e.Known)
	}
	fmt.Fprintf(w, "%d %s scored of %d (%d failed, %d without a label, %d with a label that the model does not have%s)\n",
		e.Raw.Items, what, e.Items, e.Failures, e.Unlabelled, e.Unknown, known)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\traw\tadapted\tchange\t")
	for _, row := range []struct {
		name         string
		raw, adapted float64
	}{
		{"accuracy %", 100 * e.Raw.Accuracy, 100 * e.Adapted.Accuracy},
		{"balanced accuracy %", 100 * e.Raw.BalancedAccuracy, 100 * e.Adapted.BalancedAccuracy},
		{"macro F1 %", 100 * e.Raw.MacroF1, 100 * e.Adapted.MacroF1},
		{"kappa", e.Raw.Kappa, e.Adapted.Kappa},
		{"NLL (nats)", e.Raw.NLL, e.Adapted.NLL},
		{"Brier", e.Raw.Brier, e.Adapted.Brier},
		{"ECE", e.Raw.ECE, e.Adapted.ECE},
	} {
		digits := 4
		if row.raw > 2 || row.adapted > 2 {
			digits = 2
		}
		fmt.Fprintf(t, "%s\t%.*f\t%.*f\t%+.*f\t\n", row.name, digits, row.raw, digits, row.adapted, digits, row.adapted-row.raw)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	f := e.Flips
	fmt.Fprintf(w, "labels flipped: %d right, %d wrong, %d from wrong to wrong; McNemar p = %.3g if %s were independent\n", f.Right, f.Wrong, f.Other, f.P, what)
	if err := e.printIntervals(w); err != nil {
		return err
	}
	if err := e.printClasses(w); err != nil {
		return err
	}
	return e.printStreams(w)
}

// shownIntervals are the metrics that text tells intervals of; JSON has all.
var shownIntervals = map[string]string{"accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "macro_f1": "macro F1"}

// printIntervals says how far another draw of as many streams would move the change.
func (e Report) printIntervals(w io.Writer) error {
	if e.Intervals == nil {
		return nil
	}
	b := e.Intervals
	for _, row := range b.Pooled {
		if name, ok := shownIntervals[row.Metric]; ok {
			c := row.Change
			fmt.Fprintf(w, "%s changed by %+.2f points, %+.2f to %+.2f (%g %% interval, %d drawn anew)\n", name, 100*c.Value, 100*c.Low, 100*c.High, 100*b.Level, b.Streams)
		}
	}
	return nil
}

// classesShown is how many classes are told one by one; JSON has all.
const classesShown = 20

// printClasses shows the F1 of each class, as sleep scorers and movement scientists want it.
func (e Report) printClasses(w io.Writer) error {
	raw := map[string]scores.ClassScores{}
	for _, s := range e.Raw.Classes {
		raw[s.Label] = s
	}
	if len(e.Adapted.Classes) > classesShown {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "class\tscored\traw F1 %\tadapted F1 %\tadapted precision %\tadapted recall %\t")
	for _, a := range e.Adapted.Classes {
		fmt.Fprintf(t, "%q\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t\n", a.Label, a.Support, 100*raw[a.Label].F1, 100*a.F1, 100*a.Precision, 100*a.Recall)
	}
	return t.Flush()
}

func (e Report) printStreams(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stream\tscored\traw %\tadapted %\tright\twrong\t")
	for _, s := range e.Streams {
		fmt.Fprintf(t, "%q\t%d\t%.2f\t%.2f\t%d\t%d\t\n", s.Stream, s.Raw.Items, 100*s.Raw.Accuracy, 100*s.Adapted.Accuracy, s.Flips.Right, s.Flips.Wrong)
	}
	return t.Flush()
}
