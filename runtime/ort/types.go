package ort

import (
	"fmt"
	"unsafe"

	"github.com/oatta/oatta/runtime"
)

// elementType is the library's ONNXTensorElementDataType, and onnxType its ONNXType.
type (
	elementType int32
	onnxType    int32
)

// undefinedElement stands for no type, and tensorType tells tensors from all else.
const (
	undefinedElement elementType = 0
	tensorType       onnxType    = 1
)

// element pairs a type of ours with the library's.
type element struct {
	ours   runtime.DType
	theirs elementType
}

var elements = []element{
	{runtime.Float32, 1},
	{runtime.Float16, 10},
	{runtime.Int64, 7},
	{runtime.Int32, 6},
	{runtime.Uint8, 2},
	{runtime.Bool, 9},
}

func dtypeOf(theirs elementType) runtime.DType {
	for _, e := range elements {
		if e.theirs == theirs {
			return e.ours
		}
	}
	return runtime.Invalid
}

func elementOf(ours runtime.DType) elementType {
	for _, e := range elements {
		if e.ours == ours {
			return e.theirs
		}
	}
	return undefinedElement
}

// elementNames and onnxNames are in the order of the enumerations in onnxruntime_c_api.h.
var (
	elementNames = [...]string{
		"UNDEFINED", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE", "UINT32",
		"UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4", "INT4",
	}
	onnxNames = [...]string{"UNKNOWN", "TENSOR", "SEQUENCE", "MAP", "OPAQUE", "SPARSE_TENSOR", "OPTIONAL"}
)

// String returns the name in the library's own header.
func (t elementType) String() string {
	return named("ONNX_TENSOR_ELEMENT_DATA_TYPE_", elementNames[:], int(t))
}

// String returns the name in the library's own header.
func (t onnxType) String() string { return named("ONNX_TYPE_", onnxNames[:], int(t)) }

func named(prefix string, names []string, i int) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s%d", prefix, i)
	}
	return prefix + names[i]
}

// maxRank bounds the sizes of a tensor that is described.
const maxRank = 32

// argument is a tensor of the caller, as oatta_tensor in api.h: rank sizes at dims[firstDim] of the array that is passed beside it. A
// destination without data (wantAlloc) is allocated by the library.
type argument struct {
	data                  unsafe.Pointer
	bytes, rank, firstDim uintptr
	element               elementType
	wantAlloc             int32
}

// info is what a port or a value is, as oatta_info in api.h.
type info struct {
	kind     onnxType
	element  elementType
	hasShape int32
	rank     uintptr
	dims     [maxRank]int64
	data     unsafe.Pointer
}

// shape returns nil where the rank is unknown, else the sizes, with those that a call may choose as [runtime.Dynamic].
func (i *info) shape() []int64 {
	if i.hasShape == 0 {
		return nil
	}
	shape := make([]int64, i.rank)
	for d := range shape {
		shape[d] = max(i.dims[d], runtime.Dynamic)
	}
	return shape
}
