package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/training"
	"github.com/oatta/oatta/models"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort"
)

// write measures the network that was learned, as it will be used, and writes it.
func (t *task) write(ctx context.Context, o *training.Outcome, engine *ort.Engine, config runtime.Config, hash string) error {
	data, err := o.Network.Bytes()
	if err != nil {
		return err
	}
	session, err := engine.Open(data, config)
	if err != nil {
		return err
	}
	l, err := training.Learn(ctx, t.data, t.scored(), training.Session{Session: session}, t.settings)
	if err := errors.Join(err, session.Close()); err != nil {
		return t.ended(err)
	}
	t.manifest.Source = fmt.Sprintf("oatta train %s on %s (sha256 %s)", t.name, strings.Join(t.sources(), ", "), hash)
	t.manifest.Notes = fmt.Sprintf("Trained on %s, validated on %d, tested on %d; README.md beside the model has the scores.",
		console.Number(len(t.split.Train), t.group), len(t.split.Validation), len(t.scored().Test))
	card := training.Card{
		Command: fmt.Sprintf("oatta run %s %s -m %s.onnx", t.name, strings.TrimSuffix(t.args, "..."), t.manifest.Name), Program: "oatta " + console.Version(), Network: t.info.Name,
		From: t.from, Sources: t.sources(), Recipe: t.recipe, Settings: t.settings, Changes: t.changes, Group: t.group,
		Later: t.later(),
	}
	if t.manifest.Text != nil {
		if err := files.CopyTokenizer(t.tokens, filepath.Join(t.folder, t.manifest.Text.Tokenizer), true); err != nil {
			return t.ended(err)
		}
	}
	m, err := training.WriteModel(t.folder, data, t.data, t.split, o, l, t.manifest, card, hash)
	if err != nil {
		return t.ended(err)
	}
	if _, err := models.Load(filepath.Join(t.folder, m.Name+".onnx")); err != nil {
		return err
	}
	if !t.c.Bool("quiet") {
		t.tell(o, l, m)
	}
	return nil
}

// later tells whether there is a test that is not scored yet.
func (t *task) later() bool { return t.c.Bool("test-later") && len(t.split.Test) > 0 }

// scored is the split as far as it may be looked at.
func (t *task) scored() *training.Split {
	if !t.later() {
		return t.split
	}
	return &training.Split{Train: t.split.Train, Validation: t.split.Validation}
}

// sources are the names of the data, without where they lie.
func (t *task) sources() []string {
	var out []string
	for _, arg := range t.c.Args().Slice() {
		out = append(out, filepath.Base(arg))
	}
	return out
}

// tell prints what came out.
func (t *task) tell(o *training.Outcome, l *training.Learned, m models.Manifest) {
	e, part := l.Validation, "validation"
	if l.Test != nil {
		e, part = *l.Test, "test"
	}
	w := t.env.Out
	fmt.Fprintf(w, "wrote       %s\n", filepath.Join(t.folder, m.Name+".onnx"))
	fmt.Fprintf(w, "network     %s, %d parameters\n", t.info.Name, m.Parameters)
	kept := cmp.Or(t.settings.Keep, training.KeepBest)
	fmt.Fprintf(w, "%-12sstep %d with the rate %g: validation accuracy %.4f\n", kept, o.Best.Step, o.Best.Rate, o.Best.Accuracy)
	fmt.Fprintf(w, "%-12saccuracy %.4f raw, %.4f filtered, %.4f smoothed\n", part, e.Raw.Accuracy, e.Adapted.Accuracy, l.Smoothed.Adapted.Accuracy)
	if t.later() {
		fmt.Fprintf(w, "test        not scored: the same command with --resume and without --test-later does\n")
	}
	worst := slices.MinFunc(e.Raw.Classes, func(a, b scoresOfClass) int { return cmp.Compare(a.F1, b.F1) })
	fmt.Fprintf(w, "hardest     %s: F1 %.4f raw\n", worst.Label, worst.F1)
	fmt.Fprintf(w, "temperature %.3f\n", l.Temperature)
}
