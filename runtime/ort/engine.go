package ort

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/oatta/oatta/runtime"
	"github.com/oatta/oatta/runtime/ort/ortlib"
)

// ErrNoEngine is the cause of a failed [Load] in a program without the engine: one that was built without cgo for a system where that is
// needed, or with the tag noengine.
var ErrNoEngine = errors.New("this program was built without ONNX Runtime (see package runtime/ort)")

// Engine is the loaded ONNX Runtime. There is one per process; it is safe for concurrent use.
type Engine struct {
	api       api
	path      string // as loaded
	real      string // path with symbolic links resolved: what tells one library from another
	version   string
	providers []string
}

var _ runtime.Engine = (*Engine)(nil)

// process holds the one engine. A failed Load leaves it nil, so that another library can be tried.
var process struct {
	sync.Mutex
	engine *Engine
}

// Load loads the shared library of ONNX Runtime and creates the environment of this process, once. A second Load of the same
// file returns the same engine; of another file it is an error, since the first cannot be unloaded. A file that is no
// ONNX Runtime, one that is not whole, or one older than 1.24, is an error that names it.
func Load(lib string) (*Engine, error) {
	path, err := filepath.Abs(lib)
	if err != nil {
		return nil, fmt.Errorf("runtime/ort: load: %w", err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("runtime/ort: load: %w", err)
	}
	process.Lock()
	defer process.Unlock()
	if e := process.engine; e != nil {
		if e.real != real {
			return nil, fmt.Errorf("runtime/ort: load %s: this process runs on %s already", lib, e.path)
		}
		return e, nil
	}
	e, err := load(path)
	if err != nil {
		return nil, err
	}
	e.real = real
	process.engine = e
	return e, nil
}

// Version loads a shared library and returns its version, as "1.24.4", without the environment, which takes most of the time of [Load]. The
// errors are those of Load, but for a library beside the one that this process runs on.
func Version(lib string) (string, error) {
	path, err := filepath.Abs(lib)
	if err != nil {
		return "", fmt.Errorf("runtime/ort: load: %w", err)
	}
	_, version, err := loadAPI(path)
	return version, err
}

// loadAPI loads a library and returns its function table and its version.
func loadAPI(path string) (api, string, error) {
	if err := ortlib.CheckFile(path); err != nil { // a truncated one would end the process by a signal
		return api{}, "", fmt.Errorf("runtime/ort: load: %w", err)
	}
	getBase, err := openLibrary(path)
	if err != nil {
		return api{}, "", fmt.Errorf("runtime/ort: load: %w", err)
	}
	return newAPI(getBase, path)
}

func load(path string) (*Engine, error) {
	table, version, err := loadAPI(path)
	if err != nil {
		return nil, err
	}
	providers, err := table.providers()
	if err != nil {
		return nil, err
	}
	if err := table.initialize(path); err != nil {
		return nil, fmt.Errorf("runtime/ort: load %s: %w", path, err)
	}
	return &Engine{api: table, path: path, version: version, providers: providers}, nil
}

// Version returns the version of the library, as "1.24.4".
func (e *Engine) Version() string { return e.version }

// Library returns the path of the library.
func (e *Engine) Library() string { return e.path }

// Providers returns the execution providers that the library was built with, in its order of preference, as
// "CUDAExecutionProvider". That a provider is listed does not say that its own libraries are present.
func (e *Engine) Providers() []string { return slices.Clone(e.providers) }

// Open loads a model from the bytes of an ONNX file. External data is looked up in cfg.ExternalData.
func (e *Engine) Open(model []byte, cfg runtime.Config) (runtime.Session, error) {
	if len(model) == 0 {
		return nil, errors.New("runtime/ort: open: the model is empty")
	}
	return e.open(source{name: "model", data: model}, cfg)
}

// OpenFile loads a model from a file. External data is looked up beside it.
func (e *Engine) OpenFile(path string, cfg runtime.Config) (runtime.Session, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("runtime/ort: open: %w", err)
	}
	return e.open(source{name: path}, cfg)
}

// source is a model: the bytes, or where data is nil the file called name.
type source struct {
	name string
	data []byte
}

// open picks the device. Only DeviceAuto ever falls back, and keeps the reason.
func (e *Engine) open(src source, cfg runtime.Config) (runtime.Session, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	switch cfg.Device {
	case runtime.DeviceCUDA:
		return e.openOn(runtime.DeviceCUDA, src, cfg, "CUDA was asked for")
	case runtime.DeviceAuto:
		s, err := e.openOn(runtime.DeviceCUDA, src, cfg, "CUDA is available")
		if err == nil {
			return s, nil
		}
		return e.openOn(runtime.DeviceCPU, src, cfg, "CUDA is not available: "+err.Error())
	default:
		return e.openOn(runtime.DeviceCPU, src, cfg, "the CPU was asked for")
	}
}

func (e *Engine) openOn(device runtime.Device, src source, cfg runtime.Config, reason string) (runtime.Session, error) {
	cfg.Device = device
	options, err := e.options(cfg, src.data != nil)
	if err != nil {
		return nil, fmt.Errorf("runtime/ort: open %s: %w", src.name, err)
	}
	defer destroy(options)
	inner, err := src.load(options)
	if err != nil && src.data != nil && cfg.ExternalData == "" && strings.Contains(err.Error(), "model_path must not be empty") {
		err = fmt.Errorf("the model's weights are in external files: ExternalData must name their folder: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("runtime/ort: open %s: %w", src.name, err)
	}
	s, err := e.newSession(inner)
	if err != nil {
		destroy(inner)
		return nil, fmt.Errorf("runtime/ort: open %s: %w", src.name, err)
	}
	s.device, s.reason = deviceName(cfg), reason
	return s, nil
}

func deviceName(cfg runtime.Config) string {
	if cfg.Device == runtime.DeviceCUDA {
		return fmt.Sprintf("cuda:%d", cfg.DeviceID)
	}
	return string(runtime.DeviceCPU)
}

// destroy frees something of the library's whose Destroy can only fail if it is not initialised, which it is.
func destroy(d interface{ Destroy() error }) { _ = d.Destroy() }
