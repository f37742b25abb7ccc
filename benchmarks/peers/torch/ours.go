//go:build unix

package torch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/benchmarks/peers"
	"github.com/oatta/oatta/internal/cputime"
	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/models/forms"
	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/tent"
)

// graphOf returns the graph of a method. Tent of eight rows is one step on their mean entropy, as PyTorch's; of eight streams each has its own.
func graphOf(m *onnx.Model, j job, rate float64, plan *forms.Plan) (*onnx.Model, error) {
	switch j.method() {
	case "tent2":
		return tent.Build(m, tent.Settings{Rate: rate, Before: true, Together: j.Rows > 1, Rows: j.Rows, Forms: plan, Kind: "logits"})
	case "tent3":
		return tent.Build(m, tent.Settings{Rate: rate, Together: j.Rows > 1, Rows: j.Rows, Forms: plan, Kind: "logits"})
	case "streams":
		return tent.Build(m, tent.Settings{Rate: rate, Rows: j.Rows, Forms: plan, Kind: "logits"})
	case "memo":
		return memo.Build(m, memo.Settings{Views: j.Rows, Rate: rate, Forms: plan, Kind: "logits"})
	}
	return m, nil
}

// step is a graph in the engine with its inputs.
type step struct {
	session  runtime.Session
	src, dst []runtime.Tensor
	rate     float64
	runs     int // that are timed as one
}

// open builds the graph of a job and opens it on one thread.
func open(e runtime.Engine, n *network, j job, tune bool) (*step, error) {
	var plan *forms.Plan
	if tune {
		plan = (&forms.Tuner{Engine: e}).Plan()
	}
	m, err := graphOf(n.model, j, n.rate, plan)
	if err != nil {
		return nil, err
	}
	b, err := m.Bytes()
	if err != nil {
		return nil, err
	}
	s := &step{rate: n.rate}
	if s.session, err = e.Open(b, runtime.Config{IntraThreads: 1}); err != nil {
		return nil, err
	}
	s.dst = make([]runtime.Tensor, len(s.session.Outputs()))
	for _, p := range s.session.Inputs() {
		t, err := input(m, p, j, n.side)
		if err != nil {
			s.session.Close()
			return nil, err
		}
		s.src = append(s.src, t)
	}
	return s, nil
}

// input returns what a port is fed: pictures, before which MEMO's graph takes the plain one, here the first view; or Tent's parameters, a row for
// each stream.
func input(m *onnx.Model, p runtime.Port, j job, side int) (runtime.Tensor, error) {
	if len(p.Shape) == 4 {
		x, rows := networks.Waves(j.Rows*3*side*side), int64(j.Rows)
		if j.method() == "memo" {
			x, rows = append(networks.Waves(1*3*side*side), x...), rows+1
		}
		return runtime.TensorOf(x, rows, 3, int64(side), int64(side)), nil
	}
	theta, err := networks.TentSource(m)
	if err != nil {
		return runtime.Tensor{}, err
	}
	if len(p.Shape) != 2 || p.Shape[1] != int64(len(theta)) {
		return runtime.Tensor{}, fmt.Errorf("input %v of the graph is not known here", p)
	}
	rows := j.Rows
	if p.Shape[0] > 0 {
		rows = int(p.Shape[0])
	}
	return runtime.TensorOf(slices.Repeat(theta, rows), int64(rows), int64(len(theta))), nil
}

// warmUp runs once, and finds how many runs take a quarter of a second.
func (s *step) warmUp(ctx context.Context) error {
	seconds, _, err := s.time(ctx, 1)
	s.runs = min(max(1, int(0.25/seconds)), 50)
	return err
}

// time returns the CPU seconds of one run, on average over some, and what the last one predicted.
func (s *step) time(ctx context.Context, runs int) (seconds float64, logits []float32, err error) {
	start := cputime.Seconds()
	for range runs {
		if err := s.session.Run(ctx, s.dst, s.src); err != nil {
			return 0, nil, err
		}
	}
	seconds = (cputime.Seconds() - start) / float64(runs)
	logits, err = runtime.DataOf[float32](s.dst[0])
	return seconds, logits, err
}

// peerAnswer is a line of torch_peer.py.
type peerAnswer struct {
	Torch   string
	Seconds float64
	Logits  []float64
}

// ask sends a request to the peer and reads its answer.
func ask(p *peers.Process, request any) (a peerAnswer, err error) {
	b, err := json.Marshal(request)
	if err != nil {
		return a, err
	}
	line, err := p.Ask(append(b, '\n'))
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(line, &a)
}
