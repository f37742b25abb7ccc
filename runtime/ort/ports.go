//go:build cgo

package ort

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"fmt"
	"unsafe"

	wrapper "github.com/yalue/onnxruntime_go"

	"github.com/oatta/oatta/runtime"
)

// element pairs a type of ours with the library's.
type element struct {
	ours   runtime.DType
	theirs wrapper.TensorElementDataType
}

var elements = []element{
	{runtime.Float32, wrapper.TensorElementDataTypeFloat},
	{runtime.Float16, wrapper.TensorElementDataTypeFloat16},
	{runtime.Int64, wrapper.TensorElementDataTypeInt64},
	{runtime.Int32, wrapper.TensorElementDataTypeInt32},
	{runtime.Uint8, wrapper.TensorElementDataTypeUint8},
	{runtime.Bool, wrapper.TensorElementDataTypeBool},
}

func dtypeOf(theirs C.int32_t) runtime.DType {
	for _, e := range elements {
		if e.theirs == wrapper.TensorElementDataType(theirs) {
			return e.ours
		}
	}
	return runtime.Invalid
}

func elementOf(ours runtime.DType) C.int32_t {
	for _, e := range elements {
		if e.ours == ours {
			return C.int32_t(e.theirs)
		}
	}
	return C.int32_t(wrapper.TensorElementDataTypeUndefined)
}

// cbool is the int by which api.c tells outputs from inputs.
func cbool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// ports reads the inputs or the outputs of a session.
func (a api) ports(session unsafe.Pointer, outputs bool) ([]runtime.Port, error) {
	var n C.size_t
	if err := failure(C.oatta_port_count(a.table, session, cbool(outputs), &n)); err != nil {
		return nil, err
	}
	list := make([]runtime.Port, n)
	for i := range list {
		p, err := a.port(session, outputs, i)
		if err != nil {
			return nil, err
		}
		list[i] = p
	}
	return list, nil
}

func (a api) port(session unsafe.Pointer, output bool, i int) (runtime.Port, error) {
	kind := "input"
	if output {
		kind = "output"
	}
	var name *C.char
	var info C.oatta_info
	err := failure(C.oatta_port(a.table, session, cbool(output), C.size_t(i), &name, &info))
	defer C.free(unsafe.Pointer(name))
	if err != nil {
		return runtime.Port{}, fmt.Errorf("%s %d: %w", kind, i, err)
	}
	p := runtime.Port{Name: C.GoString(name), Type: dtypeOf(info._type), Shape: shapeOf(&info)}
	if onnx := wrapper.ONNXType(info.kind); onnx != wrapper.ONNXTypeTensor {
		return p, fmt.Errorf("%s %q is %s, want a tensor", kind, p.Name, onnx)
	}
	if p.Type == runtime.Invalid {
		return p, fmt.Errorf("%s %q is of %s, want float32, float16, int64, int32, uint8 or bool",
			kind, p.Name, wrapper.TensorElementDataType(info._type))
	}
	return p, nil
}

// shapeOf returns nil where the rank is unknown, else the sizes, with those that a call may choose as [runtime.Dynamic].
func shapeOf(info *C.oatta_info) []int64 {
	if info.has_shape == 0 {
		return nil
	}
	shape := make([]int64, info.rank)
	for i := range shape {
		shape[i] = max(int64(info.dims[i]), runtime.Dynamic)
	}
	return shape
}
