package predict

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/runtimetest"
)

func port(name string, t runtime.DType, shape ...int64) runtime.Port {
	return runtime.Port{Name: name, Type: t, Shape: shape}
}

// sums is a network whose output k of a row is the sum of the row plus k, plus a thousandth of the sum of the whole batch: its rows
// touch each other, as those of a dynamically quantised network do.
func sums(in, out runtime.Port, classes int) *runtimetest.Session {
	m := runtimetest.Model{
		Inputs: []runtime.Port{in}, Outputs: []runtime.Port{port("other", runtime.Float32, runtime.Dynamic), out},
		Run: func(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
			x, n := floats(src[0]), int(src[0].Shape[0])
			row, all := len(x)/n, float32(0)
			for _, v := range x {
				all += v
			}
			y := make([]float32, n*classes)
			for i := range n {
				sum := float32(0)
				for _, v := range x[i*row : (i+1)*row] {
					sum += v
				}
				for k := range classes {
					y[i*classes+k] = sum + float32(k) + all/1000
				}
			}
			shape := slices.Clone(out.Shape)
			shape[0] = int64(n)
			if shape[1] == runtime.Dynamic {
				shape[1] = int64(classes)
			}
			other := runtime.NewTensor[float32](int64(n))
			return []runtime.Tensor{other, tensorOf(out.Type, y, shape)}, nil
		},
	}
	return m.Open()
}

func floats(t runtime.Tensor) []float32 {
	if half, ok := t.Data.([]runtime.Half); ok {
		out := make([]float32, len(half))
		for i, v := range half {
			out[i] = v.Float32()
		}
		return out
	}
	return t.Data.([]float32)
}

func tensorOf(t runtime.DType, y []float32, shape []int64) runtime.Tensor {
	if t != runtime.Float16 {
		return runtime.Tensor{Shape: shape, Data: y}
	}
	half := make([]runtime.Half, len(y))
	for i := range half {
		half[i] = float16.Fromfloat32(y[i])
	}
	return runtime.Tensor{Shape: shape, Data: half}
}

// Inputs and outputs of either precision, an output of more sizes than two, and an output that is not the first.
func TestBaseRuns(t *testing.T) {
	for name, ports := range map[string][2]runtime.Port{
		"float32": {port("x", runtime.Float32, runtime.Dynamic, 2), port("y", runtime.Float32, runtime.Dynamic, 3)},
		"float16": {port("x", runtime.Float16, runtime.Dynamic, 2), port("y", runtime.Float16, runtime.Dynamic, 3)},
		"4-D":     {port("x", runtime.Float32, runtime.Dynamic, 2), port("y", runtime.Float32, runtime.Dynamic, 3, 1, 1)},
		"open":    {port("x", runtime.Float32, runtime.Dynamic, 2), port("y", runtime.Float32, runtime.Dynamic, runtime.Dynamic)},
		"fixed":   {port("x", runtime.Float32, 4, 2), port("y", runtime.Float32, 4, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := NewBase(sums(ports[0], ports[1], 3), []int64{2}, 1, 3)
			if err != nil {
				t.Fatal(err)
			}
			size := b.Size(2)
			if want := max(2, int(ports[0].Shape[0])); size != want {
				t.Fatalf("size %d, want %d", size, want)
			}
			x := b.NewBatch(size)
			copy(x.Input(0), []float32{1, 2})
			copy(x.Input(1), []float32{10, 20})
			if err := x.Run(context.Background(), 2); err != nil {
				t.Fatal(err)
			}
			for i, want := range [][]float32{{3.033, 4.033, 5.033}, {30.033, 31.033, 32.033}} {
				for k, w := range want {
					if d := x.Output(i)[k] - w; d > 0.02 || d < -0.02 {
						t.Errorf("input %d: %v, want %v", i, x.Output(i), want)
					}
				}
			}
		})
	}
}

// Rows that a fixed batch does not need hold nothing of the run before.
func TestFixedBatchForgets(t *testing.T) {
	b, err := NewBase(sums(port("x", runtime.Float32, 4, 2), port("y", runtime.Float32, 4, 3), 3), []int64{2}, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	fresh, used := b.NewBatch(4), b.NewBatch(4)
	for i := range 4 {
		copy(used.Input(i), []float32{7, 7})
	}
	if err := used.Run(context.Background(), 4); err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Batch{fresh, used} {
		copy(x.Input(0), []float32{1, 2})
		if err := x.Run(context.Background(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(fresh.Output(0), used.Output(0)) {
		t.Errorf("fresh %v, used %v", fresh.Output(0), used.Output(0))
	}
}

func TestBaseRefuses(t *testing.T) {
	x, y := port("x", runtime.Float32, runtime.Dynamic, 2), port("y", runtime.Float32, runtime.Dynamic, 3)
	for want, p := range map[string][2]runtime.Port{
		"want float32 or float16": {port("x", runtime.Int64, runtime.Dynamic, 2), y},
		"want [N, [2]] to [N, 3]": {port("x", runtime.Float32, runtime.Dynamic, 2, 2), y},
		"want 3 numbers an input": {x, port("y", runtime.Float32, runtime.Dynamic, 4)},
		"output y float32[?,?,?]": {x, port("y", runtime.Float32, runtime.Dynamic, runtime.Dynamic, runtime.Dynamic)},
		"more than 4096":          {port("x", runtime.Float32, 5000, 2), port("y", runtime.Float32, 5000, 3)},
	} {
		if _, err := NewBase(sums(p[0], p[1], 3), []int64{2}, 1, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s to %s: %v, want %q", p[0], p[1], err, want)
		}
	}
	if _, err := NewBase(sums(x, y, 3), []int64{2}, 2, 3); err == nil {
		t.Error("output number 2 of two: no error")
	}
}

func TestBatchRunDoesNotAllocate(t *testing.T) {
	m := runtimetest.Model{
		Inputs:  []runtime.Port{port("x", runtime.Float32, runtime.Dynamic, 2)},
		Outputs: []runtime.Port{port("y", runtime.Float32, runtime.Dynamic, 3)},
	}
	b, err := NewBase(m.Open(), []int64{2}, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	x := b.NewBatch(8)
	x.tensors(8)
	if n := testing.AllocsPerRun(100, func() { x.tensors(5) }); n > 2 {
		t.Errorf("%g allocations to lay out a run, want at most the two that box its slices", n)
	}
}
