package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/results"
	"github.com/oatta/oatta/models"
)

func evalImagesCommand(env environment) *cli.Command {
	return &cli.Command{
		Name:      "images",
		Usage:     "classify labelled pictures and score the labels before and after the filter",
		ArgsUsage: "DIR|FILE...",
		Description: "The truth comes from --labels, or from --metadata that holds labels. It is compared with the predictions only; nothing is\n" +
			"learned from it. Pictures without a label take part in their stream and are not scored.",
		Flags: slices.Concat(imageFlags(), resultFlags(), []cli.Flag{
			&cli.StringFlag{Name: "labels", Category: "TRUTH", Usage: "CSV `FILE` with the columns file and label (a name or an index)"},
			&cli.StringFlag{Name: "label-map", Category: "TRUTH", Usage: "CSV `FILE` with the columns from and to: labels of the data in the words of the model"},
			&cli.StringFlag{Name: "format", Value: "text", Category: outputCategory, Usage: "of the scores: text or json"},
			&cli.StringFlag{Name: "predictions", Category: outputCategory, Usage: "`FILE` for the result of each picture, as the output of run images"},
		}),
		Action: func(c *cli.Context) error { return evalImages(c, env) },
	}
}

func evalImages(c *cli.Context, env environment) error {
	if f := c.String("format"); f != "text" && f != "json" {
		return fmt.Errorf("--format %q: want text or json", f)
	}
	if err := checkPredictionFlags(c); err != nil {
		return err
	}
	begin := time.Now()
	l, err := listing(c, env)
	if err != nil {
		return err
	}
	listed := time.Since(begin)
	if err := applyLabels(c, l); err != nil {
		return err
	}
	m, err := models.Load(c.String("model"))
	if err != nil {
		return err
	}
	truth, err := resolveTruth(l, m.Manifest.Labels)
	if err != nil {
		return err
	}
	warn(c, env, l.Warnings)
	warn(c, env, truth.warnings)
	warnGuesses(c, env, m)

	comparison := benchmarks.NewComparison(len(m.Manifest.Labels))
	r := &imageRun{c: c, env: env, listing: l, path: c.String("predictions"), discard: c.String("predictions") == ""}
	r.observe = func(i int, record *results.Record) {
		if i < len(truth.class) && truth.class[i] >= 0 && !record.Failed() {
			comparison.Add(record.Stream, truth.class[i], record.Raw, record.Adapted)
		}
	}
	r.scores = func(report pipeline.Report) error {
		scores := comparison.Evaluate(m.Manifest.Labels)
		if scores.Raw.Items == 0 && !report.Stopped {
			return errors.New("nothing was scored: every picture with a label that the model has failed")
		}
		return printEvaluation(c, env.out, r.manifest.Settings, report, truth, scores)
	}
	return r.run(m, listed)
}

// checkPredictionFlags refuses flags that would do nothing.
func checkPredictionFlags(c *cli.Context) error {
	if c.String("predictions") == "-" {
		return errors.New("--predictions -: standard output is for the scores: want a file")
	}
	if c.String("predictions") != "" {
		return nil
	}
	for _, name := range []string{"vectors", "top", "resume", "overwrite"} {
		if c.IsSet(name) {
			return fmt.Errorf("--%s is about the file of --predictions, and there is none", name)
		}
	}
	return nil
}

// applyLabels brings the truth into the listing.
func applyLabels(c *cli.Context, l *datasets.Listing) error {
	if path := c.String("labels"); path != "" {
		labels, err := datasets.ReadLabels(path)
		if err != nil {
			return err
		}
		switch {
		case len(labels.Entries) == 0:
			return fmt.Errorf("%s: holds no label", path)
		case len(l.Pictures) == 0:
			return errors.New("no picture here can be read, so there is nothing to score")
		case labels.Apply(l) == 0:
			return fmt.Errorf("%s: no label is of a picture here: its first file is %q, the folder's first picture %q",
				path, labels.Entries[0].File, l.Pictures[0].Name)
		}
	}
	if path := c.String("label-map"); path != "" {
		m, err := datasets.ReadLabelMap(path)
		if err != nil {
			return err
		}
		m.Apply(l)
	}
	if l.Labelled() == 0 {
		return errors.New("no picture has a label: give --labels, or --metadata that holds labels")
	}
	return nil
}

// truth holds the class of each picture of a listing, -1 where there is none.
type truth struct {
	class               []int
	unlabelled, unknown int // pictures without a label, and with one that is none of the model's
	warnings            []string
}

// resolveTruth finds the labels among those of the model. Some that are not there are counted and told; if none is, the label sets
// do not belong together.
func resolveTruth(l *datasets.Listing, labels []string) (*truth, error) {
	t := &truth{class: make([]int, len(l.Pictures))}
	resolver := newLabelResolver(labels)
	for i, p := range l.Pictures {
		t.class[i] = -1
		if p.Label == "" {
			t.unlabelled++
			continue
		}
		if t.class[i] = resolver.of(p.Label); t.class[i] < 0 {
			t.unknown++
		}
	}
	strange := resolver.strange()
	if len(strange) == 0 {
		return t, nil
	}
	what := fmt.Sprintf("of the labels of the data, %d are none of the model's %d: %s", len(strange), len(labels), some(strange, 8))
	if len(strange) == len(resolver.class) {
		return nil, fmt.Errorf("%s\nThe model's are %s; --label-map FILE translates", what, some(labels, 8))
	}
	t.warnings = []string{fmt.Sprintf("%s; %d pictures are not scored (--label-map FILE translates)", what, t.unknown)}
	return t, nil
}

// labelResolver finds true labels among those of a model, each once.
type labelResolver struct {
	labels []string
	class  map[string]int // of labels met; -1 for one that is no class
}

func newLabelResolver(labels []string) *labelResolver {
	return &labelResolver{labels: labels, class: map[string]int{}}
}

// of returns the class of a label, or -1.
func (r *labelResolver) of(label string) int {
	class, known := r.class[label]
	if !known {
		var err error
		if class, err = datasets.ResolveLabel(label, r.labels); err != nil {
			class = -1
		}
		r.class[label] = class
	}
	return class
}

// strange lists, quoted and sorted, the labels met that are no class.
func (r *labelResolver) strange() (out []string) {
	for label, class := range r.class {
		if class < 0 {
			out = append(out, fmt.Sprintf("%q", label))
		}
	}
	slices.Sort(out)
	return out
}

// some joins the first n words.
func some(words []string, n int) string {
	if len(words) > n {
		return strings.Join(words[:n], ", ") + ", ..."
	}
	return strings.Join(words, ", ")
}
