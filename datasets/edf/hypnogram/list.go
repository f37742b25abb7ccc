package hypnogram

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/datasets/edf"
	"github.com/oatta/oatta/datasets/internal/table"
)

// listEndings are of files that may list stages, one a line (Luna's .eannot, YASA's hypnograms), or tell them as events in a table (BIDS).
var listEndings = []string{".eannot", ".txt", ".csv", ".tsv"}

// Names of columns, in the order in which they are tried.
var (
	stageColumns = []string{
		"trial_type", "stage", "stages", "sleep_stage", "sleep_stages", "sleep stage", "sleepstage", "hypno", "hypnogram", "stage_hum", "description", "event_type", "event",
		"annotation", "label", "score", "value",
	}
	onsetColumns    = []string{"onset", "start", "start_time", "begin", "initial"}
	durationColumns = []string{"duration"}
)

// readList reads stages that are listed, without times, or events of stages in a table. lines is how many were listed, 0 of a table of events.
func readList(r io.Reader, start time.Time, o Options) (out []edf.Annotation, notes []string, lines int, err error) {
	header, rows, err := readRows(r)
	if err != nil {
		return nil, nil, 0, err
	}
	onset := columnOf(header, onsetColumns)
	if onset >= 0 && len(rows) > 0 {
		out, notes, err = o.events(header, rows, onset, start)
		return out, notes, 0, err
	}
	if columnOf(header, durationColumns) >= 0 {
		return nil, nil, 0, fmt.Errorf("a column of durations and none of onsets: %w", ErrNoStages)
	}
	cells, err := stageCells(header, rows)
	if err != nil {
		return nil, nil, 0, err
	}
	cells, notes = o.withoutTitle(cells)
	c, err := o.coding(cells)
	if err != nil {
		return nil, nil, 0, err
	}
	bad := tally{what: "lines of a list of stages"}
	for i, cell := range cells {
		stage, ok := c.stage(cell)
		if !ok {
			bad.add(cell)
		}
		out = append(out, edf.Annotation{Onset: float64(i) * EpochSeconds, Duration: EpochSeconds, HasDuration: true, Text: "Sleep stage " + stage.String()})
	}
	if bad.count == len(cells) {
		return nil, bad.notes(), 0, ErrNoStages
	}
	return out, slices.Concat(notes, c.notes(), bad.notes()), len(cells), nil
}

// withoutTitle leaves out a first line that is no stage where all others are.
func (o Options) withoutTitle(cells []string) ([]string, []string) {
	if len(cells) < 2 || codeOrMissing(cells[0]) {
		return cells, nil
	}
	c, err := o.coding(cells[1:])
	if err != nil {
		return cells, nil
	}
	for i, cell := range cells {
		if _, known := c.stage(cell); known != (i > 0) {
			return cells, nil
		}
	}
	return cells[1:], []string{fmt.Sprintf("the first line %s is taken for a title", show(cells[0]))}
}

func codeOrMissing(cell string) bool {
	_, ok := codeOf(cell)
	return ok || isMissing(cell)
}

// readRows reads a table, whose header is nil where it has none.
func readRows(r io.Reader) (header []string, rows [][]string, err error) {
	t, err := table.Open("", r, table.Options{})
	if errors.Is(err, io.EOF) {
		return nil, nil, errors.New("the file is empty")
	}
	if err != nil {
		return nil, nil, err
	}
	header = slices.Clone(t.Header)
	for {
		row, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		var wrong *csv.ParseError
		if err != nil && !errors.As(err, &wrong) {
			return nil, nil, err
		}
		if len(rows) > maxEpochs {
			return nil, nil, fmt.Errorf("more than %d lines, one for each epoch of a year: a list has one a page, not one a sample", maxEpochs)
		}
		if len(row.Cells) > 0 && isComment(row.Cells[0]) {
			continue
		}
		rows = append(rows, slices.Clone(row.Cells))
	}
	if isComment(header[0]) {
		if len(rows) == 0 {
			return nil, nil, ErrNoStages
		}
		header, rows = rows[0], rows[1:]
	}
	if columnOf(header, stageColumns) < 0 && columnOf(header, onsetColumns) < 0 {
		return nil, slices.Insert(rows, 0, header), nil
	}
	return header, rows, nil
}

// isComment tells a line that people and programs put before a list.
func isComment(cell string) bool {
	return strings.HasPrefix(cell, "#") || strings.HasPrefix(cell, "%") || strings.HasPrefix(cell, "//")
}

// columnOf returns the first of some columns that a table has, or -1.
func columnOf(header, names []string) int {
	for _, name := range names {
		if i := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// stageCells returns the column of stages: that with such a name, the only one, or the second where the first counts. A single line may hold
// them all.
func stageCells(header []string, rows [][]string) ([]string, error) {
	if header == nil && len(rows) == 1 {
		rows = upright(rows[0])
	} else if header == nil {
		rows = spaced(rows)
	}
	at := columnOf(header, stageColumns)
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	switch {
	case len(rows) == 0:
		return nil, ErrNoStages
	case at >= 0:
	case width <= 1:
		at = 0
	case width == 2 && counts(rows):
		at = 1
	default:
		return nil, fmt.Errorf("%d columns: want one stage a line, or a header with stage or trial_type, and onset and duration where the stages have times", width)
	}
	return cellsOf(rows, at), nil
}

// upright makes a column of a line, as NumPy prints one.
func upright(row []string) (rows [][]string) {
	for _, cell := range strings.FieldsFunc(strings.Join(row, ","), func(r rune) bool { return strings.ContainsRune(" ,;\t[]", r) }) {
		rows = append(rows, []string{cell})
	}
	return rows
}

// spaced takes apart lines of a number and a word with spaces between.
func spaced(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		if len(row) != 1 {
			return rows
		}
		if out[i] = strings.Fields(row[0]); len(out[i]) != 2 {
			return rows
		}
	}
	if !counts(out) {
		return rows
	}
	return out
}

func cellsOf(rows [][]string, at int) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		if at < len(row) {
			out[i] = strings.TrimSpace(row[at])
		}
	}
	return out
}

// counts tells whether the first cells are numbers one apart.
func counts(rows [][]string) bool {
	last := 0
	for i, cell := range cellsOf(rows, 0) {
		n, err := strconv.Atoi(cell)
		if err != nil || i > 0 && n != last+1 {
			return false
		}
		last = n
	}
	return true
}

// events reads the events of a table: onset and duration in seconds since the start of the recording, as in BIDS. The first column counts of
// which a cell tells a stage.
func (o Options) events(header []string, rows [][]string, onset int, start time.Time) (out []edf.Annotation, notes []string, err error) {
	duration := columnOf(header, durationColumns)
	if first, ok := timeOf(cellsOf(rows, onset)[0]); ok && start.IsZero() { // of a recording whose start nobody knows
		start = first
	}
	for _, name := range stageColumns {
		at := columnOf(header, []string{name})
		if at < 0 {
			continue
		}
		cells := cellsOf(rows, at)
		c, failed := o.coding(cells)
		if failed != nil {
			err = failed
			continue
		}
		bad := tally{what: "events of stages"}
		for i, cell := range cells {
			stage, known := c.stage(cell)
			switch a, timed := event(rows[i], onset, duration, start); {
			case !known || cell == "":
			case !timed:
				bad.add(strings.Join(rows[i], " "))
			default:
				a.Text = "Sleep stage " + stage.String()
				out = append(out, a)
			}
		}
		if notes = slices.Concat(c.notes(), bad.notes()); len(out) > 0 {
			return out, notes, nil
		}
	}
	return nil, notes, cmp.Or(err, ErrNoStages)
}

// event reads the times of a row. A duration that is "n/a" is none.
func event(row []string, onset, duration int, start time.Time) (a edf.Annotation, ok bool) {
	if onset >= len(row) {
		return a, false
	}
	if a.Onset, ok = onsetOf(row[onset], start); !ok {
		return a, false
	}
	if duration >= 0 && duration < len(row) {
		if d, err := seconds(row[duration]); err == nil {
			a.Duration, a.HasDuration = d, true
		}
	}
	return a, true
}

// onsetOf reads seconds since the start, or a time of day and date, as MNE writes annotations.
func onsetOf(cell string, start time.Time) (float64, bool) {
	if s, err := seconds(cell); err == nil {
		return s, true
	}
	at, ok := timeOf(cell)
	return at.Sub(start).Seconds(), ok && !start.IsZero()
}

func timeOf(cell string) (time.Time, bool) {
	for _, layout := range []string{time.DateTime, "2006-01-02T15:04:05"} { // fractions may follow
		if at, err := time.Parse(layout, strings.TrimSpace(cell)); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// coding is what the cells of a list mean.
type coding struct {
	o     Options
	codes *codeSystem // nil: they are words
	met   []int
}

// codeSystem is a way to write stages as numbers.
type codeSystem struct {
	name   string
	stages map[int]Stage
	shown  []int // codes of which all must occur
}

// codeSystems are told apart by what occurs: every night has wakefulness, and R is 4 or 5.
var codeSystems = []codeSystem{
	{"YASA's", map[int]Stage{-2: Unscored, -1: Unscored, 0: W, 1: N1, 2: N2, 3: N3, 4: R, 8: Unscored}, []int{0}},
	{"the NSRR's", map[int]Stage{-1: Unscored, 0: W, 1: N1, 2: N2, 3: N3, 4: N3, 5: R, 6: Unscored, 7: Unscored, 8: Unscored, 9: Unscored}, []int{0, 5}},
}

// coding decides what all cells together mean. Where each is a whole number they are codes.
func (o Options) coding(cells []string) (c coding, err error) {
	c.o = o
	var values []int
	for _, cell := range cells {
		if _, own := o.Words[strings.ToLower(cell)]; own || isMissing(cell) {
			continue
		}
		v, ok := codeOf(cell)
		if !ok {
			return c, nil
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return c, nil
	}
	slices.Sort(values)
	c.met = slices.Compact(values)
	for i := range codeSystems {
		if s := &codeSystems[i]; s.holds(c.met) {
			c.codes = s
			return c, nil
		}
	}
	cause := errCodes
	if c.met[0] < -3 || c.met[len(c.met)-1] > 9 {
		cause = errNumbers
	}
	return c, fmt.Errorf("%w: %v; want YASA's 0 to 4, -1 and -2, or the NSRR's 0 to 6 and 9; --stage-words says what others are", cause, c.met)
}

var (
	errCodes   = errors.New("codes that can mean several things")
	errNumbers = errors.New("numbers that are no codes of stages")
)

func (s *codeSystem) holds(met []int) bool {
	for _, v := range met {
		if _, ok := s.stages[v]; !ok {
			return false
		}
	}
	for _, v := range s.shown {
		if !slices.Contains(met, v) {
			return false
		}
	}
	return true
}

// stage returns that of a cell, Unscored where it is not known.
func (c coding) stage(cell string) (Stage, bool) {
	if stage, ok := c.o.Words[strings.ToLower(cell)]; ok {
		return stage, true
	}
	if isMissing(cell) {
		return Unscored, true
	}
	if v, ok := codeOf(cell); ok && c.codes != nil {
		return c.codes.stages[v], true
	}
	return listed(cell)
}

// notes says how codes were read.
func (c coding) notes() []string {
	if c.codes == nil {
		return nil
	}
	var words []string
	for _, v := range c.met {
		words = append(words, fmt.Sprintf("%d %v", v, c.codes.stages[v]))
	}
	return []string{fmt.Sprintf("its codes are read as %s: %s", c.codes.name, strings.Join(words, ", "))}
}

// listed reads a cell that is a word for a stage, of which it may be one letter or digit among such: nothing else stands there.
func listed(cell string) (Stage, bool) {
	if stage, ok := ParseStage(cell); ok {
		return stage, true
	}
	if cell == "-1" || cell == "-2" { // YASA's, among letters
		return Unscored, true
	}
	stage, ok := names[strings.TrimPrefix(plain(cell), "stage ")]
	return stage, ok
}

// codeOf reads a whole number, as NumPy writes it, too: 0.000e+00.
func codeOf(cell string) (int, bool) {
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil || v != float64(int16(v)) {
		return 0, false
	}
	return int(v), true
}

// isMissing tells the words for no value, of BIDS and pandas.
func isMissing(cell string) bool {
	return cell == "" || slices.Contains([]string{"n/a", "nan", "na", "none"}, strings.ToLower(cell))
}

// list makes a hypnogram of a file that [readList] reads.
func (o Options) list(r io.Reader, start time.Time) (*Hypnogram, error) {
	annotations, notes, lines, err := readList(&limited{r: r, left: maxTextBytes}, start, o)
	if err != nil && len(notes) > 0 {
		return nil, fmt.Errorf("%w; %s", err, notes[0])
	}
	if err != nil {
		return nil, err
	}
	sortByOnset(annotations)
	h, err := o.noted(start, annotations, notes)
	if err == nil {
		h.Lines = lines
	}
	return h, err
}

// pageLengths are those that scorers use, in seconds, beside EpochSeconds.
var pageLengths = []float64{1, 2, 4, 5, 10, 15, 20, 60}

// Fits compares the number of a list's stages with the length of its recording, in seconds. A list that has more than the recording has
// epochs, or as many as it has pages of another length, is an error: its stages would lie at the wrong times. One that is shorter is told.
// Other hypnograms have times, and always fit.
func (h *Hypnogram) Fits(recording float64) (note string, err error) {
	epochs := recording / EpochSeconds
	lines := float64(h.Lines)
	if h.Lines == 0 || lines >= epochs-1 && lines <= epochs+1 {
		return "", nil
	}
	pages := ""
	for _, p := range pageLengths {
		if math.Abs(lines-recording/p) < 1 {
			pages = fmt.Sprintf(" (and as many pages of %g)", p)
		}
	}
	if lines > epochs || pages != "" {
		return "", fmt.Errorf("hypnogram: it lists %d stages, and the recording has %d epochs of %d seconds%s: it is of another night, or of pages of another length",
			h.Lines, int(epochs), EpochSeconds, pages)
	}
	return fmt.Sprintf("it lists %d stages for %d epochs: those behind them are not scored", h.Lines, int(epochs)), nil
}
