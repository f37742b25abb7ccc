package ort

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/oatta/oatta/runtime"
)

// errClosed is what Run returns after Close.
var errClosed = errors.New("runtime/ort: run: the session is closed")

// Run computes dst from src. Both are checked against the ports before native code sees them. A destination whose Data is
// nil is allocated: its Shape and Data are set. Ending ctx ends the run between two operators, with ctx's error; what the
// destinations hold then is undefined, as after any error.
func (s *session) Run(ctx context.Context, dst, src []runtime.Tensor) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("runtime/ort: run: %w", err)
	}
	if err := runtime.CheckInputs(s.inputs, src); err != nil {
		return fmt.Errorf("runtime/ort: %w", err)
	}
	if err := runtime.CheckOutputs(s.outputs, dst); err != nil {
		return fmt.Errorf("runtime/ort: %w", err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	c := s.calls.Get().(*call)
	defer s.calls.Put(c)
	c.load(dst, src)
	defer c.unload()
	if err := s.run(ctx, c, dst); err != nil {
		return err
	}
	return s.collect(c, dst)
}

// run runs the library, and names the port that an error is about.
func (s *session) run(ctx context.Context, c *call, dst []runtime.Tensor) error {
	cancel, err := s.api.watch(ctx)
	if err != nil {
		return fmt.Errorf("runtime/ort: run: %w", err)
	}
	defer cancel.release()
	err = s.api.run(s.pointer, s.memory, cancel.options, s.names, c)
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("runtime/ort: run: %w", ended)
	}
	return runError(err.Error(), s.outputs, dst)
}

// canceller ends one run when its context ends. Its options are nil where the context never does.
type canceller struct {
	api     api
	options unsafe.Pointer
	stop    func() bool
	done    chan struct{}
}

// watch prepares the end of a run by ctx. The caller releases what it returns, after the run.
func (a api) watch(ctx context.Context) (canceller, error) {
	if ctx.Done() == nil {
		return canceller{api: a}, nil // apart, so that this case allocates nothing
	}
	return a.watchEnding(ctx)
}

func (a api) watchEnding(ctx context.Context) (canceller, error) {
	options, err := a.createRunOptions()
	if err != nil {
		return canceller{}, err
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		_ = a.terminate(options) // it sets a flag, and has no way to fail
	})
	return canceller{a, options, stop, done}, nil
}

// release frees the options, once nobody can set their flag any more.
func (c canceller) release() {
	if c.options == nil {
		return
	}
	if !c.stop() {
		<-c.done
	}
	c.api.releaseRunOptions(c.options)
}

// collect copies the outputs that the library allocated into tensors of ours, and releases them.
func (s *session) collect(c *call, dst []runtime.Tensor) error {
	values := c.values[len(s.inputs):]
	defer func() {
		for _, v := range values {
			s.api.releaseValue(v)
		}
	}()
	for i := range dst {
		if c.arguments[len(s.inputs)+i].wantAlloc == 0 {
			continue
		}
		t, err := s.api.tensor(values[i])
		if err != nil {
			return fmt.Errorf("runtime/ort: output %q: %w", s.outputs[i].Name, err)
		}
		dst[i] = t
	}
	return nil
}

// tensor copies a value of the library's.
func (a api) tensor(value unsafe.Pointer) (runtime.Tensor, error) {
	if value == nil {
		return runtime.Tensor{}, errors.New("the model did not produce it")
	}
	info, err := a.valueInfo(value)
	if err != nil {
		return runtime.Tensor{}, err
	}
	info.hasShape = 1
	t := runtime.Tensor{Shape: info.shape()}
	n, err := runtime.Elements(t.Shape)
	if err != nil {
		return t, err
	}
	if t.Data = copyElements(dtypeOf(info.element), info.data, n); t.Data == nil {
		return t, errors.New("it is of a type that the model did not declare")
	}
	return t, nil
}

// copyElements copies n elements of C memory into a slice of their type; it returns nil for a type that is none of ours.
func copyElements(t runtime.DType, data unsafe.Pointer, n int) any {
	switch t {
	case runtime.Float32:
		return copySlice[float32](data, n)
	case runtime.Float16:
		return copySlice[runtime.Half](data, n)
	case runtime.Int64:
		return copySlice[int64](data, n)
	case runtime.Int32:
		return copySlice[int32](data, n)
	case runtime.Uint8:
		return copySlice[uint8](data, n)
	case runtime.Bool:
		return copySlice[bool](data, n)
	}
	return nil
}

func copySlice[T runtime.Element](data unsafe.Pointer, n int) []T {
	out := make([]T, n)
	if n > 0 {
		copy(out, unsafe.Slice((*T)(data), n))
	}
	return out
}
