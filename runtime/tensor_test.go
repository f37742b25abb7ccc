package runtime

import (
	"math"
	"strings"
	"testing"
)

func TestElements(t *testing.T) {
	for _, c := range []struct {
		shape []int64
		want  int
		err   string
	}{
		{nil, 1, ""},
		{[]int64{}, 1, ""},
		{[]int64{3}, 3, ""},
		{[]int64{2, 3, 4}, 24, ""},
		{[]int64{5, 0, 7}, 0, ""},
		{[]int64{MaxElements}, MaxElements, ""},
		{[]int64{MaxElements, 1}, MaxElements, ""},
		{[]int64{-1, 3}, 0, "negative"},
		{[]int64{3, math.MinInt64}, 0, "negative"},
		{[]int64{MaxElements + 1}, 0, "more than"},
		{[]int64{MaxElements, 2}, 0, "more than"},
		{[]int64{math.MaxInt64, math.MaxInt64}, 0, "more than"},
		// 2^32 * 2^32 wraps to 0 in 64 bits: an overflow that a plain product would not see.
		{[]int64{1 << 32, 1 << 32}, 0, "more than"},
	} {
		got, err := Elements(c.shape)
		if c.err == "" && (err != nil || got != c.want) {
			t.Errorf("Elements(%v) = %d, %v; want %d", c.shape, got, err, c.want)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("Elements(%v): error %v, want one with %q", c.shape, err, c.err)
		}
	}
}

// FuzzElements holds the product against exact arithmetic for whatever sizes a hostile file may claim.
func FuzzElements(f *testing.F) {
	f.Add(int64(2), int64(3), int64(4))
	f.Add(int64(1<<32), int64(1<<32), int64(0))
	f.Add(int64(-1), int64(3), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, a, b, c int64) {
		n, err := Elements([]int64{a, b, c})
		if err != nil {
			return
		}
		if a < 0 || b < 0 || c < 0 || n < 0 || n > MaxElements {
			t.Fatalf("Elements(%d, %d, %d) = %d", a, b, c, n)
		}
		if exact := float64(a) * float64(b) * float64(c); exact != float64(n) {
			t.Fatalf("Elements(%d, %d, %d) = %d, want %g", a, b, c, n, exact)
		}
	})
}

func TestTensorTypes(t *testing.T) {
	for _, c := range []struct {
		tensor Tensor
		want   DType
		size   int
	}{
		{NewTensor[float32](2, 3), Float32, 4},
		{NewTensor[Half](2, 3), Float16, 2},
		{NewTensor[int64](2, 3), Int64, 8},
		{NewTensor[int32](2, 3), Int32, 4},
		{NewTensor[uint8](2, 3), Uint8, 1},
		{NewTensor[bool](2, 3), Bool, 1},
	} {
		if got := c.tensor.Type(); got != c.want || got.Size() != c.size || c.tensor.Len() != 6 || c.tensor.Check() != nil {
			t.Errorf("%s: type %s, size %d, length %d, check %v", c.want, got, got.Size(), c.tensor.Len(), c.tensor.Check())
		}
	}
	if other := (Tensor{Data: []float64{1}}); other.Type() != Invalid || other.Len() != 0 || other.Type().Size() != 0 {
		t.Error("a slice of another type counts as a tensor")
	}
}

func TestTensorCheck(t *testing.T) {
	for name, c := range map[string]struct {
		tensor Tensor
		err    string
	}{
		"scalar":     {TensorOf([]int64{7}), ""},
		"zero size":  {NewTensor[bool](0, 4), ""},
		"nil data":   {Tensor{Shape: []int64{1}}, "data is <nil>"},
		"other type": {Tensor{Shape: []int64{1}, Data: []string{"a"}}, "data is []string"},
		"too short":  {Tensor{Shape: []int64{2, 2}, Data: []uint8{1, 2, 3}}, "holds 3 elements, want 4"},
		"negative":   {Tensor{Shape: []int64{-1}, Data: []uint8{1}}, "negative"},
	} {
		err := c.tensor.Check()
		if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
	}
}

func TestTensorOfKeepsDataAndCopiesShape(t *testing.T) {
	data, shape := []float32{1, 2, 3, 4}, []int64{2, 2}
	tensor := TensorOf(data, shape...)
	data[0], shape[0] = 9, 4
	got, err := DataOf[float32](tensor)
	if err != nil || got[0] != 9 || tensor.Shape[0] != 2 {
		t.Errorf("data %v, shape %v, %v", got, tensor.Shape, err)
	}
	if _, err := DataOf[int32](tensor); err == nil || !strings.Contains(err.Error(), "tensor of float32, want int32") {
		t.Errorf("DataOf of another type: %v", err)
	}
}

func TestTensorPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"TensorOf length": func() { TensorOf([]float32{1, 2, 3}, 2, 2) },
		"NewTensor size":  func() { NewTensor[float32](-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestDTypeString(t *testing.T) {
	for want, d := range map[string]DType{"float32": Float32, "float16": Float16, "bool": Bool, "invalid": Invalid, "DType(200)": 200} {
		if got := d.String(); got != want {
			t.Errorf("%d: %q, want %q", uint8(d), got, want)
		}
	}
}
