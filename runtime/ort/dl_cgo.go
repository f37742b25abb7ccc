//go:build cgo && !windows

package ort

// #cgo linux LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// openLibrary loads a shared library and returns its function OrtGetApiBase. The library stays loaded: the wrapper opens the
// same file again and gets the same one.
func openLibrary(path string) (unsafe.Pointer, error) {
	handle, err := dlopen(path)
	if err != nil {
		return nil, err
	}
	name := C.CString("OrtGetApiBase")
	defer C.free(unsafe.Pointer(name))
	symbol := C.dlsym(handle, name)
	if symbol == nil {
		C.dlclose(handle)
		return nil, fmt.Errorf("%s is no ONNX Runtime: it has no OrtGetApiBase", path)
	}
	return symbol, nil
}

func dlopen(path string) (unsafe.Pointer, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	handle := C.dlopen(name, C.RTLD_LAZY|C.RTLD_LOCAL)
	if handle == nil {
		return nil, errors.New(C.GoString(C.dlerror()))
	}
	return handle, nil
}

// canLoad tells whether the dynamic loader finds a library, by the name under which another one asks for it.
func canLoad(name string) bool {
	handle, err := dlopen(name)
	if err == nil {
		C.dlclose(handle)
	}
	return err == nil
}
