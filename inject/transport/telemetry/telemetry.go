package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
)

// Options say where spans and metrics go. The zero Options use the global providers.
type Options struct {
	Tracers    trace.TracerProvider          // nil: otel.GetTracerProvider
	Meters     metric.MeterProvider          // nil: otel.GetMeterProvider
	Propagator propagation.TextMapPropagator // for requests that are sent; nil: otel.GetTextMapPropagator
}

// Telemetry makes spans and metrics. Create one with New.
type Telemetry struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	*instruments
}

// scope names who measures.
const scope = "github.com/aside-go/aside/inject/transport/telemetry"

// New returns a Telemetry. An instrument that the provider refuses is told to otel.Handle and does nothing.
func New(o Options) *Telemetry {
	tracers, meters := cmp.Or(o.Tracers, otel.GetTracerProvider()), cmp.Or(o.Meters, otel.GetMeterProvider())
	return &Telemetry{tracers.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL)),
		cmp.Or(o.Propagator, otel.GetTextMapPropagator()),
		newInstruments(meters.Meter(scope, metric.WithSchemaURL(semconv.SchemaURL)))}
}

// Attributes of spans, events and metrics, beside those of the semantic conventions.
const (
	reminderID      = attribute.Key("aside.reminder.id")
	reminderWhy     = attribute.Key("aside.reminder.why")
	reminderTokens  = attribute.Key("aside.reminder.tokens")
	reminderOutcome = attribute.Key("aside.reminder.outcome")
	reminderAfter   = attribute.Key("aside.reminder.after")
	reminderHeldOut = attribute.Key("aside.reminder.held_out")
	turn            = attribute.Key("aside.turn")
	again           = attribute.Key("aside.again")
	kind            = attribute.Key("aside.request.kind")
	coverage        = attribute.Key("aside.coverage")
	passed          = attribute.Key("aside.passed")
	addedTokens     = attribute.Key("aside.added_tokens")
	repeated        = attribute.Key("aside.repeated")
	rules           = attribute.Key("aside.rules")
)

// Engine returns o with what Evaluator and Transport add to its parts.
func (t *Telemetry) Engine(o engine.Options) engine.Options {
	o.Eval, o.Transport = t.Evaluator(o.Eval), t.Transport(o.Transport)
	return o
}

// Evaluator returns o with a Decided that tells each turn, and then calls that of o.
func (t *Telemetry) Evaluator(o eval.Options) eval.Options {
	next := o.Decided
	o.Decided = func(ctx context.Context, run string, d *eval.Decision) {
		t.decided(ctx, d)
		if next != nil {
			next(ctx, run, d)
		}
	}
	return o
}

// Transport returns o with a span around each request to a model. Its Base, Begin and Report are called as
// before.
func (t *Telemetry) Transport(o transport.Options) transport.Options {
	if o.Base == nil {
		o.Base = http.DefaultTransport
	}
	o.Base = sender{o.Base, t.propagator}
	begin, report := o.Begin, o.Report
	o.Begin = func(ctx context.Context, api wire.API) context.Context {
		if begin != nil {
			ctx = begin(ctx, api)
		}
		ctx, span := t.tracer.Start(ctx, operation(api), trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(semconv.GenAIOperationNameKey.String(operation(api)), provider(api)))
		return context.WithValue(ctx, requestKey{}, span)
	}
	o.Report = func(ctx context.Context, r transport.Report) {
		if span, ours := ctx.Value(requestKey{}).(trace.Span); ours {
			t.reported(ctx, span, &r)
			span.End()
		}
		if report != nil {
			report(ctx, r)
		}
	}
	return o
}

// requestKey is the key of a request's span in its context. The host may have begun other spans since.
type requestKey struct{}

// sender puts the context of the span into the headers of the request that is sent.
type sender struct {
	base       http.RoundTripper
	propagator propagation.TextMapPropagator
}

// RoundTrip implements http.RoundTripper. The request is the Transport's own copy, with headers of its own.
func (s sender) RoundTrip(r *http.Request) (*http.Response, error) {
	span, _ := r.Context().Value(requestKey{}).(trace.Span)
	signed := strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-") || r.Header.Get("Signature-Input") != ""
	if span != nil && span.SpanContext().IsValid() && !signed {
		s.propagator.Inject(r.Context(), propagation.HeaderCarrier(r.Header))
	}
	return s.base.RoundTrip(r)
}

// operation is the gen_ai.operation.name of an API.
func operation(api wire.API) string {
	if api == wire.Gemini || api == wire.Interactions {
		return semconv.GenAIOperationNameGenerateContent.Value.AsString()
	}
	return semconv.GenAIOperationNameChat.Value.AsString()
}

// provider is the gen_ai.provider.name of an API: who has defined it, which is all that a request tells.
func provider(api wire.API) attribute.KeyValue {
	if who, known := providers[api]; known {
		return who
	}
	return semconv.GenAIProviderNameKey.String("_OTHER")
}

var providers = map[wire.API]attribute.KeyValue{wire.Anthropic: semconv.GenAIProviderNameAnthropic,
	wire.Chat: semconv.GenAIProviderNameOpenAI, wire.Responses: semconv.GenAIProviderNameOpenAI,
	wire.Gemini: semconv.GenAIProviderNameGCPGemini, wire.Interactions: semconv.GenAIProviderNameGCPGemini,
	wire.Converse: semconv.GenAIProviderNameAWSBedrock}

// reported sets the attributes of a request's span, and counts the request.
func (t *Telemetry) reported(ctx context.Context, span trace.Span, r *transport.Report) {
	of := []attribute.KeyValue{semconv.GenAIOperationNameKey.String(operation(r.API)), provider(r.API)}
	if r.Model != "" {
		of = append(of, semconv.GenAIRequestModel(r.Model))
	}
	var failed []attribute.KeyValue
	switch {
	case r.Status == 0:
		failed = []attribute.KeyValue{semconv.ErrorTypeOther}
	case r.Status >= 400:
		failed = []attribute.KeyValue{semconv.ErrorTypeKey.String(strconv.Itoa(r.Status))}
	}
	t.request(ctx, r, of, failed)
	if !span.IsRecording() {
		return
	}
	if failed != nil {
		span.SetStatus(codes.Error, "")
	}
	if r.Model != "" {
		span.SetName(operation(r.API) + " " + r.Model)
	}
	set := append(of, failed...)
	add := func(known bool, a attribute.KeyValue) {
		if known {
			set = append(set, a)
		}
	}
	add(true, kind.String(r.Kind))
	add(r.Run != "", semconv.GenAIConversationID(r.Run))
	add(r.Status != 0, semconv.HTTPResponseStatusCode(r.Status))
	add(r.Turn != 0, turn.Int(r.Turn))
	add(r.Again, again.Bool(true))
	add(r.Rules != "", rules.String(r.Rules))
	c, _ := r.Coverage()
	add(c != "", coverage.String(string(c)))
	add(r.Passed != "", passed.String(r.Passed))
	add(r.Tokens != 0, addedTokens.Int(r.Tokens))
	add(r.Repeat != 0, repeated.Int(r.Repeat))
	u := &r.Usage
	add(u.ID != "", semconv.GenAIResponseID(u.ID))
	add(u.Model != "", semconv.GenAIResponseModel(u.Model))
	add(u.Context.Known, semconv.GenAIUsageInputTokens(int(u.Context.N)))
	add(u.Response.Known, semconv.GenAIUsageOutputTokens(int(u.Response.N)))
	add(u.Read.Known, semconv.GenAIUsageCacheReadInputTokens(int(u.Read.N)))
	add(u.Written.Known, semconv.GenAIUsageCacheCreationInputTokens(int(u.Written.N)))
	span.SetAttributes(set...)
}

// decided tells the decision of a turn.
func (t *Telemetry) decided(ctx context.Context, d *eval.Decision) {
	if len(d.Fired)+len(d.Held)+len(d.Outcomes) == 0 {
		return
	}
	span := trace.SpanFromContext(ctx)
	tell := func(name string, count metric.Int64Counter, labels, more []attribute.KeyValue) {
		count.Add(ctx, 1, metric.WithAttributes(labels...))
		if span.IsRecording() {
			span.AddEvent(name, trace.WithAttributes(append(append(labels, turn.Int(d.Turn)), more...)...))
		}
	}
	for _, f := range d.Fired {
		name, count, why := "aside.reminder.fired", t.fired, "trigger"
		if f.HeldOut {
			name, count = "aside.reminder.held_out", t.heldOut
		}
		if f.Manual {
			why = "manual"
		}
		tell(name, count, []attribute.KeyValue{reminderID.String(f.ID), reminderWhy.String(why)},
			[]attribute.KeyValue{reminderTokens.Int(f.Tokens)})
	}
	for _, h := range d.Held {
		if h.Why != reminder.HeldArmed {
			tell("aside.reminder.held", t.held,
				[]attribute.KeyValue{reminderID.String(h.ID), reminderWhy.String(h.Why)}, nil)
		}
	}
	for _, o := range d.Outcomes {
		tell("aside.reminder.outcome", t.outcomes, []attribute.KeyValue{reminderID.String(o.ID),
			reminderOutcome.String(o.Outcome), reminderHeldOut.Bool(o.HeldOut)},
			[]attribute.KeyValue{reminderAfter.Int(o.After)})
	}
}
