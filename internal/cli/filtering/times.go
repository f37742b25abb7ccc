package filtering

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/adapt/timeline"
	"github.com/oatta/oatta/internal/cli/console"
	"github.com/urfave/cli/v2"
)

// TimeCategory is where the flags of times stand in the help.
const TimeCategory = "TIME"

// gapFlags say what the filter is told of the time between items.
func gapFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "gaps", Value: "auto", Category: TimeCategory, Usage: "what time without items tells the filter: off (nothing), missed (steps of the stream's rhythm that passed), breaks (a long gap is a fresh start), all, or auto (all; breaks under the paper's gates)"},
		&cli.StringFlag{Name: "rhythm", Value: "learn", Category: TimeCategory, Usage: "`TIME` from one item to the next where none is missed, as 30s; learn (the running median), or off"},
		&cli.StringFlag{Name: "long-gap", Value: fmt.Sprintf("%dx", timeline.DefaultLongSteps), Category: TimeCategory, Usage: "what is a long gap: a `TIME`, as 2h, or a multiple of the rhythm, as 300x"},
	}
}

// GapsOf reads what the filter is told of the time between items. Powers of a matrix with few counts cost the paper's modes more than they gain.
func GapsOf(c *cli.Context, gate adapt.Gate) (s timeline.Settings, err error) {
	if c.String("gaps") == string(timeline.GapsOff) {
		if err := console.Refuse(c, []string{"rhythm", "long-gap"}, "gaps, which --gaps off ignores"); err != nil {
			return s, err
		}
	}
	switch gaps := c.String("gaps"); {
	case gaps != "auto":
		s.Gaps = timeline.Gaps(gaps)
	case gate == adapt.GateAuto || gate == "":
		s.Gaps = timeline.DefaultGaps
	default:
		s.Gaps = timeline.GapsBreaks
	}
	if s.Rhythm, err = rhythmOf(c.String("rhythm")); err != nil {
		return s, err
	}
	if s.LongGap, s.LongSteps, err = longGapOf(c.String("long-gap")); err != nil {
		return s, err
	}
	return s.Resolved()
}

func rhythmOf(arg string) (time.Duration, error) {
	switch arg {
	case "learn":
		return 0, nil
	case "off":
		return -1, nil
	}
	d, err := time.ParseDuration(arg)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("--rhythm %q: want a time over 0, as 30s, or learn, or off", arg)
	}
	return d, nil
}

func longGapOf(arg string) (d time.Duration, steps float64, err error) {
	if number, ok := strings.CutSuffix(arg, "x"); ok {
		if steps, err = strconv.ParseFloat(number, 64); err == nil && steps >= 1 {
			return 0, steps, nil
		}
	}
	if d, err = time.ParseDuration(arg); err != nil || d <= 0 {
		return 0, 0, fmt.Errorf("--long-gap %q: want a time over 0, as 2h, or a multiple of the rhythm, as 300x", arg)
	}
	return d, 0, nil
}

// PrintTimes says what the times of the items came to, if there were any.
func PrintTimes(w io.Writer, c timeline.Counts, policy timeline.Policy) {
	if c.Items == c.Untimed {
		return
	}
	parts := []string{}
	add := func(n int, what, outcome string) {
		if n > 0 {
			parts = append(parts, console.Number(n, what)+outcome)
		}
	}
	add(c.Gaps, "gap", fmt.Sprintf(" of %s", console.Number(c.Missed, "missed step")))
	add(c.Breaks, "long gap", "")
	add(c.Reordered, "item", " put in order")
	outcome := map[timeline.Policy]string{timeline.PolicyKeep: " (kept)", timeline.PolicyRestart: " (each a new start)"}[policy]
	if policy == timeline.PolicyDrop || policy == timeline.PolicyReorder {
		outcome = " (left out)"
	}
	add(c.Late, "late item", outcome)
	if policy == timeline.PolicyRestart {
		outcome = " (left out)"
	}
	add(c.Duplicates, "duplicate", outcome)
	add(c.Untimed, "item", " without a time")
	if len(parts) > 0 {
		fmt.Fprintf(w, "times: %s\n", strings.Join(parts, ", "))
	}
	if 2*c.Late > c.Items {
		fmt.Fprintln(w, "oatta: most items are late: one time in the future makes all that follow so; --late restart starts a stream anew where its time jumps back")
	}
}
