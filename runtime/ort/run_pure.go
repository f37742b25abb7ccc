//go:build !cgo

package ort

import (
	goruntime "runtime"
	"unsafe"

	"github.com/oatta/oatta/runtime"
)

// valueInfo describes a value that the library allocated, and points at its elements, which live as long as the value. Of one that is no
// tensor the library says so.
func (a api) valueInfo(value unsafe.Pointer) (info, error) {
	var it info
	var shape unsafe.Pointer
	if err := a.try(slotGetTensorTypeAndShape, uintptr(value), uintptr(unsafe.Pointer(&shape))); err != nil {
		return it, err
	}
	defer a.do(slotReleaseTensorTypeAndShapeInfo, uintptr(shape))
	if err := a.readSizes(shape, &it); err != nil {
		return it, err
	}
	return it, a.try(slotGetTensorMutableData, uintptr(value), uintptr(unsafe.Pointer(&it.data)))
}

func (a api) releaseValue(value unsafe.Pointer) {
	if value != nil {
		a.do(slotReleaseValue, uintptr(value))
	}
}

func (a api) createRunOptions() (unsafe.Pointer, error) {
	var options unsafe.Pointer
	err := a.try(slotCreateRunOptions, uintptr(unsafe.Pointer(&options)))
	return options, err
}

func (a api) terminate(options unsafe.Pointer) error {
	return a.try(slotRunOptionsSetTerminate, uintptr(options))
}

func (a api) releaseRunOptions(options unsafe.Pointer) { a.do(slotReleaseRunOptions, uintptr(options)) }

// run runs the session. All values that it makes are released again, but for outputs that the library allocated in a run that succeeded:
// those are left in the values of c.
func (a api) run(session, memory, options unsafe.Pointer, names cNames, c *call) error {
	err := a.wrap(memory, c)
	if err == nil {
		outputs := len(c.values) - c.inputs
		c.words = words{
			uintptr(session), uintptr(options), names.at(0), at(c.values, 0), uintptr(c.inputs),
			names.at(c.inputs), uintptr(outputs), at(c.values, c.inputs),
		}
		err = a.try(slotRun, c.words[:]...)
	}
	for i, v := range c.values {
		if v == nil || c.arguments[i].wantAlloc != 0 && err == nil {
			continue
		}
		c.words[0], c.values[i] = uintptr(v), nil
		a.do(slotReleaseValue, c.words[:1]...)
	}
	return err
}

// wrap makes values over the caller's memory, without copying; sizes are copied by the library.
func (a api) wrap(memory unsafe.Pointer, c *call) error {
	for i := range c.arguments {
		t := &c.arguments[i]
		if t.wantAlloc != 0 {
			continue
		}
		c.words = words{
			uintptr(memory), uintptr(t.data), t.bytes, at(c.dims, int(t.firstDim)), t.rank, uintptr(t.element), at(c.values, i),
		}
		if err := a.try(slotCreateTensorWithDataAsOrtValue, c.words[:7]...); err != nil {
			return err
		}
	}
	return nil
}

// at is the address of an element, or of the end, of what stays in place: call and names are on the heap and live longer than the run.
func at[T any](s []T, i int) uintptr {
	var zero T
	return uintptr(unsafe.Pointer(unsafe.SliceData(s))) + uintptr(i)*unsafe.Sizeof(zero)
}

// cNames is an array of C strings, pinned until it is freed.
type cNames struct {
	texts  []*byte
	pinner *goruntime.Pinner
}

func newCNames(ports []runtime.Port) cNames {
	n := cNames{make([]*byte, len(ports)), &goruntime.Pinner{}}
	for i, p := range ports {
		n.texts[i] = unsafe.SliceData(append([]byte(p.Name), 0))
		n.pinner.Pin(n.texts[i])
	}
	if len(n.texts) > 0 {
		n.pinner.Pin(unsafe.SliceData(n.texts))
	}
	return n
}

// at is the address of a name, or of the end.
func (n cNames) at(i int) uintptr { return at(n.texts, i) }

func (n cNames) free() { n.pinner.Unpin() }
