package backend

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// The spans of a request, below that of its sender's context, in the order in which they come. A filter alone has no network's.
const (
	spanDecode       = "decode"        // inputs become rows
	spanNetworkQueue = "network queue" // waiting for a run of the network
	spanEngine       = "engine"        // the network, on a batch
	spanBatch        = "batch"         // all of the run, until its rows are passed on in their order
	spanStreamQueue  = "stream queue"  // waiting for the filter of the model's streams
	spanStep         = "step"          // the filter
	spanCommit       = "commit"        // the state becomes durable
)

// tracerOf is what makes the spans of a request; nil where nobody asks for any.
func tracerOf(c *call) trace.Tracer {
	if span := trace.SpanFromContext(c.ctx); span.IsRecording() {
		return span.TracerProvider().Tracer("github.com/oatta/oatta/serve/backend")
	}
	return nil
}

// span tells a part of a call's way that is over, up to now, and how many rows and requests shared it; 0: that is not told. It holds nothing of what
// is asked or answered.
func (c *call) span(name string, from time.Time, rows, requests int) {
	if c.tracer == nil || from.IsZero() {
		return
	}
	var shared []attribute.KeyValue
	if rows > 0 {
		shared = append(shared, attribute.Int("oatta.rows", rows))
	}
	if requests > 0 {
		shared = append(shared, attribute.Int("oatta.requests", requests))
	}
	_, s := c.tracer.Start(c.ctx, name, trace.WithTimestamp(from), trace.WithAttributes(shared...))
	s.End()
}

// waits notes that a call waits from now on.
func (c *call) waits() {
	if c.tracer != nil {
		c.waiting = time.Now()
	}
}
