package cluster

import (
	"context"
	"net/http"

	"github.com/nats-io/nats.go"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// traced has a question carry the span of its context, as W3C's header. It is NATS's form of headers, which is that of HTTP.
func traced(ctx context.Context, msg *nats.Msg) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return
	}
	msg.Header = nats.Header{}
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(http.Header(msg.Header)))
}

// span begins that of a question of another member, below the one that it carries; nil where no spans are wanted.
func (m *Member) span(ctx context.Context, j *job) (context.Context, trace.Span) {
	if m.options.Tracer == nil {
		return ctx, nil
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(http.Header(j.header)))
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, nil // what gateways ask on their own would drown the others
	}
	return m.options.Tracer.Start(ctx, "member "+j.q.operation(), trace.WithSpanKind(trace.SpanKindServer))
}

// operation is one of those that there are, lest a member of another version make up names.
func (q *question) operation() string {
	switch q.Op {
	case opInfer, opList, opShow, opExport, opImport, opForget, opModel, opModels, opStatistics:
		return q.Op
	}
	return "unknown"
}
