package ort

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// openLibrary loads a DLL and returns its function OrtGetApiBase. The altered search path lets the DLL find those beside it,
// as its providers; the wrapper loads it again by the same path and gets the module that is loaded by then.
func openLibrary(path string) (unsafe.Pointer, error) {
	handle, err := windows.LoadLibraryEx(path, 0, windows.LOAD_WITH_ALTERED_SEARCH_PATH)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	symbol, err := windows.GetProcAddress(handle, "OrtGetApiBase")
	if err != nil {
		_ = windows.FreeLibrary(handle) // it is not what was wanted; that it stays loaded does no harm
		return nil, fmt.Errorf("%s is no ONNX Runtime: it has no OrtGetApiBase", path)
	}
	// The address of a function is not Go memory: reading it through a pointer to the variable keeps vet from taking the
	// conversion for arithmetic on a Go pointer.
	return *(*unsafe.Pointer)(unsafe.Pointer(&symbol)), nil
}

// canLoad tells whether Windows finds a DLL, by the name under which another one asks for it.
func canLoad(name string) bool {
	handle, err := windows.LoadLibrary(name)
	if err == nil {
		_ = windows.FreeLibrary(handle)
	}
	return err == nil
}
