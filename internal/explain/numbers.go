package explain

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/adapt"
)

// number writes ten digits: more than any figure shows, in two thirds of the bytes of all.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }

func encodeCSV(rows [][]string) ([]byte, error) {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	err := w.WriteAll(rows) // flushes
	return buf.Bytes(), err
}

// recordsCSV has a line for each record. Columns that the run has no use for are left empty.
func (r *Recorder) recordsCSV() ([]byte, error) {
	rows := [][]string{{
		"step", "steps", "time", "raw", "adapted", "truth", "gate", "gain", "log_ratio", "entropy", "entropy_adapted", "evidence",
		"none", "persist", "sticky", "full", "population", "zero_evidence", "event",
	}}
	for _, a := range r.records {
		row := []string{
			strconv.Itoa(a.first), strconv.Itoa(a.steps), a.clock(), r.name(a.raw), r.name(a.adapted), r.name(a.truth),
			number(a.gate), number(a.gain), "", number(a.entropy), number(a.after), number(math.Exp(a.logEvidence)),
			"", "", "", "", "", strconv.Itoa(a.zero), a.event.String(),
		}
		switch r.gate() {
		case adapt.GateAuto:
			copy(row[12:], []string{number(a.none), number(a.persist), number(a.sticky), number(a.learn), number(a.others)})
		case adapt.GateEWMA, adapt.GateWindow:
			row[8] = number(a.ratio)
		}
		rows = append(rows, row)
	}
	return encodeCSV(rows)
}

func (r *Recorder) name(class int32) string {
	if class < 0 {
		return ""
	}
	return r.settings.Classes[class]
}

func (a record) clock() string {
	if !a.timed {
		return ""
	}
	return time.Unix(0, a.time).UTC().Format(time.RFC3339Nano)
}

// String lists the events by name.
func (e Event) String() string {
	var names []string
	for i, name := range []string{"gap", "break", "reset"} {
		if e>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

// rowsCSV has a line for each sample of the rows' sizes, and a column for each class.
func (r *Recorder) rowsCSV() ([]byte, error) {
	rows := [][]string{append([]string{"step"}, r.settings.Classes...)}
	for i, step := range r.sizes.at {
		row := []string{strconv.Itoa(step)}
		for _, v := range r.sizes.values[i] {
			row = append(row, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		rows = append(rows, row)
	}
	return encodeCSV(rows)
}

// matrixCSV has a line for each row of the matrix: the class before, the size of the row, and the probability of each next class.
func (r *Recorder) matrixCSV() ([]byte, error) {
	m, err := r.Matrix()
	if err != nil {
		return nil, err
	}
	rows := [][]string{append([]string{"class", "effective_sample_size"}, m.Classes...)}
	for i, name := range m.Classes {
		row := []string{name, number(m.Sizes[i])}
		for _, v := range m.Values[i*len(m.Classes) : (i+1)*len(m.Classes)] {
			row = append(row, number(v))
		}
		rows = append(rows, row)
	}
	return encodeCSV(rows)
}

// summary is PREFIX.json.
type summary struct {
	Format       string             `json:"format"`
	Version      int                `json:"version"`
	Stream       string             `json:"stream"`
	Classes      []string           `json:"classes"`
	Steps        int                `json:"steps"`
	PerRecord    int                `json:"steps_per_record"`
	Changed      int                `json:"labels_changed"`
	ZeroEvidence int                `json:"zero_evidence"`
	Labelled     int                `json:"labelled"`
	Accuracy     *float64           `json:"accuracy,omitempty"` // of those labelled
	Adapted      *float64           `json:"accuracy_adapted,omitempty"`
	Settings     adapt.Settings     `json:"settings"`
	Hypotheses   []adapt.Hypothesis `json:"hypotheses,omitempty"` // at the last step
}

func (r *Recorder) summaryJSON() ([]byte, error) {
	s := summary{
		Format: "oatta explanation", Version: 1, Stream: r.settings.Stream, Classes: r.settings.Classes, Steps: r.steps, PerRecord: r.per,
		Changed: r.changed, ZeroEvidence: r.zero, Labelled: r.labelled, Settings: r.filter.Settings(), Hypotheses: r.hyps,
	}
	if r.labelled > 0 {
		raw, adapted := float64(r.rawRight)/float64(r.labelled), float64(r.afterRight)/float64(r.labelled)
		s.Accuracy, s.Adapted = &raw, &adapted
	}
	s.Settings.Population = nil // K x K numbers of others, which a run's manifest names by their file
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}
