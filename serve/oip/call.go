package oip

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"

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
	span      trace.Span // nil: none is wanted

	message       int64        // bytes of the message that is read
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

// free gives bytes back before the call ends.
func (c *call) free(n int64) {
	c.held.Add(-n)
	c.h.held.Add(-n)
}

// unpack counts what a message has grown by when it was decompressed, and returns how much that is.
func (c *call) unpack(m proto.Message) (int64, error) {
	if encoding := c.header.Get("Grpc-Encoding"); encoding == "" || encoding == "identity" {
		return 0, nil
	}
	grown := max(0, int64(proto.Size(m))-c.message)
	return grown, c.hold(int(grown))
}

// framing is what gRPC sends before a message.
const framing = 5

// body is a request's, counted.
type body struct {
	io.ReadCloser
	c *call
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.c.in.Add(int64(n))
	if b.c.message += int64(n); b.c.message > b.c.h.o.MaxBody+framing {
		return n, err // thrown away as it comes
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
