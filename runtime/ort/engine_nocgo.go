//go:build !cgo

package ort

import (
	"errors"

	"github.com/oatta/oatta/runtime"
)

var errNoCgo = errors.New("runtime/ort: built without cgo: ONNX Runtime can't be loaded (build with CGO_ENABLED=1 and a C compiler)")

// Engine cannot exist in a program built without cgo: Load is the only source of one, and fails.
type Engine struct{ _ struct{} }

var _ runtime.Engine = (*Engine)(nil)

// Load returns an error that says how to build a program that can.
func Load(string) (*Engine, error) { return nil, errNoCgo }

// Version is empty without cgo.
func (*Engine) Version() string { return "" }

// Library is empty without cgo.
func (*Engine) Library() string { return "" }

// Providers is empty without cgo.
func (*Engine) Providers() []string { return nil }

// Open fails without cgo.
func (*Engine) Open([]byte, runtime.Config) (runtime.Session, error) { return nil, errNoCgo }

// OpenFile fails without cgo.
func (*Engine) OpenFile(string, runtime.Config) (runtime.Session, error) { return nil, errNoCgo }
