package growth

import (
	"context"
	"fmt"

	"github.com/oatta/oatta/benchmarks/report"
)

// Settings say what is measured.
type Settings struct {
	Rounds int  // of which the medians count; 0: 5
	Quick  bool // fewer and smaller points, two short rounds
}

// Run measures every axis; progress may be nil.
func Run(ctx context.Context, s Settings, progress func(what string, done, total int)) (all []*Axis, err error) {
	rounds, least, points := s.Rounds, 0.05, full
	if rounds == 0 {
		rounds = 5
	}
	if s.Quick {
		rounds, least, points = 2, 0.01, quick
	}
	axes := []struct {
		name string
		run  func() (*Axis, error)
	}{
		{"classes", func() (*Axis, error) { return classes(points.classes, rounds, least) }},
		{"streams", func() (*Axis, error) { return streams(points.streams, rounds, least) }},
		{"items", func() (*Axis, error) { return lengths(points.items, rounds, least) }},
		{"pixels", func() (*Axis, error) { return pictures(points.megapixels, rounds, least) }},
		{"recording", func() (*Axis, error) { return recordings(points.hours, rounds, least) }},
		{"cores", func() (*Axis, error) { return cores(rounds, 4*least) }},
	}
	for i, a := range axes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(a.name, i, len(axes))
		}
		one, err := a.run()
		if err != nil {
			return nil, fmt.Errorf("growth: %s: %w", a.name, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// places are where each axis is measured.
type places struct{ classes, streams, items, megapixels, hours []float64 }

var (
	full = places{
		classes: []float64{2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000}, streams: []float64{1, 4, 16, 64, 256, 1024, 4096},
		items: []float64{100, 1000, 10_000, 100_000}, megapixels: []float64{0.1, 0.3, 1.2, 5, 20, 50}, hours: []float64{0.25, 1, 4, 16},
	}
	quick = places{
		classes: []float64{2, 10, 100, 300}, streams: []float64{1, 8, 64}, items: []float64{100, 1000, 4000}, megapixels: []float64{0.1, 0.3, 1.2},
		hours: []float64{0.1, 0.3, 1},
	}
)

// Study is the study for the program that runs all of them.
func Study() report.Study {
	return report.Study{
		Name: "growth", Does: "what an item costs as classes, streams, pictures, recordings and cores grow",
		Declare: func(f report.Flags) report.Run {
			var s Settings
			f.IntVar(&s.Rounds, "rounds", 5, "`N` rounds of timing, of which the medians count")
			f.Quick(&s.Quick)
			return func(ctx context.Context, h report.Host) ([]report.Section, error) {
				if s.Rounds < 1 {
					return nil, fmt.Errorf("growth: %d rounds: want at least 1", s.Rounds)
				}
				axes, err := Run(ctx, s, h.Progress)
				if err != nil {
					return nil, err
				}
				section, err := sectionOf(axes)
				return []report.Section{section}, err
			}
		},
	}
}
