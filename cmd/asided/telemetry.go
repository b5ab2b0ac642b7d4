package main

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	api "go.opentelemetry.io/otel/trace"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/serve"
	"github.com/aside-go/aside/inject/transport/telemetry"
)

// exported reports whether the environment names an exporter of a signal, TRACES or METRICS. Unlike an SDK by
// itself, asided sends nothing to a collector that nobody has named. It speaks OTLP over HTTP alone: gRPC
// would be a megabyte more, and every collector takes both.
func exported(signal string) (bool, error) {
	set := func(variable string) string { return os.Getenv("OTEL_" + variable) }
	exporter := set(signal + "_EXPORTER")
	to := cmp.Or(set("EXPORTER_OTLP_"+signal+"_ENDPOINT"), set("EXPORTER_OTLP_ENDPOINT"))
	if set("SDK_DISABLED") == "true" || exporter == "none" || exporter+to == "" {
		return false, nil
	}
	if exporter != "" && exporter != "otlp" {
		return false, command.Usage("OTEL_%s_EXPORTER=%s: otlp or none", signal, exporter)
	}
	protocol := cmp.Or(set("EXPORTER_OTLP_"+signal+"_PROTOCOL"), set("EXPORTER_OTLP_PROTOCOL"), overHTTP)
	if protocol != overHTTP {
		return false, command.Usage("OTEL_EXPORTER_OTLP_PROTOCOL=%s: %s alone, on the port that the collector has "+
			"for it (4318)", protocol, overHTTP)
	}
	return true, nil
}

// overHTTP is the value of OTEL_EXPORTER_OTLP_PROTOCOL that is taken.
const overHTTP = "http/protobuf"

// exporting is what asided sends to a collector. The zero exporting sends nothing.
type exporting struct {
	resource *resource.Resource
	stop     []func(context.Context) error
}

// begin has s send spans and the values of /metrics, as far as the environment names exporters.
func (x *exporting) begin(ctx context.Context, s *serve.Server, values prometheus.Gatherer) error {
	spans, err := exported("TRACES")
	if err != nil {
		return err
	}
	numbers, err := exported("METRICS")
	if err != nil || !spans && !numbers {
		return err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		s.Proxy.Log.Warn("telemetry could not be sent", "why", err.Error())
	}))
	x.resource, err = resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(semconv.ServiceName("aside"), semconv.ServiceVersion(command.Version())),
		resource.WithFromEnv())
	if err == nil && spans {
		err = x.traces(ctx, s)
	}
	if err == nil && numbers {
		err = x.metrics(ctx, values)
	}
	return err
}

// traces exports a span for each request to a model and of the evaluation API, below that in its traceparent.
// Log lines of a request name its trace.
func (x *exporting) traces(ctx context.Context, s *serve.Server) error {
	to, err := otlptracehttp.New(ctx)
	if err != nil {
		return err
	}
	tracers := trace.NewTracerProvider(trace.WithBatcher(to), trace.WithResource(x.resource))
	x.stop = append(x.stop, tracers.Shutdown)
	otel.SetTextMapPropagator(propagation.TraceContext{})
	otel.SetTracerProvider(tracers) // for package service
	// the numbers are those of /metrics
	tel := telemetry.New(telemetry.Options{Tracers: tracers, Meters: noop.NewMeterProvider()})
	s.Proxy.Transport, s.Evaluator = tel.Transport(s.Proxy.Transport), tel.Evaluator
	s.Proxy.Context = func(r *http.Request) context.Context {
		return otel.GetTextMapPropagator().Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	}
	s.Proxy.Log = slog.New(traced{s.Proxy.Log.Handler()})
	return nil
}

// traced is a handler of logs that names the trace of a record's context.
type traced struct{ slog.Handler }

// Handle implements slog.Handler.
func (t traced) Handle(ctx context.Context, r slog.Record) error {
	if span := api.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace", span.TraceID().String()))
	}
	return t.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (t traced) WithAttrs(a []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(a)} }

// WithGroup implements slog.Handler.
func (t traced) WithGroup(name string) slog.Handler { return traced{t.Handler.WithGroup(name)} }

// metrics exports the values of /metrics.
func (x *exporting) metrics(ctx context.Context, values prometheus.Gatherer) error {
	to, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return err
	}
	meters := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(to,
		metric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(values))))), metric.WithResource(
		x.resource))
	x.stop = append(x.stop, meters.Shutdown)
	return nil
}

// end sends what has not been sent yet, for as long as within.
func (x *exporting) end(log *slog.Logger, within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for _, stop := range x.stop {
		if err := stop(ctx); err != nil {
			log.Warn("telemetry could not be sent", "why", err.Error())
		}
	}
}
