package gaps

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/oatta/oatta/benchmarks"
	"github.com/oatta/oatta/datasets"
)

// timed is a labelled stream whose items have times.
type timed struct {
	group int // streams of one group are judged together
	q     [][]float64
	truth []int
	times []time.Time
}

// condition is streams of one kind.
type condition struct {
	name    string
	loss    string // what was taken away; empty where nothing could be
	groups  int
	streams []timed
}

// read makes the conditions: the camera with its own times, and recordings with items taken away.
func read(shared string, seeds int) ([]condition, error) {
	sets, err := benchmarks.ReadCIFARSets(shared)
	if err != nil {
		return nil, err
	}
	orders, err := benchmarks.ReadOrders(shared)
	if err != nil {
		return nil, err
	}
	real, err := benchmarks.ReadRealCollections(shared)
	if err != nil {
		return nil, err
	}
	camera, err := readCamera(shared, orders[0], sets.Corrupted, seeds)
	if err != nil {
		return nil, err
	}
	out := []condition{camera}
	for _, c := range real {
		for _, loss := range losses {
			out = append(out, loss.of(c, seeds))
		}
	}
	for _, o := range orders[1:] {
		c, err := o.Replay(sets.Corrupted[0], 1)
		if err != nil {
			return nil, err
		}
		c.Name += ", replayed"
		for _, loss := range losses {
			out = append(out, loss.of(c, seeds))
		}
	}
	return out, nil
}

// readCamera replays the camera's labels at the times of its pictures.
func readCamera(shared string, o *benchmarks.Order, sets []*benchmarks.Predictions, seeds int) (condition, error) {
	c := condition{name: "camera, own times", groups: len(sets)}
	times, err := readTimes(filepath.Join(shared, "data", "cameratrap", "iwildcam2019_cct_loc46_labels.csv"))
	if err != nil {
		return c, err
	}
	for g, set := range sets {
		for seed := range seeds {
			r, err := o.Replay(set, uint64(seed+1))
			if err != nil {
				return c, err
			}
			s := r.Streams[0]
			if len(s.Q) != len(times) {
				return c, fmt.Errorf("%s: %d labels at %d times", o.Name, len(s.Q), len(times))
			}
			c.streams = append(c.streams, timed{group: g, q: s.Q, truth: s.Truth, times: times})
		}
	}
	return c, nil
}

func readTimes(name string) (out []time.Time, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, row := range rows[1:] {
		t, _, ok := datasets.ParseTime(row[2])
		if !ok {
			return nil, fmt.Errorf("%s: row %d: time %q", name, i+2, row[2])
		}
		out = append(out, t)
	}
	return out, nil
}

// loss takes items away.
type loss struct {
	name string
	gone func(r *rand.Rand, steps int) []bool
}

var losses = []loss{
	{"none missing", func(_ *rand.Rand, steps int) []bool { return make([]bool, steps) }},
	{"10 % missing", atRandom(0.1)},
	{"50 % missing", atRandom(0.5)},
	{"stretches of 50 missing", func(r *rand.Rand, steps int) []bool {
		gone := make([]bool, steps)
		for at := 20 + r.IntN(40); at < steps; at += 50 + 20 + r.IntN(60) {
			for i := at; i < min(at+50, steps); i++ {
				gone[i] = true
			}
		}
		return gone
	}},
}

func atRandom(share float64) func(r *rand.Rand, steps int) []bool {
	return func(r *rand.Rand, steps int) []bool {
		gone := make([]bool, steps)
		for i := range gone {
			gone[i] = r.Float64() < share
		}
		return gone
	}
}

// epoch is the step of the recordings' rhythm here, whatever it is in truth.
const epoch = 30 * time.Second

// of returns what is left of a collection.
func (l loss) of(c *benchmarks.Collection, seeds int) condition {
	out := condition{name: c.Name, loss: l.name, groups: len(c.Streams)}
	for g, s := range c.Streams {
		for seed := range seeds {
			left := timed{group: g}
			for i, gone := range l.gone(rand.New(rand.NewPCG(uint64(seed+1), uint64(g))), len(s.Q)) {
				if !gone {
					left.q, left.truth = append(left.q, s.Q[i]), append(left.truth, s.Truth[i])
					left.times = append(left.times, time.Unix(0, 0).Add(time.Duration(i)*epoch))
				}
			}
			out.streams = append(out.streams, left)
		}
	}
	return out
}
