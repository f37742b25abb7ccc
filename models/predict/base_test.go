package predict

import (
	"context"
	"slices"
	"strings"
	"sync"
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
			got := make([]float32, 6)
			if err := b.Predict(context.Background(), got, []float32{1, 2, 10, 20}, nil); err != nil {
				t.Fatal(err)
			}
			for i, want := range []float32{3.033, 4.033, 5.033, 30.033, 31.033, 32.033} {
				if d := got[i] - want; d > 0.02 || d < -0.02 {
					t.Errorf("output %d: %g, want %g", i, got[i], want)
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
	predict := func(x ...float32) []float32 {
		out := make([]float32, len(x)/2*3)
		if err := b.Predict(context.Background(), out, x, nil); err != nil {
			t.Fatal(err)
		}
		return out
	}
	fresh := predict(1, 2)
	predict(7, 7, 7, 7, 7, 7)
	if used := predict(1, 2); !slices.Equal(fresh, used) {
		t.Errorf("fresh %v, used %v", fresh, used)
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

// The two that remain box the slices of a run, whatever its size. The run is given its scratch memory here, because under the race
// detector a pool loses things at random.
func TestPredictAllocatesLittle(t *testing.T) {
	for _, half := range []runtime.DType{runtime.Float32, runtime.Float16} {
		b, err := NewBase(quiet{port("x", half, 8, 64), port("y", half, 8, 3)}, []int64{64}, 0, 3)
		if err != nil {
			t.Fatal(err)
		}
		r, dst, src := b.newRun(), make([]float32, 5*3), make([]float32, 5*64)
		n := testing.AllocsPerRun(100, func() {
			if err := b.part(context.Background(), r, dst, src); err != nil {
				t.Error(err)
			}
		})
		if n > 2 {
			t.Errorf("%s: %g allocations a run", half, n)
		}
	}
}

// quiet is a session that computes nothing and allocates nothing.
type quiet [2]runtime.Port

func (q quiet) Inputs() []runtime.Port                                        { return q[:1] }
func (q quiet) Outputs() []runtime.Port                                       { return q[1:] }
func (q quiet) Run(context.Context, []runtime.Tensor, []runtime.Tensor) error { return nil }
func (q quiet) Close() error                                                  { return nil }

// Any number of inputs, whatever the batch size of the network: full runs, a part of one, several.
func TestPredictInParts(t *testing.T) {
	for _, batch := range []int64{runtime.Dynamic, 4} {
		s := runtimetest.Model{
			Inputs: []runtime.Port{port("x", runtime.Float32, batch, 2)}, Outputs: []runtime.Port{port("y", runtime.Float32, batch, 2)},
			Run: func(_ context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
				return []runtime.Tensor{{Shape: src[0].Shape, Data: slices.Clone(floats(src[0]))}}, nil
			},
		}
		b, err := NewBase(s.Open(), []int64{2}, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 4, 11, 5000} {
			src, dst := make([]float32, 2*n), make([]float32, 2*n)
			for i := range src {
				src[i] = float32(i)
			}
			if err := b.Predict(context.Background(), dst, src, make([]uint64, n)); err != nil || !slices.Equal(dst, src) {
				t.Errorf("batch %d, %d items: %v, %v", batch, n, err, dst[:min(len(dst), 24)])
			}
		}
	}
}

func TestPredictConcurrently(t *testing.T) {
	b, err := NewBase(sums(port("x", runtime.Float16, 4, 2), port("y", runtime.Float16, 4, 3), 3), []int64{2}, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			dst, src := make([]float32, 3), []float32{float32(i), 1}
			for range 50 {
				if err := b.Predict(context.Background(), dst, src, nil); err != nil || int(dst[2]+0.2) != i+3 {
					t.Errorf("item %d: %v, %v", i, dst, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestPredictPanicsOnWrongLengths(t *testing.T) {
	b, err := NewBase(quiet{port("x", runtime.Float32, 8, 64), port("y", runtime.Float32, 8, 3)}, []int64{64}, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string][3]int{"outputs": {5, 128, 2}, "inputs": {6, 127, 2}, "seeds": {6, 128, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			_ = b.Predict(context.Background(), make([]float32, n[0]), make([]float32, n[1]), make([]uint64, n[2]))
		}()
	}
}
