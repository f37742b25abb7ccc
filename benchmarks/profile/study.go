package profile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/timing"
)

// Settings say what is looked at.
type Settings struct {
	Shared string   // folder of shared data, for real weights
	Nets   []string // networks; empty: all
	Rounds int      // of which the medians count
	Top    int      // operators of a table
	Traces string   // folder for the engine's traces, which the tracing pages of browsers show; empty: they are not kept
	Quick  bool     // the smallest network, one round
}

// Study is the study for the program that runs all of them.
func Study() report.Study {
	return report.Study{
		Name: "profile", Does: "where the time of forward passes and of gradient steps goes, by pass, operator and layout",
		Declare: func(f report.Flags) report.Run {
			var s Settings
			f.Shared(&s.Shared)
			f.List(&s.Nets, "nets", "networks, separated by commas (default: all): "+strings.Join(names(), ", "))
			f.IntVar(&s.Rounds, "rounds", 7, "runs, of which the medians count; some before them do not")
			f.IntVar(&s.Top, "top", 12, "operators of a table, by their time")
			f.StringVar(&s.Traces, "traces", "", "`DIR` for the engine's traces, in the form that browsers' tracing pages read (default: they are not kept)")
			f.Quick(&s.Quick)
			return func(ctx context.Context, h report.Host) ([]report.Section, error) {
				section, err := Run(ctx, h, s)
				return []report.Section{section}, err
			}
		},
	}
}

// Run profiles every graph of every network.
func Run(ctx context.Context, h report.Host, s Settings) (report.Section, error) {
	out := report.Section{
		ID: "profile", Title: "Where the time of gradient steps goes",
		Intro: []string{"Every node as the engine runs it, by the engine's own profiler: on one thread, the median of its times over rounds. Blocked are " +
			"nodes in the layout that the engine has for convolutions, reorders bring numbers into it and out of it, and all else is plain. Rows are " +
			"streams of Tent, each with its own parameters, where there is one, else the items of one step."},
	}
	switch {
	case s.Quick:
		s.Nets, s.Rounds = []string{"tcn"}, 1
	case len(s.Nets) == 0:
		s.Nets = names()
	}
	list, err := chosen(s.Nets)
	if err != nil || s.Rounds < 1 || s.Top < 1 {
		return out, cmp.Or(err, fmt.Errorf("profile: %d rounds and %d operators: want at least 1 of each", s.Rounds, s.Top))
	}
	e, err := h.Engine(ctx)
	if err != nil {
		return out, err
	}
	overview := report.Table{ID: "passes", Title: "Passes", Columns: []string{"network", "graph", "rows", "weights", "ms", "first, %", "gradient, %", "second, %", "blocked, %", "reorders, %", "reorders", "nodes"}}
	var tables []report.Table
	for _, one := range list {
		jobs, err := one.jobs(s.Shared)
		if err != nil {
			return out, err
		}
		for _, j := range jobs {
			fmt.Fprintf(h.Log, "%s: %s of %d\n", one.name, j.what, j.rows)
			nodes, err := j.run(ctx, e, s.Rounds, s.Traces)
			if err != nil {
				return out, fmt.Errorf("profile: %s: %s: %w", one.name, j.what, err)
			}
			overview.AddCells(j.overview(nodes)...)
			tables = append(tables, j.table(nodes, s.Top))
		}
	}
	out.Tables = append([]report.Table{overview}, tables...)
	return out, nil
}

// sum adds the times of some nodes, in microseconds.
func sum(nodes []*node, of func(n *node) bool) (micros float64, count int) {
	for _, n := range nodes {
		if of(n) {
			micros, count = micros+timing.Median(n.micros), count+1
		}
	}
	return micros, count
}

func all(*node) bool { return true }

func in(p pass) func(n *node) bool { return func(n *node) bool { return n.in == p } }

func as(layout string) func(n *node) bool { return func(n *node) bool { return n.layout == layout } }

func (j job) overview(nodes []*node) []report.Cell {
	total, count := sum(nodes, all)
	share := func(of func(n *node) bool) report.Cell {
		part, _ := sum(nodes, of)
		return report.Num(100*part/total, 1)
	}
	_, reorders := sum(nodes, as(reorder))
	weights := "made up"
	if j.real {
		weights = "real"
	}
	return []report.Cell{
		report.Text(j.of.net), report.Text(j.what), report.Count(j.rows), report.Text(weights), report.Num(total/1e3, 2), share(in(first)),
		share(in(back)), share(in(second)), share(as(blocked)), share(as(reorder)), report.Count(reorders), report.Count(count),
	}
}

// group is a line of a table: an operator in a layout.
type group struct{ op, layout string }

// table lists what takes most, by operator and layout.
func (j job) table(nodes []*node, top int) report.Table {
	t := report.Table{
		ID: j.id(), Title: fmt.Sprintf("%s, %s, rows: %d", j.of.net, j.what, j.rows),
		Columns: []string{"operator", "layout", "nodes", "ms", "%", "first, ms", "gradient, ms", "second, ms"},
	}
	total, _ := sum(nodes, all)
	by := map[group][]*node{}
	var groups []group
	for _, n := range nodes {
		k := group{n.op, n.layout}
		if by[k] == nil {
			groups = append(groups, k)
		}
		by[k] = append(by[k], n)
	}
	time := func(k group) float64 { micros, _ := sum(by[k], all); return micros }
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(time(b), time(a)) })
	for _, k := range groups[:min(top, len(groups))] {
		row := []report.Cell{report.Text(k.op), report.Text(k.layout), report.Count(len(by[k])), report.Num(time(k)/1e3, 2), report.Num(100*time(k)/total, 1)}
		for _, p := range passes {
			micros, _ := sum(by[k], in(p))
			row = append(row, report.Num(micros/1e3, 2))
		}
		t.AddCells(row...)
	}
	return t
}
