package run

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/reading"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/internal/scores"
	"github.com/oatta/oatta/models"
)

// evalFlags are those of every eval command.
func evalFlags() []cli.Flag {
	return slices.Concat(evaluation.Flags(console.TruthCategory), []cli.Flag{
		&cli.StringFlag{Name: "groups", Category: console.TruthCategory, Usage: "`REGEXP` on the stream whose first group names who it is of, as '^SC4(..)': scores and intervals are then of people, cameras or places (default: of streams)"},
		&cli.StringFlag{Name: "format", Value: "text", Category: console.OutputCategory, Usage: "of the scores: text or json"},
		&cli.StringFlag{Name: "predictions", Category: console.OutputCategory, Usage: "`FILE` for the result of each item, as the output of run"},
	})
}

// labelFlags name a table of true labels, of every eval but that of pictures, which has a flag of its own.
func labelFlags() []cli.Flag {
	return []cli.Flag{reading.LabelsFlag("labels")}
}

// evaluate runs the input and scores what comes out against the labels of labelled: the same input, whose labels may be of a table.
func evaluate(c *cli.Context, env console.Environment, m *models.Model, in, labelled inputs.Input, listed time.Duration) error {
	options, err := evaluation.OptionsOf(c)
	if err != nil {
		return err
	}
	group, err := groups(c)
	if err != nil {
		return err
	}
	options.Codes = m.Manifest.Codes
	truth, err := resolveTruth(labelled, m.Manifest.Labels, options)
	if err != nil {
		return err
	}
	console.Warn(c, env, in.Warnings())
	if truth.unlabelled == len(truth.class) {
		return noLabel(in)
	}
	console.Warn(c, env, truth.warnings)
	warnGuesses(c, env, m)

	comparison := scores.NewComparison(len(m.Manifest.Labels))
	r := &classification{c: c, env: env, input: in, path: c.String("predictions"), discard: c.String("predictions") == "", eval: true, truth: truth}
	known := 0
	r.observe = func(i int, record *results.Record) {
		if record.Known() { // was told the truth
			known++
			return
		}
		if truth.class[i] >= 0 && !record.Failed() {
			after, _ := record.Label()
			comparison.AddLabel(record.Stream, truth.class[i], after, record.Raw, record.Adapted)
		}
	}
	r.scores = func(report pipeline.Report) error {
		measured := group(comparison).Evaluate(m.Manifest.Labels)
		if measured.Raw.Items == 0 && !report.Stopped && known > 0 {
			return fmt.Errorf("nothing was scored: the filter was given the label of every %s that has one and did not fail", in.Noun())
		}
		if measured.Raw.Items == 0 && !report.Stopped {
			return fmt.Errorf("nothing was scored: every %s with a label that the model has failed", in.Noun())
		}
		e := evaluation.Report{
			What: in.Noun(), Settings: r.manifest.Settings.public(), Items: report.Items, Failures: report.Failures, Unlabelled: truth.unlabelled, Unknown: truth.unknown,
			Known: known, Complete: !report.Stopped, Evaluation: measured, Intervals: intervals(group(comparison), m.Manifest.Labels),
		}
		return e.Write(env.Out, c.String("format"))
	}
	return r.run(m, listed)
}

// noLabel says why there is nothing to compare with.
func noLabel(in inputs.Input) error {
	if name, why, failed := in.Unread(); failed == len(in.Items()) {
		return fmt.Errorf("none of the %d %ss can be read: %s: %s", failed, in.Noun(), name, why)
	}
	return fmt.Errorf("no %s has a label", in.Noun())
}

// groups reads --groups: what puts the streams of one person together. A stream that does not fit stands for itself.
func groups(c *cli.Context) (func(*scores.Comparison) *scores.Comparison, error) {
	if !c.IsSet("groups") {
		return func(x *scores.Comparison) *scores.Comparison { return x }, nil
	}
	re, err := regexp.Compile(c.String("groups"))
	if err == nil && re.NumSubexp() < 1 {
		err = errors.New("it has no group in parentheses")
	}
	if err != nil {
		return nil, fmt.Errorf("--groups: %w", err)
	}
	return func(x *scores.Comparison) *scores.Comparison {
		return x.Grouped(func(stream string) string {
			if m := re.FindStringSubmatch(stream); m != nil && m[1] != "" {
				return m[1]
			}
			return stream
		})
	}, nil
}

// intervals are those over streams or groups, nil where there is but one.
func intervals(x *scores.Comparison, labels []string) *scores.Bootstrap {
	b, err := x.Bootstrap(labels, scores.BootstrapOptions{})
	if err != nil { // fewer than two: nothing to tell
		return nil
	}
	return b
}

// checkEvalFlags refuses what cannot be done, before anything is.
func checkEvalFlags(c *cli.Context) error {
	if f := c.String("format"); f != "text" && f != "json" {
		return fmt.Errorf("--format %q: want text or json", f)
	}
	return checkPredictionFlags(c)
}

// checkPredictionFlags refuses flags that would do nothing.
func checkPredictionFlags(c *cli.Context) error {
	if c.String("predictions") == "-" {
		return errors.New("--predictions -: standard output is for the scores: want a file")
	}
	if c.String("predictions") != "" {
		return nil
	}
	for _, name := range []string{"vectors", "top", "spreadsheet", "resume", "overwrite"} {
		if c.IsSet(name) {
			return fmt.Errorf("--%s is about the file of --predictions, and there is none", name)
		}
	}
	return nil
}

// truth holds the class of each item, -1 where there is none.
type truth struct {
	class               []int
	unlabelled, unknown int // items without a label, and with one that is none of the model's
	warnings            []string
}

// resolveTruth finds the labels among those of the model. Some that are not there are counted and told; if none is, the label sets
// do not belong together.
func resolveTruth(in inputs.Input, classes []string, o evaluation.Options) (*truth, error) {
	t := &truth{class: make([]int, len(in.Items()))}
	resolver := evaluation.NewLabels(classes, o, nil)
	if err := resolver.Decide(inputs.Labels(in)); err != nil {
		return nil, err
	}
	for i := range t.class {
		t.class[i] = -1
		label := in.Label(i)
		if resolver.Open(label) {
			t.unlabelled++
			continue
		}
		var err error
		if t.class[i], err = resolver.Of(label); err != nil {
			return nil, err
		}
		if t.class[i] < 0 {
			t.unknown++
		}
	}
	if note := resolver.Note(); note != "" {
		t.warnings = append(t.warnings, note)
	}
	unknown := resolver.Unknown()
	if len(unknown) == 0 {
		return t, nil
	}
	what := fmt.Sprintf("of the labels of the data, %d are none of the model's %d: %s", len(unknown), len(classes), console.Some(unknown, 8))
	if t.unlabelled+t.unknown == len(t.class) {
		return nil, fmt.Errorf("%s\nThe model's are %s; --label-map FILE translates", what, console.Some(classes, 8))
	}
	t.warnings = append(t.warnings, fmt.Sprintf("%s; %s not scored (--label-map FILE translates)", what, console.Were(t.unknown, in.Noun())))
	return t, nil
}
