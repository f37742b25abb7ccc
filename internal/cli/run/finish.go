package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
	"github.com/oatta/oatta/internal/pipeline"
)

// close writes the last manifest and the summary, declares the output complete if it is, and turns the report into an exit code.
func (r *classification) close(report pipeline.Report, listed time.Duration, err error) error {
	sum := newSummary(report, listed, r.input, r.filter.Mode)
	sum.known = r.known.Found()
	ended := err == nil && !report.Stopped
	if r.output != nil {
		now := time.Now().UTC()
		r.manifest.Finished, r.manifest.Summary, r.manifest.Complete, r.manifest.Warnings = &now, sum, ended, slices.Concat(r.input.Warnings(), r.doubts())
		err = errors.Join(err, r.manifest.write(r.path))
	}
	if r.scores != nil && err == nil { // what broke off in the middle would look like the whole
		err = r.scores(report)
	}
	if ended && err == nil {
		said := r.env.Err
		if r.c.Bool("quiet") {
			said = io.Discard
		}
		err = errors.Join(r.explained.Write(said), r.memory.commit())
	}
	finished := ended && (r.output == nil || err == nil)
	if r.output != nil {
		if ended && err == nil {
			err = r.output.Finish()
		}
		err = errors.Join(err, r.output.Close())
	}
	if !r.c.Bool("quiet") {
		sum.print(r.env.Err)
		filtering.PrintTimes(r.env.Err, report.Times, timeline.PolicyKeep)
	}
	console.Warn(r.c, r.env, r.input.Warnings()[r.told:])
	console.Warn(r.c, r.env, r.doubts())
	return r.exit(report, finished, err)
}

// doubts are what the predictions of this run give reason to say of the classifier: that it claims more than it knows, or that nothing reached it.
func (r *classification) doubts() (out []string) {
	for _, w := range []string{r.starved.Warning(), r.uniform.Warning()} {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// exit turns the outcome into an exit code; ended: all items are done, and the output is complete.
func (r *classification) exit(report pipeline.Report, ended bool, err error) error {
	done := report.Items > report.Failures
	if err != nil && r.output != nil && report.Items > 0 {
		err = fmt.Errorf("%w\n%s are done; the same command with --resume continues", err, console.Number(report.Items, r.input.Noun()))
	}
	switch {
	case report.Stopped && (err == nil || errors.Is(err, context.Canceled)):
		return console.Exit(console.Interrupted, r.stopped(report))
	case err != nil && ended:
		return console.Exit(console.Partial, err)
	case err != nil && (done || r.output != nil && report.Items > 0):
		return console.Exit(console.Unfinished, err)
	case err != nil:
		return err
	case !done:
		return fmt.Errorf("%s failed", console.Number(report.Items, r.input.Noun()))
	case report.Failures > 0:
		return console.Exit(console.Partial, nil)
	}
	return nil
}

func (r *classification) stopped(report pipeline.Report) error {
	hint := ""
	if r.output != nil {
		hint = "; the same command with --resume continues"
	}
	return fmt.Errorf("stopped after %d of %s%s", report.Items, console.Number(r.manifest.Settings.Items, r.input.Noun()), hint)
}
