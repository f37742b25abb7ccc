package run

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/oatta/oatta/internal/inputs"
	"github.com/oatta/oatta/internal/results"
)

// dryRun shows the streams in the order in which a run would take them, their pictures in theirs, and a detector's boxes, if there are
// any, in those.
func dryRun(w io.Writer, l *datasets.Listing, boxes *inputs.Boxes) error {
	out := bufio.NewWriter(w)
	at := 0
	for _, s := range l.Streams() {
		fmt.Fprintf(out, "stream %q: %s%s\n", s.Name, console.Number(len(s.Pictures), "picture"), span(s))
		for _, p := range s.Pictures {
			when := "-"
			if !p.Time.IsZero() {
				when = p.Time.Format("2006-01-02 15:04:05.999")
			}
			fmt.Fprintf(out, "  %-23s  %-8s  %q\n", when, p.TimeFrom, p.Name)
			if boxes != nil {
				for _, line := range boxes.InPicture(at) {
					fmt.Fprintf(out, "    %s\n", results.Printable(line))
				}
			}
			at++
		}
	}
	for _, f := range l.Failures {
		fmt.Fprintf(out, "cannot be listed: %q: %s\n", f.Name, f.Reason)
	}
	for _, ext := range slices.Sorted(maps.Keys(l.Ignored)) {
		fmt.Fprintf(out, "ignored: %d %s\n", l.Ignored[ext], ext)
	}
	fmt.Fprintf(out, "%s in %s\n", console.Number(len(l.Pictures), "picture"), console.Number(len(l.Streams()), "stream"))
	if boxes != nil {
		fmt.Fprintf(out, "%s to classify\n", console.Number(boxes.Len(), "crop"))
	}
	return out.Flush()
}

// span tells from when to when a stream goes.
func span(s datasets.Stream) string {
	var first, last time.Time
	for _, p := range s.Pictures {
		if p.Time.IsZero() {
			continue
		}
		if first.IsZero() {
			first = p.Time
		}
		last = p.Time
	}
	if first.IsZero() {
		return ", no capture times"
	}
	const layout = "2006-01-02 15:04:05"
	return fmt.Sprintf(", %s to %s", first.Format(layout), last.Format(layout))
}
