//go:build unix

package torch

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/oatta/oatta/benchmarks/peers"
	"github.com/oatta/oatta/benchmarks/report"
	"github.com/oatta/oatta/runtime"
)

//go:embed torch_peer.py
var script string

// result holds the times of every round.
type result struct {
	Net    string  `json:"net"`
	Torch  string  `json:"torch"`
	Rounds int     `json:"rounds"`
	Times  []times `json:"times"`
}

// times are those of one job, in seconds for one step, by round.
type times struct {
	job
	Ours   []float64 `json:"ours"`
	Theirs []float64 `json:"theirs"`
}

// compare runs all jobs in turn, ours and theirs of each after one another, round by round, so that whatever else the machine does meets both.
func compare(ctx context.Context, engine runtime.Engine, s Settings) (*result, error) {
	list, err := jobs(s)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "oatta-torch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	net, err := newNetwork(s.Net, s.Weights, dir)
	if err != nil {
		return nil, err
	}
	p, err := peers.Start(script, "torch", "numpy")
	if err != nil {
		return nil, err
	}
	defer p.Stop()
	hello, err := ask(p, map[string]string{"net": s.Net, "weights": net.weights})
	if err != nil {
		return nil, err
	}
	r := &result{Net: s.Net, Torch: hello.Torch, Rounds: s.Rounds}
	return r, r.run(ctx, engine, p, net, list, s.Tune)
}

func (r *result) run(ctx context.Context, engine runtime.Engine, p *peers.Process, net *network, list []job, tune bool) error {
	var steps []*step
	for _, j := range list {
		s, err := open(engine, net, j, tune)
		if err != nil {
			return fmt.Errorf("%s: %w", j.Name, err)
		}
		defer s.session.Close()
		if err := s.warmUp(ctx); err != nil {
			return fmt.Errorf("%s: %w", j.Name, err)
		}
		steps = append(steps, s)
		r.Times = append(r.Times, times{job: j})
	}
	for round := range r.Rounds + 1 {
		for i := range r.Times {
			t := &r.Times[i]
			ours, theirs, err := pair(ctx, steps[i], p, t.job)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			if round > 0 {
				t.Ours, t.Theirs = append(t.Ours, ours), append(t.Theirs, theirs)
			}
		}
	}
	return nil
}

// request is a line for torch_peer.py.
type request struct {
	Method string  `json:"method"`
	Batch  int     `json:"batch"`
	Rate   float64 `json:"rate"`
	Rounds int     `json:"rounds"`
}

// pair times a job here and there. Streams are what PyTorch must take one after another: for them its time is that of as many steps of one row.
func pair(ctx context.Context, s *step, p *peers.Process, j job) (ours, theirs float64, err error) {
	ours, logits, err := s.time(ctx, s.runs)
	if err != nil {
		return 0, 0, err
	}
	r, times := request{j.method(), j.Rows, s.rate, s.runs}, 1.0
	if j.method() == "streams" {
		r, times = request{"tent3", 1, s.rate, j.Rows}, float64(j.Rows)
	}
	a, err := ask(p, r)
	if err != nil {
		return 0, 0, err
	}
	return ours, times * a.Seconds, agree(logits, a.Logits)
}

// agree compares predictions, of as many rows as the peer gave, within the rounding of single precision after some fifty layers and a step.
func agree(ours []float32, theirs []float64) error {
	if len(theirs) == 0 || len(ours) < len(theirs) {
		return fmt.Errorf("%d logits, PyTorch has %d", len(ours), len(theirs))
	}
	size, off := 0.0, 0.0
	for i, v := range theirs {
		size, off = max(size, math.Abs(v)), max(off, math.Abs(float64(ours[i])-v))
	}
	if !(off <= 2e-3*size) {
		return fmt.Errorf("logits are off by %g of %g: ours begin with %v, PyTorch's with %v", off, size, ours[:2], theirs[:2])
	}
	return nil
}

// table has ratios that are medians of the ratios of rounds.
func (r *result) table() report.Table {
	if r == nil {
		return report.Table{}
	}
	t := report.Table{
		ID: "pytorch-" + r.Net, Title: fmt.Sprintf("%s beside PyTorch %s", r.Net, r.Torch),
		Columns: []string{"method", "rows", "oatta, ms", "PyTorch, ms", "PyTorch / oatta", "oatta / own forward", "PyTorch / own forward"},
		Notes:   []string{fmt.Sprintf("Process CPU time, medians of %d rounds that take turns, each on one thread.", r.Rounds)},
	}
	for _, one := range r.Times {
		row := []report.Cell{
			report.Text(one.Name), report.Count(one.Rows), report.Num(1e3*median(one.Ours), 1), report.Num(1e3*median(one.Theirs), 1),
			report.Num(median(ratios(one.Theirs, one.Ours)), 2),
		}
		if base := r.base(one.base); base != nil {
			row = append(row, report.Num(median(ratios(one.Ours, base.Ours)), 2), report.Num(median(ratios(one.Theirs, base.Theirs)), 2))
		}
		t.AddCells(row...)
	}
	return t
}

func (r *result) base(name string) *times {
	i := slices.IndexFunc(r.Times, func(t times) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Times[i]
}

func ratios(a, b []float64) (out []float64) {
	for i := range a {
		out = append(out, a[i]/b[i])
	}
	return out
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[len(x)/2] + x[(len(x)-1)/2]) / 2
}
