package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/runtime"
)

// runner is an open graph with what goes in and out.
type runner struct {
	session  runtime.Session
	plan     plan
	src, dst []runtime.Tensor
}

func openRunner(e runtime.Engine, m *onnx.Model, p plan, cfg runtime.Config) (*runner, error) {
	data, err := m.Bytes()
	if err != nil {
		return nil, err
	}
	s, err := e.Open(data, cfg)
	if err != nil {
		return nil, err
	}
	if len(s.Inputs()) != len(p.in) || len(s.Outputs()) != len(p.out) {
		err := fmt.Errorf("the engine sees %d inputs and %d outputs, want %d and %d", len(s.Inputs()), len(s.Outputs()), len(p.in), len(p.out))
		return nil, errors.Join(err, s.Close())
	}
	return &runner{session: s, plan: p, src: make([]runtime.Tensor, len(p.in)), dst: make([]runtime.Tensor, len(p.out))}, nil
}

// run runs the graph on the trainer's tensors. What cells are next lies in their other halves then.
func (r *runner) run(ctx context.Context, t *Trainer, data []runtime.Tensor) error {
	for i, p := range r.plan.in {
		switch p.kind {
		case isData:
			r.src[i] = data[p.index]
		case isMask:
			r.src[i] = t.masks[p.index]
		case isTargets:
			r.src[i] = t.targets
		case isRate:
			r.src[i] = t.rate
		case isCell:
			r.src[i] = t.cells[p.index].current()
		}
	}
	for i, p := range r.plan.out {
		switch p.kind {
		case isLogits:
			r.dst[i] = t.logits
		case isLoss:
			r.dst[i] = t.loss
		case isNorm:
			r.dst[i] = t.norm
		case isCell:
			r.dst[i] = t.cells[p.index].next()
		}
	}
	err := r.session.Run(ctx, r.dst, r.src)
	for i, p := range r.plan.in {
		if p.kind == isData {
			r.src[i] = runtime.Tensor{} // the caller's again
		}
	}
	return err
}

// turn makes what the graph wrote hold.
func (r *runner) turn(t *Trainer) {
	for _, p := range r.plan.out {
		if p.kind == isCell {
			t.cells[p.index].turn()
		}
	}
}
