package evaljson_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/cmd/internal/test/schemas"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// remembered returns a Server whose runs can be explained.
func remembered(t *testing.T) *evaljson.Server {
	t.Helper()
	set, ds := compile.New([]reminder.Reminder{
		{ID: "asked", Mode: reminder.While, Trigger: "user_message", Text: "Answer briefly."},
		{ID: "ran", Trigger: "after_tool:Bash", Text: "A command was run."},
		{ID: "heavy", Trigger: "context_tokens > 8000", Text: "The context fills up."},
		{ID: "plan", Trigger: "manual", Text: "Plan first."},
	}, compile.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	store := state.NewMemory()
	return &evaljson.Server{Eval: eval.New(set, eval.Options{Store: store}), Store: store}
}

const (
	asked  = `{"role":"user","content":[{"type":"text","text":"Why?","at":0}]}`
	called = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{}}]}`
	result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok","at":0}]}`
)

// copied is the messages of the copy in an answer, each as JSON.
func copied(t *testing.T, answer string) (messages []string) {
	t.Helper()
	var a struct {
		Request struct{ Messages []json.RawMessage }
		Errors  []string
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil || len(a.Errors) > 0 {
		t.Fatalf("%v: %s", err, answer)
	}
	for _, m := range a.Request.Messages {
		messages = append(messages, string(m))
	}
	return messages
}

// TestCopies: a line with a request is answered with the copy to send. The same line again gets the same copy
// and fires nothing, and later copies begin with the messages of the earlier ones.
func TestCopies(t *testing.T) {
	t.Parallel()
	s := remembered(t)
	first := `{"protocol":1,"run":"r","request":{"messages":[` + asked + `]}}`
	one := ask(t, s, first)
	before := copied(t, one)
	if !slices.Equal(decode(t, one).fired(), []string{"asked"}) || !strings.Contains(before[0],
		"Answer briefly.") {
		t.Fatal(one)
	}
	again := ask(t, s, first)
	if len(decode(t, again).fired()) > 0 || !slices.Equal(copied(t, again), before) {
		t.Errorf("again: %s", again)
	}
	two := ask(t, s, `{"run":"r","facts":{"context_tokens":9000},"request":{"messages":[`+
		asked+","+called+","+result+`]}}`)
	after := copied(t, two)
	if !slices.Equal(decode(t, two).fired(), []string{"heavy", "ran"}) || len(after) != 3 ||
		after[0] != before[0] ||
		after[1] != called || !strings.Contains(after[2], "The context fills up.") {
		t.Errorf("%q\n%s", decode(t, two).fired(), two)
	}
	forms := ask(t, s, `{"api":"openai-responses","request":{"model":"gpt-5.6","input":"Why?"}}`)
	if !strings.Contains(forms, `"role":"developer"`) {
		t.Error(forms)
	}
	if odd := ask(t, s, `{"run":"r","request":{"messages":"none"}}`); !strings.Contains(odd,
		`"errors":["the request is as it came: shape`) || !strings.Contains(odd, `"request":{"messages":"none"}`) {
		t.Error(odd)
	}
}

// TestQuestions: a reminder that is queued fires on the next turn, and why explains the last one.
func TestQuestions(t *testing.T) {
	t.Parallel()
	s := remembered(t)
	if got := ask(t, s, `{"run":"r","queue":["plan"]}`); got != `{"fired":[],"kept":[],"errors":[]}` {
		t.Error(got)
	}
	if got := decode(t, ask(t, s, `{"run":"r","request":{"messages":[`+asked+`]}}`)).fired(); !slices.Equal(got,
		[]string{"asked", "plan"}) {
		t.Errorf("fired %q", got)
	}
	if got := ask(t, s, `{"run":"r","why":"plan"}`); !strings.Contains(got,
		`"why":{"run":"r","turn":1,`) || !strings.Contains(got, `"why":"it was asked for by name"`) ||
		strings.Contains(got, `"id":"asked"`) {
		t.Error(got)
	}
	if got := ask(t, s, `{"run":"r","why":true}`); strings.Count(got, `"armed":`) != 4 {
		t.Error(got)
	}
	for line, want := range map[string]string{
		`{"run":"other","why":true}`:                 "the run has had no turn yet",
		`{"why":true}`:                               "why: name the run",
		`{"run":"r","queue":["plam"]}`:               `there is no reminder \"plam\": did you mean plan?`,
		`{"run":"r","queue":["plan"],"key":"k"}`:     "key: not beside queue",
		`{"request":{"messages":[]},"prepare":true}`: "prepare: not beside request",
		`{"request":[]}`:                             `request: not an object such as {\"messages\":[]}`,
		`{"request":{"messages":[]},"api":"openai"}`: `api: there is no API \"openai\"; there are `,
		`{"api":"messages"}`:                         "api: there is no request",
		`{"protocol":2}`: "protocol: version 2 is not known, this " +
			"program speaks 1",
		`{"run":"r","request":{"messages":[]},"why":"a"}`: "not beside",
	} {
		if got := ask(t, s, line); !strings.Contains(got, want) {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// TestProtocol: lines in and out are as the schema of the protocol has them, and what it refuses is refused.
func TestProtocol(t *testing.T) {
	t.Parallel()
	schema, err := schemas.Compile("eval")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return err
		}
		return schema.Validate(v)
	}
	s := remembered(t)
	for _, line := range []string{
		`{"protocol":1,"run":"r","request":{"messages":[` + asked +
			`]},"facts":{"context_tokens":9000},"remind":"plan"}`,
		`{"run":"r","why":true}`, `{"run":"r","why":"plan"}`, `{"run":"r","queue":"plan"}`,
		`{"events":[{"user_message":"hi"},{"compacted":true}],"key":"a","at":"2026-01-01T09:30:00Z"}`,
		`{"before":{"tool":"Bash","command":"ls"}}`, `{"stopping":true}`, `{"more":true}`,
		`{"prepare":true,"facts":{}}`,
	} {
		if err := valid(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		got := ask(t, s, line)
		if err := valid(got); err != nil || len(decode(t, got).Errors) > 0 {
			t.Errorf("%s: %v\n%s", line, err, got)
		}
	}
	for _, line := range []string{`{"protocol":2}`, `{"facts":1}`, `{"turn":1}`, `{"queue":[1]}`,
		`{"why":false}`,
		`{"request":[]}`, `{"before":{}}`} {
		if err := valid(line); err == nil {
			t.Errorf("%s is as the schema has it", line)
		}
		if got := ask(t, s, line); len(decode(t, got).Errors) == 0 {
			t.Errorf("%s: %s", line, got)
		}
	}
}
