package run

import (
	"github.com/oatta/oatta/internal/cli/files"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/results"
)

// ClassTimes adds up how long each class lasted, by recording.
type ClassTimes struct {
	Classes    []string          `json:"classes"`
	Period     float64           `json:"seconds_a_window"` // from one window to the next, for which a window counts
	Complete   bool              `json:"complete"`
	Recordings []*recordingTimes `json:"recordings"`
}

// recordingTimes is of one recording.
type recordingTimes struct {
	Recording string             `json:"recording"`
	Windows   int                `json:"windows"`
	Failed    int                `json:"failed"`
	Raw       map[string]float64 `json:"raw_seconds"`
	Adapted   map[string]float64 `json:"adapted_seconds"`
	NoData    float64            `json:"no_data_seconds"` // before the first window and between two: gaps, and what windows that touch one leave out
	Changes   [2]int             `json:"changes"`         // of the label from one window to the next: before and after the filter

	last [2]int
	end  float64 // of the time that windows so far count for, in seconds from the beginning
}

func newTimes(labels []string, period float64) *ClassTimes {
	return &ClassTimes{Classes: labels, Period: period, Recordings: []*recordingTimes{}}
}

// add counts one window. Those of a recording come one after another.
func (t *ClassTimes) add(_ int, r *results.Record) {
	if r.Stream == "" { // a file that could not be read
		return
	}
	if n := len(t.Recordings); n == 0 || t.Recordings[n-1].Recording != r.Stream {
		t.Recordings = append(t.Recordings, &recordingTimes{
			Recording: r.Stream, Raw: map[string]float64{}, Adapted: map[string]float64{}, last: [2]int{-1, -1},
		})
	}
	x := t.Recordings[len(t.Recordings)-1]
	x.Windows++
	if gap := r.Offset - x.end; gap > t.Period*1e-6 {
		x.NoData += gap
	}
	x.end = r.Offset + t.Period
	if r.Failed() {
		x.Failed++
		return
	}
	raw, _ := results.Top(r.Raw)
	after, _ := r.Label()
	for k, class := range [2]int{raw, after} {
		[2]map[string]float64{x.Raw, x.Adapted}[k][t.Classes[class]] += t.Period
		if x.last[k] >= 0 && x.last[k] != class {
			x.Changes[k]++
		}
		x.last[k] = class
	}
}

// writer returns what writes the file when a run ends.
func (t *ClassTimes) writer(path string) func(pipeline.Report) error {
	return func(report pipeline.Report) error {
		t.Complete = !report.Stopped
		return files.ReplaceJSON(path, t)
	}
}
