//go:build !cgo

package ort

import (
	"fmt"
	"unsafe"
)

func (a api) portCount(session unsafe.Pointer, outputs bool) (int, error) {
	slot := slotSessionGetInputCount
	if outputs {
		slot = slotSessionGetOutputCount
	}
	var n uintptr
	err := a.try(slot, uintptr(session), uintptr(unsafe.Pointer(&n)))
	return int(n), err
}

func (a api) portInfo(session unsafe.Pointer, output bool, i int) (string, info, error) {
	name, err := a.portName(session, output, i)
	if err != nil {
		return "", info{}, err
	}
	slot := slotSessionGetInputTypeInfo
	if output {
		slot = slotSessionGetOutputTypeInfo
	}
	var it info
	var typ unsafe.Pointer
	if err := a.try(slot, uintptr(session), uintptr(i), uintptr(unsafe.Pointer(&typ))); err != nil {
		return name, it, err
	}
	defer a.do(slotReleaseTypeInfo, uintptr(typ))
	return name, it, a.readType(typ, &it)
}

func (a api) portName(session unsafe.Pointer, output bool, i int) (string, error) {
	slot := slotSessionGetInputName
	if output {
		slot = slotSessionGetOutputName
	}
	allocator, err := a.allocator()
	if err != nil {
		return "", err
	}
	var name unsafe.Pointer
	if err := a.try(slot, uintptr(session), uintptr(i), uintptr(allocator), uintptr(unsafe.Pointer(&name))); err != nil {
		return "", err
	}
	return a.take(allocator, name)
}

func (a api) readType(typ unsafe.Pointer, it *info) error {
	if err := a.try(slotGetOnnxTypeFromTypeInfo, uintptr(typ), uintptr(unsafe.Pointer(&it.kind))); err != nil {
		return err
	}
	var shape unsafe.Pointer // owned by the type
	if err := a.try(slotCastTypeInfoToTensorInfo, uintptr(typ), uintptr(unsafe.Pointer(&shape))); err != nil || shape == nil {
		return err
	}
	return a.readShape(shape, it)
}

// readShape fills type and sizes from an OrtTensorTypeAndShapeInfo, and whether there are any.
func (a api) readShape(shape unsafe.Pointer, it *info) error {
	it.hasShape = int32(a.do(slotTensorTypeAndShapeHasShape, uintptr(shape)) & 0xff) // a bool fills the lowest byte alone
	return a.readSizes(shape, it)
}

func (a api) readSizes(shape unsafe.Pointer, it *info) error {
	if err := a.try(slotGetTensorElementType, uintptr(shape), uintptr(unsafe.Pointer(&it.element))); err != nil {
		return err
	}
	if err := a.try(slotGetDimensionsCount, uintptr(shape), uintptr(unsafe.Pointer(&it.rank))); err != nil {
		return err
	}
	if it.rank > maxRank {
		return fmt.Errorf("a tensor of more than %d dimensions", maxRank)
	}
	return a.try(slotGetDimensions, uintptr(shape), uintptr(unsafe.Pointer(&it.dims)), it.rank)
}
