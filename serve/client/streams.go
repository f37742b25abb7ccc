package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Streams are operations on the streams of a model. What one key may not see is not there for it.
type Streams struct {
	c     *Client
	model string
}

// Streams returns the operations on a model's streams.
func (c *Client) Streams(model string) *Streams { return &Streams{c, model} }

// Stream describes one, and not what it learned.
type Stream struct {
	ID    string    `json:"id"`
	Items uint64    `json:"items"` // that were steps
	Last  time.Time `json:"last"`  // when its last item came, or when it was imported; zero where that is not known
	Bytes int       `json:"bytes"` // of its state
	// Number is the highest of its requests; 0: none had one.
	Number uint64 `json:"number"`
}

// Page is a part of the list of streams.
type Page struct {
	Streams []Stream `json:"streams"`
	Next    string   `json:"next"` // what to give as after for those that follow; empty: none do
}

// List gives the streams behind the one named after, in byte order of their ids, and at most limit of them: 1 to 10,000, or 0 for 100.
func (s *Streams) List(ctx context.Context, after string, limit int) (*Page, error) {
	query := url.Values{}
	if after != "" {
		query.Set("after", after)
	}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	page := &Page{}
	return page, s.c.get(ctx, modelPath(s.model)+"/streams?"+query.Encode(), page)
}

// All goes through all streams, page by page. After an error, which comes with an empty Stream, there are no more.
func (s *Streams) All(ctx context.Context) iter.Seq2[Stream, error] {
	return func(yield func(Stream, error) bool) {
		const limit = 1000
		for after := ""; ; {
			page, err := s.List(ctx, after, limit)
			if err != nil {
				yield(Stream{}, err)
				return
			}
			for _, one := range page.Streams {
				if !yield(one, nil) {
					return
				}
			}
			if after = page.Next; after == "" {
				return
			}
		}
	}
}

// Show describes a stream; status 404 if there is none.
func (s *Streams) Show(ctx context.Context, id string) (*Stream, error) {
	one := &Stream{}
	return one, s.c.get(ctx, s.path(id), one)
}

// Export gives what the filter of a stream has learned, for Import; status 404 if there is none.
func (s *Streams) Export(ctx context.Context, id string) (snapshot []byte, err error) {
	r, err := s.c.do(ctx, &ask{method: http.MethodGet, path: s.path(id) + "/state", again: true})
	if err != nil {
		return nil, err
	}
	return r.body, nil
}

// Import makes a stream of a snapshot; status 409 if it exists. It is not asked again when the answer was lost: the stream may be there by then, and have
// gone on.
func (s *Streams) Import(ctx context.Context, id string, snapshot []byte) error {
	_, err := s.c.do(ctx, &ask{
		method: http.MethodPut, path: s.path(id) + "/state", body: snapshot, header: map[string]string{"Content-Type": "application/octet-stream"},
	})
	return err
}

// Forget removes a stream and all that is kept of it; status 404 if there is none. Where an answer was lost and the stream is gone afterwards, it was
// forgotten.
func (s *Streams) Forget(ctx context.Context, id string) error {
	q := &ask{method: http.MethodDelete, path: s.path(id), again: true}
	_, err := s.c.do(ctx, q)
	var told *Error
	if q.unsure && errors.As(err, &told) && told.Status == http.StatusNotFound {
		return nil
	}
	return err
}

func (s *Streams) path(id string) string { return modelPath(s.model) + "/streams/" + segment(id) }

// get reads JSON.
func (c *Client) get(ctx context.Context, path string, into any) error {
	r, err := c.do(ctx, &ask{method: http.MethodGet, path: path, again: true})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(r.body, into); err != nil {
		return fmt.Errorf("client: answer: %w", err)
	}
	return nil
}

// Ready tells, by no error, that the server answers with every model that it was started with.
func (c *Client) Ready(ctx context.Context) error {
	_, err := c.once(ctx, &ask{method: http.MethodGet, path: "/v2/health/ready"})
	return err
}

// Model is what the server tells of a model.
type Model struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"` // that are loaded, oldest first
	Platform string   `json:"platform"`
	Inputs   []Port   `json:"inputs"`
	Outputs  []Port   `json:"outputs"`
	Labels   []string `json:"labels"` // of the classes; may be empty
}

// Port is an input or output of a model; -1 is a side of any length.
type Port struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

// Model describes a model; status 404 if there is none.
func (c *Client) Model(ctx context.Context, name string) (*Model, error) {
	m := &Model{}
	return m, c.get(ctx, modelPath(name), m)
}
