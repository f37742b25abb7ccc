package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"
)

// Request is rows for a model, each a step of a stream.
type Request struct {
	Model   string
	Version string // empty: the newest that is loaded
	// Stream is its id; empty: of none, and nothing is remembered of the rows.
	Stream string
	Start  bool // forget what the stream was before
	End    bool // forget the stream after the answer
	// Times of the rows, to the nanosecond; none, or one for each.
	Times []time.Time
	// Key names the request among those of its stream; empty: a random one is made, see NewKey. The server keeps the answer by it, which must be
	// of less than 48 KB: requests of many rows or classes want NoKey, or fewer rows.
	Key string
	// NoKey sends no key: the request is not sent again when its answer was lost, and costs the server's state nothing.
	NoKey bool
	Input Input
	// Outputs that are wanted, by name; none: all.
	Outputs []string
}

// Answer has a row for each of the request's. What was not asked for, or what the model does not have, is nil.
type Answer struct {
	Model, Version  string
	Adapted, Raw    [][]float64 // probabilities behind the filter, and those of the network
	Class, RawClass []int       // the most probable class of either
	Label, RawLabel []string    // its name
	Gate            []float64   // weight of what the stream taught, 0 to 1
	Dropped         []int       // rows that were left out as late or double: their adapted are their raw
	Key             string      // of the request
	Attempts        int         // that it took
}

// NewKey makes a key of 128 random bits.
func NewKey() string { return rand.Text() }

// Infer asks a model, again if need be. Errors of the server are of type [*Error].
func (c *Client) Infer(ctx context.Context, r *Request) (*Answer, error) {
	key := r.Key
	if key == "" && !r.NoKey && r.Stream != "" {
		key = NewKey()
	}
	q, err := r.encode(key)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	got, err := c.do(ctx, q)
	if err != nil {
		return nil, err
	}
	a, err := decodeAnswer(got)
	if err != nil {
		return nil, fmt.Errorf("client: answer: %w", err)
	}
	a.Key, a.Attempts = key, got.attempts
	return a, nil
}

// inferBody is the JSON of a request, behind which the data follow.
type inferBody struct {
	Parameters map[string]any `json:"parameters"`
	Inputs     []tensorBody   `json:"inputs"`
	Outputs    []tensorBody   `json:"outputs,omitempty"`
}

// tensorBody is an input, or an output that is asked for or answered.
type tensorBody struct {
	Name       string           `json:"name"`
	Datatype   string           `json:"datatype,omitempty"`
	Shape      []int64          `json:"shape,omitempty"`
	Parameters map[string]int64 `json:"parameters,omitempty"`
}

const (
	lengthHeader  = "Inference-Header-Content-Length"
	sizeParameter = "binary_data_size"
)

func (r *Request) encode(key string) (*ask, error) {
	for what, name := range map[string]string{"stream": r.Stream, "key": key} {
		if !utf8.ValidString(name) {
			return nil, fmt.Errorf("%s %q: not UTF-8", what, name)
		}
	}
	if r.Input.name == "" {
		return nil, errors.New("no input")
	}
	if r.Input.err != nil {
		return nil, r.Input.err
	}
	body := inferBody{
		Parameters: r.parameters(key),
		Inputs:     []tensorBody{{r.Input.name, r.Input.datatype, r.Input.shape, map[string]int64{sizeParameter: int64(len(r.Input.data))}}},
	}
	for _, name := range r.Outputs {
		body.Outputs = append(body.Outputs, tensorBody{Name: name})
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	path := modelPath(r.Model)
	if r.Version != "" {
		path += "/versions/" + url.PathEscape(r.Version)
	}
	return &ask{
		method: http.MethodPost, path: path + "/infer", body: append(text, r.Input.data...),
		header: map[string]string{"Content-Type": "application/octet-stream", lengthHeader: strconv.Itoa(len(text))},
		again:  key != "" || r.Stream == "",
	}, nil
}

// parameters are what says of the stream, and that answers are wanted as binary data.
func (r *Request) parameters(key string) map[string]any {
	p := map[string]any{"binary_data_output": true}
	if r.Stream != "" {
		p["sequence_id"], p["sequence_start"], p["sequence_end"] = r.Stream, r.Start, r.End
	}
	if key != "" {
		p["oatta_key"] = key
	}
	if len(r.Times) > 0 {
		p["oatta_time"] = r.Times // as RFC 3339 to the nanosecond
	}
	return p
}

func modelPath(model string) string { return "/v2/models/" + segment(model) }

// segment is a name as part of a path: dots alone would be another folder's.
func segment(name string) string {
	switch name {
	case ".":
		return "%2E"
	case "..":
		return "%2E%2E"
	}
	return url.PathEscape(name)
}
