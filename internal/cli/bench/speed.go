package bench

import (
	"context"

	"github.com/oatta/oatta/benchmarks/peers"
	"github.com/oatta/oatta/benchmarks/report"
)

// besidePyTorch times steps beside PyTorch, on systems that tell the CPU time of a process; nil on others.
var besidePyTorch func(ctx context.Context, h report.Host, quick bool) (report.Table, error)

// declareSpeed is what runs beside others, in one run. Where these are not installed the section says so.
func declareSpeed(f report.Flags) report.Run {
	var quick bool
	f.Quick(&quick)
	return func(ctx context.Context, h report.Host) ([]report.Section, error) {
		s := report.Section{
			ID: "speed", Title: "Speed beside NumPy and PyTorch",
			Intro: []string{"The same computation here and there, in turn and in one run, so that whatever else the machine does meets both: ratios count, not times. " +
				"A step that does not give the other's prediction is an error."},
		}
		add := func(t report.Table, err error) {
			if err != nil {
				s.Missing = append(s.Missing, wanting(err))
			} else {
				s.Tables = append(s.Tables, t)
			}
		}
		add(peers.Run(ctx, quick))
		if besidePyTorch != nil {
			add(besidePyTorch(ctx, h, quick))
		} else {
			s.Missing = append(s.Missing, "the CPU time of a process, which this system does not tell: nothing was timed beside PyTorch")
		}
		return []report.Section{s}, ctx.Err()
	}
}
