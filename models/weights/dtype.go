package weights

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/x448/float16"
)

// DType is the type of a tensor's elements, in the order in which the reference writer of safetensors lays tensors out: by
// alignment, smallest first. The zero value is no type.
type DType uint8

// The types of published weights and of the counters beside them.
const (
	Bool DType = iota + 1
	U8
	I8
	I16
	U16
	F16
	BF16
	I32
	U32
	F32
	F64
	I64
	U64
)

// dtype describes one type: its name in safetensors, its bytes, its numpy descriptor without the byte order, the name of PyTorch's
// storage class, and how one little-endian element becomes a float32.
type dtype struct {
	name    string
	size    int
	numpy   string
	storage string
	float   func([]byte) float32
}

var le = binary.LittleEndian

var dtypes = [...]dtype{
	Bool: {"BOOL", 1, "b1", "BoolStorage", func(b []byte) float32 { return float32(min(b[0], 1)) }},
	U8:   {"U8", 1, "u1", "ByteStorage", func(b []byte) float32 { return float32(b[0]) }},
	I8:   {"I8", 1, "i1", "CharStorage", func(b []byte) float32 { return float32(int8(b[0])) }},
	I16:  {"I16", 2, "i2", "ShortStorage", func(b []byte) float32 { return float32(int16(le.Uint16(b))) }},
	U16:  {"U16", 2, "u2", "UInt16Storage", func(b []byte) float32 { return float32(le.Uint16(b)) }},
	F16:  {"F16", 2, "f2", "HalfStorage", func(b []byte) float32 { return float16.Frombits(le.Uint16(b)).Float32() }},
	BF16: {"BF16", 2, "", "BFloat16Storage", func(b []byte) float32 { return math.Float32frombits(uint32(le.Uint16(b)) << 16) }},
	I32:  {"I32", 4, "i4", "IntStorage", func(b []byte) float32 { return float32(int32(le.Uint32(b))) }},
	U32:  {"U32", 4, "u4", "UInt32Storage", func(b []byte) float32 { return float32(le.Uint32(b)) }},
	F32:  {"F32", 4, "f4", "FloatStorage", func(b []byte) float32 { return math.Float32frombits(le.Uint32(b)) }},
	F64:  {"F64", 8, "f8", "DoubleStorage", func(b []byte) float32 { return float32(math.Float64frombits(le.Uint64(b))) }},
	I64:  {"I64", 8, "i8", "LongStorage", func(b []byte) float32 { return float32(int64(le.Uint64(b))) }},
	U64:  {"U64", 8, "u8", "UInt64Storage", func(b []byte) float32 { return float32(le.Uint64(b)) }},
}

// String returns the name that safetensors uses, such as "BF16".
func (d DType) String() string {
	if !d.valid() {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Size returns the bytes of one element, 0 for no type.
func (d DType) Size() int {
	if !d.valid() {
		return 0
	}
	return dtypes[d].size
}

func (d DType) valid() bool { return d > 0 && int(d) < len(dtypes) }

// dtypeBy returns the type whose description has the field's value.
func dtypeBy(field func(dtype) string, value string) (DType, bool) {
	for d := Bool; d.valid(); d++ {
		if value != "" && field(dtypes[d]) == value {
			return d, true
		}
	}
	return 0, false
}

func nameOf(d dtype) string    { return d.name }
func numpyOf(d dtype) string   { return d.numpy }
func storageOf(d dtype) string { return d.storage }
