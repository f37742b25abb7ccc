package runtimetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/oatta/oatta/runtime"
)

// Func is the network of a fake: it computes one tensor for each output port. src belongs to the caller of Run: the function
// neither changes nor keeps it, but may return it.
type Func func(ctx context.Context, src []runtime.Tensor) ([]runtime.Tensor, error)

// Model describes a fake network. The zero value has no ports and computes nothing.
type Model struct {
	Inputs, Outputs []runtime.Port
	Metadata        runtime.Metadata
	Run             Func          // nil: no outputs
	Delay           time.Duration // each run takes at least so long, or until its context ends
	Fail            error         // every run returns it, wrapped, in place of running
	External        string        // a file that must lie in the folder of external data; only for [Engine]
	Record          bool          // keep a copy of the sources of each run, for [Session.Recorded]
}

// Open returns a session on the model. It runs on "cpu".
func (m Model) Open() *Session { return &Session{model: m} }

// Session is a fake session. It keeps the contract of runtime.Session.
type Session struct {
	model Model

	running sync.RWMutex // held for reading by runs, for writing by Close
	closed  bool

	mu       sync.Mutex
	calls    int
	recorded [][]runtime.Tensor
}

var (
	_ runtime.Session   = (*Session)(nil)
	_ runtime.Inspector = (*Session)(nil)
)

// Inputs describes the inputs.
func (s *Session) Inputs() []runtime.Port { return clonePorts(s.model.Inputs) }

// Outputs describes the outputs.
func (s *Session) Outputs() []runtime.Port { return clonePorts(s.model.Outputs) }

// Metadata returns the model's metadata.
func (s *Session) Metadata() runtime.Metadata {
	m := s.model.Metadata
	m.Custom = maps.Clone(m.Custom)
	return m
}

// Device returns "cpu".
func (s *Session) Device() string { return string(runtime.DeviceCPU) }

// Calls returns how many runs got past the checks of their tensors.
func (s *Session) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Recorded returns copies of the sources of those runs, in the order in which they began. It is empty without Model.Record.
func (s *Session) Recorded() [][]runtime.Tensor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.recorded)
}

// Run checks the tensors, calls the model's function and copies what it returns to dst.
func (s *Session) Run(ctx context.Context, dst, src []runtime.Tensor) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("runtimetest: run: %w", err)
	}
	if err := runtime.CheckInputs(s.model.Inputs, src); err != nil {
		return fmt.Errorf("runtimetest: %w", err)
	}
	if err := runtime.CheckOutputs(s.model.Outputs, dst); err != nil {
		return fmt.Errorf("runtimetest: %w", err)
	}
	s.running.RLock()
	defer s.running.RUnlock()
	if s.closed {
		return errors.New("runtimetest: run: the session is closed")
	}
	s.record(src)
	out, err := s.compute(ctx, src)
	if err != nil {
		return fmt.Errorf("runtimetest: run: %w", err)
	}
	return s.deliver(dst, out)
}

func (s *Session) record(src []runtime.Tensor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if !s.model.Record {
		return
	}
	copies := make([]runtime.Tensor, len(src))
	for i, t := range src {
		copies[i] = cloneTensor(t)
	}
	s.recorded = append(s.recorded, copies)
}

func (s *Session) compute(ctx context.Context, src []runtime.Tensor) ([]runtime.Tensor, error) {
	if s.model.Delay > 0 {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(s.model.Delay):
		}
	}
	if s.model.Fail != nil || s.model.Run == nil {
		return nil, s.model.Fail
	}
	return s.model.Run(ctx, src)
}

// deliver copies results to destinations, so that a function may return its sources.
func (s *Session) deliver(dst, out []runtime.Tensor) error {
	if err := runtime.CheckInputs(s.model.Outputs, out); err != nil {
		return fmt.Errorf("runtimetest: the function of the fake returned other tensors than its outputs: %w", err)
	}
	for i := range dst {
		if dst[i].Data == nil {
			dst[i] = cloneTensor(out[i])
			continue
		}
		if !slices.Equal(dst[i].Shape, out[i].Shape) {
			return fmt.Errorf("runtimetest: run: output %q: the destination's shape %v does not fit: the result has %v",
				s.model.Outputs[i].Name, dst[i].Shape, out[i].Shape)
		}
		copyData(dst[i].Data, out[i].Data)
	}
	return nil
}

// Close waits for runs in flight. A second Close does nothing.
func (s *Session) Close() error {
	s.running.Lock()
	defer s.running.Unlock()
	s.closed = true
	return nil
}

func clonePorts(ports []runtime.Port) []runtime.Port {
	ports = slices.Clone(ports)
	for i := range ports {
		ports[i].Shape = slices.Clone(ports[i].Shape)
	}
	return ports
}
