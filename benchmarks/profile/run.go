package profile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/oatta/oatta/benchmarks/networks"
	"github.com/oatta/oatta/runtime"
)

// warm is how many runs do not count.
const warm = 2

// run times every node of a graph. The engine's trace is kept in a folder that is given.
func (j job) run(ctx context.Context, e runtime.Engine, rounds int, keep string) ([]*node, error) {
	dir, err := os.MkdirTemp(keep, j.id()+"-")
	if err != nil {
		return nil, err
	}
	if keep == "" {
		defer os.RemoveAll(dir)
	}
	model, err := j.model.Bytes()
	if err != nil {
		return nil, err
	}
	s, err := e.Open(model, runtime.Config{IntraThreads: 1, Profile: filepath.Join(dir, "run")})
	if err != nil {
		return nil, err
	}
	err = j.runs(ctx, s, rounds+warm)
	if err2 := s.Close(); err == nil { // which writes the profile
		err = err2
	}
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "run*"))
	if err != nil || len(files) != 1 {
		return nil, fmt.Errorf("profile: the engine wrote %d profiles: want 1 (%v)", len(files), err)
	}
	return read(files[0], warm)
}

func (j job) runs(ctx context.Context, s runtime.Session, rounds int) error {
	var src []runtime.Tensor
	for _, p := range s.Inputs() {
		t, err := j.input(p)
		if err != nil {
			return err
		}
		src = append(src, t)
	}
	for range rounds {
		if err := s.Run(ctx, make([]runtime.Tensor, len(s.Outputs())), src); err != nil {
			return err
		}
	}
	return nil
}

// input makes what a port is fed up: waves, tokens that count up, a mask of ones; and the parameters that a stream begins with.
func (j job) input(p runtime.Port) (runtime.Tensor, error) {
	shape := slices.Clone(p.Shape)
	for i := range shape {
		if shape[i] < 0 && i == 0 {
			shape[i] = int64(j.rows)
		} else if shape[i] < 0 {
			shape[i] = j.of.tokens
		}
	}
	n, err := runtime.Elements(shape)
	if err != nil {
		return runtime.Tensor{}, fmt.Errorf("profile: input %v: %w", p, err)
	}
	switch p.Type {
	case runtime.Int64:
		return runtime.TensorOf(tokens(p.Name, n), shape...), nil
	case runtime.Float32:
		if p.Name == "theta" {
			theta, err := networks.TentSource(j.model)
			return runtime.TensorOf(slices.Repeat(theta, n/max(len(theta), 1)), shape...), err
		}
		return runtime.TensorOf(networks.Waves(n), shape...), nil
	}
	return runtime.Tensor{}, fmt.Errorf("profile: input %v: no numbers for its type", p)
}

func tokens(name string, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		switch name {
		case "input_ids":
			out[i] = 1000 + int64(i)
		case "attention_mask":
			out[i] = 1
		}
	}
	return out
}
