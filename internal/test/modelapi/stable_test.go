package modelapi_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestI4: what the law finds in two requests of one conversation.
func TestI4(t *testing.T) {
	t.Parallel()
	const ours = `{"type":"text","text":"<system-reminder>\nbe brief\n</system-reminder>"}`
	user := func(blocks ...string) string {
		return `{"role":"user","content":[` + strings.Join(blocks,
			",") + `]}`
	}
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	marked := `{"type":"text","text":"why","cache_control":{"type":"ephemeral"}}`
	next := "," + say("assistant", "so") + "," + say("user", "and")
	tests := []struct {
		name   string
		stable modelapi.Stable
		one    string
		two    string
		broken string // what the error names
	}{
		{"nothing put", modelapi.Stable{}, say("user", "why"), say("user", "why") + next, ""},
		{"repeated", modelapi.Stable{}, user(text("why"), ours), user(text("why"), ours) + next, ""},
		{"a string and a block, marks", modelapi.Stable{}, user(marked, ours), user(text("why"), ours) + next, ""},
		{"gone", modelapi.Stable{}, user(text("why"), ours), say("user", "why") + next, "be brief"},
		{"gone, at the tail", modelapi.Stable{Tail: true}, user(text("why"), ours), say("user", "why") + next, ""},
		{"put before what was answered", modelapi.Stable{Tail: true}, say("user", "why"), user(text("why"), ours) +
			next, "be brief"},
		{"another text", modelapi.Stable{}, user(text("why"), ours),
			user(text("why"), strings.Replace(ours, "brief", "short", 1)) + next, "be short"},
		{"moved", modelapi.Stable{}, user(text("why"), ours), user(ours, text("why")) + next, "why"},
		{"the client's own edit", modelapi.Stable{}, user(text("why"), ours), say("user", "who") + next, ""},
		{"the client's own tag", modelapi.Stable{Ours: func(s string) bool { return s != "be brief" }},
			user(text("why"), ours), say("user", "why") + next, ""},
		{"inside of a text, at the tail", modelapi.Stable{Tail: true},
			say("user", `why\n\n<system-reminder>be brief</system-reminder>`), say("user", "why") + next, ""},
		{"inside of a text", modelapi.Stable{}, say("user", `why\n\n<system-reminder>be brief</system-reminder>`),
			say("user", "why") + next, "be brief"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := modelapi.New(modelapi.Options{})
			f.Ask(messages(opus5, "", say("user", "another conversation")))
			f.Ask(messages(opus5, "", tt.one))
			f.Ask(messages(opus5, "", say("user", "and one more")))
			f.Ask(messages(opus5, "", tt.two))
			if no := f.Refused(); len(no) > 0 {
				t.Fatal(no[0].Answer.Refusal)
			}
			err := tt.stable.Check(f.Records())
			switch {
			case err == nil && tt.broken != "":
				t.Error("the law is said to hold")
			case err != nil && (tt.broken == "" || !strings.Contains(err.Error(), tt.broken) ||
				!strings.HasPrefix(err.Error(), "request 4 has")):
				t.Error(err)
			}
		})
	}
}

// TestAnswersInPieces: a client that keeps each chunk of a stream as a Content has had one answer.
func TestAnswersInPieces(t *testing.T) {
	t.Parallel()
	p, no := modelapi.Read(request("/v1beta/models/gemini-3.8-flash:generateContent",
		`{"contents":[{"role":"user","parts":[{"text":"q"}]},{"role":"model","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]},{"role":"user","parts":[{"text":"q"}]}]}`))
	if no != nil || p.Answers() != 1 {
		t.Error(no, p.Answers())
	}
}
