package oip

import (
	"context"
	"net/http"

	"connectrpc.com/connect"
	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// span begins that of a call, below the one that its header names. Health and metrics have none: they would drown the others.
func (h *Handler) span(c *call, to *route, r *http.Request) context.Context {
	ctx := r.Context()
	if h.o.Tracer == nil || to.needs == nobody || to.method == methodMetrics {
		return ctx
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	ctx, c.span = h.o.Tracer.Start(ctx, c.method, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(c.begin),
		trace.WithAttributes(attribute.String("oatta.transport", c.transport)))
	return ctx
}

// spanned ends the span of a call.
func (c *call) spanned() {
	if c.span == nil {
		return
	}
	c.span.SetAttributes(attribute.Int64("oatta.bytes.in", c.in.Load()), attribute.Int64("oatta.bytes.out", c.out.Load()))
	endSpan(c.span, c.model, c.code)
}

// spanOne begins the span of a request within a streaming call.
func (v *conversation) spanOne(ctx context.Context) (context.Context, trace.Span) {
	if v.c.span == nil {
		return ctx, nil
	}
	return v.c.h.o.Tracer.Start(ctx, methodInfer, trace.WithAttributes(attribute.String("oatta.transport", v.c.transport)))
}

// endSpan tells how a request ended, by gRPC's name of the code. Only the server's own faults are errors of a span.
func endSpan(s trace.Span, model, code string) {
	if s == nil {
		return
	}
	s.SetAttributes(attribute.String("oatta.model", model), attribute.String("oatta.code", code))
	if code == connect.CodeInternal.String() || code == connect.CodeUnavailable.String() {
		s.SetStatus(otelcodes.Error, "")
	}
	s.End()
}
