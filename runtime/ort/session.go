package ort

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"unsafe"

	"github.com/oatta/oatta/runtime"
)

// session is an open model. Runs hold mu for reading, Close for writing: so Close waits for the runs in flight.
type session struct {
	api     api
	inner   *inner
	pointer unsafe.Pointer // OrtSession *, owned by inner
	memory  unsafe.Pointer // OrtMemoryInfo *, owned by the environment: ordinary CPU memory

	inputs, outputs []runtime.Port
	names           cNames // of the inputs, then of the outputs
	metadata        runtime.Metadata
	device, reason  string

	mu     sync.RWMutex
	closed bool
	calls  sync.Pool // of *call
}

var (
	_ runtime.Session   = (*session)(nil)
	_ runtime.Inspector = (*session)(nil)
)

// newSession reads what a session tells about itself. On an error the caller still owns inner.
func (e *Engine) newSession(inner *inner) (*session, error) {
	s := &session{api: e.api, inner: inner}
	var err error
	if s.memory, err = cpuMemory(); err != nil {
		return nil, err
	}
	if s.pointer, err = sessionPointer(inner); err != nil {
		return nil, err
	}
	if s.inputs, err = e.api.ports(s.pointer, false); err != nil {
		return nil, err
	}
	if s.outputs, err = e.api.ports(s.pointer, true); err != nil {
		return nil, err
	}
	if s.metadata, err = readMetadata(inner); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	s.names = newCNames(slices.Concat(s.inputs, s.outputs))
	s.calls.New = func() any { return newCall(len(s.inputs), len(s.outputs)) }
	return s, nil
}

// Inputs describes the inputs, in the order of Run's src.
func (s *session) Inputs() []runtime.Port { return clonePorts(s.inputs) }

// Outputs describes the outputs, in the order of Run's dst.
func (s *session) Outputs() []runtime.Port { return clonePorts(s.outputs) }

func clonePorts(ports []runtime.Port) []runtime.Port {
	ports = slices.Clone(ports)
	for i := range ports {
		ports[i].Shape = slices.Clone(ports[i].Shape)
	}
	return ports
}

// Metadata returns what the model's file says about itself.
func (s *session) Metadata() runtime.Metadata {
	m := s.metadata
	m.Custom = maps.Clone(m.Custom)
	return m
}

// Device returns where the session runs: "cpu", or "cuda:0".
func (s *session) Device() string { return s.device }

// DeviceReason says why it runs there.
func (s *session) DeviceReason() string { return s.reason }

// Close waits for the runs in flight and frees the session; a profile that was asked for is written by then. A second Close
// does nothing.
func (s *session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.names.free()
	if err := s.inner.Destroy(); err != nil {
		return fmt.Errorf("runtime/ort: close: %w", err)
	}
	return nil
}

func readMetadata(s *inner) (runtime.Metadata, error) {
	m, err := s.GetModelMetadata()
	if err != nil {
		return runtime.Metadata{}, err
	}
	defer destroy(m)
	var out runtime.Metadata
	for _, f := range []struct {
		dst *string
		get func() (string, error)
	}{
		{&out.Producer, m.GetProducerName},
		{&out.GraphName, m.GetGraphName},
		{&out.Domain, m.GetDomain},
		{&out.Description, m.GetDescription},
	} {
		if *f.dst, err = f.get(); err != nil {
			return out, err
		}
	}
	if out.Version, err = m.GetVersion(); err != nil {
		return out, err
	}
	out.Custom, err = readCustom(m)
	return out, err
}

func readCustom(m *modelMetadata) (map[string]string, error) {
	keys, err := m.GetCustomMetadataMapKeys()
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	custom := make(map[string]string, len(keys))
	for _, k := range keys {
		value, _, err := m.LookupCustomMetadataMap(k)
		if err != nil {
			return nil, err
		}
		custom[k] = value
	}
	return custom, nil
}
