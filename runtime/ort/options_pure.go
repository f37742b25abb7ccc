//go:build !cgo

package ort

import (
	"errors"
	goruntime "runtime"
	"unsafe"
)

// optimizationLevel is GraphOptimizationLevel.
type optimizationLevel int32

const (
	levelDisableAll     optimizationLevel = 0
	levelEnableBasic    optimizationLevel = 1
	levelEnableExtended optimizationLevel = 2
	levelEnableAll      optimizationLevel = 99
)

// executionMode is ExecutionMode.
type executionMode int32

const (
	modeSequential executionMode = 0
	modeParallel   executionMode = 1
)

// sessionOptions is an OrtSessionOptions *, under the method names of the wrapper.
type sessionOptions struct {
	api     api
	options unsafe.Pointer
}

func newSessionOptions() (*sessionOptions, error) {
	o := &sessionOptions{api: environment.api}
	if err := o.api.try(slotCreateSessionOptions, uintptr(unsafe.Pointer(&o.options))); err != nil {
		return nil, err
	}
	return o, nil
}

// Destroy frees the options.
func (o *sessionOptions) Destroy() error {
	o.api.do(slotReleaseSessionOptions, uintptr(o.options))
	return nil
}

// set calls a setter that takes one number.
func (o *sessionOptions) set(slot, value int) error {
	return o.api.try(slot, uintptr(o.options), uintptr(value))
}

// SetGraphOptimizationLevel sets how much of the graph is rewritten.
func (o *sessionOptions) SetGraphOptimizationLevel(level optimizationLevel) error {
	return o.set(slotSetSessionGraphOptimizationLevel, int(level))
}

// SetExecutionMode says whether operators may run side by side.
func (o *sessionOptions) SetExecutionMode(mode executionMode) error {
	return o.set(slotSetSessionExecutionMode, int(mode))
}

// SetIntraOpNumThreads sets the threads inside one operator; 0 is the library's choice.
func (o *sessionOptions) SetIntraOpNumThreads(n int) error { return o.set(slotSetIntraOpNumThreads, n) }

// SetInterOpNumThreads sets how many operators run side by side.
func (o *sessionOptions) SetInterOpNumThreads(n int) error { return o.set(slotSetInterOpNumThreads, n) }

// SetMemPattern says whether memory is planned ahead.
func (o *sessionOptions) SetMemPattern(on bool) error {
	slot := slotDisableMemPattern
	if on {
		slot = slotEnableMemPattern
	}
	return o.api.try(slot, uintptr(o.options))
}

// AddSessionConfigEntry sets an option by name.
func (o *sessionOptions) AddSessionConfigEntry(key, value string) error {
	k, keyErr := cString(key)
	v, valueErr := cString(value)
	if err := errors.Join(keyErr, valueErr); err != nil {
		return err
	}
	return o.api.try(slotAddSessionConfigEntry, uintptr(o.options), uintptr(unsafe.Pointer(k)), uintptr(unsafe.Pointer(v)))
}

// EnableProfiling has a profile written whose file's name begins with prefix.
func (o *sessionOptions) EnableProfiling(prefix string) error {
	p, err := pathArgument(prefix)
	if err != nil {
		return err
	}
	return o.api.try(slotEnableProfiling, uintptr(o.options), uintptr(unsafe.Pointer(p)))
}

// AppendExecutionProviderCUDA adds the CUDA provider.
func (o *sessionOptions) AppendExecutionProviderCUDA(c *cudaProviderOptions) error {
	return o.api.try(slotSessionOptionsAppendExecutionProviderCUDAV2, uintptr(o.options), uintptr(c.options))
}

// cudaProviderOptions is an OrtCUDAProviderOptionsV2 *.
type cudaProviderOptions struct {
	api     api
	options unsafe.Pointer
}

func newCUDAProviderOptions() (*cudaProviderOptions, error) {
	c := &cudaProviderOptions{api: environment.api}
	if err := c.api.try(slotCreateCUDAProviderOptions, uintptr(unsafe.Pointer(&c.options))); err != nil {
		return nil, err
	}
	return c, nil
}

// Update sets options by name.
func (c *cudaProviderOptions) Update(options map[string]string) error {
	var pinner goruntime.Pinner
	defer pinner.Unpin()
	var keys, values []*byte
	for key, value := range options {
		k, keyErr := cString(key)
		v, valueErr := cString(value)
		if err := errors.Join(keyErr, valueErr); err != nil {
			return err
		}
		pinner.Pin(k)
		pinner.Pin(v)
		keys, values = append(keys, k), append(values, v)
	}
	return c.api.try(slotUpdateCUDAProviderOptions, uintptr(c.options), uintptr(unsafe.Pointer(unsafe.SliceData(keys))),
		uintptr(unsafe.Pointer(unsafe.SliceData(values))), uintptr(len(keys)))
}

// Destroy frees the options.
func (c *cudaProviderOptions) Destroy() error {
	c.api.do(slotReleaseCUDAProviderOptions, uintptr(c.options))
	return nil
}
