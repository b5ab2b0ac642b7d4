package sdktest_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/openai/openai-go/v3"
	"google.golang.org/genai"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// status is what an error of any of the SDKs says about the response; 0 of other errors.
func status(err error) int {
	var a *anthropic.Error
	var o *openai.Error
	var g genai.APIError
	var b *awshttp.ResponseError
	switch {
	case errors.As(err, &a):
		return a.StatusCode
	case errors.As(err, &o):
		return o.StatusCode
	case errors.As(err, &g):
		return g.Code
	case errors.As(err, &b):
		return b.HTTPStatusCode()
	}
	return 0
}

// message is the text of an error; openai-go leaves it out of Error.
func message(err error) string {
	if o := (*openai.Error)(nil); errors.As(err, &o) {
		return o.Message
	}
	return err.Error()
}

// TestBareErrors: the SDKs know the fakes' errors for what they are.
func TestBareErrors(t *testing.T) {
	t.Parallel()
	each(t, sdks, func(t *testing.T, s sdk, m mode) {
		for _, code := range []int{400, 429, 500, 529} {
			w := serve(t, modelapi.Options{Faults: map[int]modelapi.Fault{1: {Status: code}}})
			a := s.open(t, w, m)
			a.User(prompts[0])
			if _, err := a.Ask(t.Context()); status(err) != code {
				t.Errorf("%d: %v", code, err)
			}
		}
		w := serve(t, modelapi.Options{})
		a := s.open(t, w, m)
		a.User(prompts[0])
		a.Results([]result{{ID: "call_9", Name: "Read", Text: "of no call"}})
		_, err := a.Ask(t.Context())
		no := w.fake.Refused()
		if len(no) != 1 {
			t.Fatalf("%v, and %d refusals", err, len(no))
		}
		if why := no[0].Answer.Refusal; status(err) != why.Status || !strings.Contains(message(err),
			strings.TrimSpace(why.Message)) {
			t.Errorf("%v; the fake's was %v", err, why)
		}
	})
}

// TestBareBroken: a response that is torn off or is none is an error to the SDKs.
func TestBareBroken(t *testing.T) {
	t.Parallel()
	each(t, sdks, func(t *testing.T, s sdk, m mode) {
		faults := map[string]modelapi.Fault{"garbage": {Garbage: true},
			"reset": {After: 2, Reset: true, Chunk: 150}}
		if m.stream {
			delete(faults, "garbage") // some SDKs take what is no stream for an empty one
		}
		for name, f := range faults {
			w := serve(t, modelapi.Options{Script: modelapi.Turns(replies...), Faults: map[int]modelapi.Fault{1: f}})
			a := s.open(t, w, m)
			a.User(prompts[0])
			if got, err := a.Ask(t.Context()); err == nil {
				t.Errorf("%s: no error, but %+v", name, got)
			}
		}
	})
}

// troubled are faults at which the SDK tries again: twice in a row, and another time.
func (s sdk) troubled() map[int]modelapi.Fault {
	return map[int]modelapi.Fault{2: {Status: s.busy}, 3: {Status: s.busy}, 5: {Status: 500}}
}

// TestBareRetries: an SDK sends the same bytes again.
func TestBareRetries(t *testing.T) {
	t.Parallel()
	each(t, sdks, func(t *testing.T, s sdk, m mode) {
		m.retries = 2
		w := serve(t, modelapi.Options{Script: modelapi.Turns(replies...), Faults: s.troubled()})
		got := play(t, s.open(t, w, m))
		sameAnswers(t, got, told(s.thinking), accepted(w.fake.Records()))
		sameAttempts(t, w.fake.Records())
	})
}

// accepted are the records of requests that were answered.
func accepted(rs []modelapi.Record) []modelapi.Record {
	return slices.DeleteFunc(slices.Clone(rs), func(r modelapi.Record) bool { return r.Answer.Refusal != nil })
}

// sameAttempts: behind a fault comes the same body.
func sameAttempts(t *testing.T, rs []modelapi.Record) {
	t.Helper()
	if want := len(replies) + 3; len(rs) != want {
		t.Fatalf("%d requests arrived, want %d", len(rs), want)
	}
	for i, r := range rs[:len(rs)-1] {
		if r.Answer.Refusal != nil && !bytes.Equal(r.Request.Body, rs[i+1].Request.Body) {
			t.Errorf("request %d is no retry of %d:\n%s\n%s", i+2, i+1, r.Request.Body, rs[i+1].Request.Body)
		}
	}
}
