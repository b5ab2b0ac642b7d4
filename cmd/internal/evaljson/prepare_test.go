package evaljson_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/compile/reminder"
)

// prepare has a turn prepared, and returns what commits it.
func prepare(t *testing.T, s *evaljson.Server, members string) string {
	t.Helper()
	a, err := s.Decide(t.Context(), "r", []byte(`{"prepare":true,`+members+`}`))
	if err != nil || a.Prepared == "" {
		t.Fatal(a, err)
	}
	return a.Prepared
}

func fired(a *evaljson.Answer) (ids string) {
	if a != nil {
		for _, f := range a.Fired {
			ids += f.ID + " "
		}
	}
	return ids
}

// TestPrepare: a prepared turn spends nothing, and is committed as it was prepared or not at all, by any
// process.
func TestPrepare(t *testing.T) {
	t.Parallel()
	near := reminder.Reminder{ID: "near", Trigger: "context_usage > 75%", Text: "{{.turn_count}}"}
	const full = `"facts":{"context_usage":0.8}`
	commit := func(s *evaljson.Server, as, members string) (string, error) {
		a, err := s.Decide(t.Context(), "r", []byte(fmt.Sprintf(`{"commit":%q,%s}`, as, members)))
		return fired(a), err
	}
	for _, key := range []string{"", `"key":"k1",`} {
		s := server(t, near)
		as := prepare(t, s, key+full)
		if again := prepare(t, s, key+full); key != "" && again == "" {
			t.Error("not again")
		}
		other := &evaljson.Server{Eval: s.Eval}
		if got, err := commit(other, as, key+full); got != "near " || err != nil {
			t.Error(got, err)
		}
		got, err := commit(s, as, key+full) // a lost answer
		if key == "" && !errors.Is(err, evaljson.ErrChanged) || key != "" && (got != "near " || err != nil) {
			t.Errorf("%q: %q %v", key, got, err)
		}
	}
	s := server(t, near)
	as := prepare(t, s, full)
	if _, err := commit(s, as, `"facts":{"context_usage":0.7}`); !errors.Is(err, evaljson.ErrChanged) {
		t.Error(err)
	}
	if _, err := s.Decide(t.Context(), "r", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := commit(s, as, full); !errors.Is(err, evaljson.ErrChanged) { // the text names another turn
		t.Error(err)
	}
	for _, bad := range []string{`{"commit":"x"}`, `{"commit":1}`, `{"commit":"` + as + `","prepare":true}`,
		`{"run":"r"}`} {
		var refused *evaljson.Refusal
		if _, err := s.Decide(t.Context(), "r", []byte(bad)); !errors.As(err, &refused) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestEvents: events report the same as the facts that follow from them.
func TestEvents(t *testing.T) {
	t.Parallel()
	rs := []reminder.Reminder{}
	for i, when := range []string{`user_message`, `prompt contains "plan"`, `tool_failed:Bash`,
		`after_tool:@edit(*.go)`, `last_response_tokens == 7`, `response contains "done"`, `compacted`,
		`not user_message`, `context_tokens > 10`, `after_tool:*`, `not after_tool:*`} {
		rs = append(rs, reminder.Reminder{ID: fmt.Sprint("r", i), Mode: reminder.While, Trigger: when, Text: "x"})
	}
	for _, c := range []struct{ events, want string }{
		{``, "r10 r7 "},
		{`{"user_message":"a plan"}`, "r0 r1 r10 "},
		{`{"response":{"text":"done","tokens":7,"context_tokens":11}},{"call":{"tool":"Bash","failed":true}},` +
			`{"call":{"tool":"Edit","path":"a.go"}}`, "r2 r3 r4 r5 r7 r8 r9 "},
		{`{"response":{"context_tokens":11}},{"compacted":true}`, "r10 r6 r7 "},
		{`{"compacted":true},{"response":{"context_tokens":11}}`, "r10 r6 r7 r8 "},
		{`{"response":{"text":"done"}},{"response":{}}`, "r10 r7 "},
		{`{"resumed":true}`, "r7 "},
	} {
		a, err := server(t, rs...).Decide(t.Context(), "r", []byte(`{"events":[`+c.events+`]}`))
		if got := fired(a); err != nil || got != c.want {
			t.Errorf("%s: %q %v, want %q", c.events, got, err, c.want)
		}
	}
	for bad, want := range map[string]string{
		`"events":{}`:                              "events must be a list",
		`"events":[1]`:                             "an event is a mapping with one key",
		`"events":[{"mesage":"x"}]`:                `there is no event "mesage"`,
		`"events":[{"user_mesage":"x"}]`:           "did you mean user_message?",
		`"events":[{"user_message":1}]`:            "prompt",
		`"events":[{"compacted":false}]`:           "write true",
		`"events":[{"response":{"txt":"x"}}]`:      "did you mean text?",
		`"events":[{"call":{}}]`:                   "a call without a tool",
		`"events":[],"facts":{"tools":["A"]}`:      "the events report tool_used",
		`"events":[],"facts":{"compacted":true}`:   "the events report compacted",
		`"events":[],"before":{"tool":"Bash"}`:     "events: the moment that before names is not a turn",
		`"events":[{"response":{"tokens":"x"}}]`:   "last_response_tokens",
		`"events":[{"response":[]}]`:               "response must be a mapping",
		`"events":[{"user_message":"a","call":1}]`: "one key",
	} {
		if _, err := server(t).Decide(t.Context(), "r", []byte("{"+bad+"}")); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
