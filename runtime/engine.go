package runtime

import (
	"context"
	"fmt"
)

// Session is a loaded network. It is safe for concurrent Run.
type Session interface {
	// Inputs and Outputs describe the ports, in the order in which Run takes and fills them.
	Inputs() []Port
	Outputs() []Port
	// Run computes dst from src. The caller allocates dst, or leaves the Data of a destination nil to have it allocated.
	// Nothing is retained. Cancelling ctx ends a run early with the context's error.
	Run(ctx context.Context, dst, src []Tensor) error
	// Close frees the session. Runs in flight are waited for; a Run after Close is an error; a second Close does nothing.
	Close() error
}

// Engine opens networks.
type Engine interface {
	// Open loads a model from the bytes of an ONNX file. The bytes are not retained.
	Open(model []byte, cfg Config) (Session, error)
	// OpenFile loads a model from a file; external data is looked up beside it.
	OpenFile(path string, cfg Config) (Session, error)
}

// Inspector is implemented by sessions that can tell more about their model and where it runs.
type Inspector interface {
	// Metadata returns what the model's file says about itself.
	Metadata() Metadata
	// Device returns where the session runs, as "cpu" or "cuda:0".
	Device() string
}

// Metadata is what a model's file says about itself. Any field may be empty.
type Metadata struct {
	Producer, GraphName, Domain, Description string
	Version                                  int64
	Custom                                   map[string]string
}

// Device names a kind of execution provider.
type Device string

// The devices. DeviceAuto takes CUDA where library and hardware allow it and the CPU elsewhere; the session says which.
const (
	DeviceCPU  Device = "cpu"
	DeviceCUDA Device = "cuda"
	DeviceAuto Device = "auto"
)

// Optimization is the level of graph rewriting that an engine applies while it loads a model.
type Optimization string

// The levels, in the words of ONNX Runtime. The empty string is OptimizeAll.
const (
	OptimizeAll      Optimization = "all"
	OptimizeExtended Optimization = "extended"
	OptimizeBasic    Optimization = "basic"
	OptimizeNone     Optimization = "none"
)

// Config says how a session runs. The zero value is a CPU session with the engine's own number of threads and all
// optimisations.
type Config struct {
	Device       Device       // "" is DeviceCPU
	DeviceID     int          // index of the accelerator, from 0; CUDA only
	IntraThreads int          // threads inside one operator; 0: the engine's choice, usually one per core
	InterThreads int          // operators that run side by side; 0 or 1: one after another
	Optimization Optimization // "" is OptimizeAll
	Spin         bool         // let idle threads wait busily: lower latency, but takes cores from decoding
	Sparing      bool         // plan no block of memory for all of a run: up to half of what large batches take, see package ort
	ExternalData string       // folder of a model's external data when it is opened from bytes
	Profile      string       // prefix of a profile to be written when the session closes; "": none
}

// Validate reports a setting out of range.
func (c Config) Validate() error {
	switch c.Device {
	case "", DeviceCPU, DeviceCUDA, DeviceAuto:
	default:
		return fmt.Errorf("runtime: device %q: want cpu, cuda or auto", c.Device)
	}
	switch c.Optimization {
	case "", OptimizeAll, OptimizeExtended, OptimizeBasic, OptimizeNone:
	default:
		return fmt.Errorf("runtime: optimization %q: want all, extended, basic or none", c.Optimization)
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"device id", c.DeviceID}, {"intra threads", c.IntraThreads}, {"inter threads", c.InterThreads}} {
		if f.value < 0 || f.value > 1<<16 {
			return fmt.Errorf("runtime: %s %d: want 0 to 65536", f.name, f.value)
		}
	}
	return nil
}
