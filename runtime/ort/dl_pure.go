//go:build !cgo && !noengine && ((linux && !android) || darwin) && (amd64 || arm64)

package ort

import (
	"fmt"
	goruntime "runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// openLibrary loads a shared library and returns its function OrtGetApiBase.
func openLibrary(path string) (unsafe.Pointer, error) {
	handle, err := dlopen(path)
	if err != nil {
		return nil, err
	}
	symbol, err := purego.Dlsym(handle, "OrtGetApiBase")
	if err != nil {
		_ = purego.Dlclose(handle) // it is not what was wanted; that it stays loaded does no harm
		return nil, fmt.Errorf("%s is no ONNX Runtime: it has no OrtGetApiBase", path)
	}
	return pointer(symbol), nil
}

// dlopen stays on one thread: what was wrong is kept by thread.
func dlopen(path string) (uintptr, error) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_LAZY|purego.RTLD_LOCAL)
}

// canLoad tells whether the dynamic loader finds a library, by the name under which another one asks for it.
func canLoad(name string) bool {
	handle, err := dlopen(name)
	if err == nil {
		_ = purego.Dlclose(handle) // it was only a question
	}
	return err == nil
}

// invoke calls a C function. Arguments that are pointers are converted in the call itself, which keeps them alive and in place.
//
//go:uintptrescapes
func invoke(fn uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(fn, args...)
	return result
}

// pathArgument is a path as the library takes it: bytes up to a zero.
func pathArgument(path string) (*byte, error) { return cString(path) }
