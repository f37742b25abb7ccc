package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/oatta/oatta/internal/frame"
	"github.com/oatta/oatta/serve"
	"github.com/oatta/oatta/serve/backend"
)

// Operations that a member does for another.
const (
	opInfer      = "infer"
	opList       = "list"
	opShow       = "show"
	opExport     = "export"
	opImport     = "import"
	opForget     = "forget"
	opModel      = "model"
	opModels     = "models"
	opStatistics = "statistics"
)

// question is what a member asks another. On the wire it is JSON behind its length, and behind it the bytes of tensors or of a snapshot. Text of
// clients is in bytes: JSON would change what is not UTF-8.
type question struct {
	Op        string        `json:"op"`
	Model     string        `json:"model,omitzero"`
	Version   string        `json:"version,omitzero"`
	Namespace []byte        `json:"namespace,omitzero"`
	Stream    []byte        `json:"stream,omitzero"`
	Start     bool          `json:"start,omitzero"`
	End       bool          `json:"end,omitzero"`
	Times     []time.Time   `json:"times,omitzero"`
	Key       []byte        `json:"key,omitzero"`
	Number    uint64        `json:"number,omitzero"`
	Outputs   []string      `json:"outputs,omitzero"`
	Tensors   []tensor      `json:"tensors,omitzero"`
	After     []byte        `json:"after,omitzero"`
	Limit     int           `json:"limit,omitzero"`
	Within    time.Duration `json:"within"` // an answer is wanted
	data      []byte
}

// reply answers it, in the same form.
type reply struct {
	Elsewhere bool            `json:"elsewhere,omitzero"` // the shard is not held: nothing was changed
	Code      serve.Code      `json:"code,omitzero"`      // of an error for the client
	Error     string          `json:"error,omitzero"`
	Retry     time.Duration   `json:"retry,omitzero"`
	Number    uint64          `json:"number,omitzero"` // of an error that has one
	Fault     bool            `json:"fault,omitzero"`  // an error that is logged there, and of which no client is told
	Version   string          `json:"version,omitzero"`
	Dropped   map[string]any  `json:"parameters,omitzero"`
	Tensors   []tensor        `json:"tensors,omitzero"`
	Streams   []stream        `json:"streams,omitzero"`
	Value     json.RawMessage `json:"value,omitzero"`
	data      []byte
}

type tensor struct {
	Name  string         `json:"name"`
	Type  serve.DataType `json:"type"`
	Shape []int64        `json:"shape"`
	Size  int            `json:"size"` // of its part of the bytes
}

type stream struct {
	ID    []byte    `json:"id"`
	Items uint64    `json:"items"`
	Last  time.Time `json:"last"`
	Bytes int       `json:"bytes"`
	// Number is the highest of its requests.
	Number uint64 `json:"number,omitzero"`
}

func encode(head any, data []byte) ([]byte, error) {
	text, err := json.Marshal(head)
	return append(frame.Append(nil, text), data...), err
}

func decode(head any, message []byte) (data []byte, err error) {
	r := frame.Reader{Data: message}
	text := r.Bytes()
	if r.Err != nil {
		return nil, r.Err
	}
	return r.Data, json.Unmarshal(text, head)
}

func decodeQuestion(message []byte) (q question, err error) {
	q.data, err = decode(&q, message)
	return q, err
}

func decodeReply(message []byte) (r reply, err error) {
	r.data, err = decode(&r, message)
	return r, err
}

func questionOf(r *serve.Request) question {
	q := question{
		Op: opInfer, Model: r.Model, Version: r.Version, Namespace: []byte(r.Namespace), Stream: []byte(r.Sequence.ID), Start: r.Sequence.Start,
		End: r.Sequence.End, Times: r.Sequence.Times, Key: []byte(r.Sequence.Key), Number: r.Sequence.Number, Outputs: r.Outputs,
	}
	q.Tensors, q.data = tensorsOf(r.Inputs)
	return q
}

func (q *question) request() (*serve.Request, error) {
	inputs, err := tensors(q.Tensors, q.data)
	return &serve.Request{
		Model: q.Model, Version: q.Version, Namespace: string(q.Namespace), Outputs: q.Outputs, Inputs: inputs,
		Sequence: serve.Sequence{ID: string(q.Stream), Start: q.Start, End: q.End, Times: q.Times, Key: string(q.Key), Number: q.Number},
	}, err
}

func tensorsOf(in []serve.Tensor) (out []tensor, data []byte) {
	size := 0
	for _, t := range in {
		size += len(t.Data)
	}
	data = make([]byte, 0, size)
	for _, t := range in {
		out, data = append(out, tensor{t.Name, t.Type, t.Shape, len(t.Data)}), append(data, t.Data...)
	}
	return out, data
}

func tensors(in []tensor, data []byte) (out []serve.Tensor, err error) {
	r := frame.Reader{Data: data}
	for _, t := range in {
		out = append(out, serve.Tensor{Name: t.Name, Type: t.Type, Shape: t.Shape, Data: r.Take(t.Size)})
	}
	return out, r.End()
}

func answerOf(a *serve.Response) (r reply) {
	r.Version, r.Dropped = a.Version, a.Parameters
	r.Tensors, r.data = tensorsOf(a.Outputs)
	return r
}

func (r *reply) response(to *serve.Request) (*serve.Response, error) {
	out, err := tensors(r.Tensors, r.data)
	return &serve.Response{Model: to.Model, Version: r.Version, ID: to.ID, Parameters: r.Dropped, Outputs: out}, err
}

// failure makes a reply of an error, and tells whether it is the member's own fault.
func failure(err error) (r reply) {
	var told *serve.Error
	switch {
	case errors.Is(err, backend.ErrElsewhere):
		r.Elsewhere = true
	case errors.As(err, &told):
		r.Code, r.Error, r.Retry, r.Number = told.Code, told.Text, told.Retry, told.Number
	default:
		r.Fault = true
	}
	return r
}

// err is the error of a reply.
func (r *reply) err(member string) error {
	switch {
	case r.Elsewhere:
		return backend.ErrElsewhere
	case r.Fault:
		return fmt.Errorf("cluster: member %s failed: its log says why", member)
	case r.Code != 0:
		return &serve.Error{Code: r.Code, Text: r.Error, Retry: r.Retry, Number: r.Number}
	}
	return nil
}
