package peers

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/benchmarks/report"
)

//go:embed numpy_filter.py
var script string

const rounds = 5 // of which the median counts

// Run returns the table. Quick takes a few steps of each case.
func Run(ctx context.Context, quick bool) (t report.Table, err error) {
	p, err := Start(script, "numpy")
	if err != nil {
		return t, err
	}
	defer p.Stop()
	t = report.Table{
		ID: "numpy", Title: "The filter beside NumPy", Columns: []string{"gate", "classes", "predictions", "oatta, ns/step", "NumPy, ns/step", "ratio"},
		Notes: []string{fmt.Sprintf("Time on the clock, median of %d rounds that take turns. Peaked predictions have five classes, all others exactly zero.", rounds)},
	}
	for _, gate := range []adapt.Gate{adapt.GateOff, adapt.GateEWMA, adapt.GateAuto} {
		for _, c := range []struct {
			classes, steps int
			kind           string
		}{{2, 2000, "dense"}, {10, 2000, "dense"}, {100, 500, "dense"}, {100, 500, "peaked"}, {1000, 20, "dense"}, {1000, 20, "peaked"}} {
			if err := ctx.Err(); err != nil {
				return t, err
			}
			if quick {
				c.steps = min(c.steps, 20)
			}
			ours, theirs, err := compare(p, gate, c.classes, c.steps, c.kind)
			if err != nil {
				return t, err
			}
			t.AddCells(report.Text(string(gate)), report.Count(c.classes), report.Text(c.kind), report.Num(ours, 0), report.Num(theirs, 0), report.Num(theirs/ours, 1))
		}
	}
	return t, nil
}

// compare returns the medians of the rounds, the two taking turns. One round before is not counted.
func compare(p *Process, gate adapt.Gate, classes, steps int, kind string) (ours, theirs float64, err error) {
	f, err := adapt.New(classes, settings(gate))
	if err != nil {
		return 0, 0, err
	}
	q, dst := stream(kind, classes, min(steps, 1024)), make([]float64, classes)
	var a, b []float64
	for range rounds + 1 {
		start := time.Now()
		for i := range steps {
			f.Step(dst, q[i%len(q)])
		}
		a = append(a, float64(time.Since(start).Nanoseconds())/float64(steps))
		t, err := timeOf(p, gate, classes, steps, kind)
		if err != nil {
			return 0, 0, err
		}
		b = append(b, t)
	}
	return median(a[1:]), median(b[1:]), nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// stream draws predictions as numpy_filter.py does: softmaxes around one of twenty classes, of which peaked ones keep the top five.
func stream(kind string, classes, steps int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 1))
	out := make([][]float64, steps)
	for t := range out {
		q := make([]float64, classes)
		for k := range q {
			q[k] = math.Exp(2 * r.NormFloat64())
		}
		q[r.IntN(min(classes, 20))] *= math.Exp(4) * math.Sqrt(float64(classes))
		if kind == "peaked" {
			least := slices.Sorted(slices.Values(q))[classes-5]
			for k, v := range q {
				if v < least {
					q[k] = 0
				}
			}
		}
		total := 0.0
		for _, v := range q {
			total += v
		}
		for k := range q {
			q[k] /= total
		}
		out[t] = q
	}
	return out
}

// timeOf returns the nanoseconds of one of their steps.
func timeOf(p *Process, gate adapt.Gate, classes, steps int, kind string) (ns float64, err error) {
	answer, err := p.Ask(fmt.Appendln(nil, gate, classes, steps, kind))
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(answer)), 64)
}

// settings are those of the recursion as it was published, which the script has: the first edition of auto, without sharpening.
func settings(gate adapt.Gate) adapt.Settings {
	published := adapt.FirstAuto()
	published.Confidence = 0
	return adapt.Settings{Gate: gate, Auto: &published}
}
