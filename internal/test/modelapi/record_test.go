package modelapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestErrors: status, shape and headers of a refusal, per API.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r      modelapi.Request
		path   []any
		want   any
		header string
	}{
		{messages(opus5, ""), []any{"error", "type"}, "invalid_request_error", "Request-Id"},
		{messages(opus5, ""), []any{"type"}, "error", ""},
		{completions("gpt-5.6"), []any{"error", "type"}, "invalid_request_error", ""},
		{responses("", output("c1")), []any{"error", "message"},
			"No tool call found for function call output with call_id c1.", ""},
		{generate("gemini-3.8-flash"), []any{"error", "status"}, "INVALID_ARGUMENT", ""},
		{generate("gemini-3.8-flash"), []any{"error", "code"}, 400.0, ""},
		{converse("anthropic.claude-opus-5-v1:0"), []any{"message"},
			"A conversation must start with a user message. Try again with a conversation that starts with a user " +
				"message.", "X-Amzn-Errortype"},
	} {
		w := serve(modelapi.New(modelapi.Options{}), c.r)
		same(t, c.r.Path, w.Code, http.StatusBadRequest)
		same(t, c.r.Path, at(object(t, w.Body.String()), c.path...), c.want)
		if c.header != "" && w.Header().Get(c.header) == "" {
			t.Errorf("%s: no %s", c.r.Path, c.header)
		}
	}
	if w := serve(modelapi.New(modelapi.Options{}), request("/v1/nothing",
		"{}")); w.Code != http.StatusNotFound || !json.Valid(w.Body.Bytes()) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestRetry: a fault of the n-th request is its own; the same request again gets the same turn of the script.
func TestRetry(t *testing.T) {
	t.Parallel()
	f := modelapi.New(modelapi.Options{Script: modelapi.Turns(modelapi.Say("one"), modelapi.Say("two")),
		Faults: map[int]modelapi.Fault{1: {Status: 529}, 2: {Status: 529}}})
	first := messages(opus5, "", say("user", "q"))
	for n, status := range []int{529, 529, 200, 200} {
		w := serve(f, first)
		if w.Code != status || status == 200 && !strings.Contains(w.Body.String(), `"one"`) {
			t.Errorf("%d: %d %s", n, w.Code, w.Body)
		}
	}
	if w := serve(f, messages(opus5, "", say("user", "q"), say("assistant", "one"),
		say("user", "q"))); !strings.Contains(w.Body.String(), `"two"`) {
		t.Error(w.Body)
	}
	same(t, "records", len(f.Records()), 5)
	same(t, "refused", len(f.Refused()), 2)
	same(t, "number", f.Records()[4].N, 5)
}

func TestReminders(t *testing.T) {
	t.Parallel()
	r := `<system-reminder>\none\n</system-reminder>`
	marked := `<system-reminder id=\"tok\">two</system-reminder>`
	p, no := modelapi.Read(beta(messages(opus5, `"system":"be kind `+r+`"`, say("user", r+" and "+marked),
		blocks("assistant", use("t1")),
		blocks("user", strings.Replace(result("t1"), "ok", "out "+r, 1), text(r)), scoped(marked)), clearAt))
	if no != nil {
		t.Fatal(no)
	}
	want := []modelapi.Found{
		{Text: "one", Role: "system", Message: -1, Path: "system"},
		{Text: "one", Role: "user", Path: "messages.0.content"},
		{Text: "two", Role: "user", Path: "messages.0.content"},
		{Text: "one", Role: "user", Message: 2, Inside: true},
		{Text: "one", Role: "user", Message: 2, Block: 1, Path: "messages.2.content.1"},
		{Text: "two", Role: "system", Message: 3, Path: "messages.3.content"},
	}
	got := p.Reminders()
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if want[i].Path == "" {
			want[i].Path = got[i].Path
		}
		same(t, "reminder", got[i], want[i])
	}
	lines := p.Conversation()
	same(t, "call", lines[2], "assistant: Bash(t1)")
	same(t, "scoped", strings.HasPrefix(lines[5], "system (until next_user_message): "), true)
}

// TestModelNames: a row is found behind a vendor's or a region's name.
func TestModelNames(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5",
		"us.anthropic.claude-haiku-4-5-v1:0"} {
		if no := modelapi.Check(messages(model, "", say("user", "q"), say("system", "s")), nil); no == nil {
			t.Errorf("%s takes a system message", model)
		}
	}
	all := []modelapi.Model{{Prefix: "mine", System: true}}
	if no := modelapi.Check(messages("mine-2", "", say("user", "q"), say("system", "s")), all); no != nil {
		t.Error(no)
	}
}
