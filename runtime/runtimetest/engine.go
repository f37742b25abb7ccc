package runtimetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/oatta/oatta/runtime"
)

// Engine is a fake engine: it knows models by their bytes. The zero value knows none; [NewEngine] knows those of the suite.
type Engine struct {
	mu     sync.Mutex
	models map[string]Model
	opened []*Session
}

var _ runtime.Engine = (*Engine)(nil)

// Register makes the engine open m for these bytes, which need not be ONNX.
func (e *Engine) Register(model []byte, m Model) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.models == nil {
		e.models = map[string]Model{}
	}
	e.models[string(model)] = m
}

// Open opens the fake registered for these bytes. The device is always the CPU: CUDA is an error.
func (e *Engine) Open(model []byte, cfg runtime.Config) (runtime.Session, error) {
	return e.open("model", model, cfg.ExternalData, cfg)
}

// OpenFile opens the fake registered for what the file holds.
func (e *Engine) OpenFile(path string, cfg runtime.Config) (runtime.Session, error) {
	model, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("runtimetest: open: %w", err)
	}
	return e.open(path, model, filepath.Dir(path), cfg)
}

func (e *Engine) open(name string, model []byte, folder string, cfg runtime.Config) (runtime.Session, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Device == runtime.DeviceCUDA {
		return nil, errors.New("runtimetest: open: a fake has no CUDA provider")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	m, ok := e.models[string(model)]
	if !ok {
		return nil, fmt.Errorf("runtimetest: open %s: no fake is registered for its %d bytes", name, len(model))
	}
	if err := findExternal(m.External, folder); err != nil {
		return nil, fmt.Errorf("runtimetest: open %s: %w", name, err)
	}
	s := m.Open()
	e.opened = append(e.opened, s)
	return s, nil
}

func findExternal(file, folder string) error {
	if file == "" {
		return nil
	}
	if folder == "" {
		return fmt.Errorf("external data %s: no folder to look in", file)
	}
	_, err := os.Stat(filepath.Join(folder, file))
	return err
}

// Opened returns the sessions that the engine gave out, in order.
func (e *Engine) Opened() []*Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]*Session{}, e.opened...)
}
