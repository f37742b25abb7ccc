package training

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/oatta/oatta/models/onnx"
	"github.com/oatta/oatta/models/train"
	"github.com/oatta/oatta/models/weights"
	"github.com/oatta/oatta/runtime"
)

// Network is what learns, and where.
type Network struct {
	Model  *onnx.Model // as the training begins
	Head   []string    // names of the parameters of the last layer
	Engine runtime.Engine
	Config runtime.Config
}

// Opener returns what [Job.Open] is: each call opens the network as it was given. counts are the examples for training of each class.
func (n Network) Opener(s Settings, counts []int) (func() (Stepper, error), error) {
	set := s.training(counts)
	switch {
	case s.HeadOnly:
		set.Frozen = func(name string) bool { return !slices.Contains(n.Head, name) }
		set.FreezeStatistics = true
	case len(s.Freeze) > 0:
		set.Frozen = func(name string) bool { return fits(s.Freeze, name) }
	}
	return n.opener(n.Model, set, func(s stepper) Stepper { return s })
}

// opener returns what opens a network, or a part of it, for training; as makes of what was opened what the run takes.
func (n Network) opener(m *onnx.Model, set train.Settings, as func(stepper) Stepper) (func() (Stepper, error), error) {
	program, err := train.Build(m, set)
	if err != nil {
		return nil, err
	}
	return func() (Stepper, error) {
		t, err := program.Open(n.Engine, n.Config)
		if err != nil {
			return nil, err
		}
		return as(stepper{t, program.Classes}), nil
	}, nil
}

// Session opens a network that was learned, or a part of it, to classify.
func (n Network) Session(m *onnx.Model) (Session, error) {
	data, err := m.Bytes()
	if err != nil {
		return Session{}, err
	}
	session, err := n.Engine.Open(data, n.Config)
	return Session{session}, err
}

// training are the settings of package models/train for so many examples of each class, if all of the network learns.
func (s Settings) training(counts []int) train.Settings {
	examples := 0
	for _, n := range counts {
		examples += n
	}
	set := train.Settings{
		Optimizer: s.optimizer(), Smoothing: s.Smoothing, Accumulate: s.planOf(examples).accumulate, Exempt: train.Vectors, Seed: seedOf(s.Seed, forMasks),
	}
	if s.Balanced {
		set.Weights = ClassWeights(counts)
	}
	return set
}

func fits(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}

// ClassWeights returns what makes each class count alike: the examples over those that it would have if all had as many.
func ClassWeights(counts []int) []float64 {
	total := 0
	for _, n := range counts {
		total += n
	}
	out := make([]float64, len(counts))
	for k, n := range counts {
		out[k] = float64(total) / float64(len(counts)) / float64(max(n, 1))
	}
	return out
}

// stepper is a trainer of package models/train.
type stepper struct {
	*train.Trainer
	classes int
}

var _ Stepper = stepper{}

// Step implements [Stepper].
func (s stepper) Step(ctx context.Context, b Batch, rate float64) (Told, error) {
	r, err := s.Trainer.Step(ctx, train.Batch{Inputs: b.Inputs, Labels: b.Labels, Targets: b.Targets}, rate)
	if errors.Is(err, train.ErrNotFinite) {
		err = fmt.Errorf("%w: %w", ErrDiverged, err)
	}
	return Told{r.Loss, r.Right}, err
}

// Logits implements [Stepper].
func (s stepper) Logits(ctx context.Context, in []runtime.Tensor) ([]float32, error) {
	rows := int(in[0].Shape[0])
	out, none := make([]float32, rows*s.classes), make([]int, rows)
	for i := range none {
		none[i] = -1
	}
	_, err := s.Evaluate(ctx, train.Batch{Inputs: in, Labels: none}, out)
	return out, err
}

// State implements [Stepper].
func (s stepper) State() ([]*weights.Tensor, error) { return s.Trainer.State() }
