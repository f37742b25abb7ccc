package graph

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
)

func TestElementsSurvive(t *testing.T) {
	for _, tensor := range []*Tensor{
		NewTensor([]float32{-1, 0, 2.5}, 3), NewTensor([]float64{-1, 0, 2.5}, 3),
	} {
		if got, err := tensor.Float64s(); err != nil || !slices.Equal(got, []float64{-1, 0, 2.5}) {
			t.Errorf("%v: %v %v", tensor.Type(), got, err)
		}
		if _, err := tensor.Int64s(); err == nil {
			t.Errorf("%v: floats came as integers", tensor.Type())
		}
	}
	for _, tensor := range []*Tensor{
		NewTensor([]int64{-1, 0, 100}, 3), NewTensor([]int32{-1, 0, 100}, 3), NewTensor([]int8{-1, 0, 100}, 3),
	} {
		ints, err := tensor.Int64s()
		floats, also := tensor.Float64s()
		if err != nil || also != nil || !slices.Equal(ints, []int64{-1, 0, 100}) || !slices.Equal(floats, []float64{-1, 0, 100}) {
			t.Errorf("%v: %v %v %v %v", tensor.Type(), ints, floats, err, also)
		}
	}
	if got, _ := NewTensor([]bool{true, false}, 2).Int64s(); !slices.Equal(got, []int64{1, 0}) {
		t.Errorf("bools %v", got)
	}
	if got, _ := NewTensor([]uint8{255}, 1).Int64s(); !slices.Equal(got, []int64{255}) {
		t.Errorf("bytes %v", got)
	}
}

// Every half there is, and numbers around each: compared with another implementation.
func TestHalfAgainstAnother(t *testing.T) {
	for bits := range 1 << 16 {
		want := float64(float16.Frombits(uint16(bits)).Float32())
		got := halfToFloat(uint16(bits))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%04x is %g, want %g", bits, got, want)
		}
		if math.IsNaN(want) {
			continue
		}
		for _, v := range []float64{want, want * (1 + 1.0/4096), want * (1 - 1.0/8192), want + 0x1p-25} {
			v = float64(float32(v)) // the other rounds from float32
			if got, want := halfBits(v), float16.Fromfloat32(float32(v)).Bits(); got != want {
				t.Fatalf("%g rounds to %04x, want %04x", v, got, want)
			}
		}
	}
}

func TestFull(t *testing.T) {
	for _, c := range []struct {
		elem DType
		v    float64
		want float64
	}{
		{Float32, 0.1, float64(float32(0.1))},
		{Float64, 0.1, 0.1},
		{Float16, 1e6, math.Inf(1)},
		{BFloat16, 1.00390625, 1},
		{BFloat16, 3, 3},
		{Int64, -3.7, -3},
		{Int8, -4, -4},
		{Uint16, 65535, 65535},
		{Bool, 0.5, 1},
	} {
		tensor, err := Full(c.elem, c.v, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tensor.Float64s()
		if err != nil || len(got) != 4 || got[3] != c.want {
			t.Errorf("%v of %g: %v %v", c.elem, c.v, got, err)
		}
	}
	if _, err := Full(String, 1); err == nil {
		t.Error("a number became a string")
	}
}

func TestTensorsThatCannotBe(t *testing.T) {
	for want, make := range map[string]func() (*Tensor, error){
		"float32[3] needs 12 bytes, not 11": func() (*Tensor, error) { return RawTensor(Float32, []int64{3}, []byte("elevenbytes")) },
		"is negative":                       func() (*Tensor, error) { return RawTensor(Float32, []int64{-1}, nil) },
		"too many elements":                 func() (*Tensor, error) { return RawTensor(Int8, []int64{1 << 30, 1 << 30}, nil) },
		"65 sizes":                          func() (*Tensor, error) { return RawTensor(Int8, slices.Repeat([]int64{1}, 65), nil) },
		"string[2] needs 2 elements, not 1": func() (*Tensor, error) { return StringTensor([]int64{2}, []string{"a"}) },
		"no fixed size":                     func() (*Tensor, error) { return RawTensor(Undefined, nil, nil) },
		"float16[2] needs 4 bytes, not 3": func() (*Tensor, error) {
			lazy, err := LazyTensor(Float16, []int64{2}, func() ([]byte, error) { return []byte("abc"), nil })
			if err != nil {
				return nil, err
			}
			_, err = lazy.Bytes()
			return nil, err
		},
	} {
		if _, err := make(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if packed, err := RawTensor(22, []int64{3}, []byte{0x21, 0x03}); err != nil || packed.Len() != 3 || packed.ByteLen() != 2 {
		t.Errorf("int4: %v", err) // two to a byte
	}
}

// A lazy tensor is read once, when it is needed, and its error stays.
func TestLazy(t *testing.T) {
	reads := 0
	failing, err := LazyTensor(Int64, []int64{1}, func() ([]byte, error) { reads++; return nil, errors.New("gone") })
	if err != nil {
		t.Fatal(err)
	}
	g := New("g", 18)
	x := g.Input("x", Type{Elem: Float32, Shape: Of(4)})
	if y := g.Op("Reshape", []Value{x, g.Const("shape", failing)}); g.TypeOf(y).String() != "float32[?]" || g.Err() != nil {
		t.Errorf("%v %v", g.TypeOf(y), g.Err())
	}
	for range 2 {
		if _, err := failing.Int64s(); err == nil || err.Error() != "gone" {
			t.Errorf("error %v", err)
		}
	}
	if reads != 1 {
		t.Errorf("read %d times", reads)
	}
}

func TestSizesMultiply(t *testing.T) {
	for want, s := range map[string]Shape{
		"?": {N(2), Any}, "0": {N(0), Any}, "6*N": {N(2), Sym("N"), N(3)}, "4*M*N": {Sym("2*N"), Sym("2*M")}, "s0+1": {Sym("s0+1")}, "1": {},
	} {
		if got := s.Elements().String(); got != want {
			t.Errorf("%v has %s elements, want %s", s, got, want)
		}
	}
	if got := Shape(nil).Elements(); got != Any {
		t.Errorf("unknown shape has %v elements", got)
	}
	a, b := datumOf(Sym("4*M*N")), datumOf(Sym("2*N"))
	if got := a.div(b).dim(); got != Sym("2*M") {
		t.Errorf("quotient %v", got)
	}
	if got := b.div(a).dim(); got != Any {
		t.Errorf("quotient %v", got)
	}
	// What an exporter writes is a name like any other, and is not taken apart.
	odd := datumOf(Sym("2*s0+1"))
	if got := odd.mul(number(3)); got.div(number(3)).dim() != Sym("2*s0+1") || got.dim() != Any || odd.mul(a).ok || odd.div(datumOf(Sym("s0+1"))).ok {
		t.Error("an expression was taken apart")
	}
	if got := odd.div(odd).dim(); got != N(1) {
		t.Errorf("an expression by itself is %v", got)
	}
	if huge := number(math.MaxInt64); huge.mul(number(2)).ok || huge.add(number(1)).ok || number(math.MinInt64).neg().ok {
		t.Error("an overflow is taken for a number")
	}
}
