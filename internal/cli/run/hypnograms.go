package run

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/oatta/oatta/datasets/edf/hypnogram"
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/replace"
	"github.com/oatta/oatta/internal/results"
)

// hypnograms gathers the stages of recordings and writes them as other programs want them.
type hypnograms struct {
	dir    string
	nights []inputs.Night
	stage  []hypnogram.Stage   // of each class
	scored [][]hypnogram.Stage // of each night; an epoch that failed is Unscored
	at     int                 // the night in hand
}

// newHypnograms checks that the model's classes are stages, that nothing is overwritten unasked, and that the folder can be written.
func newHypnograms(dir string, nights []inputs.Night, labels []string, overwrite bool) (*hypnograms, error) {
	h := &hypnograms{dir: dir, nights: nights}
	for _, label := range labels {
		stage, ok := hypnogram.ParseLabel(label)
		if !ok {
			return nil, fmt.Errorf("--hypnograms: the model's class %q is no stage of sleep: want W, N1, N2, N3 and R", label)
		}
		h.stage = append(h.stage, stage)
	}
	for _, n := range nights {
		h.scored = append(h.scored, make([]hypnogram.Stage, n.Count))
		for _, ending := range hypnogramEndings {
			if err := files.MayReplace(h.path(n, ending), overwrite); err != nil {
				return nil, err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--hypnograms: %w", err)
	}
	if err := files.MayCreate(dir); err != nil {
		return nil, fmt.Errorf("--hypnograms: %w", err)
	}
	return h, nil
}

var hypnogramEndings = []string{".hypnogram.csv", ".hypnogram.tsv", ".hypnogram.edf", ".sleep.json"}

func (h *hypnograms) path(n inputs.Night, ending string) string {
	return filepath.Join(h.dir, filepath.FromSlash(n.Name)+ending)
}

// add takes the result of item i. Items come in order.
func (h *hypnograms) add(i int, r *results.Record) {
	for h.at < len(h.nights) && i >= h.nights[h.at].First+h.nights[h.at].Count {
		h.at++
	}
	if h.at == len(h.nights) || r.Failed() { // of no recording, or no stage
		return
	}
	class, _ := r.Label()
	h.scored[h.at][i-h.nights[h.at].First] = h.stage[class]
}

// write writes the files of all recordings. A run that was stopped writes none: half a night would look like a whole one.
func (h *hypnograms) write(report pipeline.Report) error {
	if report.Stopped {
		return nil
	}
	for i, n := range h.nights {
		if err := os.MkdirAll(filepath.Dir(h.path(n, "")), 0o755); err != nil {
			return err
		}
		if err := h.writeNight(n, h.scored[i]); err != nil {
			return err
		}
	}
	return nil
}

func (h *hypnograms) writeNight(n inputs.Night, stages []hypnogram.Stage) error {
	for k, write := range []func(w io.Writer) error{
		func(w io.Writer) error { return hypnogram.WriteCSV(w, n.Offset, stages) },
		func(w io.Writer) error { return hypnogram.WriteTSV(w, n.Offset, stages) },
		func(w io.Writer) error { return hypnogram.WriteEDF(w, "", edfStart(n.Start), n.Offset, stages) },
		func(w io.Writer) error { return files.WriteIndented(w, hypnogram.Summarise(stages)) },
	} {
		var data bytes.Buffer
		if err := write(&data); err != nil {
			return fmt.Errorf("%s: %w", h.path(n, hypnogramEndings[k]), err)
		}
		if err := replace.Bytes(h.path(n, hypnogramEndings[k]), data.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// edfStart returns a start that EDF can write, from 1985 to 2084: of a recording without a date, or with one that was moved to make it
// anonymous, the time of day on the first day that there is.
func edfStart(start time.Time) time.Time {
	if year := start.Year(); year >= 1985 && year <= 2084 {
		return start
	}
	return time.Date(1985, 1, 1, start.Hour(), start.Minute(), start.Second(), start.Nanosecond(), time.UTC)
}
