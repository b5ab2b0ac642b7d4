package telemetry

import (
	"context"
	"slices"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/aside-go/aside/inject/transport"
)

// instruments are the metrics.
type instruments struct {
	duration, tokens               metric.Float64Histogram // of the semantic conventions
	fired, held, heldOut, outcomes metric.Int64Counter
	accepted, passed, addedTokens  metric.Int64Counter
	addedDuration                  metric.Float64Histogram
}

func newInstruments(m metric.Meter) *instruments {
	counter := func(name, unit, what string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(what))
		if err != nil {
			otel.Handle(err)
		}
		return c
	}
	histogram := func(name, unit, what string, bounds ...float64) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit(unit), metric.WithDescription(what),
			metric.WithExplicitBucketBoundaries(bounds...))
		if err != nil {
			otel.Handle(err)
		}
		return h
	}
	return &instruments{
		duration: histogram("gen_ai.client.operation.duration", "s", "Time until a response was over.",
			0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92),
		tokens: histogram("gen_ai.client.token.usage", "{token}", "Tokens of model calls.",
			1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864),
		fired: counter("aside.reminder.fired", "{firing}", "Firings."),
		held:  counter("aside.reminder.held", "{firing}", "Firings that something held back."),
		heldOut: counter("aside.reminder.held_out", "{firing}",
			"Firings whose texts were not sent: a holdout."),
		accepted:    counter("aside.reminder.accepted", "{text}", "Texts whose first request the API has taken."),
		outcomes:    counter("aside.reminder.outcome", "{firing}", "What became of what firings expected."),
		passed:      counter("aside.request.passed", "{request}", "Requests that went out as they came."),
		addedTokens: counter("aside.request.added_tokens", "{token}", "Tokens of reminders, estimated."),
		addedDuration: histogram("aside.request.added_duration", "s",
			"Time between a request's arrival and its being sent on.",
			0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1),
	}
}

// request counts a request. of and failed are its attributes.
func (i *instruments) request(ctx context.Context, r *transport.Report, of, failed []attribute.KeyValue) {
	if i.duration.Enabled(ctx) {
		i.duration.Record(ctx, r.Took.Seconds(), metric.WithAttributes(slices.Concat(of, failed)...))
		i.addedDuration.Record(ctx, r.Added.Seconds())
	}
	if r.Passed != "" {
		i.passed.Add(ctx, 1, metric.WithAttributes(passed.String(r.Passed)))
	}
	for _, id := range r.Put {
		if r.Status >= 200 && r.Status < 300 {
			i.accepted.Add(ctx, 1, metric.WithAttributes(reminderID.String(id)))
		}
	}
	i.addedTokens.Add(ctx, int64(r.Tokens))
	u := &r.Usage
	use := func(known bool, n int64, kind attribute.KeyValue) {
		if known {
			i.tokens.Record(ctx, float64(n), metric.WithAttributes(slices.Concat(of, []attribute.KeyValue{kind})...))
		}
	}
	use(u.Context.Known, u.Context.N, semconv.GenAITokenTypeInput)
	use(u.Response.Known, u.Response.N, semconv.GenAITokenTypeOutput)
}
