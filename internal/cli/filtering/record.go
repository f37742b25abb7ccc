package filtering

import (
	"encoding/json"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/cli/evaluation"
	"github.com/oatta/oatta/internal/streams"
)

// AsJSON is the settings as a run's identity and manifest record them.
func AsJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // settings hold nothing that JSON cannot
	}
	return string(data)
}

// Record is what the manifests of run, eval and filter tell of the filter.
type Record struct {
	Filter adapt.Settings          `json:"filter"`
	Taught *Transitions            `json:"transitions,omitempty"`  // of other streams, in place of the filter's matrix
	Mode   streams.Mode            `json:"mode"`                   // how much of its stream an answer knows: filtered (its past), lagged or smoothed
	Lag    int                     `json:"lag,omitempty"`          // of lagged, in items
	Path   bool                    `json:"viterbi"`                // labels are those of the most probable path
	Times  *streams.Times          `json:"times"`                  // what the filter is told of the time between items
	Reset  string                  `json:"reset"`                  // when the filter forgets
	Known  *evaluation.KnownRecord `json:"known_labels,omitempty"` // for certain, and given to the filter
	State  *int                    `json:"state,omitempty"`        // commits of the file of states before this run
}

// RecordOf tells how streams are filtered, and what is known of them; remembered: from run to run.
func RecordOf(o streams.Options, taught *Transitions, known *evaluation.Known, remembered bool) Record {
	f := Record{Filter: o.Settings, Taught: taught, Known: known.Record(), Mode: o.Mode, Lag: o.Lag, Path: o.Path, Times: o.Times, Reset: "at the start of every stream"}
	if resolved, err := o.Settings.Resolved(max(1, o.Classes)); err == nil {
		f.Filter = resolved
	}
	if taught != nil {
		f.Filter.Population = nil
	}
	if remembered {
		f.Reset = "never: the state of every stream is kept from run to run"
	}
	return f
}
