package ort

import (
	goruntime "runtime"
	"unsafe"

	"github.com/oatta/oatta/runtime"
)

// call is the scratch memory of one run, kept between runs so that a run allocates none.
type call struct {
	inputs    int              // how many of arguments and values are inputs; the rest are outputs
	arguments []argument       // inputs, then outputs
	values    []unsafe.Pointer // OrtValue * of each, for C
	dims      []int64          // the sizes of all of them
	words     words            // for calls without cgo
	pinner    goruntime.Pinner // holds the caller's elements in place while C has their addresses
}

// words are the arguments of one function of the library, kept in the call: those of a variadic call would be allocated for each.
type words [8]uintptr

func newCall(inputs, outputs int) *call {
	n := inputs + outputs
	return &call{
		inputs:    inputs,
		arguments: make([]argument, n),
		values:    make([]unsafe.Pointer, n),
		dims:      make([]int64, 1, 4*n+1), // never without an element, so that it has an address
	}
}

// load fills the call from tensors that were checked. It allocates only where their ranks outgrow dims.
func (c *call) load(dst, src []runtime.Tensor) {
	c.dims = c.dims[:1]
	for i := range src {
		c.set(&c.arguments[i], src[i])
	}
	for i := range dst {
		c.set(&c.arguments[len(src)+i], dst[i])
	}
}

// unload lets go of the caller's tensors.
func (c *call) unload() {
	c.pinner.Unpin()
	clear(c.arguments)
	clear(c.values)
	c.words = words{}
}

func (c *call) set(to *argument, t runtime.Tensor) {
	if t.Data == nil {
		*to = argument{wantAlloc: 1}
		return
	}
	data, elements := address(t.Data)
	if elements > 0 {
		c.pinner.Pin(data)
	} else {
		data = nil // an empty slice may point just past another object
	}
	*to = argument{
		data:     data,
		bytes:    uintptr(elements * t.Type().Size()),
		rank:     uintptr(len(t.Shape)),
		firstDim: uintptr(len(c.dims)),
		element:  elementOf(t.Type()),
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
