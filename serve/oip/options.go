package oip

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/oatta/oatta/serve"
)

// Options of the front end. The zero value serves anyone, with the defaults.
type Options struct {
	// Name and Version of the server, as its metadata have them; no name: oatta.
	Name, Version string
	// Authorize tells whom a request is from: token is what stands behind "Bearer" in its header, empty if there is none; state is nil without
	// TLS. An error refuses the request. Health is answered without asking. Nil: [serve.Anyone].
	Authorize func(ctx context.Context, token string, state *tls.ConnectionState) (*serve.Principal, error)

	// Metrics is where the metrics of requests are registered, and what /metrics shows, to administrators; nil: neither.
	Metrics *prometheus.Registry
	// Tracer makes a span of each request, below which the backend's are; nil: none.
	Tracer trace.Tracer
	// Log takes what goes wrong in the server; nil: slog.Default.
	Log *slog.Logger
	// Access takes a line for each request, without what is in it; nil: none.
	Access *slog.Logger

	MaxBody     int64 // bytes of a request as sent, or of a message of gRPC; 0: 64 MiB
	MaxDecoded  int64 // bytes of it decompressed; 0: MaxBody
	MaxHeld     int64 // bytes of all requests at once; 0: 1 GiB
	MaxElements int   // of a tensor; 0: 2^24
	MaxRequests int   // at once, those of streaming calls not counted; 0: 1024
	MaxStreams  int   // streaming calls at once; 0: 1024
	Ahead       int   // requests of a streaming call that wait for their answers, before the next one is read; 0: 64

	HeaderTimeout time.Duration // for a request's header; 0: 10 s
	ReadTimeout   time.Duration // for a request's body; 0: 1 min
	WriteTimeout  time.Duration // for an answer to be taken; 0: 1 min
	IdleTimeout   time.Duration // for a connection without requests; 0: 2 min
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	o.Name = cmp.Or(o.Name, "oatta")
	if o.Authorize == nil {
		o.Authorize = func(context.Context, string, *tls.ConnectionState) (*serve.Principal, error) {
			return serve.Anyone(), nil
		}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.MaxBody = cmp.Or(o.MaxBody, 64<<20)
	o.MaxDecoded = cmp.Or(o.MaxDecoded, o.MaxBody)
	o.MaxHeld = cmp.Or(o.MaxHeld, 1<<30)
	o.MaxElements = cmp.Or(o.MaxElements, 1<<24)
	o.MaxRequests = cmp.Or(o.MaxRequests, 1024)
	o.MaxStreams = cmp.Or(o.MaxStreams, 1024)
	o.Ahead = cmp.Or(o.Ahead, 64)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, 10*time.Second)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, time.Minute)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, time.Minute)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 2*time.Minute)
	return o
}

func (o *Options) check() error {
	for _, limit := range []int64{o.MaxBody, o.MaxDecoded, o.MaxHeld, int64(o.MaxElements), int64(o.MaxRequests), int64(o.MaxStreams), int64(o.Ahead)} {
		if limit < 0 {
			return errors.New("oip: options: a limit is negative")
		}
	}
	if o.MaxBody > 1<<31-1 {
		return errors.New("oip: options: MaxBody: at most 2 GiB less one byte, as gRPC has it")
	}
	for _, limit := range []time.Duration{o.HeaderTimeout, o.ReadTimeout, o.WriteTimeout, o.IdleTimeout} {
		if limit < 0 {
			return errors.New("oip: options: a time is negative")
		}
	}
	return nil
}

// Server returns an HTTP server with the handler: HTTP/1.1 and HTTP/2, the latter by prior knowledge where there is no TLS, and the limits of
// the options. Who runs it sets the address, and TLS where it is wanted.
func (h *Handler) Server() *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           h,
		Protocols:         protocols,
		ReadHeaderTimeout: h.o.HeaderTimeout,
		IdleTimeout:       h.o.IdleTimeout,
		MaxHeaderBytes:    1 << 16,
		ErrorLog:          slog.NewLogLogger(h.o.Log.Handler(), slog.LevelDebug),
		// Peers that are gone, or take nothing, are found out: streaming calls have no other limit of time.
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 256, SendPingTimeout: 30 * time.Second, PingTimeout: 30 * time.Second, WriteByteTimeout: h.o.WriteTimeout},
	}
}
