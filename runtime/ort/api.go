//go:build cgo

package ort

// #cgo CFLAGS: -O2 -Wall
// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unsafe"
)

// apiVersion is the version of the C API that the wrapper is built against; the library must offer it.
const apiVersion = 24

// api is the function table of the loaded library, at [apiVersion].
type api struct{ table unsafe.Pointer }

// newAPI asks a loaded library for its function table. getBase is its function OrtGetApiBase. A library that is too old is
// refused by its version string, since asking it for a table that it has not makes it write to standard error.
func newAPI(getBase unsafe.Pointer, file string) (api, string, error) {
	version := C.GoString(C.oatta_version(getBase))
	if minor, ok := minorVersion(version); ok && minor < apiVersion {
		return api{}, version, tooOld(file, version)
	}
	table := C.oatta_api(getBase, apiVersion)
	if table == nil {
		return api{}, version, tooOld(file, version)
	}
	return api{table}, version, nil
}

func tooOld(file, version string) error {
	return fmt.Errorf("runtime/ort: %s: ONNX Runtime %s is too old: want 1.%d or later, for its C API %d", file, version, apiVersion, apiVersion)
}

// minorVersion returns 24 for "1.24.4". API versions count the minor versions of ONNX Runtime 1.
func minorVersion(version string) (int, bool) {
	major, rest, ok := strings.Cut(version, ".")
	if !ok || major != "1" {
		return 0, false
	}
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	return n, err == nil
}

// failure turns a message that C allocated into an error, and frees it. NULL is success.
func failure(message *C.char) error {
	if message == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(message))
	return errors.New(strings.TrimSpace(C.GoString(message)))
}

// providers lists the execution providers that the library was built with, in its order of preference.
func (a api) providers() ([]string, error) {
	var names **C.char
	var n C.int
	if err := failure(C.oatta_providers(a.table, &names, &n)); err != nil {
		return nil, fmt.Errorf("runtime/ort: list providers: %w", err)
	}
	list := make([]string, n)
	for i, name := range unsafe.Slice(names, int(n)) {
		list[i] = C.GoString(name)
	}
	return list, failure(C.oatta_free_providers(a.table, names, n))
}
