package main

import (
	"errors"
	"fmt"
)

// printScores prints what the truth says, if there is any: to standard output unless that is the output.
func (r *filterRun) printScores() error {
	t, labels := r.truths, r.labels
	if unknown := t.resolver.unknown(); len(unknown) > 0 {
		fmt.Fprintf(r.env.err, "oatta: %d true labels are none of the %d classes: %s; the classes are %s (--classes names them)\n",
			len(unknown), len(labels), some(unknown, 8), some(labels, 8))
	}
	if t.scored == 0 {
		if t.table != nil || r.c.IsSet("truth-field") || r.c.IsSet("scores") {
			return errors.New("no item has a true label that is one of the classes: nothing to score")
		}
		return nil
	}
	e := evaluation{
		Items: r.items, Failures: r.failures, Unlabelled: t.unlabelled, Unknown: t.unknown,
		Complete: r.whole, Evaluation: t.comparison.Evaluate(labels),
	}
	if path := r.c.String("scores"); path != "" {
		if err := replaceJSON(path, e.Evaluation); err != nil {
			return err
		}
	}
	w := r.env.out
	if o := r.c.String("output"); o == "-" || o == "" {
		w = r.env.err
	}
	return e.print(w)
}
