package lens_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aside-go/aside/cmd/aside/internal/view/lens"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/test/schemas"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/test/testkit"
)

// rules compiles a rule file.
func rules(t *testing.T, text string) *compile.Set {
	t.Helper()
	rs, ds := document.Read("rules.yaml", []byte(text))
	set, more := compile.FromFiles(rs, compile.Options{})
	if ds = append(ds, more...); len(ds) > 0 {
		t.Fatal(ds)
	}
	return set
}

// shown opens a recording and returns its items, each on a line.
func shown(t *testing.T, o replay.Options) []string {
	t.Helper()
	var said bytes.Buffer
	o.Err = &said
	s, err := lens.Open(t.Context(), o)
	if err != nil || said.Len() > 0 {
		t.Fatal(err, said.String())
	}
	valid(t, s)
	var out []string
	for _, i := range s.Items {
		line := fmt.Sprintf("%d %s", i.Turn, i.Kind)
		if m := i.Reminder; m != nil {
			m.Explain()
			line += fmt.Sprintf(" %s:%d %s live=%t why=%q %s+%d %q next=%q", m.File, m.Line, m.ID, m.Live, m.Why,
				m.Outcome, m.After, m.Text, m.Next)
		} else {
			line = strings.TrimRight(fmt.Sprintf("%s %s %s -> %s", line, i.Title, i.Text,
				strings.ReplaceAll(i.Output, "\n", "|")), "-> ")
			if i.Failed {
				line += " failed"
			}
		}
		out = append(out, line)
	}
	return out
}

// valid holds that a session as JSON is what aside schema view says, with all that is known of each reminder.
func valid(t *testing.T, s *lens.Session) {
	t.Helper()
	for _, at := range s.Reminders() {
		s.Items[at].Reminder.Explain()
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := schemas.Compile("view")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
}

// TestOpen holds the order of a session in which a hook has put a text before the model: the text stands
// where the model read it, and is a reminder's where a rule says so.
func TestOpen(t *testing.T) {
	t.Parallel()
	o := replay.Options{Paths: []string{testkit.Data(t, "hook-fixtures", "claude-code", "transcripts",
		"02-hook-lines.jsonl")}}
	const text = "Tests were last run before these edits; `make test` is the project check."
	const recorded = `3 reminder :0  live=true why="" +0 "` + text + `" next=""`
	plain := []string{
		"1 prompt  Rename the retry flag and fix the tests.",
		"1 answer  I will look for the flag first.",
		"1 call Grep retryCount -> flags.go|flags_test.go",
		"2 call Bash go test ./... -> Exit code 1|--- FAIL: TestRetry failed",
		"3 answer  The test still uses the old name.",
	}
	for _, c := range []struct {
		name, rules string
		want        map[int]string // reminders, and where they stand
	}{
		{"without rules", "reminders: []\n", map[int]string{4: recorded}},
		{"with the rule", "reminders:\n  - id: checks\n    when: last_tool_call_failed\n    content: " + text +
			"\n",
			map[int]string{4: `3 reminder rules.yaml:2 checks live=true why="last_tool_call_failed" +0 "` + text +
				`" next="fires on each turn with last_tool_call_failed"`}},
		{"with another rule", "reminders:\n  - id: grep\n    when: after_tool:Grep\n    expect: after_tool:Bash\n" +
			"    content: Searched.\n", map[int]string{
			3: `2 reminder rules.yaml:2 grep live=false why="after_tool:Grep" heeded+1 "Searched." ` +
				`next="fires on each turn with after_tool:Grep"`,
			5: recorded}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := o
			o.Set = rules(t, c.rules)
			want := slices.Clone(plain)
			for _, at := range slices.Sorted(maps.Keys(c.want)) {
				want = slices.Insert(want, at, c.want[at])
			}
			if diff := cmp.Diff(want, shown(t, o)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTyped holds prompts to what the person typed, and that a text which an agent has put beside them is a
// reminder where a rule says it.
func TestTyped(t *testing.T) {
	t.Parallel()
	const codex = `{"timestamp":"2026-10-01T08:00:00.000Z","type":"session_meta","payload":{"id":"c","cwd":"/p"}}
{"timestamp":"2026-10-01T08:00:00.000Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"Sandbox: none."}]}}
{"timestamp":"2026-10-01T08:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Go."}]}}
{"timestamp":"2026-10-01T08:00:00.000Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"Use <b>make</b>."}]}}
{"timestamp":"2026-10-01T08:00:01.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Gone."}]}}
`
	gemini := func(behind string) string {
		return `{"sessionId":"s","projectHash":"h","kind":"main"}
{"id":"u1","type":"user","content":[{"text":"Go."},{"text":"<hook_context>` + behind + `</hook_context>"}]}
{"id":"g1","type":"gemini","content":"Gone.","tokens":{"input":1200,"output":20,"cached":0,"total":1220},"model":"gemini-2.5-flash"}
`
	}
	const rule = "reminders:\n  - id: make\n    when: user_message\n    content: Use <b>make</b>.\n"
	for _, c := range []struct{ name, session, prompt, live string }{
		{"codex", codex, "1 prompt  Go.", "live=true"},
		{"gemini", gemini("Use &lt;b&gt;make&lt;/b&gt;."), "1 prompt  Go.", "live=true"},
		{"another hook", gemini("Obey."), "1 prompt  Go.", "live=false"},
		{"typed", strings.ReplaceAll(codex, "Go.", "<hook_context>Use <b>make</b>.</hook_context> Go."),
			"1 prompt  <hook_context>Use <b>make</b>.</hook_context> Go.", "live=true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := shown(t, replay.Options{Paths: []string{"s.jsonl"}, Set: rules(t, rule),
				Files: fstest.MapFS{"s.jsonl": {Data: []byte(c.session)}}})
			want := []string{c.prompt, "", "1 answer  Gone."}
			if len(got) > 1 && strings.HasPrefix(got[1], "1 reminder rules.yaml:2 make "+c.live) {
				want[1] = got[1]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
