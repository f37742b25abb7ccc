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
	// NoKey sends no key: the request is not sent again when its answer was lost, and its answer costs the server's state nothing.
	NoKey bool
	// Number orders the request among those of its stream, so that nothing that was held back on its way is a step after later ones; at most 2^63-1, and
	// above those before. 0: the microseconds since 1970, or one more than the number that the client gave last, or than the highest that the server
	// knows of the stream, where that is above, as after another client whose clock is ahead.
	Number uint64
	Input  Input
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
	Number          uint64      // of the request; 0 without a stream
	Attempts        int         // that it took
}

// NewKey makes a key of 128 random bits.
func NewKey() string { return rand.Text() }

// Infer asks a model, again if need be. Errors of the server are of type [*Error].
func (c *Client) Infer(ctx context.Context, r *Request) (*Answer, error) {
	own := *r
	if own.NoKey {
		own.Key = ""
	} else if own.Key == "" && own.Stream != "" {
		own.Key = NewKey()
	}
	for above, attempts := uint64(0), 0; ; {
		if r.Number == 0 && own.Stream != "" {
			own.Number = c.number(above)
		}
		q, err := own.encode()
		if err != nil {
			return nil, fmt.Errorf("client: %w", err)
		}
		got, err := c.do(ctx, q)
		if above = passedBy(err); above > 0 && r.Number == 0 && !q.unsure && attempts < mostNumbers && ctx.Err() == nil {
			attempts++ // it was no step, and never will be: with another number it may be
			continue
		}
		if err != nil {
			return nil, err
		}
		a, err := decodeAnswer(got)
		if err != nil {
			return nil, fmt.Errorf("client: answer: %w", err)
		}
		a.Key, a.Number, a.Attempts = own.Key, own.Number, attempts+got.attempts
		return a, nil
	}
}

// mostNumbers is how often a request is given another number: others ask for its stream at the same time.
const mostNumbers = 1000

// number returns one above all that the client gave, and above another.
func (c *Client) number(above uint64) uint64 {
	for {
		last := c.last.Load()
		next := max(uint64(time.Now().UnixMicro()), last+1, above+1)
		if c.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

// passedBy returns the highest number of a stream, where a request was refused as its own is not above; else 0.
func passedBy(err error) uint64 {
	var told *Error
	if errors.As(err, &told) {
		return told.Number
	}
	return 0
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
	numberHeader  = "X-Oatta-Number"
	sizeParameter = "binary_data_size"
)

func (r *Request) encode() (*ask, error) {
	for what, name := range map[string]string{"stream": r.Stream, "key": r.Key} {
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
		Parameters: r.parameters(),
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
		again:  r.Key != "" || r.Stream == "",
	}, nil
}

// parameters are what says of the stream, and that answers are wanted as binary data.
func (r *Request) parameters() map[string]any {
	p := map[string]any{"binary_data_output": true}
	if r.Stream != "" {
		p["sequence_id"], p["sequence_start"], p["sequence_end"] = r.Stream, r.Start, r.End
	}
	if r.Key != "" {
		p["oatta_key"] = r.Key
	}
	if r.Number > 0 {
		p["oatta_number"] = r.Number
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
