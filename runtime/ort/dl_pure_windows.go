//go:build !cgo && !noengine

package ort

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// invoke calls a C function. Arguments that are pointers are converted in the call itself, which keeps them alive and in place.
//
//go:uintptrescapes
func invoke(fn uintptr, args ...uintptr) uintptr {
	result, _, _ := syscall.SyscallN(fn, args...)
	return result
}

// pathArgument is a path as the library takes it on Windows: UTF-16 up to a zero.
func pathArgument(path string) (*uint16, error) { return windows.UTF16PtrFromString(path) }
