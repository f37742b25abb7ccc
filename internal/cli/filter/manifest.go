package filter

import (
	"path/filepath"
	"time"

	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/cli/filtering"
)

// Manifest tells how an output of `oatta filter` came about. It is written beside the output as OUT.manifest.json.
type Manifest struct {
	Program string   `json:"program"` // with its version
	Command string   `json:"command"`
	Input   string   `json:"input"`
	Format  string   `json:"format"`
	Classes []string `json:"classes"`
	filtering.Record
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

func (r *job) manifest() *Manifest {
	m := &Manifest{
		Program: "oatta " + console.Version(), Command: r.C.Command.HelpName, Input: filepath.Base(r.Name), Format: string(r.Format), Classes: r.Labels,
		Record:  filtering.RecordOf(r.streams, r.taught, r.known, r.memory != nil),
		Started: r.begun, Finished: time.Now(), Complete: r.whole,
		Summary: filterSummary{r.Items, r.times, r.streamCount, r.Failures, r.Unpredicted, r.changed},
	}
	return m
}
