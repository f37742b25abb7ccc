package backend

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/oatta/oatta/adapt"
	"github.com/oatta/oatta/serve"
)

// call is a request on its way, or an operation on streams. Whoever has it in hand owns it; finish ends it.
type call struct {
	ctx     context.Context
	request *serve.Request
	version *version
	stream  string // its name in the store; "" where it is of none
	n       int    // rows
	rows    []float32
	probs   []float64 // [n, classes], from the request or from the network
	digest  uint64    // of what is asked, where there is a key

	begun, started time.Time

	tracer  trace.Tracer // nil: no spans are wanted
	waiting time.Time    // since when, where spans are wanted

	do     func() error // of an operation: what is to be done between two requests
	keeper *keeper      // that it was given to

	found  found
	answer *answer // of a keyed request, whose answer was kept
	err    error
	ends   func()
	done   chan struct{}
}

// finish answers. It is called once.
func (c *call) finish(err error) {
	c.err = err
	if c.ends != nil {
		c.ends()
	}
	close(c.done)
}

// Limits of names, in bytes. A stream's is the namespace, a slash and the id.
const (
	maxID        = 1024
	maxNamespace = 256
	maxKey       = 256
)

// streamName is how a stream is called in the store: no two pairs of namespace and id give the same.
func streamName(namespace, id string) (string, error) {
	switch {
	case len(id) > maxID:
		return "", serve.Errorf(serve.InvalidArgument, "the id of the stream has %d bytes: want at most %d", len(id), maxID)
	case len(namespace) > maxNamespace || strings.Contains(namespace, "/"):
		return "", serve.Errorf(serve.InvalidArgument, "a namespace of %d bytes: want at most %d, and no slash", len(namespace), maxNamespace)
	}
	return namespace + "/" + id, nil
}

// newCall checks a request, but for what is in its inputs.
func (v *version) newCall(ctx context.Context, r *serve.Request) (c *call, err error) {
	c = &call{ctx: ctx, request: r, version: v, begun: time.Now(), done: make(chan struct{})}
	c.tracer = tracerOf(c)
	if err := v.checkOutputs(r.Outputs); err != nil {
		return nil, err
	}
	if r.Sequence.ID != "" {
		if c.stream, err = streamName(r.Namespace, r.Sequence.ID); err != nil {
			return nil, err
		}
	}
	if len(r.Inputs) == 1 && len(r.Inputs[0].Shape) > 0 { // else it is refused when it is read
		c.n = int(r.Inputs[0].Shape[0])
	}
	return c, v.checkSequence(c)
}

// bytes is what the rows take as inputs of the network.
func (c *call) bytes() int64 {
	if net := c.version.opened.Network; net != nil {
		return 4 * int64(c.n) * int64(net.Len())
	}
	return 0
}

// read reads the inputs of a request that has been let in.
func (c *call) read() error {
	rows, err := 0, error(nil)
	if net := c.version.opened.Network; net != nil {
		c.rows, rows, err = net.Prepare(c.request.Inputs)
	} else {
		c.probs, rows, err = readProbs(c.request.Inputs, c.version.opened.Classes)
	}
	if err == nil && rows != c.n {
		return fmt.Errorf("backend: %d rows of an input of %d", rows, c.n)
	}
	return err
}

func (v *version) checkOutputs(names []string) error {
	for _, name := range names {
		known := false
		for _, p := range v.ports {
			known = known || p.Name == name
		}
		if !known {
			return serve.Errorf(serve.InvalidArgument, "model %s has no output %q", v.source.Name, name)
		}
	}
	return nil
}

// checkSequence holds rows, times and key to the limits.
func (v *version) checkSequence(c *call) error {
	s := &c.request.Sequence
	switch {
	case len(c.request.Inputs) != 1:
		return serve.Errorf(serve.InvalidArgument, "%s: want one", inputNames(c.request.Inputs))
	case c.n < 1 || c.n > v.limits.Rows:
		return serve.Errorf(serve.InvalidArgument, "%d rows: want 1 to %d", c.n, v.limits.Rows)
	case s.Number != 0 && c.stream == "":
		return serve.Errorf(serve.InvalidArgument, "a number orders a request among those of its stream, and this one has none")
	case len(s.Times) != 0 && len(s.Times) != c.n:
		return serve.Errorf(serve.InvalidArgument, "%d times of %d rows: want none, or one for each", len(s.Times), c.n)
	case s.Key == "":
		return nil
	case c.stream == "":
		return serve.Errorf(serve.InvalidArgument, "a key tells a request from others of its stream, and this one has none")
	case len(s.Key) > maxKey:
		return serve.Errorf(serve.InvalidArgument, "a key of %d bytes: want at most %d", len(s.Key), maxKey)
	}
	if size := v.answerSize(c.n); size > mostAnswers {
		return serve.Errorf(serve.TooLarge, "the answer of a request with a key is kept, and that to %d rows takes %d bytes: want at most %d; ask with fewer rows", c.n, size, mostAnswers)
	}
	c.digest = digest(c.request)
	return nil
}

// answerSize bounds the bytes that an answer takes where it is kept.
func (v *version) answerSize(n int) int {
	row, longest := 0, 0
	for _, label := range v.opened.Labels {
		longest = max(longest, len(label))
	}
	for _, p := range v.ports {
		switch {
		case p.Type == serve.Bytes:
			row += 4 + longest
		case len(p.Shape) > 1:
			row += p.Type.Size() * v.opened.Classes
		default:
			row += p.Type.Size()
		}
	}
	const frame, leftOut = 1 << 10, 5 // names and shapes; the number of a row, and a comma
	return frame + n*(row+leftOut)
}

// digest is over everything of a request that decides what is done. A retry has the same.
func digest(r *serve.Request) uint64 {
	h := sha256.New()
	fmt.Fprintf(h, "%t %t %d\n", r.Sequence.Start, r.Sequence.End, len(r.Sequence.Times))
	for _, t := range r.Sequence.Times {
		fmt.Fprintf(h, "%s\n", t.Format(time.RFC3339Nano))
	}
	if r.Sequence.Number > 0 {
		fmt.Fprintf(h, "number %d\n", r.Sequence.Number)
	}
	for _, t := range r.Inputs {
		fmt.Fprintf(h, "%q %s %v\n", t.Name, t.Type, t.Shape)
		h.Write(t.Data)
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// inProbs is the input of a model that is a filter alone.
const inProbs = "probs"

// readProbs reads the probabilities of every row, which must be fit for a step.
func readProbs(inputs []serve.Tensor, classes int) (probs []float64, n int, err error) {
	if len(inputs) != 1 || inputs[0].Name != inProbs {
		return nil, 0, serve.Errorf(serve.InvalidArgument, "%s: want one, named %s", inputNames(inputs), inProbs)
	}
	t := &inputs[0]
	if len(t.Shape) != 2 || t.Shape[1] != int64(classes) {
		return nil, 0, serve.Errorf(serve.InvalidArgument, "input %s of shape %v: want [rows, %d]", t.Name, t.Shape, classes)
	}
	if probs, err = floats(t); err != nil {
		return nil, 0, err
	}
	for i := 0; i < len(probs); i += classes {
		if _, err := adapt.Normalise(probs[i:i+classes], classes); err != nil {
			return nil, 0, serve.Errorf(serve.InvalidArgument, "row %d: %s", i/classes, strings.TrimPrefix(err.Error(), "adapt: "))
		}
	}
	return probs, int(t.Shape[0]), nil
}

func inputNames(inputs []serve.Tensor) string {
	names := make([]string, len(inputs))
	for i := range inputs {
		names[i] = inputs[i].Name
	}
	return fmt.Sprintf("%d inputs %q", len(inputs), names)
}

// floats reads numbers of either precision.
func floats(t *serve.Tensor) ([]float64, error) {
	size := t.Type.Size()
	if t.Type != "FP64" && t.Type != "FP32" {
		return nil, serve.Errorf(serve.InvalidArgument, "input %s is %s: want FP64 or FP32", t.Name, t.Type)
	}
	out := make([]float64, len(t.Data)/size)
	for i := range out {
		if size == 8 {
			out[i] = math.Float64frombits(binary.LittleEndian.Uint64(t.Data[8*i:]))
		} else {
			out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:])))
		}
	}
	return out, nil
}
