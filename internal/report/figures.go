package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/charts"
	"github.com/oatta/oatta/internal/scores"
)

// Figure is a drawing, what it says in words, and its numbers.
type Figure struct {
	ID    string // fit for a file's name: letters, digits and dashes
	Title string
	Alt   string // for those who do not see it
	Note  string // what is left out; "": nothing
	charts.Figure
	Columns []string
	Rows    [][]string

	section string
}

// The sections of the page that have figures.
const (
	inClasses     = "classes"
	inChanges     = "changes"
	inKind        = "kind"
	inStreams     = "streams"
	inScores      = "scores"
	inTransitions = "transitions"
)

// drawn adds a figure, if it can be drawn.
func drawn(out []Figure, f Figure, figure charts.Figure, err error) ([]Figure, error) {
	if err != nil {
		return out, fmt.Errorf("report: figure %s: %w", f.ID, err)
	}
	f.Figure = figure
	return append(out, f), nil
}

// Figures returns all of them in the order of the page.
func (c *Collected) Figures() (out []Figure, err error) {
	for _, of := range []func([]Figure) ([]Figure, error){c.classFigures, c.changeFigure, c.nightFigures, c.movementFigures, c.scoreFigures, c.streamFigures, c.transitionFigure} {
		if out, err = of(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// top orders the classes by their numbers and keeps the first most.
func (c *Collected) top(most int, size func(class int) int) (classes []int, dropped int) {
	for k := range c.classes {
		if size(k) > 0 {
			classes = append(classes, k)
		}
	}
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	if len(classes) > most {
		classes, dropped = classes[:most], len(classes)-most
	}
	slices.Sort(classes) // as they are declared: stages in their order
	return classes, dropped
}

func (c *Collected) names(classes []int) []string {
	out := make([]string, len(classes))
	for i, k := range classes {
		out[i] = Visible(Named(c.classes[k]))
	}
	return out
}

// leftOut says that some of the classes are not shown.
func leftOut(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s of fewer items %s left out.", plural(n, what, "es"), are(n))
}

func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func plural(n int, one, more string) string {
	if n == 1 {
		more = ""
	}
	return Number(n) + " " + one + more
}

// Number writes thousands apart.
func Number(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

func (c *Collected) classFigures(out []Figure) ([]Figure, error) {
	if c.total.items == 0 {
		return out, nil
	}
	classes, dropped := c.top(24, func(k int) int { return max(c.raw[k], c.adapted[k]) })
	if len(classes) > 0 {
		m := charts.Amounts{Title: "Items of each class", Classes: c.names(classes)}
		f := Figure{ID: "classes", Title: "Items of each class, raw and adapted", section: inClasses, Columns: []string{"class", "raw", "adapted", "change"}, Note: leftOut(dropped, "class")}
		var said []string
		for _, k := range classes {
			m.Raw, m.Adapted = append(m.Raw, float64(c.raw[k])), append(m.Adapted, float64(c.adapted[k]))
			f.Rows = append(f.Rows, []string{c.classes[k], strconv.Itoa(c.raw[k]), strconv.Itoa(c.adapted[k]), fmt.Sprintf("%+d", c.adapted[k]-c.raw[k])})
			if len(said) < 8 {
				said = append(said, fmt.Sprintf("%s %d raw, %d adapted", Named(c.classes[k]), c.raw[k], c.adapted[k]))
			}
		}
		f.Alt = "Bars of the number of items by class: " + strings.Join(said, "; ")
		figure, err := m.Figure()
		if out, err = drawn(out, f, figure, err); err != nil {
			return out, err
		}
	}
	if c.bins[0].known == 0 && c.bins[1].known == 0 {
		return out, nil
	}
	f := Figure{ID: "confidence", Title: "How probable the labels are", section: inClasses, Columns: []string{"from", "to", "raw", "adapted"}}
	var series []charts.ReliabilitySeries
	for k, name := range []string{"raw", "adapted"} {
		b := &c.bins[k]
		s := charts.ReliabilitySeries{Name: name, Bins: make([]charts.ReliabilityBin, len(b.items))}
		for i := range b.items {
			s.Bins[i].Items = b.items[i]
		}
		series = append(series, s)
	}
	n := len(c.bins[0].items)
	for i := range n {
		f.Rows = append(f.Rows, []string{ratio(float64(i) / float64(n)), ratio(float64(i+1) / float64(n)), strconv.Itoa(c.bins[0].items[i]), strconv.Itoa(c.bins[1].items[i])})
	}
	f.Alt = fmt.Sprintf("Histogram of the probability of the label: mean %s raw and %s adapted", ratio(c.bins[0].mean()), ratio(c.bins[1].mean()))
	return drawn(out, f, charts.Confidence("Probability of the labels", series), nil)
}

func (b *bins) mean() float64 {
	sum := 0.0
	for _, v := range b.sum {
		sum += v
	}
	return sum / float64(b.known)
}

// ratio writes a number between 0 and 1; one that is not told as a dash.
func ratio(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// table is a square of counts among some classes.
func (c *Collected) table(classes []int, values map[[2]int]int) []int {
	at := map[int]int{}
	for i, k := range classes {
		at[k] = i
	}
	out := make([]int, len(classes)*len(classes))
	for pair, n := range values {
		i, ok := at[pair[0]]
		j, also := at[pair[1]]
		if ok && also {
			out[i*len(classes)+j] = n
		}
	}
	return out
}

// pairs are the entries of a table, the most frequent first.
func (c *Collected) pairs(values map[[2]int]int) (rows [][]string) {
	type entry struct {
		pair [2]int
		n    int
	}
	var all []entry
	for pair, n := range values {
		all = append(all, entry{pair, n})
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.pair[0], b.pair[0]), cmp.Compare(a.pair[1], b.pair[1]))
	})
	for _, e := range all {
		rows = append(rows, []string{c.classes[e.pair[0]], c.classes[e.pair[1]], strconv.Itoa(e.n)})
	}
	return rows
}

func (c *Collected) changeFigure(out []Figure) ([]Figure, error) {
	if c.total.changed == 0 {
		return out, nil
	}
	size := map[int]int{}
	for pair, n := range c.changes {
		size[pair[0]] += n
		size[pair[1]] += n
	}
	classes, dropped := c.top(mostClasses, func(k int) int { return size[k] })
	f := Figure{ID: "changes", Title: "Labels that the filter changed: which to which", section: inChanges, Columns: []string{"raw", "adapted", "items"}, Rows: c.pairs(c.changes), Note: leftOut(dropped, "class")}
	var said []string
	for _, row := range f.Rows[:min(len(f.Rows), 8)] {
		said = append(said, fmt.Sprintf("%s to %s %s", Named(row[0]), Named(row[1]), row[2]))
	}
	f.Alt = "Matrix of changed labels, raw by adapted: " + strings.Join(said, "; ")
	m := charts.Counts{Title: "Labels changed", Note: plural(c.total.changed, "item", "s"), Rows: "raw label", Columns: "adapted label", Classes: c.names(classes), Values: c.table(classes, c.changes)}
	figure, err := m.Figure()
	return drawn(out, f, figure, err)
}

// transitionFigure shows which adapted label follows which, if it is asked for.
func (c *Collected) transitionFigure(out []Figure) ([]Figure, error) {
	if !c.settings.Transitions || len(c.follows) == 0 {
		return out, nil
	}
	rows := map[int]int{}
	for pair, n := range c.follows {
		rows[pair[0]] += n
	}
	classes, dropped := c.top(mostClasses, func(k int) int { return rows[k] })
	f := Figure{ID: "transitions", Title: "Which adapted label follows which", section: inTransitions, Columns: []string{"label", "next", "times"}, Rows: c.pairs(c.follows), Note: leftOut(dropped, "class")}
	m := charts.Matrix{Title: "Transitions", Note: "shares of neighbours in the same stream; n: items", Classes: c.names(classes), Values: make([]float64, len(classes)*len(classes))}
	for i, v := range c.table(classes, c.follows) {
		of := rows[classes[i/len(classes)]]
		m.Values[i] = float64(v) / float64(of)
	}
	for _, k := range classes {
		m.Sizes = append(m.Sizes, float64(rows[k]))
	}
	f.Alt = "Matrix of how often an adapted label follows another in a stream"
	figure, err := m.Figure()
	return drawn(out, f, figure, err)
}

// slug is a name for a file.
func slug(parts ...string) string {
	var b strings.Builder
	for _, r := range strings.Join(parts, "-") {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r >= 'A' && r <= 'Z':
			b.WriteRune(r + 'a' - 'A')
		default:
			if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
				b.WriteByte('-')
			}
		}
		if b.Len() >= 48 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// shown are the streams with figures of their own: the nights of sleep in their order, for whoever reads them looks for one; of all else those
// that order changed most.
func (c *Collected) shown() []*stream {
	all := c.ranked()
	if c.kind == Sleep {
		all = c.streams
	}
	var out []*stream
	for _, st := range all {
		if st.series != nil && len(out) < c.settings.figures() {
			out = append(out, st)
		}
	}
	return out
}

// spoken is a stream in words.
func (c *Collected) spoken(st *stream) string {
	var parts [2][]string
	for k := range parts { // what is true has its place in the scores
		keys := make([]int, 0, len(st.classes[k]))
		for class := range st.classes[k] {
			keys = append(keys, class)
		}
		slices.SortFunc(keys, func(a, b int) int { return cmp.Or(cmp.Compare(st.classes[k][b], st.classes[k][a]), cmp.Compare(a, b)) })
		for _, class := range keys[:min(len(keys), 6)] {
			parts[k] = append(parts[k], fmt.Sprintf("%s %d", Named(c.classes[class]), st.classes[k][class]))
		}
	}
	return fmt.Sprintf("stream %s, %s; raw %s; adapted %s; %s changed; mean gate %s", st.name, plural(st.items, c.kind.Noun(), "s"),
		strings.Join(parts[0], ", "), strings.Join(parts[1], ", "), plural(st.changed, "label", "s"), ratio(st.meanGate()))
}

// streamFigures draw labels and gate over time.
func (c *Collected) streamFigures(out []Figure) ([]Figure, error) {
	for i, st := range c.shown() {
		s := st.series
		met := st.met()
		if len(met) == 0 { // no item has a result
			continue
		}
		t := charts.Timeline{Title: "Stream " + Visible(st.name), Note: fmt.Sprintf("%s, %s changed", plural(st.items, c.kind.Noun(), "s"), plural(st.changed, "label", "s")), Classes: c.names(met)}
		at := places(met)
		f := Figure{
			ID: fmt.Sprintf("stream-%02d-%s", i+1, slug(st.name)), Title: "Labels and gate of " + st.name, section: inStreams, Alt: "Labels, gate and probabilities over " + c.spoken(st),
			Columns: []string{"item", "time", "raw", "adapted", "gate", "prob", "adapted_prob"},
		}
		if s.each > 1 {
			f.Note = fmt.Sprintf("Up to %d items make one record: it has the label of its first, and means of the numbers.", s.each)
		}
		timed, known := s.timed(), false
		for _, r := range s.records {
			t.Step = append(t.Step, int(r.first))
			t.Raw, t.Adapted = append(t.Raw, at(r.raw)), append(t.Adapted, at(r.adapted))
			if st.labelled {
				t.Truth = append(t.Truth, at(r.truth))
			}
			t.Gate, t.Prob, t.AfterProb = append(t.Gate, float64(r.gate)), append(t.Prob, float64(r.prob)), append(t.AfterProb, float64(r.after))
			known = known || r.prob == r.prob
			when := ""
			if timed {
				t.Times = append(t.Times, r.time)
				when = time.Unix(0, r.time).UTC().Format("2006-01-02T15:04:05")
			}
			f.Rows = append(f.Rows, []string{strconv.Itoa(int(r.first)), when, c.label(r.raw), c.label(r.adapted), c.label(r.truth), plainly(float64(r.gate)), plainly(float64(r.prob)), plainly(float64(r.after))})
		}
		if !known {
			t.Prob, t.AfterProb = nil, nil
		}
		figure, err := t.Figure()
		if out, err = drawn(out, f, figure, err); err != nil {
			return out, err
		}
	}
	return out, nil
}

// met are the classes that the stream has, in their order.
func (st *stream) met() (out []int) {
	seen := map[int]bool{}
	for k := range st.classes {
		for class := range st.classes[k] {
			if !seen[class] {
				seen[class] = true
				out = append(out, class)
			}
		}
	}
	slices.Sort(out)
	return out
}

// places tells where classes are among some of them; -1: nowhere.
func places(classes []int) func(class int32) int {
	at := make(map[int32]int, len(classes))
	for i, k := range classes {
		at[int32(k)] = i
	}
	return func(class int32) int {
		if i, ok := at[class]; ok {
			return i
		}
		return -1
	}
}

func (c *Collected) label(class int32) string {
	if class < 0 {
		return ""
	}
	return c.classes[class]
}

// plainly is a number for programs; empty where it is not told.
func plainly(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// lanes are the stages in the order of a hypnogram, and the lane of each class + 1; false where a class is no stage.
func (c *Collected) lanes() (names []string, lane []int, ok bool) {
	stages := stagesOf(c.classes)
	if stages == nil {
		return nil, nil, false
	}
	order := []hypnogram.Stage{hypnogram.W, hypnogram.R, hypnogram.N1, hypnogram.N2, hypnogram.N3}
	lane = make([]int, len(stages)+1)
	lane[0] = -1
	for k, stage := range stages {
		lane[k+1] = slices.Index(order, stage)
		if lane[k+1] < 0 {
			return nil, nil, false
		}
	}
	return []string{"W", "R", "N1", "N2", "N3"}, lane, true
}

// nightFigures are hypnograms, raw and adapted above each other, and hypnodensities where the results have full vectors.
func (c *Collected) nightFigures(out []Figure) ([]Figure, error) {
	names, lane, ok := c.lanes()
	if c.kind != Sleep || !ok {
		return out, nil
	}
	for i, st := range c.shown() {
		n := st.night
		if n == nil || len(n.raw) == 0 {
			continue
		}
		h := charts.Hypnogram{Title: "Night " + Visible(st.name), Classes: names, Marked: 1, Hours: n.seconds / 3600, Start: n.start}
		f := Figure{ID: fmt.Sprintf("night-%02d-%s", i+1, slug(st.name)), Title: "Hypnogram of " + st.name, section: inKind, Alt: "Hypnograms, raw and adapted, of " + c.spoken(st), Columns: []string{"epoch", "seconds", "raw", "adapted", "truth"}}
		if n.truth != nil {
			h.Nights = append(h.Nights, charts.Night{Name: "True", Stages: stagesIn(n.truth, lane)})
		}
		for k, labels := range [][]uint8{n.raw, n.adapted} {
			x := charts.Night{Name: []string{"Raw", "Adapted"}[k], Stages: stagesIn(labels, lane)}
			if n.vectors {
				x.Density = densities([][][]float32{n.probs, n.after}[k], lane, len(names))
			}
			h.Nights = append(h.Nights, x)
		}
		for t := range n.raw {
			f.Rows = append(f.Rows, []string{strconv.Itoa(t), plainly(n.offset + float64(t)*n.seconds), c.label(int32(n.raw[t]) - 1), c.label(int32(n.adapted[t]) - 1), n.trueAt(t, c)})
		}
		if n.full {
			f.Note = fmt.Sprintf("What comes after the first %s epochs is left out.", Number(mostEpochs))
		}
		figure, err := h.Figure()
		if out, err = drawn(out, f, figure, err); err != nil {
			return out, err
		}
	}
	return out, nil
}

func stagesIn(labels []uint8, lane []int) []int {
	out := make([]int, len(labels))
	for t, class := range labels {
		out[t] = lane[class]
	}
	return out
}

// trueAt is the true label of an epoch; "" where it is not known.
func (n *night) trueAt(t int, c *Collected) string {
	if n.truth == nil {
		return ""
	}
	return c.label(int32(n.truth[t]) - 1)
}

func densities(vectors [][]float32, lane []int, k int) [][]float64 {
	out := make([][]float64, len(vectors))
	for t, p := range vectors {
		if len(p) != len(lane)-1 {
			continue
		}
		out[t] = make([]float64, k)
		for class, v := range p {
			out[t][lane[class+1]] += float64(v)
		}
	}
	return out
}

// movementFigures are heat strips of the days, and how long each class lasted.
func (c *Collected) movementFigures(out []Figure) ([]Figure, error) {
	if c.kind != Movement {
		return out, nil
	}
	for i, st := range c.shown() {
		m := st.movement
		if m == nil || len(m.days) == 0 {
			continue
		}
		met := st.met()
		s := charts.Strips{Title: "Recording " + Visible(st.name), Classes: c.names(met), From: 0, To: 24, Clock: m.clock}
		if len(s.Classes) == 0 {
			continue
		}
		at := places(met)
		s.Note = "nothing drawn: nothing recorded, or no result"
		f := Figure{ID: fmt.Sprintf("days-%02d-%s", i+1, slug(st.name)), Title: "Classes over the day, " + st.name, section: inKind, Alt: "Strips of classes over the hours of each day: " + c.spoken(st), Columns: []string{"day", "line", "from_hour", "to_hour", "class"}}
		f.Note = m.note()
		s.Rows = m.rows(&s.From, &s.To)
		for r, row := range s.Rows {
			for k, span := range row.Spans {
				row.Spans[k].Class = at(int32(span.Class))
				f.Rows = append(f.Rows, []string{m.days[min(r/2, len(m.days)-1)].date.Format("2006-01-02"), row.Kind, plainly(span.From), plainly(span.To), c.classes[span.Class]})
			}
		}
		figure, err := s.Figure()
		if out, err = drawn(out, f, figure, err); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (m *movement) note() string {
	switch {
	case m.dropped > 0:
		return fmt.Sprintf("Days after the first %d are left out.", mostDays)
	case m.drawnWhole():
		return ""
	}
	return "Each two minutes have the class of most of their items."
}

// drawnWhole tells that a recording is so short that its runs are drawn as they are.
func (m *movement) drawnWhole() bool {
	if m.many || len(m.days) != 1 || len(m.spans[1]) == 0 {
		return false
	}
	s := m.spans[1]
	return s[len(s)-1].to.Sub(s[0].from) < 12*time.Hour
}

// rows are two lines a day; of a short recording, over the hours that it has.
func (m *movement) rows(from, to *float64) (out []charts.StripRow) {
	kinds := [2]string{"raw", "adapted"}
	if m.drawnWhole() {
		midnight := m.days[0].date
		hour := func(t time.Time) float64 { return t.Sub(midnight).Hours() }
		last := m.spans[1][len(m.spans[1])-1]
		*from = hour(m.spans[1][0].from)
		*to = max(hour(last.to), *from+1./60) // how long one item lasts may not be told
		for k, kind := range kinds {
			row := charts.StripRow{Name: m.nameOf(0, k), Kind: kind}
			for _, s := range m.spans[k] {
				row.Spans = append(row.Spans, charts.Span{From: hour(s.from), To: hour(s.to), Class: s.class})
			}
			out = append(out, row)
		}
		return out
	}
	for i, d := range m.days {
		for k, kind := range kinds {
			row := charts.StripRow{Name: m.nameOf(i, k), Kind: kind}
			for at := 0; at < slots; {
				end := at + 1
				for end < slots && d.slots[k][end] == d.slots[k][at] {
					end++
				}
				if class := int(d.slots[k][at]) - 1; class >= 0 {
					row.Spans = append(row.Spans, charts.Span{From: float64(at) * 24 / slots, To: float64(end) * 24 / slots, Class: class})
				}
				at = end
			}
			out = append(out, row)
		}
	}
	return out
}

// nameOf is the day of the first of its two lines.
func (m *movement) nameOf(day, line int) string {
	switch {
	case line > 0:
		return ""
	case m.clock:
		return m.days[day].date.Format("Mon 2 Jan")
	}
	return fmt.Sprintf("day %d", day+1)
}

// scoreFigures are the confusion matrices and the reliability diagram.
func (c *Collected) scoreFigures(out []Figure) ([]Figure, error) {
	e := c.evaluation()
	if e == nil {
		return out, nil
	}
	for k, s := range []scores.Scores{e.Raw, e.Adapted} {
		name := []string{"raw", "adapted"}[k]
		labels, values := s.Confusion()
		if len(labels) == 0 || len(labels) > 2*mostClasses-10 {
			continue
		}
		m := charts.Counts{Title: "Confusion, " + name, Note: fmt.Sprintf("accuracy %.2f %%", 100*s.Accuracy), Rows: "true class", Columns: name + " label"}
		f := Figure{ID: "confusion-" + name, Title: "Confusion matrix, " + name, section: inScores, Alt: fmt.Sprintf("Confusion matrix, %s: %s right of %s", name, Number(s.Correct), Number(s.Items)), Columns: []string{"true", name, "items"}}
		for i, label := range labels {
			m.Classes = append(m.Classes, Visible(Named(label)))
			m.Values = append(m.Values, values[i]...)
			for j, v := range values[i] {
				if v > 0 {
					f.Rows = append(f.Rows, []string{label, labels[j], strconv.Itoa(v)})
				}
			}
		}
		figure, err := m.Figure()
		if out, err = drawn(out, f, figure, err); err != nil {
			return out, err
		}
	}
	return c.reliabilityFigure(out, e)
}

func (c *Collected) reliabilityFigure(out []Figure, e *scores.Evaluation) ([]Figure, error) {
	if c.second == nil || c.second.reliability[0] == nil || c.settings.Scores != nil {
		return out, nil
	}
	f := Figure{ID: "reliability", Title: "Reliability: how often labels of a probability are right", section: inScores, Columns: []string{"predictor", "bin", "items", "confidence", "accuracy"}}
	var series []charts.ReliabilitySeries
	for k, name := range []string{"raw", "adapted"} {
		bins := c.second.reliability[k]
		ece := []float64{e.Raw.ECE, e.Adapted.ECE}[k]
		series = append(series, charts.ReliabilitySeries{Name: name, ECE: ece, Bins: bins})
		for i, b := range bins {
			f.Rows = append(f.Rows, []string{name, strconv.Itoa(i + 1), strconv.Itoa(b.Items), plainly(b.Confidence), plainly(b.Accuracy)})
		}
	}
	f.Alt = fmt.Sprintf("Accuracy against the probability of the label; expected calibration error %.3f raw, %.3f adapted", e.Raw.ECE, e.Adapted.ECE)
	return drawn(out, f, charts.Reliability("Reliability", series), nil)
}

// evaluation is that of the items, else that of an eval; nil if there is none.
func (c *Collected) evaluation() *scores.Evaluation {
	if c.settings.Scores != nil {
		return c.settings.Scores
	}
	if c.second != nil {
		return c.second.evaluation
	}
	return nil
}

// Bytes returns the figure as "svg" or "png", or its numbers as "csv".
func (f Figure) Bytes(format string) ([]byte, error) {
	if format != "csv" {
		return f.Encode(format)
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.Write(f.Columns); err != nil {
		return nil, err
	}
	if err := w.WriteAll(f.Rows); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
