package ort

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// openLibrary loads a DLL and returns its function OrtGetApiBase; the wrapper loads it again by the same path and gets the module that is
// loaded by then. The DLLs that it asks for are looked for beside it and in the system's folder, and not where the program was started or in
// PATH: an older onnxruntime.dll lies in System32 of every Windows, and others in PATH.
func openLibrary(path string) (unsafe.Pointer, error) {
	handle, err := windows.LoadLibraryEx(path, 0, windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR|windows.LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	symbol, err := windows.GetProcAddress(handle, "OrtGetApiBase")
	if err != nil {
		err = fmt.Errorf("%s is no ONNX Runtime: it has no OrtGetApiBase", path)
	} else {
		err = checkLoaded(handle, path)
	}
	if err != nil {
		_ = windows.FreeLibrary(handle) // it is not what was wanted; that it stays loaded does no harm
		return nil, err
	}
	// The address of a function is not Go memory: reading it through a pointer to the variable keeps vet from taking the
	// conversion for arithmetic on a Go pointer.
	return *(*unsafe.Pointer)(unsafe.Pointer(&symbol)), nil
}

// checkLoaded reports that Windows has loaded another file than was asked for.
func checkLoaded(handle windows.Handle, path string) error {
	name := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetModuleFileName(handle, &name[0], uint32(len(name)))
	if err != nil {
		return fmt.Errorf("load %s: where it lies: %w", path, err)
	}
	loaded := windows.UTF16ToString(name[:n])
	want, err := os.Stat(path)
	if err != nil {
		return err
	}
	if got, err := os.Stat(loaded); err != nil || !os.SameFile(got, want) {
		return fmt.Errorf("load %s: Windows loaded %s in its place", path, loaded)
	}
	return nil
}

// canLoad tells whether Windows finds a DLL, by the name under which another one asks for it.
func canLoad(name string) bool {
	handle, err := windows.LoadLibrary(name)
	if err == nil {
		_ = windows.FreeLibrary(handle)
	}
	return err == nil
}
