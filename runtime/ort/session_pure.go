//go:build !cgo

package ort

import (
	"errors"
	goruntime "runtime"
	"unsafe"
)

// environment is what the process has once: the library and its OrtEnv * and OrtMemoryInfo *. It is set under the lock of process, before
// there is an engine.
var environment struct {
	api         api
	env, memory unsafe.Pointer
}

// initialize creates the environment. It logs only what is fatal: all else comes back as an error.
func (a api) initialize(string) error {
	const logFatal, arena, defaultMemory = 4, 1, 0
	name, _ := cString("oatta") // it has no zero byte
	environment.api = a
	if err := a.try(slotCreateEnv, logFatal, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&environment.env))); err != nil {
		return err
	}
	if err := a.try(slotCreateCpuMemoryInfo, arena, defaultMemory, uintptr(unsafe.Pointer(&environment.memory))); err != nil {
		return err
	}
	return a.try(slotDisableTelemetryEvents, uintptr(environment.env))
}

// cpuMemory returns the OrtMemoryInfo * of ordinary memory, which the environment owns.
func cpuMemory() (unsafe.Pointer, error) { return environment.memory, nil }

// inner is an OrtSession *.
type inner struct {
	api     api
	session unsafe.Pointer
}

func sessionPointer(s *inner) (unsafe.Pointer, error) { return s.session, nil }

// load makes the library's session.
func (src source) load(o *sessionOptions) (*inner, error) {
	s := &inner{api: o.api}
	env, options, out := uintptr(environment.env), uintptr(o.options), &s.session
	if src.data != nil {
		var pinner goruntime.Pinner
		defer pinner.Unpin()
		data := unsafe.SliceData(src.data)
		pinner.Pin(data)
		return s, o.api.try(slotCreateSessionFromArray, env, uintptr(unsafe.Pointer(data)), uintptr(len(src.data)), options,
			uintptr(unsafe.Pointer(out)))
	}
	path, err := pathArgument(src.name)
	if err != nil {
		return nil, err
	}
	return s, o.api.try(slotCreateSession, env, uintptr(unsafe.Pointer(path)), options, uintptr(unsafe.Pointer(out)))
}

// Destroy frees the session.
func (s *inner) Destroy() error {
	s.api.do(slotReleaseSession, uintptr(s.session))
	return nil
}

// GetModelMetadata returns what the model's file says about itself. The caller destroys it.
func (s *inner) GetModelMetadata() (*modelMetadata, error) {
	m := &modelMetadata{api: s.api}
	var err error
	if m.allocator, err = s.api.allocator(); err != nil {
		return nil, err
	}
	if err := s.api.try(slotSessionGetModelMetadata, uintptr(s.session), uintptr(unsafe.Pointer(&m.metadata))); err != nil {
		return nil, err
	}
	return m, nil
}

// modelMetadata is an OrtModelMetadata *, and the allocator of the texts that are asked of it.
type modelMetadata struct {
	api                 api
	allocator, metadata unsafe.Pointer
}

// Destroy frees the metadata.
func (m *modelMetadata) Destroy() error {
	m.api.do(slotReleaseModelMetadata, uintptr(m.metadata))
	return nil
}

func (m *modelMetadata) text(slot int) (string, error) {
	var text unsafe.Pointer
	if err := m.api.try(slot, uintptr(m.metadata), uintptr(m.allocator), uintptr(unsafe.Pointer(&text))); err != nil {
		return "", err
	}
	return m.api.take(m.allocator, text)
}

// The texts, each empty where the file has none.
func (m *modelMetadata) GetProducerName() (string, error) {
	return m.text(slotModelMetadataGetProducerName)
}

func (m *modelMetadata) GetGraphName() (string, error) { return m.text(slotModelMetadataGetGraphName) }
func (m *modelMetadata) GetDomain() (string, error)    { return m.text(slotModelMetadataGetDomain) }
func (m *modelMetadata) GetDescription() (string, error) {
	return m.text(slotModelMetadataGetDescription)
}

// GetVersion returns the version of the model.
func (m *modelMetadata) GetVersion() (int64, error) {
	var version int64
	err := m.api.try(slotModelMetadataGetVersion, uintptr(m.metadata), uintptr(unsafe.Pointer(&version)))
	return version, err
}

// GetCustomMetadataMapKeys lists the keys of the model's own entries.
func (m *modelMetadata) GetCustomMetadataMapKeys() ([]string, error) {
	var keys *unsafe.Pointer
	var n int64
	err := m.api.try(slotModelMetadataGetCustomMetadataMapKeys,
		uintptr(m.metadata), uintptr(m.allocator), uintptr(unsafe.Pointer(&keys)), uintptr(unsafe.Pointer(&n)))
	if err != nil || keys == nil {
		return nil, err
	}
	list := make([]string, n)
	for i, key := range unsafe.Slice(keys, int(n)) {
		text, failed := m.api.take(m.allocator, key)
		list[i], err = text, errors.Join(err, failed)
	}
	return list, errors.Join(err, m.api.try(slotAllocatorFree, uintptr(m.allocator), uintptr(unsafe.Pointer(keys))))
}

// LookupCustomMetadataMap returns the value of a key, and whether it has one.
func (m *modelMetadata) LookupCustomMetadataMap(key string) (string, bool, error) {
	name, err := cString(key)
	if err != nil {
		return "", false, err
	}
	var value unsafe.Pointer
	err = m.api.try(slotModelMetadataLookupCustomMetadataMap,
		uintptr(m.metadata), uintptr(m.allocator), uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&value)))
	if err != nil || value == nil {
		return "", false, err
	}
	text, err := m.api.take(m.allocator, value)
	return text, true, err
}
