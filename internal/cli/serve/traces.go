package serve

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/oatta/oatta/internal/cli/console"
)

// tracesWait is how long the last spans may take to be sent when the server stops.
const tracesWait = 5 * time.Second

// tracer is what makes spans, as OpenTelemetry's environment variables say, and what sends the last ones; nil where they ask for none. Sampling,
// batches and the exporter read their own variables.
func tracer(ctx context.Context, log *slog.Logger) (made trace.Tracer, end func(), err error) {
	protocol, err := tracesBy(os.Getenv)
	if err != nil || protocol == "" {
		return nil, func() {}, err
	}
	exporter, err := exporterOf(ctx, protocol)
	if err != nil {
		return nil, nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.Merge(resource.NewSchemaless(attribute.String("service.name", "oatta"), attribute.String("service.version", console.Version())), resource.Environment())
	if err != nil {
		return nil, nil, fmt.Errorf("traces: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces could not be sent", "error", err) }))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return provider.Tracer("github.com/oatta/oatta/serve"), func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracesWait)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last traces could not be sent", "error", err)
		}
	}, nil
}

// tracesBy reads the protocol by which spans are sent; "" where they are not. They are where a receiver is named, or an exporter.
func tracesBy(env func(string) string) (string, error) {
	first := func(names ...string) string {
		for _, name := range names {
			if v := strings.TrimSpace(env(name)); v != "" {
				return v
			}
		}
		return ""
	}
	exporter := strings.ToLower(first("OTEL_TRACES_EXPORTER"))
	switch {
	case strings.EqualFold(first("OTEL_SDK_DISABLED"), "true") || exporter == "none":
		return "", nil
	case exporter == "" && first("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT") == "":
		return "", nil
	case exporter != "" && exporter != "otlp":
		return "", fmt.Errorf("OTEL_TRACES_EXPORTER=%s: want otlp or none", exporter)
	}
	switch protocol := strings.ToLower(first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")); protocol {
	case "", "http/protobuf":
		return "http/protobuf", nil
	case "grpc":
		return protocol, nil
	default:
		return "", fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL=%s: want http/protobuf or grpc", protocol)
	}
}

func exporterOf(ctx context.Context, protocol string) (*otlptrace.Exporter, error) {
	if protocol == "grpc" {
		return otlptracegrpc.New(ctx)
	}
	return otlptracehttp.New(ctx)
}
