package baselines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
)

// Study is the study by name.
func Study() report.Study {
	return report.Study{Name: "baselines", Does: "the filter beside what people use in its place, on real predictions", Declare: declare}
}

func declare(f report.Flags) report.Run {
	var s benchmarks.RealSettings
	var shared string
	f.Shared(&shared)
	f.List(&s.Sets, "sets", "names of sets, separated by commas; * stands for anything (default: all)")
	f.IntVar(&s.Shuffles, "shuffles", 3, "draws of each stream's shuffled order")
	f.Quick(&s.Quick)
	f.Workers(&s.Workers)
	return func(ctx context.Context, _ report.Host) ([]report.Section, error) {
		if _, err := os.Stat(filepath.Join(shared, "data", "streams")); err != nil {
			return nil, &report.MissingError{What: "real predictions on real streams (data/streams and data/predictions of --shared)", Err: err}
		}
		sets, err := benchmarks.ReadReal(shared)
		if err != nil {
			return nil, err
		}
		section, err := Run(ctx, sets, s)
		return []report.Section{section}, err
	}
}

// Run compares the methods on the sets.
func Run(ctx context.Context, sets []*benchmarks.Collection, s benchmarks.RealSettings) (report.Section, error) {
	if s.Methods != nil {
		return report.Section{}, errors.New("baselines: methods are those of the study: want none by name")
	}
	now, later := causal(), waiting()
	r, err := benchmarks.RunTried(sets, append(now, later...), s)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return report.Section{}, err
	}
	out := report.Section{
		ID: "baselines", Title: "What people use in its place", Intro: intro(r),
		Tables: []report.Table{
			overview(r, "causal", "Methods that answer at once", now, ours),
			overview(r, "waiting", "Methods that wait for later items", later, oursSmoothed),
			bySet(r, "causal-by-set", "Change by set, methods that answer at once", now),
			bySet(r, "waiting-by-set", "Change by set, methods that wait", later),
		},
		Notes: notes(r),
	}
	out.Made.Seeds = fmt.Sprintf("1 to %d, of the shuffled orders", r.Shuffles)
	return out, nil
}
