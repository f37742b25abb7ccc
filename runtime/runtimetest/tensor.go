package runtimetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/oatta/oatta/runtime"
)

// cloneTensor returns a tensor with elements of its own. Data of no element type stays nil.
func cloneTensor(t runtime.Tensor) runtime.Tensor {
	out := runtime.Tensor{Shape: append([]int64{}, t.Shape...)}
	switch d := t.Data.(type) {
	case []float32:
		out.Data = slices.Clone(d)
	case []runtime.Half:
		out.Data = slices.Clone(d)
	case []int64:
		out.Data = slices.Clone(d)
	case []int32:
		out.Data = slices.Clone(d)
	case []uint8:
		out.Data = slices.Clone(d)
	case []bool:
		out.Data = slices.Clone(d)
	}
	return out
}

// copyData copies elements between slices of one type; the caller has checked that they are.
func copyData(dst, src any) {
	switch d := dst.(type) {
	case []float32:
		copy(d, src.([]float32))
	case []runtime.Half:
		copy(d, src.([]runtime.Half))
	case []int64:
		copy(d, src.([]int64))
	case []int32:
		copy(d, src.([]int32))
	case []uint8:
		copy(d, src.([]uint8))
	case []bool:
		copy(d, src.([]bool))
	}
}

// Diff says where two tensors differ, or returns "". Elements are compared bit for bit, so that a NaN equals itself and -0
// is not 0.
func Diff(got, want runtime.Tensor) string {
	if got.Type() != want.Type() {
		return fmt.Sprintf("type %s, want %s", got.Type(), want.Type())
	}
	if !slices.Equal(got.Shape, want.Shape) {
		return fmt.Sprintf("shape %v, want %v", got.Shape, want.Shape)
	}
	if err := got.Check(); err != nil {
		return err.Error()
	}
	switch g := got.Data.(type) {
	case []float32:
		return diff(bits(g), bits(want.Data.([]float32)), math.Float32frombits)
	case []runtime.Half:
		return diff(g, want.Data.([]runtime.Half), runtime.Half.Float32)
	case []int64:
		return diff(g, want.Data.([]int64), same)
	case []int32:
		return diff(g, want.Data.([]int32), same)
	case []uint8:
		return diff(g, want.Data.([]uint8), same)
	case []bool:
		return diff(g, want.Data.([]bool), same)
	}
	return ""
}

func same[T any](v T) T { return v }

func bits(values []float32) []uint32 {
	out := make([]uint32, len(values))
	for i, v := range values {
		out[i] = math.Float32bits(v)
	}
	return out
}

func diff[T comparable, V any](got, want []T, show func(T) V) string {
	for i := range got {
		if got[i] != want[i] {
			return fmt.Sprintf("element %d is %v, want %v", i, show(got[i]), show(want[i]))
		}
	}
	return ""
}
