package modelapi

import (
	"fmt"
	"net/http"
)

// Refusal is an error that an API answers. It is an error.
type Refusal struct {
	API     API
	Rule    Rule   // "" of a Fault's Status
	Status  int    // of HTTP
	Message string // in the vendor's words
	Code    string // of Anthropic: error_code in the details; "": it has none
}

// Error returns the status, the rule and the message.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: %d %s (%s)", r.API, r.Status, r.Message, r.Rule)
}

// Body returns the error as the API writes it.
func (r *Refusal) Body() []byte {
	switch r.API {
	case Anthropic:
		var details any
		if r.Code != "" {
			details = obj("error_code", r.Code)
		}
		return obj("type", "error", "error", obj("type", anthropicType(r.Status), "message", r.Message,
			"details", details), "request_id", "req_wiretest")
	case Gemini, Interactions:
		return obj("error", obj("code", r.Status, "message", r.Message, "status", geminiStatus(r.Status)))
	case Converse:
		return obj("message", r.Message)
	}
	return obj("error", obj("message", r.Message, "type", openaiType(r.Status), "param", nil, "code", nil))
}

// header sets the headers that come with the error.
func (r *Refusal) header(h http.Header) {
	h.Set("Content-Type", "application/json")
	switch r.API {
	case Anthropic:
		h.Set("Request-Id", "req_wiretest")
	case Converse:
		h.Set("X-Amzn-Errortype", converseType(r.Status))
	}
	if r.Status == http.StatusTooManyRequests {
		h.Set("Retry-After", "1")
	}
}

func anthropicType(status int) string {
	switch status {
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 429:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

func openaiType(status int) string {
	switch {
	case status == 429:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

func geminiStatus(status int) string {
	switch status {
	case 404:
		return "NOT_FOUND"
	case 429:
		return "RESOURCE_EXHAUSTED"
	case 500:
		return "INTERNAL"
	case 503, 529:
		return "UNAVAILABLE"
	}
	return "INVALID_ARGUMENT"
}

func converseType(status int) string {
	switch status {
	case 404:
		return "ResourceNotFoundException"
	case 429:
		return "ThrottlingException"
	case 500:
		return "InternalServerException"
	case 503, 529:
		return "ServiceUnavailableException"
	}
	return "ValidationException"
}

// refusals makes the refusals of an API.
type refusals API

// bad returns a refusal with status 400. Without args, format is the message.
func (a refusals) bad(rule Rule, format string, args ...any) *Refusal {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return &Refusal{API: API(a), Rule: rule, Status: http.StatusBadRequest, Message: format}
}

// fault returns the refusal for a status that a test has asked for.
func (a API) fault(status int) *Refusal {
	message := map[int]string{429: "Rate limited", 500: "Internal server error", 503: "Service unavailable",
		529: "Overloaded"}[status]
	if message == "" {
		message = "refused as the test asked"
	}
	return &Refusal{API: a, Status: status, Message: message}
}
