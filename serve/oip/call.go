package oip

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/oatta/oatta/serve"
)

// call is what is known of a request under way, whichever way it came.
type call struct {
	h         *Handler
	begin     time.Time
	transport string // rest or grpc
	method    string // by gRPC's names, those of REST alone too
	model     string // one that there is; else empty, lest anybody make up names for metrics
	header    http.Header
	who       *serve.Principal
	control   *http.ResponseController
	code      string // by connect's names
	streaming bool

	in, out, held atomic.Int64 // bytes; held is what is counted against MaxHeld
	wrote         atomic.Bool  // the answer has begun
}

type callKey struct{}

// callOf returns the call of a request's context.
func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// may refuses a model that the caller may not use, as one that is not there.
func (c *call) may(model, version string) error {
	if !c.who.May(model) {
		return serve.NoModel(model, version)
	}
	return nil
}

// describe gives what is known of a model that the caller may use.
func (c *call) describe(name, version string) (*serve.Model, error) {
	if err := c.may(name, version); err != nil {
		return nil, err
	}
	m, err := c.h.backend.Model(name, version)
	if err == nil {
		c.model = name
	}
	return m, err
}

// hold counts n more bytes of the request against what all may hold at once. They are given back when the call ends.
func (c *call) hold(n int) error {
	c.held.Add(int64(n))
	if c.h.held.Add(int64(n)) > c.h.o.MaxHeld {
		return &serve.Error{Code: serve.Exhausted, Text: "too many bytes of requests at once", Retry: time.Second}
	}
	return nil
}

// body is a request's, counted.
type body struct {
	io.ReadCloser
	c *call
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.c.in.Add(int64(n))
	if b.c.streaming {
		return n, err
	}
	if full := b.c.hold(n); full != nil && b.c.transport == "grpc" {
		told, _ := connectError(full)
		return 0, told
	} else if full != nil {
		return 0, full
	}
	return n, err
}

// answer is a response's writer, counted.
type answer struct {
	http.ResponseWriter
	c *call
}

func (a *answer) WriteHeader(status int) {
	a.c.wrote.Store(true)
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	a.c.wrote.Store(true)
	n, err := a.ResponseWriter.Write(p)
	a.c.out.Add(int64(n))
	return n, err
}

func (a *answer) Flush() { _ = a.c.control.Flush() }

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
