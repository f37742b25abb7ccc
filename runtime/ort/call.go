//go:build cgo

package ort

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	goruntime "runtime"
	"unsafe"

	"github.com/oatta/oatta/runtime"
)

// call is the scratch memory of one run, kept between runs so that a run allocates none.
type call struct {
	tensors []C.oatta_tensor // inputs, then outputs
	values  []unsafe.Pointer // OrtValue * of each, for C
	dims    []int64          // the sizes of all of them
	pinner  goruntime.Pinner // holds the caller's elements in place while C has their addresses
}

func newCall(inputs, outputs int) *call {
	n := inputs + outputs
	return &call{
		tensors: make([]C.oatta_tensor, n),
		values:  make([]unsafe.Pointer, n),
		dims:    make([]int64, 1, 4*n+1), // never without an element, so that it has an address
	}
}

// load fills the call from tensors that were checked. It allocates only where their ranks outgrow dims.
func (c *call) load(dst, src []runtime.Tensor) {
	c.dims = c.dims[:1]
	for i := range src {
		c.set(&c.tensors[i], src[i])
	}
	for i := range dst {
		c.set(&c.tensors[len(src)+i], dst[i])
	}
}

// unload lets go of the caller's tensors.
func (c *call) unload() {
	c.pinner.Unpin()
	clear(c.tensors)
	clear(c.values)
}

func (c *call) set(to *C.oatta_tensor, t runtime.Tensor) {
	if t.Data == nil {
		*to = C.oatta_tensor{want_alloc: 1}
		return
	}
	data, elements := address(t.Data)
	if elements > 0 {
		c.pinner.Pin(data)
	} else {
		data = nil // an empty slice may point just past another object
	}
	*to = C.oatta_tensor{
		data:      data,
		bytes:     C.size_t(elements * t.Type().Size()),
		rank:      C.size_t(len(t.Shape)),
		first_dim: C.size_t(len(c.dims)),
		_type:     elementOf(t.Type()),
	}
	c.dims = append(c.dims, t.Shape...)
}

// address returns where the elements of a tensor lie, and how many there are.
func address(data any) (unsafe.Pointer, int) {
	switch d := data.(type) {
	case []float32:
		return unsafe.Pointer(unsafe.SliceData(d)), len(d)
	case []runtime.Half:
		return unsafe.Pointer(unsafe.SliceData(d)), len(d)
	case []int64:
		return unsafe.Pointer(unsafe.SliceData(d)), len(d)
	case []int32:
		return unsafe.Pointer(unsafe.SliceData(d)), len(d)
	case []uint8:
		return unsafe.Pointer(unsafe.SliceData(d)), len(d)
	case []bool:
		return unsafe.Pointer(unsafe.SliceData(d)), len(d)
	}
	return nil, 0
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

func (n cNames) first() **C.char { return unsafe.SliceData(n) }

func (n cNames) free() {
	for _, name := range n {
		C.free(unsafe.Pointer(name))
	}
	C.free(unsafe.Pointer(n.first()))
}
