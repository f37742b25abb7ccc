package backend

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// certain is a network that is sure of the first class.
type certain struct{ wide }

func (certain) Close() error { return nil }
func (certain) Batch() int   { return 8 }
func (certain) Predict(_ context.Context, dst []float64, _ []float32, of []Row, _ []error) error {
	for i := range of {
		dst[i*classes] = 1
	}
	return nil
}

// A request that is traced tells its way, step by step, and nothing of what is in it; one that is not costs no span.
func TestSpans(t *testing.T) {
	for name, c := range map[string]struct {
		network Network
		want    []string
	}{
		"filter":  {nil, []string{spanDecode, spanStreamQueue, spanStep, spanCommit}},
		"network": {certain{}, []string{spanDecode, spanNetworkQueue, spanEngine, spanBatch, spanStreamQueue, spanStep, spanCommit}},
	} {
		t.Run(name, func(t *testing.T) {
			recorded := tracetest.NewInMemoryExporter()
			provider := sdk.NewTracerProvider(sdk.WithSyncer(recorded))
			b := mustNew(t, Options{File: inFolder(t.TempDir()), Models: []Source{{Name: "filter", Open: func(context.Context) (*Opened, error) {
				return &Opened{Classes: classes, Network: c.network}, nil
			}}}})
			mustInfer(t, b, ask("secret", prediction(1)))
			if n := len(recorded.GetSpans()); n != 0 {
				t.Errorf("%d spans of a request that is not traced", n)
			}
			ctx, parent := provider.Tracer("test").Start(t.Context(), "request")
			q := ask("secret", prediction(1), prediction(2))
			q.Sequence.Key = "secret key"
			if _, err := b.Infer(ctx, q); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, s := range recorded.GetSpans() {
				names = append(names, s.Name)
				if s.Parent.SpanID() != parent.SpanContext().SpanID() || s.EndTime.Before(s.StartTime) {
					t.Errorf("%s: below %v, from %v to %v", s.Name, s.Parent.SpanID(), s.StartTime, s.EndTime)
				}
				for _, a := range s.Attributes {
					if a.Value.Type() != attribute.INT64 || !strings.HasPrefix(string(a.Key), "oatta.r") {
						t.Errorf("%s: %v", s.Name, a)
					}
				}
			}
			if !slices.Equal(names, c.want) {
				t.Errorf("%q, want %q", names, c.want)
			}
		})
	}
}
