package serve

import "time"

// DataType is a name of the protocol: BOOL, UINT8 to UINT64, INT8 to INT64, FP16, BF16, FP32, FP64 or BYTES.
type DataType string

// Bytes is the type of elements of any length: text, encoded pictures. The others have a fixed size, and names of their own in the protocol.
const Bytes DataType = "BYTES"

// Size is that of an element in bytes; 0 of BYTES, and of what is no type.
func (t DataType) Size() int {
	switch t {
	case "BOOL", "UINT8", "INT8":
		return 1
	case "UINT16", "INT16", "FP16", "BF16":
		return 2
	case "UINT32", "INT32", "FP32":
		return 4
	case "UINT64", "INT64", "FP64":
		return 8
	}
	return 0
}

// Tensor is an input or output. Front ends have checked that its shape, its type and its data agree: no side is negative, their product
// is the number of elements.
type Tensor struct {
	Name  string
	Type  DataType
	Shape []int64
	// Data are the elements in row-major order, little-endian; of BYTES each element behind its length as uint32, as the protocol has them.
	Data []byte
}

// Sequence says which stream a request goes on with. A request is a step of the stream for each row of its inputs, all or none.
type Sequence struct {
	// ID names the stream within the caller's namespace and the model; empty: the request belongs to none, and nothing is remembered.
	// Integer ids come as their decimal digits: 7 and "7" are one stream.
	ID    string
	Start bool // forget what the stream was before
	End   bool // forget it after the answer
	// Times of the rows, where they are known; none or one for each row.
	Times []time.Time
	// Key names this request among those of its stream: one that comes again with the same key gets the same answer and is no second step.
	Key string
	// Number orders the request among those of its stream that have one; 0: it has none. One that is not above the highest that was counted is no step:
	// it is refused with [Aborted], unless its key has its answer. The highest is known through Start and End.
	Number uint64
}

// Request asks a model for outputs.
type Request struct {
	Model, Version string // an empty version: the model's newest
	ID             string // comes back with the response
	Namespace      string // of the caller: streams of others do not exist for it
	Sequence       Sequence
	Parameters     map[string]any // bool, int64, uint64, float64 or string; those of sequences are taken out
	Inputs         []Tensor
	Outputs        []string // names that are asked for; none: all
	// Taken is called when the request has its place in its stream: one that is given after that is answered by later steps. A backend calls it
	// once or not at all; nil: nobody asks.
	Taken func()
}

// Response answers a request.
type Response struct {
	Model, Version string
	ID             string
	Parameters     map[string]any
	Outputs        []Tensor
}
