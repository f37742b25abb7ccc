package training

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/oatta/oatta/internal/scores"
	"github.com/oatta/oatta/models"
)

// Card is what the page about a model tells beside its manifest.
type Card struct {
	Command  string // that classifies with the model, as "oatta run motion RECORDINGS -m walk.onnx"
	Program  string // with its version
	Network  string // name of the architecture
	From     string // where the weights came from at the beginning; "": a fresh start
	Sources  []string
	Recipe   string // "": none
	Settings Settings
	Changes  any // what is done to examples
	Group    string
	Later    bool // there is a test, which is not scored yet
}

// write writes the page, in Markdown.
func (c Card) write(w io.Writer, d *Data, s *Split, o *Outcome, l *Learned, m models.Manifest, hash string) {
	license := m.License
	if license == "" {
		license = "not told: it is for whoever trained it to say, and depends on the data"
	}
	fmt.Fprintf(w, "# %s\n\n%s. Made by `oatta train` (%s).\n\n", m.Name, m.Description, c.Program)
	fmt.Fprintf(w, "- Use: `%s`\n- Licence: %s\n- Network: %s, %d parameters, %s\n", c.Command, license, c.Network, m.Parameters, orFresh(c.From))
	fmt.Fprintf(w, "- Classes: %s\n\n", strings.Join(m.Labels, ", "))
	c.writeData(w, d, s, hash)
	c.writeTraining(w, d, o, l)
	c.writeScores(w, d, s, l)
	c.writeLimits(w, d, s, l)
}

func orFresh(from string) string {
	if from == "" {
		return "trained from a fresh start"
	}
	return "trained on from " + from
}

func (c Card) writeData(w io.Writer, d *Data, s *Split, hash string) {
	fmt.Fprintf(w, "## Data\n\n%s. SHA-256 of the labelled contents: `%s`.\n\n", strings.Join(c.Sources, ", "), hash)
	fmt.Fprintf(w, "Whole %ss are held out; nobody is in two parts. Validation chose %s, and gave the temperature; the test chose nothing.\n\n", c.Group, c.chosen())
	fmt.Fprintf(w, "| %s | training | validation | test |\n|---|---:|---:|---:|\n", "class")
	parts := [][]int{d.Counts(d.Of(s.Train)), d.Counts(d.Of(s.Validation)), d.Counts(d.Of(s.Test))}
	totals := make([]int, len(parts))
	for k, label := range d.Labels {
		fmt.Fprintf(w, "| %s |", cell(label))
		for p := range parts {
			fmt.Fprintf(w, " %d |", parts[p][k])
			totals[p] += parts[p][k]
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "| all %ss | %d | %d | %d |\n", d.Noun, totals[0], totals[1], totals[2])
	fmt.Fprintf(w, "| %ss | %d | %d | %d |\n\n", c.Group, len(s.Train), len(s.Validation), len(s.Test))
	fmt.Fprintf(w, "Training: %s. Validation: %s. Test: %s.\n\n", listed(s.Train), listed(s.Validation), listed(s.Test))
	fmt.Fprintf(w, "Not used: %d without a label, %d with a label that is none of the classes, %d that could not be read.\n\n", d.Free, d.Other, len(d.Bad))
}

// chosen is what the validation examples chose.
func (c Card) chosen() string {
	if c.Settings.Keep == KeepLast {
		return "the learning rate"
	}
	return "the learning rate and the checkpoint"
}

// listed names groups, not beyond what a reader would look through.
func listed(groups []Group) string {
	const most = 60
	if len(groups) == 0 {
		return "none"
	}
	var names []string
	for _, g := range groups[:min(len(groups), most)] {
		names = append(names, cell(g.Name))
	}
	if more := len(groups) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// cell makes text fit for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "`", "'").Replace(text)
}

func (c Card) writeTraining(w io.Writer, d *Data, o *Outcome, l *Learned) {
	fmt.Fprint(w, "## Training\n\n")
	if c.Recipe != "" {
		fmt.Fprintf(w, "Recipe `%s`. ", c.Recipe)
	}
	kept := "the best look at the validation examples was after"
	if c.Settings.Keep == KeepLast {
		kept = "kept is the last network, and its look at the validation examples is that of"
	}
	fmt.Fprintf(w, "%d steps in all; %s step %d with the rate %g: accuracy %.4f, %.4f nats. `metrics.csv` has all looks, `curves.svg` draws them.\n\n",
		o.Steps, kept, o.Best.Step, o.Best.Rate, o.Best.Accuracy, o.Best.NLL)
	if len(o.Diverged) > 0 {
		fmt.Fprintf(w, "With the rates %v the loss diverged; they were given up.\n\n", o.Diverged)
	}
	fmt.Fprintf(w, "Settings: `%s`\n\n", compact(c.Settings))
	if c.Changes != nil {
		fmt.Fprintf(w, "Changes of examples: `%s`\n\n", compact(c.Changes))
	}
	if l.Note != "" {
		fmt.Fprintf(w, "Calibration: %s; it is 1. ", l.Note)
	} else {
		fmt.Fprintf(w, "Calibration: temperature %.3f (95 %% interval %.3f to %.3f over %ss of the validation). ", l.Temperature, l.Fit.Low, l.Fit.High, c.Group)
	}
	fmt.Fprint(w, "The class prior is that of the training examples")
	if c.Settings.Balanced {
		fmt.Fprint(w, " as they counted: even")
	}
	fmt.Fprint(w, ".")
	if t := l.Transitions; t != nil {
		fmt.Fprintf(w, " The order of the classes was learned from %d streams of the training, %d pairs.", t.Streams, t.Pairs)
	} else if l.Taught != nil {
		fmt.Fprint(w, " The order of the classes that the training teaches is left out: it harms the filter on the validation.")
	}
	if g := l.Taught; g != nil {
		fmt.Fprintf(w, " It gains %.4f nats an item of the validation as items come (95 %% interval %.4f to %.4f over streams).", g.Nats, g.Low, g.High)
	}
	fmt.Fprint(w, "\n\n")
}

func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

func (c Card) writeScores(w io.Writer, d *Data, s *Split, l *Learned) {
	e, part := l.Validation, "validation"
	if l.Test != nil {
		e, part = *l.Test, "test"
	}
	fmt.Fprintf(w, "## Scores\n\nOf the %s. Raw is the network alone; filtered is with the order-aware filter as items come (`--causal`), smoothed with all of their stream (the default of `oatta run`).\n\n", part)
	if l.Test == nil {
		none := "There is no test"
		if c.Later {
			none = "The test is not scored yet (`--test-later`; the same command with `--resume` and without it does)"
		}
		fmt.Fprintf(w, "%s: the validation chose %s, so that these are somewhat too good.\n\n", none, c.chosen())
	}
	fmt.Fprint(w, "| | raw | filtered | smoothed |\n|---|---:|---:|---:|\n")
	for _, row := range []struct {
		name string
		of   func(s scores.Scores) float64
	}{
		{"accuracy", func(s scores.Scores) float64 { return s.Accuracy }},
		{"balanced accuracy", func(s scores.Scores) float64 { return s.BalancedAccuracy }},
		{"macro F1", func(s scores.Scores) float64 { return s.MacroF1 }},
		{"kappa", func(s scores.Scores) float64 { return s.Kappa }},
		{"NLL (nats)", func(s scores.Scores) float64 { return s.NLL }},
		{"ECE", func(s scores.Scores) float64 { return s.ECE }},
	} {
		fmt.Fprintf(w, "| %s | %.4f | %.4f | %.4f |\n", row.name, row.of(e.Raw), row.of(e.Adapted), row.of(l.Smoothed.Adapted))
	}
	fmt.Fprintln(w)
	if b := l.Intervals; b != nil {
		for _, row := range b.Pooled {
			if row.Metric == "accuracy" {
				fmt.Fprintf(w, "95 %% intervals of the accuracy over %ss: raw %.4f to %.4f, filtered %.4f to %.4f.\n\n", c.Group, row.Raw.Low, row.Raw.High, row.Adapted.Low, row.Adapted.High)
			}
		}
	}
	writeClasses(w, e)
	writeConfusion(w, "Confusion of the raw labels", e.Raw)
	writeConfusion(w, "Confusion of the filtered labels", e.Adapted)
	fmt.Fprintf(w, "| %s | scored | raw | filtered | smoothed |\n|---|---:|---:|---:|---:|\n", c.Group)
	for i, g := range e.Streams {
		if i == mostListed {
			fmt.Fprintf(w, "\nAnd %d more: `scores.json` has them.\n", len(e.Streams)-i)
			break
		}
		fmt.Fprintf(w, "| %s | %d | %.4f | %.4f | %.4f |\n", cell(g.Stream), g.Raw.Items, g.Raw.Accuracy, g.Adapted.Accuracy, l.Smoothed.Streams[i].Adapted.Accuracy)
	}
	fmt.Fprintln(w)
}

func writeClasses(w io.Writer, e scores.Evaluation) {
	fmt.Fprint(w, "| class | scored | raw precision | raw recall | raw F1 | filtered precision | filtered recall | filtered F1 |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range e.Raw.Classes {
		var f scores.ClassScores
		if at := slices.IndexFunc(e.Adapted.Classes, func(c scores.ClassScores) bool { return c.Label == r.Label }); at >= 0 {
			f = e.Adapted.Classes[at]
		}
		fmt.Fprintf(w, "| %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n", cell(r.Label), r.Support, r.Precision, r.Recall, r.F1, f.Precision, f.Recall, f.F1)
	}
	fmt.Fprintln(w)
}

// mostListed is how many groups are listed.
const mostListed = 200

// mostConfused is up to how many classes the confusion is printed; of more, the scores in JSON have it.
const mostConfused = 20

func writeConfusion(w io.Writer, title string, s scores.Scores) {
	labels, counts := s.Confusion()
	if len(labels) > mostConfused {
		return
	}
	fmt.Fprintf(w, "%s: rows are true classes, columns labels.\n\n| |", title)
	for _, l := range labels {
		fmt.Fprintf(w, " %s |", cell(l))
	}
	fmt.Fprint(w, "\n|---|", strings.Repeat("---:|", len(labels)), "\n")
	for i, l := range labels {
		fmt.Fprintf(w, "| %s |", cell(l))
		for _, n := range counts[i] {
			fmt.Fprintf(w, " %d |", n)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}

// few is how many groups there must be for scores not to be the habits of some.
const few = 5

func (c Card) writeLimits(w io.Writer, d *Data, s *Split, l *Learned) {
	fmt.Fprint(w, "## Limits\n\n")
	fmt.Fprintf(w, "- It knows %d classes and gives one of them for anything: what is none of them gets a wrong label.\n", len(d.Labels))
	fmt.Fprintf(w, "- It saw %d %ss. Others, other devices, places and times may differ from these more than they do from each other.\n", len(s.Train), c.Group)
	if n := len(s.Test); l.Test != nil && n < few {
		fmt.Fprintf(w, "- The scores are of %d %ss only.\n", n, c.Group)
	}
	if d.Other > 0 || d.Free > 0 {
		fmt.Fprintf(w, "- %d of %d %ss have no class and were not scored; in use they get labels all the same.\n", d.Other+d.Free, len(d.Items), d.Noun)
	}
	if l.Transitions != nil {
		fmt.Fprint(w, "- The filter starts from the order of the training streams, which may have followed a protocol; `--transitions none` leaves it out.\n")
	}
}
