package runtime

import (
	"fmt"
	"slices"

	"github.com/x448/float16"
)

// DType is the element type of a tensor.
type DType uint8

// The element types in use. The zero value is not a type.
const (
	Invalid DType = iota
	Float32
	Float16
	Int64
	Int32
	Uint8
	Bool
)

var dtypeNames = [...]string{"invalid", "float32", "float16", "int64", "int32", "uint8", "bool"}

// String returns the name that numpy gives the type.
func (t DType) String() string {
	if int(t) < len(dtypeNames) {
		return dtypeNames[t]
	}
	return fmt.Sprintf("DType(%d)", uint8(t))
}

// Size returns the bytes that one element takes, or 0 for a type that is none.
func (t DType) Size() int {
	switch t {
	case Float32, Int32:
		return 4
	case Float16:
		return 2
	case Int64:
		return 8
	case Uint8, Bool:
		return 1
	}
	return 0
}

// Half is an IEEE 754 binary16 number, the element of a Float16 tensor.
type Half = float16.Float16

// Element lists the Go types that tensor elements may have.
type Element interface {
	float32 | Half | int64 | int32 | uint8 | bool
}

// Tensor is a dense array in row-major order. Data is a slice of one of the [Element] types with as many elements as the
// product of Shape. An empty Shape is a scalar with one element.
//
// A destination tensor whose Data is nil asks the engine to allocate it: Run sets Shape and Data.
type Tensor struct {
	Shape []int64
	Data  any
}

// NewTensor returns a tensor of zeros.
func NewTensor[T Element](shape ...int64) Tensor {
	n, err := Elements(shape)
	if err != nil {
		panic("runtime: NewTensor: " + err.Error())
	}
	return Tensor{Shape: slices.Clone(shape), Data: make([]T, n)}
}

// TensorOf returns a tensor over data, which is not copied. It panics if the shape does not hold len(data) elements.
func TensorOf[T Element](data []T, shape ...int64) Tensor {
	n, err := Elements(shape)
	if err != nil || n != len(data) {
		panic(fmt.Sprintf("runtime: TensorOf: shape %v does not hold %d elements", shape, len(data)))
	}
	return Tensor{Shape: slices.Clone(shape), Data: data}
}

// DataOf returns the elements of t, or an error if they are not of type T.
func DataOf[T Element](t Tensor) ([]T, error) {
	data, ok := t.Data.([]T)
	if !ok {
		var zero []T
		return nil, fmt.Errorf("runtime: tensor of %s, want %s", t.Type(), typeOf(zero))
	}
	return data, nil
}

// Type returns the element type, or Invalid if Data is nil or of another type.
func (t Tensor) Type() DType { return typeOf(t.Data) }

func typeOf(data any) DType {
	switch data.(type) {
	case []float32:
		return Float32
	case []Half:
		return Float16
	case []int64:
		return Int64
	case []int32:
		return Int32
	case []uint8:
		return Uint8
	case []bool:
		return Bool
	}
	return Invalid
}

// Len returns the number of elements that Data holds.
func (t Tensor) Len() int {
	switch d := t.Data.(type) {
	case []float32:
		return len(d)
	case []Half:
		return len(d)
	case []int64:
		return len(d)
	case []int32:
		return len(d)
	case []uint8:
		return len(d)
	case []bool:
		return len(d)
	}
	return 0
}

// Check reports a tensor whose Data is of no known type or does not fill its Shape.
func (t Tensor) Check() error {
	if t.Type() == Invalid {
		return fmt.Errorf("runtime: tensor data is %T, want a slice of float32, float16, int64, int32, uint8 or bool", t.Data)
	}
	n, err := Elements(t.Shape)
	if err != nil {
		return err
	}
	if n != t.Len() {
		return fmt.Errorf("runtime: tensor of shape %v holds %d elements, want %d", t.Shape, t.Len(), n)
	}
	return nil
}

// MaxElements bounds the elements of one tensor, so that a hostile shape cannot overflow or exhaust memory unnoticed.
const MaxElements = 1 << 33

// Elements returns the product of the sizes in shape. Negative sizes and products over [MaxElements] are errors.
func Elements(shape []int64) (int, error) {
	n := int64(1)
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("runtime: shape %v has a negative size", shape)
		}
		if d > 0 && n > MaxElements/d {
			return 0, fmt.Errorf("runtime: shape %v has more than %d elements", shape, int64(MaxElements))
		}
		n *= d
	}
	return int(n), nil
}
