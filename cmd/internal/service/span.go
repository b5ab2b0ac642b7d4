package service

import (
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
)

// spanned is the writer of the answer to a request that has a span of kind server. What a turn decides is
// told on that span by whoever is the Decided of the Evaluator.
type spanned struct {
	http.ResponseWriter
	span   trace.Span
	status int
}

// begin begins the span of a request, below that in its traceparent. Without a provider of spans, which is a
// global of OpenTelemetry's, there is none, and nothing is written down.
func begin(w http.ResponseWriter, r *http.Request, at *route) (*spanned, *http.Request) {
	ctx := otel.GetTextMapPropagator().Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := otel.Tracer("github.com/aside-go/aside/cmd/internal/service").Start(ctx,
		at.method+" "+at.path, trace.WithSpanKind(trace.SpanKindServer))
	if span.IsRecording() {
		span.SetAttributes(semconv.HTTPRequestMethodKey.String(at.method), semconv.HTTPRoute(at.path))
		if run := r.PathValue("run"); run != "" {
			span.SetAttributes(semconv.GenAIConversationID(run))
		}
	}
	return &spanned{ResponseWriter: w, span: span}, r.WithContext(ctx)
}

// WriteHeader implements http.ResponseWriter.
func (s *spanned) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController set deadlines.
func (s *spanned) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *spanned) end() {
	if s.status != 0 {
		s.span.SetAttributes(semconv.HTTPResponseStatusCode(s.status))
	}
	if s.status >= http.StatusBadRequest {
		s.span.SetAttributes(semconv.ErrorTypeKey.String(strconv.Itoa(s.status)))
	}
	if s.status == 0 || s.status >= http.StatusInternalServerError {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}
