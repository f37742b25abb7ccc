package run

import (
	"fmt"
	"io"
	"time"

	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/pipeline"
	"github.com/oatta/oatta/internal/streams"
)

// summary is what a run reports at its end.
type summary struct {
	pipeline.Counts
	Resumed     int     `json:"resumed"`
	Seconds     float64 `json:"seconds"`
	PerSecond   float64 `json:"items_per_second"` // of those done in this run
	ListSeconds float64 `json:"list_seconds"`
	Busy        busy    `json:"busy_seconds"`

	what    string // an item is called
	known   int    // items whose label was given
	streams int
	mode    streams.Mode
}

// busy is how long the workers of each stage were at work, summed over them; where they outnumber the cores, waiting for one counts.
type busy struct {
	Load   float64 `json:"load"`
	Infer  float64 `json:"infer"`
	Filter float64 `json:"filter"`
	Write  float64 `json:"write"`
}

func newSummary(r pipeline.Report, list time.Duration, in inputs.Input, mode streams.Mode) *summary {
	s := &summary{
		Counts: r.Counts, Resumed: r.Resumed, Seconds: r.Wall.Seconds(), ListSeconds: list.Seconds(),
		what: in.Noun(), streams: in.Streams(), mode: mode,
		Busy: busy{r.Busy.Load.Seconds(), r.Busy.Infer.Seconds(), r.Busy.Filter.Seconds(), r.Busy.Write.Seconds()},
	}
	if s.Seconds > 0 {
		s.PerSecond = float64(r.Items-r.Resumed) / s.Seconds
	}
	return s
}

// print writes the closing summary: what came out, and where the time went.
func (s *summary) print(w io.Writer) {
	fmt.Fprintf(w, "%s in %s: %d failed, %s changed by the filter (%s)", console.Number(s.Items, s.what), console.Number(s.streams, "stream"), s.Failures, console.Number(s.Changed, "label"), s.mode)
	if s.known > 0 {
		fmt.Fprintf(w, ", %s known", console.Number(s.known, "label"))
	}
	if s.Resumed > 0 {
		fmt.Fprintf(w, "; %d were done before", s.Resumed)
	}
	fmt.Fprintf(w, "\n%.1f %ss a second: %.2f s, after %.2f s of listing\n", s.PerSecond, s.what, s.Seconds, s.ListSeconds)
	fmt.Fprintf(w, "seconds of work, all workers together: load %.2f, network %.2f, filter %.2f, write %.2f\n",
		s.Busy.Load, s.Busy.Infer, s.Busy.Filter, s.Busy.Write)
}
