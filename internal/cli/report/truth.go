package report

import (
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/report"
	"github.com/oatta/oatta/internal/report/items"
	"github.com/oatta/oatta/internal/scores"
)

// truth finds true labels: those that the items hold, else those of a table. It is told nothing else, and nothing else is told it.
type truth struct {
	options evaluation.Options
	table   *datasets.Labels // nil: there is none
	finder  *datasets.StreamLabels
	labels  *evaluation.Labels
	classes int
	night   *scored // nil: there is no hypnogram
}

func truthOf(c *cli.Context) (*truth, error) {
	t := &truth{}
	var err error
	if t.options, err = evaluation.OptionsOf(c); err != nil {
		return nil, err
	}
	if name := c.String("hypnogram"); name != "" {
		t.night = &scored{path: name}
	}
	if name := c.String("labels"); name != "" {
		if t.table, err = datasets.ReadLabels(name); err != nil {
			return nil, err
		}
		t.finder = t.table.ByStream()
	}
	return t, nil
}

// Decide implements [report.Truth].
func (t *truth) Decide(classes, labels []string) error {
	if t.table != nil {
		for _, e := range t.table.Entries {
			labels = append(labels, e.Label)
		}
	}
	if t.night != nil {
		for stage := hypnogram.W; stage <= hypnogram.R; stage++ {
			labels = append(labels, stage.String())
		}
	}
	t.classes = len(classes)
	t.labels = evaluation.NewLabels(classes, t.options, nil)
	if len(labels) == 0 {
		return nil
	}
	if err := t.labels.Decide(labels); err != nil {
		return fmt.Errorf("true labels: %w", err)
	}
	return nil
}

// Of implements [report.Truth].
func (t *truth) Of(it *items.Item) (int, error) {
	label := it.Truth
	if label == "" && t.finder != nil {
		var err error
		if it.Piece() {
			label, err = t.finder.OfPiece(it.Stream, it.File, it.Offset)
		} else {
			label, err = t.finder.Of(it.Stream, it.File)
		}
		if err != nil {
			return 0, err
		}
	}
	if label == "" && t.night != nil {
		var err error
		if label, err = t.night.of(it); err != nil {
			return 0, fmt.Errorf("--hypnogram: %w", err)
		}
	}
	if t.labels.Open(label) {
		return report.NoLabel, nil
	}
	return t.labels.Of(label)
}

// labelled tells whether there are labels beside those that the items hold.
func (t *truth) labelled() bool { return t.table != nil || t.night != nil }

// Notes implements [report.Truth].
func (t *truth) Notes() (out []string) {
	if t.labels == nil { // nothing was scored
		return nil
	}
	if note := t.labels.Note(); note != "" {
		out = append(out, note)
	}
	if t.finder != nil && t.finder.Note() != "" {
		out = append(out, t.finder.Note())
	}
	if t.night != nil {
		out = append(out, t.night.warnings...)
	}
	if unknown := t.labels.Unknown(); len(unknown) > 0 {
		out = append(out, fmt.Sprintf("%s: none of the %d classes: %s", console.Number(len(unknown), "true label"), t.classes, console.Some(unknown, 8)))
	}
	return out
}

// maxScores bounds a file of scores.
const maxScores = 256 << 20

// readScores reads what `oatta eval --format json` prints.
func readScores(name string) (*scores.Evaluation, *scores.Bootstrap, error) {
	data, err := files.ReadBounded(name, maxScores)
	if err != nil {
		return nil, nil, err
	}
	var e struct {
		scores.Evaluation
		Intervals *scores.Bootstrap `json:"intervals"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, nil, fmt.Errorf("no scores of eval: %w", err)
	}
	if e.Raw.Items == 0 {
		return nil, nil, fmt.Errorf("no scores of eval: nothing was scored")
	}
	return &e.Evaluation, e.Intervals, nil
}
