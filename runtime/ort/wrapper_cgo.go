//go:build cgo

package ort

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	wrapper "github.com/yalue/onnxruntime_go"
)

// What the wrapper does for us. Without cgo the files that end in _pure.go have the same names.
type (
	sessionOptions    = wrapper.SessionOptions
	inner             = wrapper.DynamicAdvancedSession
	modelMetadata     = wrapper.ModelMetadata
	optimizationLevel = wrapper.GraphOptimizationLevel
)

const (
	levelEnableAll      = wrapper.GraphOptimizationLevelEnableAll
	levelEnableExtended = wrapper.GraphOptimizationLevelEnableExtended
	levelEnableBasic    = wrapper.GraphOptimizationLevelEnableBasic
	levelDisableAll     = wrapper.GraphOptimizationLevelDisableAll

	modeSequential = wrapper.ExecutionModeSequential
	modeParallel   = wrapper.ExecutionModeParallel
)

func newSessionOptions() (*sessionOptions, error) { return wrapper.NewSessionOptions() }

func newCUDAProviderOptions() (*wrapper.CUDAProviderOptions, error) {
	return wrapper.NewCUDAProviderOptions()
}

// initialize creates the environment. It logs only what is fatal: all else comes back as an error.
func (api) initialize(path string) error {
	wrapper.SetSharedLibraryPath(path)
	if err := wrapper.InitializeEnvironment(wrapper.WithLogLevelFatal()); err != nil {
		return err
	}
	return wrapper.DisableTelemetry()
}

// cpuMemory returns the OrtMemoryInfo * of ordinary memory, which the environment owns.
func cpuMemory() (unsafe.Pointer, error) {
	memory, err := wrapper.GetMemoryInfo()
	return unsafe.Pointer(memory), err
}

// load makes the wrapper's session. It gets no names of ports: those are only for the wrapper's own Run.
func (src source) load(options *sessionOptions) (*inner, error) {
	var s *inner
	var err error
	if src.data != nil {
		s, err = wrapper.NewDynamicAdvancedSessionWithONNXData(src.data, nil, nil, options)
	} else {
		s, err = wrapper.NewDynamicAdvancedSession(src.name, nil, nil, options)
	}
	if cause := errors.Unwrap(err); cause != nil {
		err = cause // what the library says, without the wrapper's "Error creating C session"
	}
	return s, err
}

// sessionPointer reads the OrtSession * out of the wrapper's session, which keeps it to itself. The version of the wrapper is
// pinned in go.mod; one that is built otherwise makes every Open fail here, with this message, and never a wrong read.
func sessionPointer(s *inner) (unsafe.Pointer, error) {
	v := reflect.ValueOf(s).Elem().FieldByName("s")
	if v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct && !v.IsNil() {
		if p := v.Elem().FieldByName("ortSession"); p.Kind() == reflect.Pointer && !p.IsNil() {
			return p.UnsafePointer(), nil
		}
	}
	return nil, fmt.Errorf("this version of onnxruntime_go keeps its session elsewhere (%T)", s)
}
