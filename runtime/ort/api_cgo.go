//go:build cgo

package ort

// #cgo CFLAGS: -O2 -Wall
// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/oatta/oatta/runtime"
)

func libraryVersion(getBase unsafe.Pointer) string { return C.GoString(C.oatta_version(getBase)) }

func libraryTable(getBase unsafe.Pointer, version uint32) unsafe.Pointer {
	return C.oatta_api(getBase, C.uint32_t(version))
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

// cbool is the int by which api.c tells outputs from inputs.
func cbool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (a api) portCount(session unsafe.Pointer, outputs bool) (int, error) {
	var n C.size_t
	err := failure(C.oatta_port_count(a.table, session, cbool(outputs), &n))
	return int(n), err
}

func (a api) portInfo(session unsafe.Pointer, output bool, i int) (string, info, error) {
	var name *C.char
	var it info
	err := failure(C.oatta_port(a.table, session, cbool(output), C.size_t(i), &name, (*C.oatta_info)(unsafe.Pointer(&it))))
	defer C.free(unsafe.Pointer(name))
	return C.GoString(name), it, err
}

// valueInfo describes a value that the library allocated.
func (a api) valueInfo(value unsafe.Pointer) (info, error) {
	var it info
	err := failure(C.oatta_value(a.table, value, (*C.oatta_info)(unsafe.Pointer(&it))))
	return it, err
}

func (a api) releaseValue(value unsafe.Pointer) { C.oatta_release_value(a.table, value) }

func (a api) createRunOptions() (unsafe.Pointer, error) {
	var options unsafe.Pointer
	err := failure(C.oatta_run_options(a.table, &options))
	return options, err
}

func (a api) terminate(options unsafe.Pointer) error {
	return failure(C.oatta_terminate(a.table, options))
}

func (a api) releaseRunOptions(options unsafe.Pointer) { C.oatta_release_run_options(a.table, options) }

// run makes the one crossing into C. What it leaves in the values of c are outputs that the library allocated, if it succeeded.
func (a api) run(session, memory, options unsafe.Pointer, names cNames, c *call) error {
	return failure(C.oatta_run(a.table, session, memory, options, unsafe.SliceData(names),
		(*C.oatta_tensor)(unsafe.Pointer(unsafe.SliceData(c.arguments))), C.size_t(c.inputs), C.size_t(len(c.arguments)-c.inputs),
		(*C.int64_t)(unsafe.SliceData(c.dims)), unsafe.SliceData(c.values)))
}

// cNames is an array of C strings in C memory.
type cNames []*C.char

func newCNames(ports []runtime.Port) cNames {
	if len(ports) == 0 {
		return nil
	}
	array := C.calloc(C.size_t(len(ports)), C.size_t(unsafe.Sizeof((*C.char)(nil))))
	names := cNames(unsafe.Slice((**C.char)(array), len(ports)))
	for i, p := range ports {
		names[i] = C.CString(p.Name)
	}
	return names
}

func (n cNames) free() {
	for _, name := range n {
		C.free(unsafe.Pointer(name))
	}
	C.free(unsafe.Pointer(unsafe.SliceData(n)))
}
