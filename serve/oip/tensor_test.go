package oip

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oatta/oatta/serve"
)

func le[T any](values ...T) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func product(shape []int64) int {
	n := 1
	for _, side := range shape {
		n *= int(side)
	}
	return n
}

func TestDecodeJSON(t *testing.T) {
	for _, test := range []struct {
		kind  serve.DataType
		shape []int64
		text  string
		want  []byte
	}{
		{"FP64", []int64{2}, "[1.5, -2e3]", le(1.5, -2e3)},
		{"FP64", []int64{}, "[7]", le(7.0)},
		{"FP64", []int64{1, 3}, "[1,2,3]", le(1.0, 2.0, 3.0)},
		{"FP64", []int64{2, 2}, " [ [1 , 2],\n[3,4] ] ", le(1.0, 2.0, 3.0, 4.0)},
		{"FP64", []int64{1, 1, 2}, "[[[1,2]]]", le(1.0, 2.0)},
		{"FP64", []int64{0, 3}, "[]", []byte{}},
		{"FP64", []int64{2, 0}, "[[],[]]", []byte{}},
		{"FP64", []int64{3}, `["NaN","Infinity","-Infinity"]`, le(math.NaN(), math.Inf(1), math.Inf(-1))},
		{"FP32", []int64{2}, "[0.1, 16777217]", le(float32(0.1), float32(16777216))},
		{"INT64", []int64{3}, "[9223372036854775807,-9223372036854775808,9007199254740993]", le(int64(math.MaxInt64), int64(math.MinInt64), int64(1<<53+1))},
		{"UINT64", []int64{1}, "[18446744073709551615]", le(uint64(math.MaxUint64))},
		{"INT8", []int64{2}, "[-128,127]", le(int8(-128), int8(127))},
		{"UINT8", []int64{1}, "[255]", le(uint8(255))},
		{"INT16", []int64{1}, "[-32768]", le(int16(-32768))},
		{"UINT16", []int64{1}, "[65535]", le(uint16(65535))},
		{"INT32", []int64{1}, "[-1]", le(int32(-1))},
		{"UINT32", []int64{1}, "[4294967295]", le(uint32(math.MaxUint32))},
		{"BOOL", []int64{4}, "[true,false,1,0]", []byte{1, 0, 1, 0}},
		{"BYTES", []int64{4}, `["a\"],[", "é\u00e9\n", "", "\\"]`, slices.Concat(appendBytes(nil, `a"],[`), appendBytes(nil, "éé\n"), appendBytes(nil, ""), appendBytes(nil, `\`))},
		{"BYTES", []int64{2, 1}, `[["x"],["y"]]`, slices.Concat(appendBytes(nil, "x"), appendBytes(nil, "y"))},
	} {
		got, err := decodeJSON(test.kind, test.shape, product(test.shape), jsontext.Value(test.text))
		if err != nil || !bytes.Equal(got, test.want) {
			t.Errorf("%s %v %s: %x, %v, want %x", test.kind, test.shape, test.text, got, err, test.want)
		}
	}
}

func TestDecodeJSONRefuses(t *testing.T) {
	for _, test := range []struct {
		kind  serve.DataType
		shape []int64
		text  string
		want  string
	}{
		{"FP64", []int64{2}, "[1]", "disagree"},
		{"FP64", []int64{1}, "[1,2]", "disagree"},
		{"FP64", []int64{2, 2}, "[[1,2],[3]]", "disagree"},
		{"FP64", []int64{2, 2}, "[[1,2],[3,4],[5,6]]", "disagree"},
		{"FP64", []int64{2, 3}, "[[1,2],[3,4],[5,6]]", "disagree"},
		{"FP64", []int64{2, 2}, "[[1,2],3,4]", "arrays within"},
		{"FP64", []int64{4}, "[[1,2],[3,4]]", "no number"},
		{"FP64", []int64{2, 2}, "[1,2,3,[4]]", "no number"},
		{"FP64", []int64{1}, "1", "want an array"},
		{"FP64", []int64{1}, `{"a":[1]}`, "want an array"},
		{"FP64", []int64{1}, `["1"]`, "no number"},
		{"FP64", []int64{1}, `["a"]`, "no number"},
		{"FP64", []int64{1}, `[null]`, "no number"},
		{"FP64", []int64{1}, `[true]`, "no number"},
		{"FP64", []int64{1}, `[{}]`, "no number"},
		{"FP64", []int64{1}, `[1e400]`, "no number"},
		{"FP32", []int64{1}, `[1e39]`, "no number of 32"},
		{"INT64", []int64{1}, "[9223372036854775808]", "no INT64"},
		{"INT64", []int64{1}, "[1.0]", "no INT64"},
		{"INT64", []int64{1}, "[1e3]", "no INT64"},
		{"INT64", []int64{1}, `["1"]`, "no INT64"},
		{"UINT8", []int64{1}, "[256]", "no UINT8"},
		{"UINT8", []int64{1}, "[-1]", "no UINT8"},
		{"BOOL", []int64{1}, "[2]", "no boolean"},
		{"BYTES", []int64{1}, "[1]", "no string"},
		{"FP16", []int64{1}, "[1]", "binary"},
		{"BF16", []int64{1}, "[1]", "binary"},
		{"FP64", []int64{1 << 20}, "[1]", "fewer than"},
	} {
		if got, err := decodeJSON(test.kind, test.shape, product(test.shape), jsontext.Value(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %v %s: %x, %v, want %q in it", test.kind, test.shape, test.text, got, err, test.want)
		}
	}
}

// What is written as JSON reads back to the same bits, of every type.
func TestJSONRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []serve.DataType{"BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FP32", "FP64", "BYTES"} {
		in := serve.Tensor{Name: "x", Type: kind, Shape: []int64{500}}
		for range 500 {
			switch kind {
			case "BOOL":
				in.Data = append(in.Data, byte(r.IntN(2)))
			case "BYTES":
				in.Data = appendBytes(in.Data, []string{"", "a", "\x00", "\"\\/", "日本", "\u2028"}[r.IntN(6)])
			case "FP32":
				in.Data = binary.LittleEndian.AppendUint32(in.Data, math.Float32bits(float32(r.NormFloat64()*math.Pow(10, float64(r.IntN(80)-40)))))
			case "FP64":
				in.Data = binary.LittleEndian.AppendUint64(in.Data, math.Float64bits(r.NormFloat64()*math.Pow(10, float64(r.IntN(600)-300))))
			default:
				in.Data = appendUint(in.Data, r.Uint64(), kind.Size())
			}
		}
		text, err := appendData(nil, &in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeJSON(kind, in.Shape, 500, text); err != nil || !bytes.Equal(got, in.Data) {
			t.Errorf("%s: %v\n%s", kind, err, text)
		}
	}
}

func TestAppendData(t *testing.T) {
	for _, test := range []struct {
		kind serve.DataType
		data []byte
		want string
	}{
		{"FP64", le(0.1, 1e21, 1e-7, 0.0, math.NaN(), math.Inf(-1)), `[0.1,1e+21,1e-07,0,"NaN","-Infinity"]`},
		{"FP32", le(float32(0.1), float32(16777216)), `[0.1,16777216]`},
		{"FP16", le(uint16(0x3c00), uint16(0xc000)), `[1,-2]`},
		{"BF16", le(uint16(0x3f80), uint16(0x4049)), `[1,3.140625]`},
		{"INT8", []byte{0x80, 0x7f}, `[-128,127]`},
		{"UINT64", le(uint64(math.MaxUint64)), `[18446744073709551615]`},
		{"FP64", nil, `[]`},
	} {
		if got, err := appendData(nil, &serve.Tensor{Type: test.kind, Data: test.data}); err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v, want %s", test.kind, got, err, test.want)
		}
	}
	if _, err := appendData(nil, &serve.Tensor{Name: "x", Type: serve.Bytes, Data: appendBytes(nil, "\xff")}); err == nil {
		t.Error("BYTES that are no text")
	}
}

func TestElements(t *testing.T) {
	o := Options{MaxElements: 1000}.withDefaults()
	for _, test := range []struct {
		shape []int64
		want  int
	}{
		{nil, 1},
		{[]int64{10, 100}, 1000},
		{[]int64{0, 1000}, 0},
		{[]int64{1000, 0, 7}, 0},
		{[]int64{10, 101}, -1},
		{[]int64{1001, 0}, -1},
		{[]int64{1 << 32, 1 << 32}, -1},
		{[]int64{math.MaxInt64, math.MaxInt64}, -1},
		{[]int64{-1, 10}, -1},
		{[]int64{math.MinInt64}, -1},
		{make([]int64, maxSides+1), -1},
	} {
		if got, err := o.elements(test.shape); (err != nil) != (test.want < 0) || err == nil && got != test.want {
			t.Errorf("%v: %d, %v, want %d", test.shape, got, err, test.want)
		}
	}
}

func TestCheckBinary(t *testing.T) {
	for _, test := range []struct {
		kind serve.DataType
		n    int
		data []byte
		ok   bool
	}{
		{"FP64", 2, make([]byte, 16), true},
		{"FP64", 2, make([]byte, 15), false},
		{"FP16", 2, make([]byte, 4), true},
		{"BYTES", 2, slices.Concat(appendBytes(nil, "a"), appendBytes(nil, "")), true},
		{"BYTES", 1, slices.Concat(appendBytes(nil, "a"), appendBytes(nil, "")), false},
		{"BYTES", 3, slices.Concat(appendBytes(nil, "a"), appendBytes(nil, "")), false},
		{"BYTES", 1, []byte{1, 0, 0}, false},
		{"BYTES", 1, []byte{255, 255, 255, 255, 1}, false},
		{"BYTES", 0, nil, true},
	} {
		if err := checkBinary(test.kind, test.n, test.data); (err == nil) != test.ok {
			t.Errorf("%s %d %x: %v", test.kind, test.n, test.data, err)
		}
	}
}
