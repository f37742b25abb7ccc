package main

import (
	"path/filepath"
	"time"

	"github.com/oatta/oatta/adapt/timeline"
)

// filterManifest tells how an output of `oatta filter` came about. It is written beside the output as OUT.manifest.json.
type filterManifest struct {
	Program string   `json:"program"` // with its version
	Command string   `json:"command"`
	Input   string   `json:"input"`
	Format  string   `json:"format"`
	Classes []string `json:"classes"`
	filtering
	Started  time.Time     `json:"started"`
	Finished time.Time     `json:"finished"`
	Complete bool          `json:"complete"` // the input came to its end
	Summary  filterSummary `json:"summary"`  // of this run
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
		filtering: filteringOf(r.streams, r.taught, r.memory != nil),
		Started:   r.begun, Finished: time.Now(), Complete: r.whole,
		Summary: filterSummary{r.items, r.times, r.streamCount, r.failures, r.unpredicted, r.changed},
	}
	return m
}
