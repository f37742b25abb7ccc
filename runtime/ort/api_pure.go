//go:build !cgo

package ort

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// do calls the function in a slot of the table.
//
//go:uintptrescapes
func (a api) do(slot int, args ...uintptr) uintptr {
	return invoke(*(*uintptr)(unsafe.Add(a.table, uintptr(slot)*unsafe.Sizeof(uintptr(0)))), args...)
}

// try calls a function that returns a status, and turns that into an error. NULL is success.
//
//go:uintptrescapes
func (a api) try(slot int, args ...uintptr) error {
	status := a.do(slot, args...)
	if status == 0 {
		return nil
	}
	defer a.do(slotReleaseStatus, status)
	text := strings.TrimSpace(goString(pointer(a.do(slotGetErrorMessage, status))))
	if text == "" {
		text = "unknown error"
	}
	return errors.New(text)
}

// pointer turns what C returned into a pointer. It is not Go memory: reading it through a pointer to the variable keeps vet from taking the
// conversion for arithmetic on a Go pointer.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// goString copies a C string.
func goString(text unsafe.Pointer) string {
	if text == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(text, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(text), n))
}

// cString copies text to what C takes for a string. Text with a zero in it would be cut short there.
func cString(text string) (*byte, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%q has a zero byte", text)
	}
	return unsafe.SliceData(append([]byte(text), 0)), nil
}

// base is OrtApiBase.
type base struct{ getAPI, getVersionString uintptr }

func baseOf(getBase unsafe.Pointer) *base { return (*base)(pointer(invoke(uintptr(getBase)))) }

func libraryVersion(getBase unsafe.Pointer) string {
	return goString(pointer(invoke(baseOf(getBase).getVersionString)))
}

func libraryTable(getBase unsafe.Pointer, version uint32) unsafe.Pointer {
	return pointer(invoke(baseOf(getBase).getAPI, uintptr(version)))
}

// providers lists the execution providers that the library was built with, in its order of preference.
func (a api) providers() ([]string, error) {
	var names *unsafe.Pointer
	var n int32
	if err := a.try(slotGetAvailableProviders, uintptr(unsafe.Pointer(&names)), uintptr(unsafe.Pointer(&n))); err != nil {
		return nil, fmt.Errorf("runtime/ort: list providers: %w", err)
	}
	list := make([]string, n)
	for i, name := range unsafe.Slice(names, int(n)) {
		list[i] = goString(name)
	}
	return list, a.try(slotReleaseAvailableProviders, uintptr(unsafe.Pointer(names)), uintptr(n))
}

// allocator returns the library's own one, in which it returns texts.
func (a api) allocator() (unsafe.Pointer, error) {
	var allocator unsafe.Pointer
	err := a.try(slotGetAllocatorWithDefaultOptions, uintptr(unsafe.Pointer(&allocator)))
	return allocator, err
}

// take copies a text that the library allocated, and frees it.
func (a api) take(allocator, text unsafe.Pointer) (string, error) {
	copied := goString(text)
	return copied, a.try(slotAllocatorFree, uintptr(allocator), uintptr(text))
}
