package filter

import (
	"errors"
	"fmt"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/files"
)

// printScores prints what the truth says, if there is any: to standard output unless that is the output.
func (r *job) printScores() error {
	t, labels := r.Truths, r.Labels
	asked := t.Table != nil || r.C.IsSet("truth-field") || r.C.IsSet("scores")
	switch {
	case t.Err != nil && asked:
		return fmt.Errorf("nothing is scored: %w", t.Err)
	case t.Err != nil:
		console.Warn(r.C, r.Env, []string{fmt.Sprintf("nothing is scored: %v", t.Err)})
		return nil
	}
	console.Warn(r.C, r.Env, t.Notes())
	if unknown := t.Resolver.Unknown(); len(unknown) > 0 {
		fmt.Fprintf(r.Env.Err, "oatta: %d true labels are none of the %d classes: %s; the classes are %s (--classes names them)\n",
			len(unknown), len(labels), console.Some(unknown, 8), console.Some(labels, 8))
	}
	if t.Scored == 0 {
		if asked {
			return errors.New("no item has a true label that is one of the classes: nothing to score")
		}
		return nil
	}
	e := evaluation.Report{
		Items: r.Items, Failures: r.Failures, Unlabelled: t.Unlabelled, Unknown: t.Unknown, Known: r.known.Found(),
		Complete: r.whole, Evaluation: t.Comparison.Evaluate(labels),
	}
	if path := r.C.String("scores"); path != "" {
		if err := files.ReplaceJSON(path, e.Evaluation); err != nil {
			return err
		}
	}
	w := r.Env.Out
	if o := r.C.String("output"); o == "-" || o == "" {
		w = r.Env.Err
	}
	return e.Print(w)
}
