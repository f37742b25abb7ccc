package corrections

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/internal/results"
)

// Study is the command.
func Study() report.Study {
	return report.Study{Name: "corrections", Does: "what corrected labels are worth to the items that nobody corrected, and what a mistaken one costs", Declare: declare}
}

func declare(f report.Flags) report.Run {
	s := Settings{Percent: Shares()}
	f.Shared(&s.Shared)
	f.List(&s.Sets, "sets", "files of data/predictions without their ending, separated by commas (default: all)")
	f.Seeds(&s.Seeds, 4, "draws of the items that are corrected")
	f.Workers(&s.Workers)
	return func(context.Context, report.Host) ([]report.Section, error) {
		tables, err := Run(s)
		if err != nil {
			return nil, err
		}
		return []report.Section{{ID: "corrections", Title: "Corrected labels and the items that nobody corrected", Tables: tables}}, nil
	}
}

// Settings say what is measured.
type Settings struct {
	Shared  string    // folder of shared data
	Sets    []string  // files of data/predictions without their ending; none: all
	Percent []float64 // of the items that are corrected
	Seeds   int       // draws of them
	Workers int       // streams that run at a time; 0: one for each core
}

// Shares are those that the report has.
func Shares() []float64 { return []float64{0.5, 1, 2, 5} }

// method answers the items of a stream some of whose labels are known.
type method struct {
	name   string
	answer func(classes int, q [][]float64, known []int) ([]int, error)
}

func methods() []method {
	return []method{{"causal", causal}, {"smoothed", smoothed}}
}

// causal is the filter as a device in the field has it: a correction reaches the items after it.
func causal(classes int, q [][]float64, known []int) ([]int, error) {
	f, err := adapt.New(classes, adapt.Settings{})
	if err != nil {
		return nil, err
	}
	labels, dst := make([]int, len(q)), make([]float64, classes)
	for t, v := range q {
		if known[t] == adapt.Unknown {
			f.Step(dst, v)
		} else {
			f.StepKnown(dst, known[t])
		}
		labels[t], _ = results.Top(dst)
	}
	return labels, nil
}

func smoothed(classes int, q [][]float64, known []int) ([]int, error) {
	dst := make([][]float64, len(q))
	for t := range dst {
		dst[t] = make([]float64, classes)
	}
	if _, err := adapt.SmoothKnown(classes, adapt.Settings{}, dst, q, nil, known); err != nil {
		return nil, err
	}
	labels := make([]int, len(q))
	for t := range dst {
		labels[t], _ = results.Top(dst[t])
	}
	return labels, nil
}

// nothing is known of n items.
func nothing(n int) []int { return slices.Repeat([]int{adapt.Unknown}, n) }

// Run returns a table for each set.
func Run(s Settings) (tables []report.Table, err error) {
	sets, err := benchmarks.ReadRealCollections(s.Shared)
	if err != nil {
		return nil, &report.MissingError{What: "real predictions (data/predictions of --shared)", Err: err}
	}
	for _, set := range sets {
		if len(s.Sets) > 0 && !slices.Contains(s.Sets, set.File) {
			continue
		}
		table, err := s.table(set)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// draw is one draw of a stream: which items are corrected at each share, and their order.
type draw struct {
	stream  *benchmarks.Stream
	seed    uint64
	classes int
}

// rng is that of a purpose, so that one more of them changes no other.
func (d draw) rng(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(d.seed, purpose)) }

// shuffled is the draw with the items in random order.
func (d draw) shuffled() draw {
	order := d.rng(1).Perm(len(d.stream.Q))
	d.stream = &benchmarks.Stream{Name: d.stream.Name, Q: benchmarks.Pick(d.stream.Q, order), Truth: benchmarks.Pick(d.stream.Truth, order)}
	return d
}

// corrected has the true labels of random items among some, as many as a share of the stream comes to: its whole part, and one more as often as the rest of it says.
func (d draw) corrected(percent float64, among []int) []int {
	rng := d.rng(2)
	extra := rng.Float64()
	known := nothing(len(d.stream.Q))
	picked := rng.Perm(len(among))
	for _, i := range picked[:min(int(percent/100*float64(len(known))+extra), len(among))] {
		known[among[i]] = d.stream.Truth[among[i]]
	}
	return known
}

// tally counts items.
type tally struct{ items, before, after int }

func (t *tally) add(o tally) {
	t.items += o.items
	t.before += o.before
	t.after += o.after
}

// rest counts the items that are not known, and those of them that are right.
func rest(truth, known, before, after []int) (t tally) {
	for i, y := range truth {
		if known[i] != adapt.Unknown {
			continue
		}
		t.items++
		if before[i] == y {
			t.before++
		}
		if after[i] == y {
			t.after++
		}
	}
	return t
}

// points is the change of accuracy.
func (t tally) points() float64 { return 100 * float64(t.after-t.before) / float64(max(1, t.items)) }

// accuracy is that before, in percent.
func (t tally) accuracy() float64 { return 100 * float64(t.before) / float64(max(1, t.items)) }

// outcome is what came of a draw under one method.
type outcome struct {
	whole                    tally   // of all items, nothing known
	random, wrong, shuffled  []tally // by share
	mistake, mistakeShuffled tally
}

// run takes one draw through one method.
func (s Settings) run(d draw, m method) (out outcome, err error) {
	before, err := m.answer(d.classes, d.stream.Q, nothing(len(d.stream.Q)))
	if err != nil {
		return out, err
	}
	out.whole = rest(d.stream.Truth, nothing(len(before)), before, before)
	var all, wrong []int
	for i, y := range d.stream.Truth {
		all = append(all, i)
		if before[i] != y {
			wrong = append(wrong, i)
		}
	}
	mixed := d.shuffled()
	mixedBefore, err := m.answer(d.classes, mixed.stream.Q, nothing(len(before)))
	if err != nil {
		return out, err
	}
	change := func(d draw, known, before []int) tally {
		after, failed := m.answer(d.classes, d.stream.Q, known)
		if err = failed; err != nil {
			return tally{}
		}
		return rest(d.stream.Truth, known, before, after)
	}
	for _, percent := range s.Percent {
		out.random = append(out.random, change(d, d.corrected(percent, all), before))
		out.wrong = append(out.wrong, change(d, d.corrected(percent, wrong), before))
		out.shuffled = append(out.shuffled, change(mixed, mixed.corrected(percent, all), mixedBefore))
	}
	out.mistake, out.mistakeShuffled = change(d, d.mistaken(), before), change(mixed, mixed.mistaken(), mixedBefore)
	return out, err
}

// mistaken has one random item with another label than its own.
func (d draw) mistaken() []int {
	rng, known := d.rng(3), nothing(len(d.stream.Q))
	at := rng.IntN(len(known))
	known[at] = (d.stream.Truth[at] + 1 + rng.IntN(d.classes-1)) % d.classes
	return known
}

// table runs a set.
func (s Settings) table(set *benchmarks.Collection) (t report.Table, err error) {
	t = report.Table{
		ID:      set.File,
		Title:   set.Name + ": accuracy of the items that were not corrected, in points against no correction (worst stream)",
		Columns: []string{"corrected"},
		Notes:   []string{fmt.Sprintf("%d streams, %d draws. A mistake is one item of each stream with a wrong label; its cost is in items.", len(set.Streams), s.Seeds)},
	}
	columns := make([][]string, 0, 8)
	var first []string
	for _, m := range methods() {
		outcomes := make([]outcome, len(set.Streams)*s.Seeds)
		err = benchmarks.Parallel(s.Workers, len(outcomes), func(job int) (err error) {
			d := draw{set.Streams[job/s.Seeds], uint64(job) + 1, set.Classes}
			outcomes[job], err = s.run(d, m)
			return err
		})
		if err != nil {
			return t, err
		}
		t.Columns = append(t.Columns, m.name, m.name+", among the wrong", m.name+", shuffled")
		first, columns = s.columns(outcomes, first[:0], columns)
	}
	for i, name := range first {
		row := []string{name}
		for _, c := range columns {
			row = append(row, c[i])
		}
		t.Add(row...)
	}
	return t, nil
}

// columns appends the three columns of a method, and writes the names of the rows.
func (s Settings) columns(outcomes []outcome, names []string, columns [][]string) ([]string, [][]string) {
	names = append(names, "nothing, accuracy %")
	total := func(of func(o outcome) tally) (sum tally) {
		for _, o := range outcomes {
			sum.add(of(o))
		}
		return sum
	}
	whole := fmt.Sprintf("%.2f", total(func(o outcome) tally { return o.whole }).accuracy())
	mixed := ""
	if len(s.Percent) > 0 {
		mixed = fmt.Sprintf("%.2f", total(func(o outcome) tally { return o.shuffled[0] }).accuracy())
	}
	random, wrong, shuffled := []string{whole}, []string{whole}, []string{mixed}
	for k, percent := range s.Percent {
		names = append(names, fmt.Sprintf("%g %%", percent))
		cell := func(of func(o outcome) tally) string {
			return fmt.Sprintf("%+.2f (%+.1f)", total(of).points(), s.worst(outcomes, of))
		}
		random = append(random, cell(func(o outcome) tally { return o.random[k] }))
		wrong = append(wrong, cell(func(o outcome) tally { return o.wrong[k] }))
		shuffled = append(shuffled, cell(func(o outcome) tally { return o.shuffled[k] }))
	}
	names = append(names, "one mistake, items")
	cost := func(of func(o outcome) tally) string {
		mean, most := 0.0, 0
		for _, o := range outcomes {
			lost := of(o).before - of(o).after
			mean += float64(lost) / float64(len(outcomes))
			most = max(most, lost)
		}
		return fmt.Sprintf("%.2f (most %d)", mean, most)
	}
	random, wrong, shuffled = append(random, cost(func(o outcome) tally { return o.mistake })), append(wrong, ""), append(shuffled, cost(func(o outcome) tally { return o.mistakeShuffled }))
	return names, append(columns, random, wrong, shuffled)
}

// worst is the least change of a stream, over its draws together.
func (s Settings) worst(outcomes []outcome, of func(o outcome) tally) float64 {
	least := 100.0
	for at := 0; at < len(outcomes); at += s.Seeds {
		var one tally
		for _, o := range outcomes[at : at+s.Seeds] {
			one.add(of(o))
		}
		least = min(least, one.points())
	}
	return least
}
