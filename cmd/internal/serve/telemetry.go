package serve

import (
	"cmp"
	"context"
	"log/slog"
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

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport/telemetry"
)

// exported reports whether the environment names an exporter of a signal, TRACES or METRICS. Unlike an SDK by
// itself, serve sends nothing to a collector that nobody has named. It speaks OTLP over HTTP alone: gRPC
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

// overHTTP is the value of OTEL_EXPORTER_OTLP_PROTOCOL that serve takes.
const overHTTP = "http/protobuf"

// exporting is what serve sends to a collector. The zero exporting sends nothing.
type exporting struct {
	resource *resource.Resource
	stop     []func(context.Context) error
}

// traces exports a span for each request to a model and of the evaluation API, where the environment names an
// exporter of traces.
func (x *exporting) traces(ctx context.Context, o *proxy.Options, decided *eval.Options) error {
	if on, err := exported("TRACES"); !on {
		return err
	}
	if err := x.begin(ctx, o.Log); err != nil {
		return err
	}
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
	o.Transport, *decided = tel.Transport(o.Transport), tel.Evaluator(*decided)
	return nil
}

// begin describes this process, and has faults of exporters logged.
func (x *exporting) begin(ctx context.Context, log *slog.Logger) (err error) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn("telemetry could not be sent", "why", err.Error())
	}))
	x.resource, err = resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(semconv.ServiceName("aside"), semconv.ServiceVersion(command.Version())),
		resource.WithFromEnv())
	return err
}

// metrics exports the values of /metrics, where the environment names an exporter of metrics.
func (x *exporting) metrics(ctx context.Context, log *slog.Logger, values prometheus.Gatherer) error {
	if on, err := exported("METRICS"); !on {
		return err
	}
	if err := x.begin(ctx, log); err != nil {
		return err
	}
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
