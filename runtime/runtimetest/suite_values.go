package runtimetest

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/x448/float16"

	"github.com/oatta/oatta/runtime"
)

func checkMetadata(t *testing.T, f fixture) {
	s := f.open(t, "add")
	free := int64(runtime.Dynamic)
	ports := func(names ...string) (list []runtime.Port) {
		for _, n := range names {
			list = append(list, runtime.Port{Name: n, Type: runtime.Float32, Shape: []int64{free, 4}})
		}
		return list
	}
	if got, want := s.Inputs(), ports("a", "b"); !reflect.DeepEqual(got, want) {
		t.Errorf("inputs %v, want %v", got, want)
	}
	if got, want := s.Outputs(), ports("sum", "twice"); !reflect.DeepEqual(got, want) {
		t.Errorf("outputs %v, want %v", got, want)
	}
	s.Inputs()[0].Shape[1], s.Inputs()[0].Name = 9, "mine"
	if got, want := s.Inputs(), ports("a", "b"); !reflect.DeepEqual(got, want) {
		t.Errorf("inputs are %v after the caller changed its copy", got)
	}
	checkInspector(t, s)
}

// checkInspector holds for sessions that are inspectors; not all need to be.
func checkInspector(t *testing.T, s runtime.Session) {
	i, ok := s.(runtime.Inspector)
	if !ok {
		return
	}
	want := runtime.Metadata{
		Producer: "oatta-test", GraphName: "add", Domain: "org.oatta.test", Description: "engine test: add", Version: 3,
		Custom: map[string]string{"labels": "empty,heron", "colour": "RGB"},
	}
	if got := i.Metadata(); !reflect.DeepEqual(got, want) {
		t.Errorf("metadata %+v, want %+v", got, want)
	}
	i.Metadata().Custom["labels"] = "mine"
	if got := i.Metadata(); !reflect.DeepEqual(got, want) {
		t.Errorf("metadata is %+v after the caller changed its copy", got)
	}
	if i.Device() == "" {
		t.Error("no device")
	}
}

// extremes holds, for each element type, values that a conversion on the way would damage.
func extremes() []runtime.Tensor {
	nan := math.Float32frombits(0x7fc12345) // a quiet NaN with a payload
	return []runtime.Tensor{
		runtime.TensorOf([]float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Inf(-1)), nan}, 2, 3),
		runtime.TensorOf([]runtime.Half{0, 0x8000, 0x7bff, 1, 0xfc00, float16.Fromfloat32(0.1)}, 2, 3),
		runtime.TensorOf([]int64{math.MinInt64, -1, 0, 1, 1<<53 + 1, math.MaxInt64}, 2, 3),
		runtime.TensorOf([]int32{math.MinInt32, -1, 0, 1, 1<<24 + 1, math.MaxInt32}, 2, 3),
		runtime.TensorOf([]uint8{0, 1, 127, 128, 254, 255}, 2, 3),
		runtime.TensorOf([]bool{true, false, false, true, true, false}, 2, 3),
	}
}

func checkTypes(t *testing.T, f fixture) {
	for _, src := range extremes() {
		s := f.open(t, "identity_"+src.Type().String())
		expect(t, src.Type().String()+" allocated", run(t, s, src)[0], src)
		dst := zeros(src)
		if err := s.Run(context.Background(), []runtime.Tensor{dst}, []runtime.Tensor{src}); err != nil {
			t.Error(err)
		}
		expect(t, src.Type().String()+" given", dst, src)
	}
}

// zeros returns a tensor of the type and shape of t.
func zeros(t runtime.Tensor) runtime.Tensor {
	z := cloneTensor(t)
	v := reflect.ValueOf(z.Data)
	for i := range v.Len() {
		v.Index(i).SetZero()
	}
	return z
}

func checkScalars(t *testing.T, f fixture) {
	for name, src := range map[string]runtime.Tensor{
		"scalar_float32": runtime.TensorOf([]float32{2.5}),
		"scalar_float16": runtime.TensorOf([]runtime.Half{float16.Fromfloat32(-1.5)}),
	} {
		s := f.open(t, name)
		if shape := s.Inputs()[0].Shape; shape == nil || len(shape) != 0 {
			t.Errorf("%s: input shape %#v, want an empty one", name, shape)
		}
		expect(t, name+" allocated", run(t, s, src)[0], src)
		dst := zeros(src)
		if err := s.Run(context.Background(), []runtime.Tensor{dst}, []runtime.Tensor{src}); err != nil {
			t.Error(err)
		}
		expect(t, name+" given", dst, src)
	}
}

// ramp returns x[i] = from + i, of the shape.
func ramp(from float32, shape ...int64) runtime.Tensor {
	t := runtime.NewTensor[float32](shape...)
	for i := range t.Data.([]float32) {
		t.Data.([]float32)[i] = from + float32(i)
	}
	return t
}

func checkBatches(t *testing.T, f fixture) {
	s := f.open(t, "identity_float32")
	for _, n := range []int64{1, 7, 2, 0, 64} { // smaller after larger: no buffer may keep its size
		src := ramp(float32(n), n, 3)
		expect(t, "allocated", run(t, s, src)[0], src)
		dst := runtime.NewTensor[float32](n, 3)
		if err := s.Run(context.Background(), []runtime.Tensor{dst}, []runtime.Tensor{src}); err != nil {
			t.Error(err)
		}
		expect(t, "given", dst, src)
	}
}

func checkSeveralPorts(t *testing.T, f fixture) {
	s := f.open(t, "add")
	a, b := ramp(1, 2, 4), ramp(10, 2, 4)
	sum := runtime.TensorOf([]float32{11, 13, 15, 17, 19, 21, 23, 25}, 2, 4)
	twice := runtime.TensorOf([]float32{2, 4, 6, 8, 10, 12, 14, 16}, 2, 4)
	dst := []runtime.Tensor{{}, runtime.NewTensor[float32](2, 4)} // one of each kind
	if err := s.Run(context.Background(), dst, []runtime.Tensor{a, b}); err != nil {
		t.Fatal(err)
	}
	expect(t, "sum", dst[0], sum)
	expect(t, "twice", dst[1], twice)
}

func checkUnknownRank(t *testing.T, f fixture) {
	s := f.open(t, "unknown_rank")
	if got := s.Inputs()[0].Shape; got != nil {
		t.Errorf("input shape %#v, want nil", got)
	}
	for _, shape := range [][]int64{{}, {2}, {1, 2, 3, 4, 5}} {
		src := ramp(3, shape...)
		expect(t, "y", run(t, s, src)[0], src)
	}
}

func checkNonZero(t *testing.T, f fixture) {
	s := f.open(t, "nonzero")
	src := runtime.TensorOf([]float32{0, 2, 0, 0, -1, 5}, 6)
	want := runtime.TensorOf([]int64{1, 4, 5}, 1, 3)
	expect(t, "allocated", run(t, s, src)[0], want)
	expect(t, "nothing found", run(t, s, runtime.NewTensor[float32](4))[0], runtime.NewTensor[int64](1, 0))

	fitting, wrong := runtime.NewTensor[int64](1, 3), runtime.NewTensor[int64](1, 2)
	if err := s.Run(context.Background(), []runtime.Tensor{fitting}, []runtime.Tensor{src}); err != nil {
		t.Error(err)
	}
	expect(t, "given", fitting, want)
	err := s.Run(context.Background(), []runtime.Tensor{wrong}, []runtime.Tensor{src})
	expectError(t, "a destination for 2 where 3 are found", err, `"indices"`, "[1 2]")
}
