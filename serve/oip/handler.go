package oip

import (
	"context"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	"github.com/oatta/oatta/serve"
)

// Handler answers the protocol over REST and gRPC.
type Handler struct {
	o       Options
	backend serve.Backend
	mux     *http.ServeMux
	routes  map[string]*route // by pattern
	errors  *connect.ErrorWriter
	metrics *metrics // nil: none
	guard   *http.CrossOriginProtection

	held     atomic.Int64  // bytes of requests
	requests chan struct{} // one in it for each under way
	streams  chan struct{}

	draining  chan struct{} // closed by Drain
	drainOnce sync.Once
}

// New makes a handler that asks the backend. Its metrics are registered at once, so there is one handler to a registry.
func New(b serve.Backend, o Options) (*Handler, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	h := &Handler{
		o: o, backend: b, mux: http.NewServeMux(), routes: map[string]*route{}, errors: connect.NewErrorWriter(),
		guard:    http.NewCrossOriginProtection(),
		requests: make(chan struct{}, o.MaxRequests), streams: make(chan struct{}, o.MaxStreams), draining: make(chan struct{}),
	}
	if o.Metrics != nil {
		h.metrics = newMetrics(h)
		if err := h.metrics.register(o.Metrics); err != nil {
			return nil, err
		}
	}
	for _, r := range append(h.rest(), h.grpc()...) {
		h.routes[r.pattern] = &r
		h.mux.Handle(r.pattern, r.handler)
	}
	return h, nil
}

// Drain makes the server not ready, so that balancers send nothing more, and ends streaming calls when the requests that they have read are
// answered. Other requests are still taken: http.Server.Shutdown waits for them.
func (h *Handler) Drain() { h.drainOnce.Do(func() { close(h.draining) }) }

func (h *Handler) ready() bool {
	select {
	case <-h.draining:
		return false
	default:
		return h.backend.Ready()
	}
}

// right is what a caller needs for a route.
type right int

const (
	nobody right = iota // health is told to anyone
	caller              // whoever is authorized
	admin
)

// route is a method of the protocol on one transport.
type route struct {
	pattern   string
	method    string
	transport string
	needs     right
	streaming bool
	handler   http.Handler
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, pattern := h.mux.Handler(r)
	found, ok := h.routes[pattern]
	if !ok {
		found = &route{method: "other", transport: transportOf(r), needs: caller}
	}
	c := &call{
		h: h, begin: time.Now(), transport: found.transport, method: found.method, streaming: found.streaming, header: r.Header,
		control: http.NewResponseController(w),
	}
	r = r.WithContext(context.WithValue(h.span(c, found, r), callKey{}, c))
	r.Body = &body{r.Body, c}
	a := &answer{w, c}
	defer h.finish(c, r)
	defer h.recovered(c, a, r)
	h.deadlines(c)
	if err := h.admit(c, found, r); err != nil {
		h.fail(c, a, r, err)
		return
	}
	defer h.release(c)
	if !ok {
		h.unknown(c, a, r)
		return
	}
	h.mux.ServeHTTP(a, r)
}

func transportOf(r *http.Request) string {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
		return "grpc"
	}
	return "rest"
}

// admit lets a request in, or says why not. Who was let in is to be released.
func (h *Handler) admit(c *call, to *route, r *http.Request) error {
	if err := h.guard.Check(r); err != nil {
		return serve.Errorf(serve.PermissionDenied, "a page of another origin may not ask this server")
	}
	if to.transport == "grpc" && !speaksGRPC(r) {
		return serve.Errorf(serve.InvalidArgument, "content type %.40q: want application/grpc", r.Header.Get("Content-Type"))
	}
	if err := h.authorize(c, to.needs, r); err != nil {
		return err
	}
	if to.needs == nobody {
		return nil
	}
	places := h.requests
	if c.streaming {
		places = h.streams
	}
	select {
	case places <- struct{}{}:
		return nil
	default:
		c.who = nil
		return &serve.Error{Code: serve.Exhausted, Text: "too many requests at once", Retry: time.Second}
	}
}

// speaksGRPC tells whether a request is of gRPC, or gRPC-Web, with protobuf: other codecs would have limits of their own.
func speaksGRPC(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	kind = strings.TrimSuffix(kind, "+proto")
	return err == nil && (kind == "application/grpc" || kind == "application/grpc-web")
}

// authorize finds out who asks, where that matters.
func (h *Handler) authorize(c *call, needs right, r *http.Request) error {
	if needs == nobody {
		return nil
	}
	token, err := bearer(r.Header)
	if err != nil {
		return err
	}
	who, err := h.o.Authorize(r.Context(), token, r.TLS)
	if err != nil {
		return err
	}
	if needs == admin && !who.Admin {
		return serve.Errorf(serve.PermissionDenied, "this is for administrators")
	}
	c.who = who
	return nil
}

// bearer is the token of a request's header.
func bearer(header http.Header) (string, error) {
	values := header.Values("Authorization")
	if len(values) == 0 {
		return "", nil
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return "", serve.Errorf(serve.Unauthenticated, "header Authorization: want one, of the form Bearer TOKEN")
	}
	return strings.TrimSpace(token), nil
}

// release gives back the place that admit took.
func (h *Handler) release(c *call) {
	switch {
	case c.who == nil:
	case c.streaming:
		<-h.streams
	default:
		<-h.requests
	}
}

// deadlines bounds the time that reading and writing of a request may take. Streaming calls bound each message.
func (h *Handler) deadlines(c *call) {
	if c.streaming {
		return
	}
	// Where a transport has no deadlines, as in tests without a network, it goes without.
	_ = c.control.SetReadDeadline(c.begin.Add(h.o.ReadTimeout))
	_ = c.control.SetWriteDeadline(time.Time{})
}

// received is called when a request's body is read: the answer may take its time, but not its writing.
func (c *call) received() { _ = c.control.SetReadDeadline(time.Time{}) }

// answering is called when the answer is there.
func (c *call) answering() { _ = c.control.SetWriteDeadline(time.Now().Add(c.h.o.WriteTimeout)) }

// idle is called when an answer of a streaming call is written: the next one may be long in coming.
func (c *call) idle() { _ = c.control.SetWriteDeadline(time.Time{}) }

// fail answers with an error, as the request's transport has it.
func (h *Handler) fail(c *call, w http.ResponseWriter, r *http.Request, err error) {
	told, hidden := connectError(err)
	c.code = told.Code().String()
	if hidden && err != errPanic {
		h.logFault(c, err)
	}
	c.answering()
	if c.transport == "grpc" && speaksGRPC(r) {
		_ = h.errors.Write(w, r, told)
		return
	}
	v, _ := judge(err)
	v.write(w)
}

// recovered ends a panic: it is logged and told as an error, or, if an answer has begun, breaks it off.
func (h *Handler) recovered(c *call, w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p != http.ErrAbortHandler {
		h.logPanic(c, p)
	}
	c.code = connect.CodeInternal.String()
	if p == http.ErrAbortHandler || c.wrote.Load() {
		panic(http.ErrAbortHandler)
	}
	h.fail(c, w, r, errPanic)
}

// errPanic stands for a panic that has been logged.
var errPanic = errors.New("a panic")

// logFault logs what no client is told.
func (h *Handler) logFault(c *call, err error) {
	h.o.Log.Error("request failed", slog.String("method", c.method), slog.String("model", c.model), slog.Any("error", err))
}

func (h *Handler) logPanic(c *call, p any) {
	stack := make([]byte, 16<<10)
	stack = stack[:goruntime.Stack(stack, false)]
	h.o.Log.Error("panic", slog.String("method", c.method), slog.String("model", c.model), slog.Any("panic", p), slog.String("stack", string(stack)))
}

// finish counts and logs a call.
func (h *Handler) finish(c *call, r *http.Request) {
	h.held.Add(-c.held.Load())
	if c.code == "" {
		c.code = "ok"
	}
	if h.metrics != nil {
		h.metrics.done(c)
	}
	c.spanned()
	if h.o.Access == nil {
		return
	}
	name := ""
	if c.who != nil {
		name = c.who.Name
	}
	h.o.Access.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("transport", c.transport), slog.String("method", c.method), slog.String("model", c.model), slog.String("code", c.code),
		slog.Duration("took", time.Since(c.begin)), slog.Int64("in", c.in.Load()), slog.Int64("out", c.out.Load()),
		slog.String("who", name), slog.String("from", r.RemoteAddr))
}
