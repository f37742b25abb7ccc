package serve

import (
	"context"
	"io"
	"time"
)

// Backend answers requests. All methods are safe for concurrent use, and give up when their context ends.
type Backend interface {
	// Ready tells whether every model that the server was started with can answer.
	Ready() bool
	// Models lists every model and version, those that are not loaded too, in the order of their names.
	Models() []ModelStatus
	// Model describes one; [NotFound] if there is none of that name and version, [Unavailable] if it is not loaded.
	Model(name, version string) (*Model, error)
	// Statistics of one model and version, or of all that are loaded where the name is empty.
	Statistics(name, version string) ([]Statistics, error)
	// Infer answers when everything that the request changed is durable. Requests of one stream that are given one after the other, each when
	// the one before is answered or Taken, are answered by steps in that order.
	Infer(ctx context.Context, r *Request) (*Response, error)
	// Load makes a model ready, or loads it again from its folder; requests under way are answered by the model that they began with.
	Load(ctx context.Context, name string) error
	// Unload refuses new requests, and returns when those under way are answered.
	Unload(ctx context.Context, name string) error

	Streams
}

// Streams are operations on streams by name, within a namespace.
type Streams interface {
	// List gives the streams of a model from behind the one named after, in byte order, at most limit of them.
	List(ctx context.Context, model, namespace, after string, limit int) ([]StreamInfo, error)
	// Show describes one; NotFound if there is none.
	Show(ctx context.Context, model, namespace, id string) (*StreamInfo, error)
	// Export writes what the filter of a stream has learned, as adapt's snapshot.
	Export(ctx context.Context, model, namespace, id string, w io.Writer) error
	// Import makes a stream from such a snapshot; [Conflict] if it exists.
	Import(ctx context.Context, model, namespace, id string, snapshot []byte) error
	// Forget removes a stream and all that is kept of it; NotFound if there is none.
	Forget(ctx context.Context, model, namespace, id string) error
}

// Port is a tensor that a model takes or gives; -1 is a side of any length.
type Port struct {
	Name  string
	Type  DataType
	Shape []int64
}

// Model is what metadata tells of one.
type Model struct {
	Name     string
	Versions []string // all that are loaded
	Platform string   // such as oatta_filter, onnxruntime_onnx
	Inputs   []Port
	Outputs  []Port
	Labels   []string // of the classes; may be empty
}

// ModelStatus is a line of the repository index.
type ModelStatus struct {
	Name, Version string
	Ready         bool
	Reason        string // why it is not
}

// StreamInfo describes a stream without telling what it learned.
type StreamInfo struct {
	ID    string
	Items uint64
	Last  time.Time // of its last item, or when it was imported; zero where times are not known
	Bytes int       // of its state
	// Number is the highest of its requests that have one ([Sequence]); 0: none had.
	Number uint64
}

// Statistics count since a model was loaded, as the protocol's statistics extension has them.
type Statistics struct {
	Name, Version string
	LastInference time.Time
	Inferences    uint64 // items
	Executions    uint64 // batches
	Success, Fail Duration
	Queue         Duration // waiting
	Compute       Duration // in the model and the filter
}

// Duration is a count and the total of what was counted.
type Duration struct {
	Count uint64
	Total time.Duration
}
