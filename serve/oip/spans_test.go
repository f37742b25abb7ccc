package oip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/oatta/oatta/serve/servetest"
)

// tracing is a tracer, and what it has made.
func tracing() (Options, *tracetest.InMemoryExporter) {
	recorded := tracetest.NewInMemoryExporter()
	return Options{Tracer: sdk.NewTracerProvider(sdk.WithSyncer(recorded)).Tracer("test")}, recorded
}

// told is a span in words.
func told(s tracetest.SpanStub) string {
	text := s.Name + " " + s.SpanKind.String()
	for _, a := range s.Attributes {
		if !strings.HasPrefix(string(a.Key), "oatta.bytes") {
			text += fmt.Sprintf(" %s=%s", strings.TrimPrefix(string(a.Key), "oatta."), a.Value.String())
		}
	}
	return text
}

// Each request has a span, below its sender's, which tells how it ended and nothing of what is in it.
func TestSpansOfRequests(t *testing.T) {
	o, recorded := tracing()
	s := newTester(t, o)
	const parent = "0123456789abcdef0123456789abcdef"
	s.want(200, `{…`, "POST", inferPath, streamRequest("secret-stream", `,"oatta_key":"secret-key"`, 0.515625, 0.3, 0.184375),
		http.Header{"Traceparent": {"00-" + parent + "-0123456789abcdef-01"}})
	s.want(400, `{…`, "POST", inferPath, `{"parameters":{"sequence_id":"secret-stream"}}`, nil)
	s.want(404, `{…`, "GET", "/v2/models/secret/streams/secret-stream", "", nil)
	s.want(200, `{…`, "GET", "/v2/health/live", "", nil)
	spans := recorded.GetSpans()
	want := []string{
		"ModelInfer server transport=rest model=filter code=ok", "ModelInfer server transport=rest model= code=invalid_argument",
		"StreamShow server transport=rest model= code=not_found",
	}
	if len(spans) != len(want) || spans[0].SpanContext.TraceID().String() != parent {
		t.Fatalf("%d spans: %+v", len(spans), spans)
	}
	for i, span := range spans {
		if told(span) != want[i] {
			t.Errorf("%s, want %s", told(span), want[i])
		}
	}
	if text := fmt.Sprintf("%+v", spans); strings.Contains(text, "secret") || strings.Contains(text, "0.515625") {
		t.Errorf("a span holds what was asked: %s", text)
	}
}

// A streaming call has a span, and each request in it one of its own below that.
func TestSpansOfStreamingCalls(t *testing.T) {
	o, recorded := tracing()
	client, _, _ := dial(t, servetest.New(3), o)
	if _, err := client.ModelInfer(context.Background(), asked("a", 0.5, 0.3, 0.2)); err != nil {
		t.Fatal(err)
	}
	call, err := client.ModelStreamInfer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, probs := range [][]float64{{0.5, 0.3, 0.2}, {9, 9, 9}} {
		if err := call.Send(asked("a", probs...)); err != nil {
			t.Fatal(err)
		}
		if _, err := call.Receive(); err != nil {
			t.Fatal(err)
		}
	}
	if err := call.CloseRequest(); err != nil {
		t.Fatal(err)
	}
	if _, err := call.Receive(); !errors.Is(err, io.EOF) {
		t.Errorf("%v: want the end", err)
	}
	if err := call.CloseResponse(); err != nil {
		t.Error(err)
	}
	var all []string
	spans := recorded.GetSpans()
	for _, s := range spans {
		all = append(all, told(s))
	}
	want := "ModelInfer server transport=grpc model=filter code=ok; ModelInfer internal transport=grpc model=filter code=ok; " +
		"ModelInfer internal transport=grpc model=filter code=invalid_argument; ModelStreamInfer server transport=grpc model= code=ok"
	if got := strings.Join(all, "; "); got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	if spans[1].Parent.SpanID() != spans[3].SpanContext.SpanID() {
		t.Errorf("a request within the call is below %v", spans[1].Parent.SpanID())
	}
}
