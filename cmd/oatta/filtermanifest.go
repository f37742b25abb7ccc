package main

import (
	"path/filepath"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/streams"
)

// filterManifest tells how an output of `oatta filter` came about. It is written beside the output as OUT.manifest.json.
type filterManifest struct {
	Program  string         `json:"program"` // with its version
	Command  string         `json:"command"`
	Input    string         `json:"input"`
	Format   string         `json:"format"`
	Classes  []string       `json:"classes"`
	Filter   adapt.Settings `json:"filter"`
	Taught   *transitions   `json:"transitions,omitempty"` // of other streams, in place of the filter's matrix
	Mode     string         `json:"mode"`                  // filtered, lagged or smoothed
	Lag      int            `json:"lag,omitempty"`         // of lagged, in items
	Path     bool           `json:"viterbi"`               // labels are those of the most probable path
	Times    *streams.Times `json:"times,omitempty"`       // nil: only the order of the items counted
	Reset    string         `json:"reset"`                 // when the filter forgets
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished"`
	Complete bool           `json:"complete"` // the input came to its end
	Summary  filterSummary  `json:"summary"`  // of this run
}

// filterSummary counts items.
type filterSummary struct {
	Items       int             `json:"items"`
	Times       timeline.Counts `json:"times"`
	Streams     int             `json:"streams"`
	Failures    int             `json:"failures"`
	Unpredicted int             `json:"unpredicted"`
	Changed     int             `json:"changed"`
}

func (r *filterRun) manifest() *filterManifest {
	m := &filterManifest{
		Program: "oatta " + version(), Command: r.c.Command.HelpName, Input: filepath.Base(r.name), Format: string(r.format), Classes: r.labels,
		Filter: r.settings, Taught: r.taught, Mode: string(r.streams.Mode), Lag: r.streams.Lag, Path: r.streams.Path, Times: r.streams.Times, Reset: "at the start of every stream",
		Started: r.begun, Finished: time.Now(), Complete: r.whole,
		Summary: filterSummary{r.items, r.times, r.streamCount, r.failures, r.unpredicted, r.changed},
	}
	if resolved, err := r.settings.Resolved(max(1, r.classes)); err == nil {
		m.Filter = resolved
	}
	if r.taught != nil {
		m.Filter.Population = nil
	}
	if r.memory != nil {
		m.Reset = "never: the state of every stream is kept from run to run"
	}
	return m
}
