package ort

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"
)

// apiVersion is the version of the C API that is asked for; the library must offer it.
const apiVersion = 24

// api is the function table of the loaded library, at [apiVersion].
type api struct{ table unsafe.Pointer }

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

// newAPI asks a loaded library for its function table. getBase is its function OrtGetApiBase. A library that is too old is
// refused by its version string, since asking it for a table that it has not makes it write to standard error.
func newAPI(getBase unsafe.Pointer, file string) (api, string, error) {
	version := libraryVersion(getBase)
	if minor, ok := minorVersion(version); ok && minor < apiVersion {
		return api{}, version, tooOld(file, version)
	}
	table := libraryTable(getBase, apiVersion)
	if table == nil {
		return api{}, version, tooOld(file, version)
	}
	return api{table}, version, nil
}
