package controlled

import (
	"context"
	"fmt"
	"slices"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/datasets"
	"github.com/oatta/oatta/internal/method"
)

// Result is all that was counted.
type Result struct {
	Network      string   `json:"network"`
	Hash         string   `json:"network_sha256"`
	Set          string   `json:"set"`
	Pictures     int      `json:"pictures"`
	MEMOPictures int      `json:"memo_pictures"`
	Steps        int      `json:"steps"`
	TentSteps    int      `json:"tent_steps"`
	Seeds        int      `json:"seeds"`   // 1, 2, ...
	Filters      []string `json:"filters"` // in the order of the cells
	Columns      []Column `json:"predictors"`
	Rows         []Counts `json:"rows"`
}

// Column is a predictor.
type Column struct {
	Name     string  `json:"name"`
	Settings string  `json:"settings"`         // all of them, as JSON
	Claims   float64 `json:"claims_percent"`   // mean greatest probability over all items of all streams
	Steps    int     `json:"steps"`            // of each stream
	Beside   bool    `json:"beside,omitempty"` // it is none of the five: the plain network on the items of MEMO's streams
}

// Counts is what was counted in a row.
type Counts struct {
	Name  string `json:"name"`
	Cells []Cell `json:"cells"` // by predictor
}

// Cell is what was counted of a predictor in a row: how many labels were right, of each seed.
type Cell struct {
	Plain    []int   `json:"plain"`
	Filtered [][]int `json:"filtered"` // [filter][seed]
}

// column is a predictor at work.
type column struct {
	Column
	networks.Candidate
	streams [][]*networks.Stream // [law][seed]
	set     *networks.Set        // that they are drawn from
}

// Run measures everything. The results depend on the settings alone, and not on the number of workers.
func Run(ctx context.Context, runner *networks.Runner, s Settings) (*Result, error) {
	s, err := s.resolved()
	if err != nil {
		return nil, err
	}
	r := &Result{
		Network: s.Network.Name, Hash: s.Network.Model.Hash(), Set: s.Set.Name, Pictures: len(s.Set.Pictures), MEMOPictures: s.MEMOPictures,
		Steps: s.Steps, TentSteps: s.TentSteps, Seeds: s.Seeds,
	}
	for _, f := range filters {
		r.Filters = append(r.Filters, string(f.gate))
	}
	columns, err := s.columns()
	if err != nil {
		return nil, err
	}
	_, of := s.laws()
	cells := make([][]Cell, len(columns)) // [column][stream]
	for i, c := range columns {
		q, err := s.predict(ctx, runner, c)
		if err != nil {
			return nil, err
		}
		c.Claims = claims(q)
		r.Columns = append(r.Columns, c.Column)
		if cells[i], err = count(ctx, runner.Workers, c.streams, q, s.Network.Classes()); err != nil {
			return nil, fmt.Errorf("controlled: %s: %w", c.Column.Name, err)
		}
	}
	for i, row := range s.Rows {
		counts := Counts{Name: row.Name}
		for c := range columns {
			counts.Cells = append(counts.Cells, cells[c][of[i]])
		}
		r.Rows = append(r.Rows, counts)
	}
	return r, nil
}

// columns are the predictors, and the plain network on MEMO's items where these are not those of the others.
func (s Settings) columns() (list []column, err error) {
	all, err := s.draw(s.Set)
	if err != nil {
		return nil, err
	}
	few, some := s.Set, all
	wanted := slices.ContainsFunc(s.Predictors, func(c networks.Candidate) bool { return c.Settings.Name == method.Memo })
	if wanted && s.MEMOPictures < len(s.Set.Pictures) {
		few = s.Set.First(s.MEMOPictures)
		if some, err = s.draw(few); err != nil {
			return nil, err
		}
	}
	for _, c := range s.Predictors {
		one := column{Column{Name: c.Name, Settings: c.Key(), Steps: s.Steps}, c, all, s.Set}
		switch c.Settings.Name {
		case method.Memo:
			one.streams, one.set = some, few
		case method.Tent:
			one.streams, one.Steps = begun(all, s.TentSteps), s.TentSteps
		}
		list = append(list, one)
	}
	if few != s.Set {
		p := networks.Plain()
		list = append(list, column{Column{Name: "base on MEMO's items", Settings: p.Key(), Steps: s.Steps, Beside: true}, p, some, few})
	}
	return list, nil
}

// draw returns the streams [law][seed] of pictures of a set.
func (s Settings) draw(set *networks.Set) ([][]*networks.Stream, error) {
	laws, _ := s.laws()
	out := make([][]*networks.Stream, len(laws))
	for i, law := range laws {
		for seed := 1; seed <= s.Seeds; seed++ {
			labels := law.Labels(uint64(seed), s.Network.Classes(), s.Steps)
			items, err := datasets.DrawItems(uint64(seed), labels, set.Labels)
			if err != nil {
				return nil, fmt.Errorf("controlled: %d pictures of %s: %w", len(set.Pictures), set.Name, err)
			}
			out[i] = append(out[i], &networks.Stream{Set: set, Name: fmt.Sprintf("%s seed %d", law.Name, seed), Items: items})
		}
	}
	return out, nil
}

// begun are the first steps of streams [law][seed].
func begun(streams [][]*networks.Stream, steps int) (out [][]*networks.Stream) {
	for _, seeds := range streams {
		var short []*networks.Stream
		for _, s := range seeds {
			one := *s
			one.Items = s.Items[:steps]
			short = append(short, &one)
		}
		out = append(out, short)
	}
	return out
}

// predict returns the predictions [law][seed][step][class] of a predictor.
func (s Settings) predict(ctx context.Context, runner *networks.Runner, c column) ([][][][]float64, error) {
	if c.AlongStreams() {
		return runner.Along(ctx, s.Network, c.Candidate, c.streams)
	}
	fixed, err := runner.Predict(ctx, s.Network, c.Candidate, c.set)
	if err != nil {
		return nil, err
	}
	out := make([][][][]float64, len(c.streams))
	for i, seeds := range c.streams {
		for _, one := range seeds {
			out[i] = append(out[i], benchmarks.Pick(fixed, one.Items))
		}
	}
	return out, nil
}

// count counts the hits of a predictor on all streams [law][seed], without and with the filters.
func count(ctx context.Context, workers int, streams [][]*networks.Stream, q [][][][]float64, classes int) ([]Cell, error) {
	methods, seeds := []benchmarks.Method{benchmarks.Base()}, len(streams[0])
	out := make([]Cell, len(streams))
	for i := range out {
		out[i].Plain = make([]int, seeds)
		for range filters {
			out[i].Filtered = append(out[i].Filtered, make([]int, seeds))
		}
	}
	for _, f := range filters {
		methods = append(methods, benchmarks.Filter(string(f.gate), adapt.Settings{Gate: f.gate}))
	}
	err := benchmarks.Parallel(workers, len(streams)*seeds, func(job int) error {
		law, seed := job/seeds, job%seeds
		rows, truth := q[law][seed], streams[law][seed].Truth()
		for t, row := range rows {
			if err := adapt.Check(row, classes); err != nil {
				return fmt.Errorf("%s: step %d: %w", streams[law][seed].Name, t, err)
			}
		}
		for m, one := range methods {
			if err := ctx.Err(); err != nil {
				return err
			}
			labels := make([]int, len(truth))
			one.Label(labels, rows)
			if n := hits(labels, truth); m == 0 {
				out[law].Plain[seed] = n
			} else {
				out[law].Filtered[m-1][seed] = n
			}
		}
		return nil
	})
	return out, err
}

// claims is the mean greatest probability of predictions [law][seed][step][class], in percent.
func claims(q [][][][]float64) float64 {
	sum, n := 0.0, 0
	for _, seeds := range q {
		for _, rows := range seeds {
			for _, row := range rows {
				sum += slices.Max(row)
				n++
			}
		}
	}
	return 100 * sum / float64(n)
}

func hits(labels, truth []int) (n int) {
	for t, y := range truth {
		if labels[t] == y {
			n++
		}
	}
	return n
}
