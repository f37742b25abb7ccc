package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/oatta/oatta/models/onnx/onnxpb"
)

// maxElements bounds the elements of one tensor: a terabyte of bytes, which no file reaches and whose bits no int64 overflows.
const maxElements = 1 << 40

// elements returns the number of elements of a tensor, the product of its sizes; a tensor without sizes is a scalar. Negative
// sizes, more than 64 of them and products over 2^40 are errors.
func elements(t *onnxpb.TensorProto) (int64, error) {
	if len(t.GetDims()) > maxRank {
		return 0, fmt.Errorf("tensor with %d dimensions, more than %d", len(t.GetDims()), maxRank)
	}
	n := int64(1)
	for _, d := range t.GetDims() {
		if d < 0 {
			return 0, fmt.Errorf("sizes %v: %d is negative", t.GetDims(), d)
		}
		if d > 0 && n > maxElements/d {
			return 0, fmt.Errorf("sizes %v: too many elements", t.GetDims())
		}
		n *= d
	}
	return n, nil
}

// typeName returns an element type of ONNX in numpy's words, as "float32".
func typeName(dataType int32) string {
	switch onnxpb.TensorProto_DataType(dataType) {
	case onnxpb.TensorProto_FLOAT:
		return "float32"
	case onnxpb.TensorProto_DOUBLE:
		return "float64"
	case onnxpb.TensorProto_UNDEFINED:
		return "undefined"
	}
	if name, ok := onnxpb.TensorProto_DataType_name[dataType]; ok {
		return strings.ToLower(name)
	}
	return fmt.Sprintf("type%d", dataType)
}

// elementBits returns the bits that an element takes in raw data, or 0 where raw data does not apply (strings) or the type is one
// that this program does not know.
func elementBits(dataType int32) int {
	switch onnxpb.TensorProto_DataType(dataType) {
	case onnxpb.TensorProto_UINT8, onnxpb.TensorProto_INT8, onnxpb.TensorProto_BOOL:
		return 8
	case onnxpb.TensorProto_UINT16, onnxpb.TensorProto_INT16, onnxpb.TensorProto_FLOAT16, onnxpb.TensorProto_BFLOAT16:
		return 16
	case onnxpb.TensorProto_FLOAT, onnxpb.TensorProto_INT32, onnxpb.TensorProto_UINT32:
		return 32
	case onnxpb.TensorProto_DOUBLE, onnxpb.TensorProto_INT64, onnxpb.TensorProto_UINT64, onnxpb.TensorProto_COMPLEX64:
		return 64
	case onnxpb.TensorProto_COMPLEX128:
		return 128
	}
	return 0
}

// isFloating reports the element types that weights have.
func isFloating(dataType int32) bool {
	switch onnxpb.TensorProto_DataType(dataType) {
	case onnxpb.TensorProto_FLOAT, onnxpb.TensorProto_DOUBLE, onnxpb.TensorProto_FLOAT16, onnxpb.TensorProto_BFLOAT16:
		return true
	}
	return false
}

func isExternal(t *onnxpb.TensorProto) bool {
	return t.GetDataLocation() == onnxpb.TensorProto_EXTERNAL
}

// Floats returns the elements of a float32 tensor, whichever of the two fields the exporter chose to put them in. A tensor of
// another type, in an external file, or with another number of elements than its sizes say is an error.
func Floats(t *onnxpb.TensorProto) ([]float32, error) {
	if t.GetDataType() != int32(onnxpb.TensorProto_FLOAT) {
		return nil, fmt.Errorf("onnx: tensor %q is %s, want float32", t.GetName(), typeName(t.GetDataType()))
	}
	if isExternal(t) {
		return nil, fmt.Errorf("onnx: tensor %q is in an external file", t.GetName())
	}
	n, err := elements(t)
	if err != nil {
		return nil, fmt.Errorf("onnx: tensor %q: %w", t.GetName(), err)
	}
	values := t.GetFloatData()
	if t.RawData != nil {
		values = float32s(t.RawData)
	}
	if int64(len(values)) != n {
		return nil, fmt.Errorf("onnx: tensor %q: sizes %v ask for %d elements, the file has %d", t.GetName(), t.GetDims(), n, len(values))
	}
	return values, nil
}

// float32s decodes raw data, which is little-endian whatever the machine.
func float32s(raw []byte) []float32 {
	values := make([]float32, len(raw)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return values
}
