package oip

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/oatta/oatta/serve"
)

// lengthHeader is that of the JSON in front of binary data.
const lengthHeader = "Inference-Header-Content-Length"

// The names of parameters of requests that are no model's business.
const (
	timeoutParameter  = "timeout"  // microseconds
	priorityParameter = "priority" // of Triton's queues; here all are equal
	binaryParameter   = "binary_data_output"
	binaryInput       = "binary_data_size"
	binaryOutput      = "binary_data"
)

// question is a request for inference, and how its answer is wanted.
type question struct {
	request *serve.Request
	within  time.Duration // 0: as long as it takes
	binary  bool          // outputs are binary unless one says otherwise
	asked   map[string]bool
}

// infer is the REST route of inference.
func (h *Handler) infer(w http.ResponseWriter, r *http.Request) error {
	c := callOf(r.Context())
	model, version := r.PathValue("model"), r.PathValue("version")
	if err := c.may(model, version); err != nil {
		return err
	}
	data, err := c.readBody(w, r, h.o.MaxBody)
	if err != nil {
		return err
	}
	q, err := h.o.decode(data, r.Header)
	if err != nil {
		return err
	}
	q.request.Model, q.request.Version, q.request.Namespace = model, version, c.who.Namespace
	response, err := h.ask(r.Context(), c, q)
	if err != nil {
		return err
	}
	return q.write(w, response)
}

// ask gives the question of a plain call to the backend.
func (h *Handler) ask(ctx context.Context, c *call, q *question) (*serve.Response, error) {
	response, err := h.infers(ctx, q)
	c.answering()
	if v, _ := judge(err); err == nil || v.status != http.StatusNotFound {
		c.model = q.request.Model
	}
	return response, err
}

// infers gives a question to the backend, for as long as it allows.
func (h *Handler) infers(ctx context.Context, q *question) (*serve.Response, error) {
	if q.within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.within)
		defer cancel()
	}
	return h.backend.Infer(ctx, q.request)
}

// decode makes a question of a body: JSON, and behind it, if a header says how long that is, binary data.
func (o *Options) decode(data []byte, header http.Header) (*question, error) {
	text, binary, err := split(data, header)
	if err != nil {
		return nil, err
	}
	var body inferJSON
	if err := unmarshal(text, &body); err != nil {
		return nil, err
	}
	q := &question{request: &serve.Request{ID: body.ID, Parameters: body.Parameters}, asked: map[string]bool{}}
	if err := q.common(header); err != nil {
		return nil, err
	}
	if q.binary, err = flag(binaryParameter, q.request.Parameters); err != nil {
		return nil, err
	}
	if err := q.outputs(body.Outputs); err != nil {
		return nil, err
	}
	if len(body.Inputs) == 0 {
		return nil, invalid("no inputs")
	}
	for i := range body.Inputs {
		t, rest, err := o.input(&body.Inputs[i], binary)
		if err != nil {
			return nil, within("input", body.Inputs[i].Name, err)
		}
		q.request.Inputs, binary = append(q.request.Inputs, t), rest
	}
	if len(binary) > 0 {
		return nil, invalid("%d bytes of binary data are left over", len(binary))
	}
	return q, unique(q.request)
}

// unmarshal reads JSON of a client.
func unmarshal(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var told *serve.Error
	if err == nil || errors.As(err, &told) {
		return err
	}
	return invalid("JSON: %.300s", err.Error())
}

// split divides a body into JSON and binary data.
func split(data []byte, header http.Header) (text, binary []byte, err error) {
	length := header.Get(lengthHeader)
	if length == "" {
		return data, nil, nil
	}
	n, err := strconv.ParseUint(length, 10, 63)
	if err != nil || n > uint64(len(data)) {
		return nil, nil, invalid("header %s: %.20q of a body of %d bytes", lengthHeader, length, len(data))
	}
	return data[:n], data[n:], nil
}

// common takes out of the parameters what both transports have there.
func (q *question) common(header http.Header) error {
	parameters := q.request.Parameters
	var err error
	if q.request.Sequence, err = sequence(parameters, header); err != nil {
		return err
	}
	delete(parameters, priorityParameter)
	value, given := parameters[timeoutParameter]
	delete(parameters, timeoutParameter)
	switch v := value.(type) {
	case int64:
		q.within = time.Duration(min(max(v, 0), int64(24*time.Hour/time.Microsecond))) * time.Microsecond
	case uint64:
		q.within = 24 * time.Hour
	default:
		if given {
			return invalid("parameter %s: want microseconds", timeoutParameter)
		}
	}
	return nil
}

// outputs takes which outputs are asked for, and which of them as binary data.
func (q *question) outputs(asked []askedJSON) error {
	for _, a := range asked {
		if _, twice := q.asked[a.Name]; twice {
			return invalid("output %.80q: asked for twice", a.Name)
		}
		if err := unserved(a.Parameters); err != nil {
			return within("output", a.Name, err)
		}
		binary := q.binary
		if _, given := a.Parameters[binaryOutput]; given {
			var err error
			if binary, err = flag(binaryOutput, a.Parameters); err != nil {
				return within("output", a.Name, err)
			}
		}
		q.asked[a.Name] = binary
		q.request.Outputs = append(q.request.Outputs, a.Name)
	}
	return nil
}

// unserved refuses extensions of the protocol that would change the answer and are not served.
func unserved(parameters map[string]any) error {
	for _, name := range []string{"classification", "shared_memory_region"} {
		if _, given := parameters[name]; given {
			return invalid("parameter %s: that extension is not served", name)
		}
	}
	return nil
}

// input makes a tensor of its JSON, or of the binary data, of which it returns the rest.
func (o *Options) input(in *inputJSON, binary []byte) (t serve.Tensor, rest []byte, err error) {
	t = serve.Tensor{Name: in.Name, Type: in.Datatype, Shape: in.Shape}
	n, err := o.header(&t)
	if err != nil {
		return t, nil, err
	}
	if err := unserved(in.Parameters); err != nil {
		return t, nil, err
	}
	size, given := in.Parameters[binaryInput]
	if given && in.Data != nil {
		return t, nil, invalid("data and binary data: want one of them")
	}
	if !given && in.Data == nil {
		return t, nil, invalid("no data")
	}
	if !given {
		t.Data, err = decodeJSON(t.Type, t.Shape, n, in.Data)
		return t, binary, err
	}
	bytes, ok := size.(int64)
	if !ok || bytes < 0 {
		return t, nil, invalid("parameter %s: want a number of bytes", binaryInput)
	}
	if bytes > int64(len(binary)) {
		return t, nil, invalid("parameter %s: %d bytes, but %d follow", binaryInput, bytes, len(binary))
	}
	t.Data = binary[:bytes:bytes]
	return t, binary[bytes:], checkBinary(t.Type, n, t.Data)
}

// header checks all of a tensor but its data, and returns the number of its elements.
func (o *Options) header(t *serve.Tensor) (int, error) {
	if t.Name == "" {
		return 0, invalid("no name")
	}
	if !known(t.Type) {
		return 0, invalid("unknown datatype %.20q", t.Type)
	}
	return o.elements(t.Shape)
}

// unique refuses inputs of one name.
func unique(r *serve.Request) error {
	names := map[string]bool{}
	for i := range r.Inputs {
		if name := r.Inputs[i].Name; names[name] {
			return invalid("input %.80q: given twice", name)
		}
		names[r.Inputs[i].Name] = true
	}
	return nil
}

// within puts the place before the text of an error for clients.
func within(what, name string, err error) error {
	var told *serve.Error
	if !errors.As(err, &told) {
		return err
	}
	return serve.Errorf(told.Code, "%s %.80q: %s", what, name, told.Text)
}
