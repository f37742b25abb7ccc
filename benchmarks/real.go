package benchmarks

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path/filepath"
	goruntime "runtime"
	"slices"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/internal/scores"
)

// RealSettings says what is tried on the real predictions. The zero value is all of it.
type RealSettings struct {
	Sets     []string // patterns of path.Match on the names of their files; nil: all
	Methods  []string // patterns on the names of methods; nil: all
	Judged   string   // the method that the goals are tried on; empty: AutoThird
	Shuffles int      // orders drawn of each stream, seeded 1, 2, ...; 0: 3
	Quick    bool     // a few streams, cut short, and rough intervals
	Workers  int      // 0: one for each core. The results do not depend on it.
	// Resamples is how often streams are drawn for the intervals; 0: as often as scores.Bootstrap does.
	Resamples int
}

// What Quick leaves of a set.
const (
	quickStreams   = 3
	quickItems     = 300
	quickResamples = 200
)

func (s RealSettings) resolved() (RealSettings, error) {
	s.Judged = cmp.Or(s.Judged, AutoThird)
	s.Shuffles = cmp.Or(s.Shuffles, 3)
	s.Workers = cmp.Or(s.Workers, goruntime.GOMAXPROCS(0))
	if s.Quick {
		s.Resamples = cmp.Or(s.Resamples, quickResamples)
	}
	if s.Shuffles < 1 || s.Workers < 1 {
		return s, fmt.Errorf("benchmarks: %d shuffles, %d workers: want at least 1 of each", s.Shuffles, s.Workers)
	}
	return s, nil
}

// RealResult tells what each method changes on real predictions, in their real order and shuffled.
type RealResult struct {
	Shuffles int       `json:"shuffles"`
	Quick    bool      `json:"quick,omitempty"`
	Methods  []string  `json:"methods"`
	Sets     []RealSet `json:"sets"`
	Goals    RealGoals `json:"goals"`
}

// RealSet is the outcome on one set of predictions.
type RealSet struct {
	Name     string    `json:"name"`
	Classes  []string  `json:"classes"`
	Streams  int       `json:"streams"`
	Items    int       `json:"items"`
	Accuracy float64   `json:"base_percent"`               // of the predictor, mean over streams
	MacroF1  float64   `json:"base_macro_f1_percent"`      // of the predictor, over the items of all streams
	Other    string    `json:"other_population,omitempty"` // the set whose population is tried here as another's
	Ordered  []RealRow `json:"in_order"`
	Shuffled []RealRow `json:"shuffled"`
}

// RealRow is one method on one set. Changes are in points against the predictor alone, and of a shuffled stream the mean over the draws
// where nothing else is said.
type RealRow struct {
	Method string  `json:"method"`
	Mean   float64 `json:"mean"` // change in accuracy over streams, each counting the same
	// Interval is that of Mean over streams; nil where there are fewer than two.
	Interval  []float64      `json:"interval,omitempty"`
	Worst     float64        `json:"worst"`         // stream, each draw by itself
	Harmed    int            `json:"harmed"`        // long streams that lose more than a point, each draw by itself
	Long      int            `json:"long"`          // streams of LongStream items or more, each draw by itself
	WorstLong float64        `json:"worst_long"`    // the worst of the long streams, or 0 if it gains
	MacroF1   float64        `json:"macro_f1"`      // change over the items of all streams, in points
	ECE       *float64       `json:"ece,omitempty"` // of the method, over the items of all streams; nil: it has labels alone
	Streams   []StreamChange `json:"streams"`
}

// StreamChange is what a method changes on one stream.
type StreamChange struct {
	Stream string    `json:"stream"`
	Items  int       `json:"items"`
	Change []float64 `json:"change"` // by draw
}

// LongStream is the number of items from which on a stream counts in the goals.
const LongStream = 100

// ReadReal reads the sets below the folder of shared data: data/streams by name, then data/predictions.
func ReadReal(shared string) ([]*Collection, error) {
	folded, err := ReadFoldedCollections(filepath.Join(shared, "data", "streams"))
	if err != nil {
		return nil, err
	}
	rest, err := ReadRealCollections(shared)
	return append(folded, rest...), err
}

// RunReal runs the methods on every stream of the sets, in its order and shuffled. The same sets and settings give the same numbers, whatever
// the number of cores. Another population of a set is that of the next set, or else the first, with as many classes and other counts.
func RunReal(sets []*Collection, s RealSettings) (*RealResult, error) {
	s, err := s.resolved()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(MethodsOnReal(), s.Judged) {
		return nil, fmt.Errorf("benchmarks: method %q: want one of %q", s.Judged, MethodsOnReal())
	}
	r, err := RunTried(sets, realMethods(), s)
	if err != nil {
		return nil, err
	}
	r.Goals = r.goals(s.Judged)
	return r, nil
}

// RunTried is RunReal with methods of one's own, of which there are no goals.
func RunTried(sets []*Collection, tried []Tried, s RealSettings) (*RealResult, error) {
	s, err := s.resolved()
	if err != nil {
		return nil, err
	}
	methods, err := chosenMethods(tried, s.Methods)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range sets {
		names = append(names, c.File)
	}
	if names, err = chosen("set", names, s.Sets); err != nil {
		return nil, err
	}
	r := &RealResult{Shuffles: s.Shuffles, Quick: s.Quick}
	r.Methods = namesOf(methods)
	var trials []*realTrial
	for i, c := range sets {
		if !slices.Contains(names, c.File) {
			continue
		}
		trial, err := newRealTrial(c, otherPopulation(sets, i), methods, s)
		if err != nil {
			return nil, err
		}
		trials = append(trials, trial)
	}
	runTrials(trials, s.Workers)
	r.Sets = make([]RealSet, len(trials))
	if err := Parallel(s.Workers, len(trials), func(i int) (err error) {
		r.Sets[i], err = trials[i].set(scores.BootstrapOptions{Resamples: s.Resamples})
		return err
	}); err != nil {
		return nil, err
	}
	return r, nil
}

// realTrial is one set with the methods of each stream, and what came out of each draw of it: in order, and then the shuffles.
type realTrial struct {
	name, other string
	labels      []string
	streams     []*Stream
	methods     []string
	runs        [][]Method       // [streams][methods]
	draws       [][][]realChange // [streams][1 + shuffles][methods]
}

// realChange is one method on one draw of a stream.
type realChange struct {
	*scores.Pair
	soft bool // the method has probabilities
}

type otherSet struct {
	name       string
	population *Population
}

// otherPopulation returns that of the next set with as many classes and other counts; the zero value if there is none.
func otherPopulation(sets []*Collection, at int) otherSet {
	own := sets[at].others()[0]
	if own == nil {
		return otherSet{}
	}
	for i := 1; i < len(sets); i++ {
		o := sets[(at+i)%len(sets)]
		if o.Classes != sets[at].Classes {
			continue
		}
		if counts := o.others()[0]; counts != nil && !slices.EqualFunc(o.classCounts(), sets[at].classCounts(), slices.Equal) {
			return otherSet{o.File, counts.Population(MatrixStrength)}
		}
	}
	return otherSet{}
}

// classCounts are the class frequencies of the others of each stream.
func (c *Collection) classCounts() (out [][]float64) {
	for _, o := range c.others() {
		out = append(out, o.Frequencies)
	}
	return out
}

func newRealTrial(c *Collection, other otherSet, methods []Tried, s RealSettings) (*realTrial, error) {
	t := &realTrial{name: c.File, other: other.name, labels: c.Labels, streams: c.Streams}
	others, confusions := c.others(), c.confusions()
	if s.Quick {
		t.streams = quick(c.Streams)
	}
	for i := range t.streams {
		p := Known{Other: other.population, Confusions: confusions[i]}
		if others[i] != nil {
			p.Own = others[i].Population(MatrixStrength)
			p.Renamed = p.Own.Renamed()
		}
		for _, known := range []*Population{p.Own, p.Renamed, p.Other} {
			if known == nil {
				continue
			}
			if err := (adapt.Settings{Population: known.Hypothesis()}).Validate(c.Classes); err != nil {
				return nil, fmt.Errorf("benchmarks: %s: stream %s: %w", c.File, t.streams[i].Name, err)
			}
		}
		var runs []Method
		for _, m := range methods {
			if run, ok := m.Make(p); ok {
				runs = append(runs, run)
			}
		}
		t.runs = append(t.runs, runs)
		t.draws = append(t.draws, make([][]realChange, 1+s.Shuffles))
	}
	for _, m := range t.runs[0] { // the same for all streams: a set has a population or has none
		t.methods = append(t.methods, m.Name)
	}
	return t, nil
}

// quick is a few streams, each cut short.
func quick(streams []*Stream) (out []*Stream) {
	for _, s := range streams[:min(quickStreams, len(streams))] {
		n := min(quickItems, len(s.Q))
		out = append(out, &Stream{s.Name, s.Q[:n], s.Truth[:n]})
	}
	return out
}

// runTrials keeps all workers busy until the last draw of the last stream.
func runTrials(trials []*realTrial, workers int) {
	type job struct {
		trial        *realTrial
		stream, draw int
	}
	var jobs []job
	for _, t := range trials {
		for stream, draws := range t.draws {
			for draw := range draws {
				jobs = append(jobs, job{t, stream, draw})
			}
		}
	}
	_ = Parallel(workers, len(jobs), func(i int) error { // no job fails
		j := jobs[i]
		stream := j.trial.streams[j.stream]
		if j.draw > 0 {
			stream = stream.Shuffled(uint64(j.draw))
		}
		j.trial.draws[j.stream][j.draw] = compareAll(stream, j.trial.runs[j.stream])
		return nil
	})
}

const shuffleDraws = 0x6f617474612d7368

// Shuffled is the stream in an order drawn by the seed and its name.
func (s *Stream) Shuffled(seed uint64) *Stream {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.Name)) // never fails
	out := &Stream{Name: s.Name}
	for _, t := range rand.New(rand.NewPCG(seed, shuffleDraws^h.Sum64())).Perm(len(s.Q)) {
		out.Q, out.Truth = append(out.Q, s.Q[t]), append(out.Truth, s.Truth[t])
	}
	return out
}

// compareAll runs methods on one draw of a stream.
func compareAll(s *Stream, methods []Method) []realChange {
	out := make([]realChange, len(methods))
	for i, p := range Compare(s, methods) {
		out[i] = realChange{p, methods[i].Probabilities != nil}
	}
	return out
}

// Compare returns what each method makes of a stream. Items whose truth is negative take part, and are not scored.
func Compare(s *Stream, methods []Method) []*scores.Pair {
	out := make([]*scores.Pair, len(methods))
	for i, m := range methods {
		out[i] = scores.NewPair(len(s.Q[0]))
		labels, p := make([]int, len(s.Q)), s.Q
		if m.Probabilities != nil {
			p = shaped(s.Q)
			m.Probabilities(p, s.Q)
			Base().Label(labels, p)
		} else {
			m.Label(labels, s.Q)
		}
		for t, label := range labels {
			if s.Truth[t] >= 0 {
				out[i].AddLabel(s.Truth[t], label, s.Q[t], p[t])
			}
		}
	}
	return out
}

// set gathers what the draws gave, stream by stream in their order.
func (t *realTrial) set(o scores.BootstrapOptions) (RealSet, error) {
	out := RealSet{Name: t.name, Classes: t.labels, Streams: len(t.streams), Other: t.other}
	for _, s := range t.streams {
		out.Items += len(s.Q)
		labels := baseLabels(s.Q)
		out.Accuracy += Accuracy(labels, s.Truth) / float64(len(t.streams))
	}
	for m := range t.methods {
		ordered, all, err := t.row(m, 0, 1, o)
		if err != nil {
			return out, err
		}
		shuffled, _, err := t.row(m, 1, len(t.draws[0]), o)
		if err != nil {
			return out, err
		}
		out.Ordered, out.Shuffled = append(out.Ordered, ordered), append(out.Shuffled, shuffled)
		out.MacroF1 = 100 * all.Raw.MacroF1
	}
	return out, nil
}

// row is one method over the draws from one up to another.
func (t *realTrial) row(method, from, to int, o scores.BootstrapOptions) (RealRow, scores.Evaluation, error) {
	row := RealRow{Method: t.methods[method], Worst: math.Inf(1)}
	all := scores.NewComparison(len(t.labels))
	for i, s := range t.streams {
		one := StreamChange{Stream: s.Name, Items: len(s.Q)}
		for _, draw := range t.draws[i][from:to] {
			c := draw[method].Pair
			all.AddPair(s.Name, c)
			one.Change = append(one.Change, c.Gained())
			row.Mean += c.Gained() / float64(len(t.streams)*(to-from))
		}
		row.count(one)
	}
	e := all.Evaluate(t.labels)
	row.MacroF1 = 100 * (e.Adapted.MacroF1 - e.Raw.MacroF1)
	if t.draws[0][from][method].soft {
		row.ECE = &e.Adapted.ECE
	}
	if len(t.streams) < 2 {
		return row, e, nil
	}
	b, err := all.Bootstrap(t.labels, o)
	if err != nil {
		return row, e, fmt.Errorf("benchmarks: %s: %w", t.name, err)
	}
	for _, m := range b.Mean {
		if m.Metric == "accuracy" {
			row.Interval = []float64{100 * m.Change.Low, 100 * m.Change.High}
		}
	}
	return row, e, nil
}

// count takes in what a method changes on a stream.
func (r *RealRow) count(s StreamChange) {
	r.Streams = append(r.Streams, s)
	for _, v := range s.Change {
		r.Worst = min(r.Worst, v)
		if s.Items < LongStream {
			continue
		}
		r.Long++
		r.WorstLong = min(r.WorstLong, v)
		if v < -1 {
			r.Harmed++
		}
	}
}
