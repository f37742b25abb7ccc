package memo_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/oatta/oatta/memo"
	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/runtimetest"
)

func port(name string, t runtime.DType, shape ...int64) runtime.Port {
	return runtime.Port{Name: name, Type: t, Shape: shape}
}

// fake is a graph of two views of L numbers and three classes, that puts out the plain input's first number, the sum of the views, and the
// number of elements.
func fake(in, out runtime.Port) *runtimetest.Session {
	m := runtimetest.Model{
		Inputs: []runtime.Port{in}, Outputs: []runtime.Port{out, port("entropy", runtime.Float32)},
		Run: func(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
			x := src[0].Data.([]float32)
			if x[0] < 0 {
				return nil, errors.New("negative")
			}
			sum := float32(0)
			for _, v := range x[len(x)/3:] {
				sum += v
			}
			return []runtime.Tensor{runtime.TensorOf([]float32{x[0], sum, float32(len(x))}, 1, 3), runtime.NewTensor[float32]()}, nil
		},
	}
	return m.Open()
}

func TestPredictorLaysItemsOut(t *testing.T) {
	p, err := memo.New(fake(port("x", runtime.Float32, 3, runtime.Dynamic), port("y", runtime.Float32, 1, runtime.Dynamic)), []int64{2}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if p.InputLen() != 6 || p.Classes() != 3 || p.Size(8) != 1 || p.Views() != 2 {
		t.Errorf("%d numbers, %d classes, %d items, %d views", p.InputLen(), p.Classes(), p.Size(8), p.Views())
	}
	dst := make([]float32, 6)
	src := []float32{1, 9, 1, 2, 3, 4, 5, 9, 10, 20, 30, 40}
	if err := p.Predict(context.Background(), dst, src, []uint64{1, 2}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{1, 10, 6, 5, 100, 6} {
		if dst[i] != want {
			t.Fatalf("%v", dst)
		}
	}
	src[6] = -1
	if err := p.Predict(context.Background(), dst, src, nil); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("slices that contradict: no panic")
		}
	}()
	_ = p.Predict(context.Background(), dst, src[1:], nil)
}

func TestNewRefuses(t *testing.T) {
	in, out := port("x", runtime.Float32, 3, 2), port("y", runtime.Float32, 1, 3)
	for want, c := range map[string]struct {
		in, out runtime.Port
		input   []int64
		classes int
	}{
		"want one float32 input":       {port("x", runtime.Int64, 3, 2), out, nil, 0},
		"a float32 output first":       {in, port("y", runtime.Float16, 1, 3), nil, 0},
		"[?,2] to y":                   {port("x", runtime.Float32, runtime.Dynamic, 2), out, nil, 0},
		"want [1+views, ...] to":       {in, port("y", runtime.Float32, 3, 3), nil, 0},
		"input x float32[3,?] of size": {port("x", runtime.Float32, 3, runtime.Dynamic), out, nil, 0},
		"of size [3 5]":                {in, out, []int64{5}, 0},
		"want 4 classes":               {in, out, nil, 4},
		"want 0 classes":               {in, port("y", runtime.Float32, 1, runtime.Dynamic), nil, 0},
	} {
		if _, err := memo.New(fake(c.in, c.out), c.input, c.classes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
