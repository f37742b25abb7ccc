package cluster

import (
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/oatta/oatta/serve/natsserver/natstest"
)

// What is asked at one member and done at another is one trace, and holds nothing of what is asked; without a span nothing is told.
func TestSpans(t *testing.T) {
	s := natstest.Start(t)
	recorded := tracetest.NewInMemoryExporter()
	tracer := sdk.NewTracerProvider(sdk.WithSyncer(recorded)).Tracer("test")
	a, gate := join(t, s.Connect, "a", true, 1), join(t, s.Connect, "gate", false, 1)
	a.options.Tracer = tracer
	waitFor(t, "members", func() bool { return a.Ready() && gate.Ready() })
	if _, err := gate.Infer(t.Context(), request(1, 0)); err != nil {
		t.Fatal(err)
	}
	if spans := recorded.GetSpans(); len(spans) != 0 {
		t.Errorf("%+v", spans)
	}
	ctx, root := tracer.Start(t.Context(), "root", trace.WithSpanKind(trace.SpanKindClient))
	if _, err := gate.Infer(ctx, request(1, 1)); err != nil {
		t.Fatal(err)
	}
	root.End()
	waitFor(t, "the span of the member", func() bool {
		return slices.ContainsFunc(recorded.GetSpans(), func(s tracetest.SpanStub) bool { return s.Name == "member infer" })
	})
	var names []string
	for _, s := range recorded.GetSpans() {
		names = append(names, s.Name)
		if s.SpanContext.TraceID() != root.SpanContext().TraceID() {
			t.Errorf("%s is of another trace", s.Name)
		}
		if s.Name == "member infer" && s.Parent.SpanID() != root.SpanContext().SpanID() {
			t.Error("the member's span is below another")
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, ", "); got != "commit, decode, member infer, root, step, stream queue" {
		t.Error(got)
	}
}

// The gauges of a member tell what it sees.
func TestGauges(t *testing.T) {
	s := natstest.Start(t)
	a, gate := join(t, s.Connect, "a", true, 1), join(t, s.Connect, "gate", false, 1)
	waitFor(t, "members", func() bool { return a.Ready() && gate.Ready() })
	for n, want := range map[*node][4]float64{a: {2, shards, 0, 0}, gate: {2, 0, 0, 0}} {
		r := prometheus.NewRegistry()
		if err := n.Register(r); err != nil {
			t.Fatal(err)
		}
		got, err := r.Gather()
		if err != nil || len(got) != 4 {
			t.Fatal(got, err)
		}
		for _, f := range got {
			i := slices.Index([]string{"oatta_group_members", "oatta_group_shards_held", "oatta_group_shards_missing", "oatta_group_requests"}, f.GetName())
			if i < 0 || f.Metric[0].GetGauge().GetValue() != want[i] {
				t.Errorf("%s: %v, want %v", n.options.Name, f, want)
			}
		}
	}
}
