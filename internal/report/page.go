package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/report/items"
	"github.com/oatta/oatta/internal/scores"
)

//go:embed page.html
var pageSource string

// changeSource is what pages of this package and of others say of a label before and after the filter.
//
//go:embed change.html
var changeSource string

//go:embed page.css
var pageStyle string

// page is parsed when the first one is written: other commands do not wait for it.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"text": Visible, "whole": Whole, "named": Named, "number": Number,
	}).Parse(changeSource + pageSource))
})

// Change is the template "change" of pages, for those that look like them: what there is to say of an item's label before and after the filter,
// by its fields Changed, Raw, Prob, Adapted and After. It calls [Visible] text, and [Named] named.
func Change() string { return changeSource }

// Style is the style sheet of pages, for those that look like them.
func Style() string { return pageStyle }

// mostFigureBytes is what all figures of a page may take; the rest of it are pictures and text.
const mostFigureBytes = 1_600_000

// drawing is a figure in the page.
type drawing struct {
	Figure
	SVG     template.HTML
	Short   bool // its numbers fit under it
	Omitted string
}

// fact is a line of a table of two columns.
type fact struct{ Name, Value string }

// view is what the template shows.
type view struct {
	Title, Program, Made string
	Style                template.CSS
	Kind                 Kind
	Noun                 string
	Facts                []fact
	Warnings, Notes      []string
	Failures             []counted
	Bad                  []counted
	Files                []fileView
	Counted              countsView
	Figures              map[string][]drawing
	Nights               *table
	Days                 *table
	Listed               []itemView
	ListedMore           int
	Bursts               []burstView
	Accounts             []burstView
	PicturesNote         string
	Scores               *scoresView
	Streams              table
	StreamsMore          int
	StreamsNote          string
}

type counted struct {
	Text  string
	Times int
}

type countsView struct{ Items, Streams, Failed, Unpredicted, Changed, Bad, Classes int }

type fileView struct {
	Name  string
	Facts []items.Fact
}

type table struct {
	Caption string
	Columns []string
	Rows    [][]string
}

type itemView struct {
	File, Stream, When, Raw, Adapted, Prob, After, Gate, Text, Problem, Failure, Truth string
	Picture                                                                            template.URL
	Changed                                                                            bool
}

type burstView struct {
	Stream, When, Note string
	Changes            int
	Items              []itemView
}

type scoresView struct {
	Of           string
	Rows         [][]string
	Intervals    [][]string
	IntervalNote string
	Flips        string
	Classes      table
	Streams      table
	Notes        []string
}

// Page writes the page.
func (c *Collected) Page(w io.Writer) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := page().Execute(&out, v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

func percent(part, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(of))
}

func (c *Collected) view() (*view, error) {
	v := &view{
		Title: c.title(), Program: c.settings.Program, Made: time.Now().UTC().Format("2006-01-02 15:04 UTC"), Style: template.CSS(pageStyle), Kind: c.kind, Noun: c.kind.Noun(),
		Warnings: c.Warnings(), Notes: c.notes(), Failures: c.failures.view(), Bad: c.bad.view(), Figures: map[string][]drawing{},
		Counted: countsView{c.total.items, len(c.streams), c.total.failed, c.total.unpredicted, c.total.changed, c.total.bad, len(c.classes)},
	}
	v.Facts = c.facts()
	for _, src := range c.files {
		f := fileView{Name: filepath.Base(src.Path)}
		if src.Manifest != nil {
			f.Facts = src.Manifest.Facts
		}
		v.Files = append(v.Files, f)
	}
	if err := c.drawings(v); err != nil {
		return nil, err
	}
	v.Nights, v.Days = c.nightTable(), c.dayTable()
	v.Scores = c.scoresView()
	c.streamTable(v)
	c.itemViews(v)
	return v, nil
}

func (c *Collected) title() string {
	if c.settings.Title != "" {
		return c.settings.Title
	}
	names := make([]string, 0, len(c.files))
	for _, f := range c.files {
		names = append(names, filepath.Base(f.Path))
	}
	if len(names) > 3 {
		names = append(names[:3], "...")
	}
	return "Results: " + strings.Join(names, ", ")
}

// facts are what a reader wants to know first of what was run.
func (c *Collected) facts() (out []fact) {
	add := func(name, value string) {
		if value != "" {
			out = append(out, fact{name, value})
		}
	}
	for _, src := range c.files {
		name := filepath.Base(src.Path)
		add("Results", name+", "+src.Format)
		m := src.Manifest
		if m == nil {
			continue
		}
		add("Program", m.Program)
		add("Command", m.Command)
		add("Input", strings.Join(m.Inputs, ", "))
		add("Model", m.Model)
		for _, of := range []struct{ name, title string }{
			{"model.license", "License of the model"},
			{"engine.name", "Library"},
			{"engine.version", "Version of the library"},
			{"engine.device", "Device"},
			{"predictor.name", "Predictor"},
			{"filter.gate", "Gate"},
			{"reset", "The filter forgets"},
		} {
			for _, f := range m.Facts {
				if f.Name == of.name || f.Name == "settings."+of.name {
					add(of.title, f.Value)
				}
			}
		}
		add("Mode", modeText(m.Mode))
		if !m.Started.IsZero() {
			add("Begun", m.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
		if !m.Finished.IsZero() {
			add("Ended", m.Finished.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
	}
	return out
}

func modeText(mode string) string {
	switch mode {
	case "filtered":
		return "filtered: an answer knows the items before it"
	case "lagged":
		return "lagged: an answer knows the items before it, and some after it"
	case "smoothed":
		return "smoothed: an answer knows all items of its stream"
	}
	return mode
}

func (m *messages) view() (out []counted) {
	for _, text := range m.order {
		out = append(out, counted{text, m.count[text]})
	}
	if m.more > 0 {
		out = append(out, counted{"others, too many to be told apart", m.more})
	}
	return out
}

// Warnings are what a reader of the results must know: of the results themselves, and of the run.
func (c *Collected) Warnings() (out []string) {
	for _, src := range c.files {
		name := filepath.Base(src.Path)
		m := src.Manifest
		switch {
		case src.Problem != nil:
			out = append(out, fmt.Sprintf("%s: the manifest cannot be read (%v): what was run, and with which settings, is not known", name, filepath.Base(src.Problem.Error())))
		case m == nil:
			out = append(out, fmt.Sprintf("%s: no manifest is beside it: what was run, and with which settings, is not known", name))
		case m.Partial:
			out = append(out, fmt.Sprintf("%s: no manifest is beside it; settings are those that the file itself carries, which do not say whether the run came to its end, nor its warnings", name))
		case !m.Complete:
			out = append(out, fmt.Sprintf("%s: the run had not come to its end when its manifest was written: the results are a part", name))
		}
		if m != nil && m.Items > 0 && src.Format != "scores" && src.items+src.bad < m.Items {
			out = append(out, fmt.Sprintf("%s: holds %d of the %d items of the run", name, src.items, m.Items))
		}
		if m != nil {
			for _, w := range m.Warnings {
				out = append(out, name+": "+w)
			}
		}
	}
	if c.total.bad > 0 {
		out = append(out, plural(c.total.bad, "line", "s")+" could not be understood and "+are(c.total.bad)+" left out: see below")
	}
	if c.total.outside > 0 {
		out = append(out, fmt.Sprintf("%s had a number outside of 0 to 1 for a probability or a gate, which is taken for not told", plural(c.total.outside, c.kind.Noun(), "s")))
	}
	if c.cut {
		out = append(out, "a file ends in the middle of a line: it was not copied whole, or is still being written")
	}
	if c.total.failed > 0 {
		out = append(out, fmt.Sprintf("%s of %s failed and %s no result: see below", plural(c.total.failed, c.kind.Noun(), "s"), Number(c.total.items), have(c.total.failed)))
	}
	if unknown := c.adaptedTotal() - c.rawTotal(); unknown > 0 {
		out = append(out, fmt.Sprintf("of %s the label before the filter is not told", plural(unknown, c.kind.Noun(), "s")))
	}
	if len(c.modes) > 1 {
		out = append(out, "the results are of several modes: "+strings.Join(slices.Sorted(maps.Keys(c.modes)), ", "))
	}
	if c.settings.Truth != nil {
		out = append(out, c.settings.Truth.Notes()...)
	}
	return out
}

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

func (c *Collected) rawTotal() (n int) {
	for _, v := range c.raw {
		n += v
	}
	return n
}

func (c *Collected) adaptedTotal() (n int) {
	for _, v := range c.adapted {
		n += v
	}
	return n
}

// notes say what is left out, and why.
func (c *Collected) notes() (out []string) {
	if c.total.unpredicted > 0 {
		out = append(out, fmt.Sprintf("%s had no prediction to adapt", plural(c.total.unpredicted, c.kind.Noun(), "s")))
	}
	if c.total.untouched > 0 {
		out = append(out, fmt.Sprintf("left alone by the filter, as without classifications, under the least confidence or decided by a detector: %s of the boxes and pictures", Number(c.total.untouched)))
	}
	if c.hidden > 0 {
		out = append(out, fmt.Sprintf("%s beyond the first %s are counted, and not drawn", plural(c.hidden, "stream", "s"), Number(mostStreams)))
	}
	return out
}

// drawings encode the figures, until the page is full.
func (c *Collected) drawings(v *view) error {
	figures, err := c.Figures()
	if err != nil {
		return err
	}
	room := mostFigureBytes
	for _, f := range figures {
		svg, err := f.Inline(Visible(f.Alt))
		if err != nil {
			return err
		}
		d := drawing{Figure: f, Short: len(f.Rows) <= 60}
		if room -= len(svg); room >= 0 {
			d.SVG = template.HTML(svg) // made by this program; the texts in it are escaped
		} else {
			room += len(svg)
			d.Omitted = "This figure is left out, to keep the page small; --figures writes it."
		}
		v.Figures[f.section] = append(v.Figures[f.section], d)
	}
	return nil
}

// nightTable is the usual numbers of the nights.
func (c *Collected) nightTable() *table {
	stages := stagesOf(c.classes)
	if c.kind != Sleep || stages == nil {
		return nil
	}
	t := &table{Caption: "The numbers of the nights, in minutes unless stated", Columns: []string{"night", "labels", "in bed", "asleep", "efficiency", "sleep latency", "REM latency", "wake after onset", "awakenings", "W", "N1", "N2", "N3", "R", "not scored"}}
	for _, st := range c.streams {
		if st.night == nil || len(t.Rows) >= mostListed {
			break
		}
		for k, labels := range [][]uint8{st.night.raw, st.night.adapted, st.night.truth} {
			if labels == nil {
				continue
			}
			scored := make([]hypnogram.Stage, len(labels))
			for i, class := range labels {
				if class > 0 {
					scored[i] = stages[class-1]
				}
			}
			t.Rows = append(t.Rows, nightRow(st.name, []string{"raw", "adapted", "true"}[k], st.night.seconds/60, hypnogram.Summarise(scored)))
		}
	}
	return t
}

// nightRow writes a summary, whose minutes are of epochs of half a minute, for epochs of a length.
func nightRow(name, kind string, minutes float64, s hypnogram.Summary) []string {
	scale := minutes / 0.5
	m := func(v float64) string { return strconv.FormatFloat(v*scale, 'f', 1, 64) }
	latency := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return m(*v)
	}
	row := []string{name, kind, m(s.TimeInBed), m(s.SleepTime), fmt.Sprintf("%.1f %%", 100*s.Efficiency), latency(s.Latency), latency(s.REMLatency), m(s.WASO), strconv.Itoa(s.Awakenings)}
	for _, stage := range []string{"W", "N1", "N2", "N3", "R", "?"} {
		row = append(row, m(s.Minutes[stage]))
	}
	return row
}

// dayTable is how long each class lasted each day.
func (c *Collected) dayTable() *table {
	if c.kind != Movement {
		return nil
	}
	classes, _ := c.top(12, func(k int) int { return max(c.raw[k], c.adapted[k]) })
	t := &table{Caption: "Time of each class by day, hours:minutes:seconds", Columns: append([]string{"recording", "day", "labels"}, c.names(classes)...)}
	for _, st := range c.streams {
		if st.movement == nil {
			break
		}
		for i, d := range st.movement.days {
			for k, kind := range []string{"raw", "adapted"} {
				if len(t.Rows) >= mostListed {
					t.Caption += fmt.Sprintf("; the first %d rows", mostListed)
					return t
				}
				row := []string{st.name, st.movement.nameOf(i, 0), kind}
				for _, class := range classes {
					row = append(row, hours(d.hours[k][class]))
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

func hours(h float64) string {
	s := int(math.Round(h * 3600))
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// streamTable ranks the streams by how much order changed.
func (c *Collected) streamTable(v *view) {
	v.Streams = table{Caption: "Streams, by how many labels order changed", Columns: []string{"stream", v.Noun + "s", "failed", "changed", "share", "mean gate", "label changes raw", "label changes adapted", "from", "to"}}
	ranked := c.ranked()
	v.StreamsMore = max(0, len(ranked)-mostListed)
	for _, st := range ranked[:min(len(ranked), mostListed)] {
		v.Streams.Rows = append(v.Streams.Rows, []string{
			st.name, Number(st.items), Number(st.failed), Number(st.changed), percent(st.changed, st.items-st.failed-st.unpredicted), ratio(st.meanGate()),
			Number(st.switches[0]), Number(st.switches[1]), stampOf(st.first), stampOf(st.last),
		})
	}
	if n := len(c.shown()); n < len(c.streams) {
		order := "those that order changed most"
		if c.kind == Sleep {
			order = "the first ones of the results"
		}
		v.StreamsNote = fmt.Sprintf("Figures are of %d of the %s streams: %s (--streams N draws more).", n, Number(len(c.streams)), order)
	}
}

func stampOf(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.Format("2006-01-02 15:04:05")
}

// itemViews are the items that are shown one by one.
func (c *Collected) itemViews(v *view) {
	s := c.second
	if s == nil {
		return
	}
	if c.kind == Pictures && c.settings.Inputs != nil {
		v.Bursts = c.burstViews(s.bursts)
		shown, changed := 0, 0
		for _, b := range s.bursts {
			shown += len(b.items)
			changed += b.changes
		}
		v.PicturesNote = fmt.Sprintf("%s, in their sequences: pictures of one stream with less than a minute between them. Sequences with changed labels come first.", plural(shown, "picture", "s"))
		if s.more > 0 {
			v.PicturesNote += fmt.Sprintf(" %s with changed labels are not shown.", plural(s.more, "picture", "s"))
		}
		return
	}
	if c.kind == Posts {
		for _, name := range c.accountOrder() {
			v.Accounts = append(v.Accounts, c.burstViews([]burst{*s.accounts[name]})...)
		}
	}
	for i := range s.listed {
		v.Listed = append(v.Listed, s.listed[i].view())
	}
	v.ListedMore = max(0, c.total.changed-len(s.listed))
}

// accountOrder are the accounts that are shown, by how much order changed.
func (c *Collected) accountOrder() []string {
	names := slices.Sorted(maps.Keys(c.second.accounts))
	slices.SortStableFunc(names, func(a, b string) int { return c.second.rank[a] - c.second.rank[b] })
	return names
}

func (c *Collected) burstViews(bursts []burst) (out []burstView) {
	for _, b := range bursts {
		x := burstView{Stream: b.stream, Changes: b.changes}
		if b.more > 0 {
			x.Note = plural(b.more, c.kind.Noun(), "s") + " more " + are(b.more) + " not listed."
		}
		for k := range b.items {
			x.Items = append(x.Items, b.items[k].view())
		}
		x.When = x.Items[0].When
		out = append(out, x)
	}
	return out
}

func (l *listed) view() itemView {
	x := itemView{
		File: l.file, Stream: l.stream, When: stampOf(l.time), Raw: Named(l.raw), Adapted: Named(l.adapted), Prob: ratio(l.prob), After: ratio(l.after), Gate: ratio(l.gate),
		Text: l.text, Problem: l.problem, Failure: l.failure, Truth: Named(l.truth), Picture: template.URL(l.picture), Changed: l.changed(),
	}
	switch {
	case l.time.IsZero() && l.piece:
		x.When = "+" + hours(l.offset/3600)
	case l.time.IsZero():
		x.When = ""
	}
	return x
}

// shownMetrics are those of the table of scores.
var shownMetrics = []struct {
	name   string
	of     func(s scores.Scores) float64
	scale  float64
	vector bool // means something only where all probabilities are known
}{
	{"accuracy, %", func(s scores.Scores) float64 { return s.Accuracy }, 100, false},
	{"balanced accuracy, %", func(s scores.Scores) float64 { return s.BalancedAccuracy }, 100, false},
	{"macro F1, %", func(s scores.Scores) float64 { return s.MacroF1 }, 100, false},
	{"Cohen's kappa", func(s scores.Scores) float64 { return s.Kappa }, 1, false},
	{"NLL, nats", func(s scores.Scores) float64 { return s.NLL }, 1, true},
	{"Brier score", func(s scores.Scores) float64 { return s.Brier }, 1, true},
	{"calibration error (ECE)", func(s scores.Scores) float64 { return s.ECE }, 1, false},
}

// metricNames are the metrics of intervals in words.
var metricNames = map[string]string{"accuracy": "accuracy, %", "balanced_accuracy": "balanced accuracy, %", "macro_f1": "macro F1, %", "kappa": "Cohen's kappa"}

func (c *Collected) scoresView() *scoresView {
	e := c.evaluation()
	if e == nil {
		return nil
	}
	v := &scoresView{Of: fmt.Sprintf("%s of %s scored.", plural(e.Raw.Items, c.kind.Noun(), "s"), Number(max(c.total.items, e.Raw.Items)))}
	exact, b := true, c.settings.Intervals
	if c.settings.Scores == nil {
		s := c.second
		exact, b = s.exact, s.intervals
		if s.unlabelled > 0 {
			v.Notes = append(v.Notes, plural(s.unlabelled, c.kind.Noun(), "s")+" without a true label")
		}
		if s.unknown > 0 {
			v.Notes = append(v.Notes, plural(s.unknown, c.kind.Noun(), "s")+" with a true label that is none of the classes")
		}
	}
	if !exact {
		v.Notes = append(v.Notes, "the results hold the probability of the label alone (--vectors of run writes all): likelihood and Brier score are not known")
	}
	for _, m := range shownMetrics {
		if m.vector && !exact {
			continue
		}
		raw, adapted := m.scale*m.of(e.Raw), m.scale*m.of(e.Adapted)
		v.Rows = append(v.Rows, []string{m.name, digits(raw), digits(adapted), fmt.Sprintf("%+.4g", adapted-raw)})
	}
	v.intervals(b)
	f := e.Flips
	v.Flips = fmt.Sprintf("Labels changed: %s from wrong to right, %s from right to wrong, %s from wrong to wrong (McNemar p = %.3g if items were independent).", Number(f.Right), Number(f.Wrong), Number(f.Other), f.P)
	v.Classes, v.Streams = classScores(e), streamScores(e)
	return v
}

func digits(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }

func (v *scoresView) intervals(b *scores.Bootstrap) {
	if b == nil {
		v.IntervalNote = "No intervals: they are over streams, and there are fewer than two with true labels."
		return
	}
	v.IntervalNote = fmt.Sprintf("%g %% intervals over %s, drawn anew %s times as wholes.", 100*b.Level, plural(b.Streams, "stream", "s"), Number(b.Resamples))
	if b.Streams < 10 {
		v.IntervalNote += " With fewer than ten streams they are rough."
	}
	for _, row := range b.Pooled {
		name, ok := metricNames[row.Metric]
		if !ok || row.Class != "" {
			continue
		}
		scale := 1.0
		if strings.HasSuffix(name, "%") {
			scale = 100
		}
		cell := func(e scores.Estimate) string {
			return fmt.Sprintf("%.2f (%.2f to %.2f)", scale*e.Value, scale*e.Low, scale*e.High)
		}
		v.Intervals = append(v.Intervals, []string{name, cell(row.Raw), cell(row.Adapted), cell(row.Change)})
	}
}

func classScores(e *scores.Evaluation) table {
	t := table{Caption: "Scores of each class", Columns: []string{"class", "true items", "F1 raw, %", "F1 adapted, %", "precision adapted, %", "recall adapted, %"}}
	raw := map[string]scores.ClassScores{}
	for _, s := range e.Raw.Classes {
		raw[s.Label] = s
	}
	for _, s := range e.Adapted.Classes {
		if len(t.Rows) >= mostListed {
			t.Caption += fmt.Sprintf("; the first %d", mostListed)
			break
		}
		t.Rows = append(t.Rows, []string{s.Label, Number(s.Support), hundred(raw[s.Label].F1), hundred(s.F1), hundred(s.Precision), hundred(s.Recall)})
	}
	return t
}

func streamScores(e *scores.Evaluation) table {
	t := table{Caption: "Scores of each stream", Columns: []string{"stream", "scored", "accuracy raw, %", "accuracy adapted, %", "to right", "to wrong"}}
	for _, s := range e.Streams {
		if len(t.Rows) >= mostListed {
			t.Caption += fmt.Sprintf("; the first %d", mostListed)
			break
		}
		t.Rows = append(t.Rows, []string{s.Stream, Number(s.Raw.Items), hundred(s.Raw.Accuracy), hundred(s.Adapted.Accuracy), Number(s.Flips.Right), Number(s.Flips.Wrong)})
	}
	return t
}

func hundred(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) }
