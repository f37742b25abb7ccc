package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/internal/pipeline"
)

// evaluation is what `oatta eval --format json` prints.
type evaluation struct {
	what       string      // that was scored; "": pictures
	Settings   runSettings `json:"settings"`
	Items      int         `json:"items"`
	Failures   int         `json:"failures"`
	Unlabelled int         `json:"unlabelled"` // pictures without a label
	Unknown    int         `json:"unknown"`    // pictures whose label is none of the model's
	Complete   bool        `json:"complete"`
	benchmarks.Evaluation
}

// printEvaluation prints the scores of what was done, be it all or not.
func printEvaluation(c *cli.Context, w io.Writer, settings runSettings, report pipeline.Report, t *truth, scores benchmarks.Evaluation) error {
	e := evaluation{
		Settings: settings.public(), Items: report.Items, Failures: report.Failures, Unlabelled: t.unlabelled, Unknown: t.unknown,
		Complete: !report.Stopped, Evaluation: scores,
	}
	if c.String("format") == "json" {
		return writeIndented(w, e)
	}
	return e.print(w)
}

// writeIndented writes JSON for people and programs, with <, > and & of names as they are.
func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (e evaluation) print(w io.Writer) error {
	what := cmp.Or(e.what, "pictures")
	fmt.Fprintf(w, "%d %s scored of %d (%d failed, %d without a label, %d with a label that the model does not have)\n",
		e.Raw.Items, what, e.Items, e.Failures, e.Unlabelled, e.Unknown)
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
	return e.printStreams(w)
}

func (e evaluation) printStreams(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stream\tscored\traw %\tadapted %\tright\twrong\t")
	for _, s := range e.Streams {
		fmt.Fprintf(t, "%q\t%d\t%.2f\t%.2f\t%d\t%d\t\n", s.Stream, s.Raw.Items, 100*s.Raw.Accuracy, 100*s.Adapted.Accuracy, s.Flips.Right, s.Flips.Wrong)
	}
	return t.Flush()
}
