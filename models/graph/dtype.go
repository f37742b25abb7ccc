package graph

import "fmt"

// DType is the element type of a tensor. The numbers are those of ONNX's TensorProto.DataType, types that this package does not name
// included, so that none is lost on its way through.
type DType int32

// The element types that rules and evaluators meet. The zero value says that the type is not known.
const (
	Undefined DType = 0
	Float32   DType = 1
	Uint8     DType = 2
	Int8      DType = 3
	Uint16    DType = 4
	Int16     DType = 5
	Int32     DType = 6
	Int64     DType = 7
	String    DType = 8
	Bool      DType = 9
	Float16   DType = 10
	Float64   DType = 11
	Uint32    DType = 12
	Uint64    DType = 13
	BFloat16  DType = 16
)

// dtypes holds name and bits per element of every type of ONNX 1.19, by number.
var dtypes = [...]struct {
	name string
	bits int
}{
	{"undefined", 0},
	{"float32", 32},
	{"uint8", 8},
	{"int8", 8},
	{"uint16", 16},
	{"int16", 16},
	{"int32", 32},
	{"int64", 64},
	{"string", 0},
	{"bool", 8},
	{"float16", 16},
	{"float64", 64},
	{"uint32", 32},
	{"uint64", 64},
	{"complex64", 64},
	{"complex128", 128},
	{"bfloat16", 16},
	{"float8e4m3fn", 8},
	{"float8e4m3fnuz", 8},
	{"float8e5m2", 8},
	{"float8e5m2fnuz", 8},
	{"uint4", 4},
	{"int4", 4},
	{"float4e2m1", 4},
	{"float8e8m0", 8},
	{"uint2", 2},
	{"int2", 2},
}

// String returns the name that numpy gives the type, as "float32".
func (t DType) String() string {
	if t >= 0 && int(t) < len(dtypes) {
		return dtypes[t].name
	}
	return fmt.Sprintf("type%d", int32(t))
}

// Bits returns the bits that an element takes in [Tensor.Bytes], or 0 for strings and types that are not known.
func (t DType) Bits() int {
	if t >= 0 && int(t) < len(dtypes) {
		return dtypes[t].bits
	}
	return 0
}

// IsFloat reports the types that weights have and gradients flow through.
func (t DType) IsFloat() bool {
	switch t {
	case Float32, Float64, Float16, BFloat16:
		return true
	}
	return false
}

// IsInt reports the integer types, bool not among them.
func (t DType) IsInt() bool {
	switch t {
	case Uint8, Int8, Uint16, Int16, Int32, Int64, Uint32, Uint64:
		return true
	}
	return false
}
