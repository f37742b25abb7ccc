package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/oatta/oatta/internal/cli/console"
)

// receiver takes spans by OTLP, over HTTP and gRPC, as a collector does.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []*collector.ExportTraceServiceRequest
}

func (r *receiver) take(q *collector.ExportTraceServiceRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, q)
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r, mux := &receiver{}, http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(_ http.ResponseWriter, h *http.Request) {
		q := &collector.ExportTraceServiceRequest{}
		data, err := io.ReadAll(h.Body)
		if err == nil {
			err = proto.Unmarshal(data, q)
		}
		if err != nil {
			t.Error(err)
		}
		r.take(q)
	})
	const method = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	mux.Handle(method, connect.NewUnaryHandler(method,
		func(_ context.Context, q *connect.Request[collector.ExportTraceServiceRequest]) (*connect.Response[collector.ExportTraceServiceResponse], error) {
			r.take(q.Msg)
			return connect.NewResponse(&collector.ExportTraceServiceResponse{}), nil
		}))
	r.Server = httptest.NewUnstartedServer(mux)
	r.Config.Protocols = new(http.Protocols)
	r.Config.Protocols.SetHTTP1(true)
	r.Config.Protocols.SetUnencryptedHTTP2(true)
	r.Start()
	t.Cleanup(r.Close)
	return r
}

// The environment variables of OpenTelemetry have the server send a span of each request and of its parts, by either protocol, without a word of
// what was asked; without them nothing is sent.
func TestServeTraces(t *testing.T) {
	for name, c := range map[string]struct {
		env  []string
		sent bool
	}{
		"http":     {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=AT", "OTEL_SERVICE_NAME=cameras"}, true},
		"grpc":     {[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=AT", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_RESOURCE_ATTRIBUTES=service.name=cameras"}, true},
		"unset":    {nil, false},
		"none":     {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=AT", "OTEL_TRACES_EXPORTER=none"}, false},
		"disabled": {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=AT", "OTEL_SDK_DISABLED=true"}, false},
		"sampled":  {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=AT", "OTEL_TRACES_SAMPLER=always_off"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t)
			cmd := program(t, "serve", "--listen", "127.0.0.1:0", "--classes", "3", "--state", t.TempDir())
			for _, v := range c.env {
				cmd.Env = append(cmd.Env, strings.Replace(v, "=AT", "="+r.URL, 1))
			}
			s := startCommand(t, cmd, cmd.Env)
			if _, err := s.ask(http.DefaultClient, "secret-stream", map[string]any{"oatta_key": "secret-key"}, []float64{0.515625, 0.3, 0.184375}); err != nil {
				t.Fatal(err)
			}
			if err := s.stop(t); err != nil {
				t.Errorf("%v: %s", err, s.errOut)
			}
			var names []string
			for _, q := range r.got {
				for _, from := range q.ResourceSpans {
					if about := from.Resource.String(); !strings.Contains(about, `"cameras"`) || !strings.Contains(about, "service.version") {
						t.Errorf("spans of %s", about)
					}
					for _, scope := range from.ScopeSpans {
						for _, span := range scope.Spans {
							names = append(names, span.Name)
						}
					}
				}
				if text := q.String(); strings.Contains(text, "secret") || strings.Contains(text, "0.515625") {
					t.Errorf("a span holds what was asked: %s", text)
				}
			}
			if want := []string{"decode", "stream queue", "step", "commit", "ModelInfer"}; c.sent && !slices.Equal(names, want) || !c.sent && len(names) > 0 {
				t.Errorf("%q, want %q: %t; %s", names, want, c.sent, s.errOut)
			}
		})
	}
}

// What cannot be sent as it is wanted is told at the start; a receiver that is not there is told in the log, and nobody waits for it.
func TestServeTracesBadly(t *testing.T) {
	for _, v := range []string{"OTEL_TRACES_EXPORTER=zipkin", "OTEL_EXPORTER_OTLP_PROTOCOL=http/json"} {
		cmd := program(t, "serve", "--listen", "127.0.0.1:0", "--classes", "3")
		cmd.Env = append(cmd.Env, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", v)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != console.Nothing || !strings.Contains(string(out), v) {
			t.Errorf("%s: %v: %s", v, err, out)
		}
	}
	cmd := program(t, "serve", "--listen", "127.0.0.1:0", "--classes", "3")
	s := startCommand(t, cmd, append(cmd.Env, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TIMEOUT=100"))
	if _, err := s.ask(http.DefaultClient, "a", nil, []float64{0.7, 0.2, 0.1}); err != nil {
		t.Error(err)
	}
	if err := s.stop(t); err != nil || !strings.Contains(s.errOut.String(), "traces could not be sent") {
		t.Errorf("%v: %s", err, s.errOut)
	}
}
