package request_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/request"
)

func read(t *testing.T, in request.Incoming) *request.Request {
	t.Helper()
	q, err := request.ReadFacts(in)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// last returns a body of each API whose last message is a user's text behind an answer.
func last(name api.Name, text string) string {
	raw, _ := json.Marshal(text)
	s := string(raw)
	switch name {
	case api.Responses:
		return `{"tools":[{}],"input":[{"role":"user","content":"first"},{"role":"assistant","content":"b"},{"role":"user","content":` + s + `}]}`
	case api.Gemini:
		return `{"tools":[{}],"contents":[{"parts":[{"text":"first"}]},{"role":"model","parts":[{"text":"b"}]},{"role":"user","parts":[{"text":` + s + `}]}]}`
	case api.Converse:
		return `{"toolConfig":{"tools":[{}]},"messages":[{"role":"user","content":[{"text":"first"}]},{"role":"assistant","content":[{"text":"b"}]},{"role":"user","content":[{"text":` + s + `}]}]}`
	default:
		return `{"tools":[{}],"messages":[{"role":"user","content":"first"},{"role":"assistant","content":"b"},{"role":"user","content":` + s + `}]}`
	}
}

var every = []api.Name{api.Messages, api.Anthropic, api.Chat, api.Responses, api.Gemini, api.Converse}

// TestNobodyTyped: texts that are nothing but tags of a host are nobody's; what only looks like it is a
// person's.
func TestNobodyTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		person bool
	}{
		{"<system-reminder>\nx\n</system-reminder>", false},
		{"  <system-reminder mark=\"k\">x</system-reminder>\n", false},
		{"&lt;system-reminder>x&lt;/system-reminder>", false},
		{"<context-update>x</context-update>", false},
		{"<command-message>x</command-message>\n<command-name>/x</command-name>\n<command-args></command-args>",
			false},
		{"<local-command-stdout>x</local-command-stdout>", false},
		{"<task-notification>\n<task-id>7</task-id>\n</task-notification>", false},
		{"<subagent_notification>{}</subagent_notification>", false},
		{"<environment_context>\n  <cwd>/</cwd>\n</environment_context>", false},
		{"<hook_context source=\"PostToolUse\">x</hook_context>", false},
		{"<qwen:user-prompt-submit-context>&lt;x&gt;</qwen:user-prompt-submit-context>", false},
		{"[Request interrupted by user for tool use]", false},
		{"This session is being continued from a previous conversation that ran out of context. x", false},
		{"Another language model started to solve this problem and produced a summary of x", false},
		{"Some of the conversation history has been summarized to free up context.\n\nx", false},
		{"x\n\nResume the prior task using the summary above. Continue from the last in-flight step; do not " +
			"acknowledge the summary, do not re-introduce, do not greet the user again.", false},
		{"Continue if you have next steps, or stop and ask for clarification if x", false},
		{"You have stopped calling tools without finishing. You have one final chance to x", false},
		{"<current_datetime>2026-01-01T00:00:00Z</current_datetime>", false},

		{"<system-reminder>x</system-reminder> and then?", true},
		{"look: <system-reminder>x</system-reminder>", true},
		{"<system-reminder>x</system-reminder> why <system-reminder>y</system-reminder>", true},
		{"<system-reminder>without an end", true},
		{"<system-reminders>x</system-reminders>", true},
		{"<system-reminders>x</system-reminder>", true},
		{"<b>x</b>", true},
		{"[1] a note", true},
		{"why: This session is being continued from a previous conversation", true},
		{"Resume the prior task using the summary above.", true},
		{"< system-reminder>x</system-reminder>", true},
		{"", true},
		{" ", true},
	} {
		for _, api := range every {
			q := read(t, request.Incoming{API: api, Body: []byte(last(api, c.text))})
			want := "first"
			if c.person {
				want = c.text
			}
			if q.UserMessage != fact.Of(c.person) || q.Prompt.S != want || !q.Prompt.Known {
				t.Errorf("%s: %q: user %v, prompt %q", api, c.text, q.UserMessage, q.Prompt.S)
			}
		}
	}
}

// TestTagsBesideText: blocks that are wholly tags are not part of the prompt, and do not make it anybody
// else's.
func TestTagsBesideText(t *testing.T) {
	t.Parallel()
	q := read(t, request.Incoming{API: api.Anthropic,
		Body: []byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},
		{"type":"text","text":"do it"},{"type":"text","text":"<context-update>y</context-update>"}]}]}`)})
	if q.UserMessage != fact.True || q.Prompt.S != "do it" {
		t.Errorf("user %v, prompt %q", q.UserMessage, q.Prompt.S)
	}
}

// TestPreamble: what a host puts in front of a person's words, in one text with them, is not part of the
// prompt.
func TestPreamble(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<current_datetime>2026-01-01T00:00:00Z</current_datetime>\n\ngo": "go",
		"<current_datetime>2026-01-01T00:00:00Z</current_datetime>go":     "go",
		"<current_datetime>go":                      "<current_datetime>go",
		"go <current_datetime>x</current_datetime>": "go <current_datetime>x</current_datetime>",
	} {
		for _, api := range every {
			if q := read(t, request.Incoming{API: api, Body: []byte(last(api, text))}); q.UserMessage != fact.True ||
				q.Prompt.S != want {
				t.Errorf("%s: %q: user %v, prompt %q", api, text, q.UserMessage, q.Prompt.S)
			}
		}
	}
}

// TestSummaryAmidATurn: where a client compacts in the middle of a turn, the prompt stays the last one, and
// nobody has just submitted it; behind a summary a person speaks as ever.
func TestSummaryAmidATurn(t *testing.T) {
	t.Parallel()
	const summary = `{"role":"user","content":[{"type":"input_text","text":"Another language model started to solve this problem and produced a summary of x"}]}`
	for _, c := range []struct{ input, want string }{
		{`{"role":"user","content":"first"},` + summary, "false first 1"},
		{`{"role":"user","content":"first"},` + summary + `,{"role":"user","content":"second"}`, "true second 2"},
		{summary, "false  0"},
	} {
		q := read(t, request.Incoming{API: api.Responses, Body: []byte(`{"tools":[{}],"input":[` + c.input + `]}`)})
		if got := fmt.Sprint(q.UserMessage, " ", q.Prompt.S, " ", q.UserTurns.N); got != c.want {
			t.Errorf("%s: %s, want %s", c.input, got, c.want)
		}
	}
}

// TestMarks: a mark of the host wins over structure, ours over those of vendors.
func TestMarks(t *testing.T) {
	t.Parallel()
	const round = `{"tools":[{}],"messages":[{"role":"user","content":"first"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ls"}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"stop that"}]}]}`
	typed := last(api.Anthropic, "second")
	for _, c := range []struct {
		name, body string
		header     map[string][]string
		want       string
	}{
		{"none, a round", round, nil, "false first"},
		{"none, a prompt", typed, nil, "true second"},
		{"user", round, head("X-Reminder-Turn", "user"), "true stop that"},
		{"tool", typed, head("x-reminder-turn", "tool"), "false first"},
		{"auto", typed, head("X-REMINDER-TURN", " Auto "), "false first"},
		{"a word that nobody knows", typed, head("X-Reminder-Turn", "maybe"), "true second"},
		{"Copilot, user", typed, head("X-Initiator", "user"), "true second"},
		{"Copilot, user, in a round", round, head("X-Initiator", "user"), "true stop that"},
		{"Copilot, agent", typed, head("X-Initiator", "agent"), "false first"},
		{"Copilot, subagent, a round", round, head("X-Initiator", "agent", "X-Interaction-Type",
			"conversation-subagent"), "false "},
		{"ours over Copilot's", typed, head("X-Initiator", "agent", "X-Reminder-Turn", "user"), "true second"},
		{"ours over a subagent's", typed, head("X-Claude-Code-Session-Id", "r", "X-Claude-Code-Agent-Id", "a",
			"X-Reminder-Turn", "user"), "true second"},
		{"Claude Code, a person began the turn", strings.Replace(typed, `{`,
			`{"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2; cc_turn_origin=human;"}],`, 1), nil, "true second"},
		{"the same, a round", strings.Replace(round, `{`,
			`{"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2; cc_turn_origin=human;"}],`, 1), nil, "false first"},
		{"Claude Code, nobody began it", strings.Replace(typed, `{`,
			`{"system":[{"type":"text","text":"x-anthropic-billing-header: cc_turn_origin=task_notification; x=y"}],`, 1), nil, "false first"},
		{"only in the header's line", strings.Replace(typed, `{`, `{"system":"about cc_turn_origin=auto",`, 1), nil,
			"true second"},
	} {
		q := read(t, request.Incoming{API: api.Anthropic, Header: c.header, Body: []byte(c.body)})
		if got := fmt.Sprint(q.UserMessage, " ", q.Prompt.S); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMarkOnToolMessage: what a tool says is nobody's prompt, whatever a mark says.
func TestMarkOnToolMessage(t *testing.T) {
	t.Parallel()
	q := read(t, request.Incoming{API: api.Chat, Header: head("X-Reminder-Turn", "user"),
		Body: []byte(`{"messages":[{"role":"user","content":"first"},
		{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"ls"}}]},{"role":"tool","tool_call_id":"1","content":"from a tool"}]}`)})
	if q.UserMessage != fact.True || q.Prompt.S != "first" {
		t.Errorf("user %v, prompt %q", q.UserMessage, q.Prompt.S)
	}
}

// TestPromptKey: one user turn has one key through tool rounds, counting of tokens and retries, whatever
// moves over its message; the same words again are another turn (rule 4).
func TestPromptKey(t *testing.T) {
	t.Parallel()
	key := func(messages string) string {
		return read(t, request.Incoming{API: api.Anthropic, Body: []byte(`{"messages":[` + messages +
			`]}`)}).PromptKey
	}
	first := key(`{"role":"user","content":"go on"}`)
	if first == "" {
		t.Fatal("no key")
	}
	for name, messages := range map[string]string{
		"as a block":      `{"role":"user","content":[{"type":"text","text":"go on","cache_control":{"type":"ephemeral"}}]}`,
		"escaped":         `{"content":"g\u006f on","role":"user"}`,
		"with a tag":      `{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"go on"}]}`,
		"in a tool round": `{"role":"user","content":"go on"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`,
		"before a system": `{"role":"user","content":"go on"},{"role":"system","content":"x"}`,
	} {
		if k := key(messages); k != first {
			t.Errorf("%s: another key", name)
		}
	}
	for name, messages := range map[string]string{
		"the same again": `{"role":"user","content":"go on"},{"role":"assistant","content":"b"},{"role":"user","content":"go on"}`,
		"other words":    `{"role":"user","content":"go"}`,
	} {
		if k := key(messages); k == first || k == "" {
			t.Errorf("%s: the key is %q", name, k)
		}
	}
	if k := key(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`); k != "" {
		t.Errorf("nobody said anything: %q", k)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	const meta = `{"turn_id":"t1","thread_id":"th","session_id":"s1","request_kind":"turn","thread_source":"user","history_initialization":"cold_resume","n":7}`
	quoted, _ := json.Marshal(meta)
	for _, c := range []struct {
		name string
		api  api.Name
		head map[string][]string
		more string // members of the body
		want request.Identity
		key  string
	}{
		{"nobody says anything", api.Gemini, head("User-Agent", "GeminiCLI/0.61.0"), ``, request.Identity{}, ""},
		{"Claude Code", api.Anthropic, head("X-Claude-Code-Session-Id", "r"), ``,
			request.Identity{Run: "r", Source: "x-claude-code-session-id", Type: "root"}, "r"},
		{"its subagent", api.Anthropic, head("x-claude-code-session-id", "r", "X-Claude-Code-Agent-Id", "a",
			"X-Claude-Code-Agent-Type", "Explore"), ``,
			request.Identity{Run: "r", Source: "x-claude-code-session-id", Thread: "a", Type: "Explore"}, "r/a"},
		{"its subagent, older", api.Anthropic, head("X-Claude-Code-Session-Id", "r",
			"X-Claude-Code-Agent-Id", "a"), ``,
			request.Identity{Run: "r", Source: "x-claude-code-session-id", Thread: "a", Type: "subagent"}, "r/a"},
		{"its body", api.Anthropic, nil,
			`"metadata":{"user_id":"{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"r\"}"},`, request.Identity{
				Run: "r", Source: "metadata.user_id"}, "r"},
		{"its body, years ago", api.Anthropic, nil, `"metadata":{"user_id":"user_1_account__session_r"},`,
			request.Identity{Run: "r", Source: "metadata.user_id"}, "r"},
		{"some user", api.Anthropic, nil, `"metadata":{"user_id":"ann"},`, request.Identity{}, ""},
		{"a broken one", api.Anthropic, nil, `"metadata":{"user_id":"{\"session_id\":\"r\""},`,
			request.Identity{}, ""},
		{"Codex", api.Responses, head("Session-Id", "s1", "Thread-Id", "s1", "X-Client-Request-Id", "s1",
			"X-Codex-Turn-Metadata", meta, "X-Codex-Window-Id", "s1:2"), `"prompt_cache_key":"s1",`,
			request.Identity{Run: "s1", Source: "session-id", Type: "root", Turn: "t1", Begun: "cold_resume",
				Window: "s1:2"}, "s1"},
		{"its body", api.Responses, nil, `"client_metadata":{"x-codex-turn-metadata":` +
			string(quoted) + `,"n":7},`,
			request.Identity{Run: "s1", Source: "client_metadata.session_id", Thread: "th",
				Type: "subagent", Turn: "t1",
				Begun: "cold_resume"}, "s1/th"},
		{"its subagent", api.Responses, head("session-id", "s1", "thread-id", "th", "x-codex-parent-thread-id",
			"s1", "x-openai-subagent", "collab_spawn"), `"prompt_cache_key":"s1",`,
			request.Identity{Run: "s1", Source: "session-id", Thread: "th", Type: "collab_spawn"}, "s1/th"},
		{"its subagent by the body", api.Responses, nil,
			`"client_metadata":{"session_id":"s1","thread_id":"th","turn_id":"t"},`,
			request.Identity{Run: "s1", Source: "client_metadata.session_id", Thread: "th", Type: "subagent",
				Turn: "t"}, "s1/th"},
		{"opencode", api.Chat, head("x-session-id", "o", "x-session-affinity", "o"), ``,
			request.Identity{Run: "o", Source: "x-session-id", Type: "root"}, "o"},
		{"its subagent", api.Chat, head("x-session-id", "o2", "x-parent-session-id", "o"), ``,
			request.Identity{Run: "o", Source: "x-parent-session-id", Thread: "o2", Type: "subagent"}, "o/o2"},
		{"only an affinity", api.Chat, head("x-session-affinity", "o"), ``,
			request.Identity{Run: "o", Source: "x-session-affinity"}, "o"},
		{"Copilot", api.Responses, head("X-Initiator", "user", "session-id", "of its own"),
			`"prompt_cache_key":"k",`, request.Identity{Run: "k", Source: "prompt_cache_key", Type: "root"}, "k"},
		{"its tool rounds", api.Chat, head("X-Initiator", "agent"), ``, request.Identity{Type: "root"}, ""},
		{"its subagent", api.Chat, head("X-Initiator", "agent", "X-Interaction-Type", "conversation-subagent"), ``,
			request.Identity{Type: "subagent"}, ""},
		{"a chain of responses", api.Responses, nil, `"previous_response_id":"resp_1",`,
			request.Identity{Previous: "resp_1"}, ""},
		{"a conversation", api.Responses, nil, `"conversation":"c",`, request.Identity{Run: "c",
			Source:       "conversation",
			Conversation: "c"}, "c"},
		{"a conversation, as an object", api.Responses, nil, `"conversation":{"id":"c"},`,
			request.Identity{Run: "c", Source: "conversation", Conversation: "c"}, "c"},
		{"other shapes", api.Responses, nil,
			`"conversation":7,"previous_response_id":{},"prompt_cache_key":[],"client_metadata":"x","metadata":"x",`, request.Identity{}, ""},
	} {
		body := strings.Replace(last(c.api, "second"), "{", "{"+c.more, 1)
		q := read(t, request.Incoming{API: c.api, Header: c.head, Body: []byte(body)})
		if d := cmp.Diff(c.want, q.Thread); d != "" || q.Thread.Key() != c.key {
			t.Errorf("%s: key %q\n%s", c.name, q.Thread.Key(), d)
		}
		sub := c.want.Type != "" && c.want.Type != "root"
		if heard := q.UserMessage == fact.True; sub && heard || !sub && !heard && c.head["X-Initiator"] == nil ||
			sub == q.Prompt.Known {
			t.Errorf("%s: another agent writes to a subagent: user %v, prompt %v", c.name, q.UserMessage, q.Prompt)
		}
	}
}

// TestOpeningsAmongEscapes: only the beginning of a long text is read, and it never ends amid an escape.
func TestOpeningsAmongEscapes(t *testing.T) {
	t.Parallel()
	for pad := range 14 {
		text := "Your task is to create a detailed summary of" + strings.Repeat("x", pad) +
			strings.Repeat("\x01", 200)
		if q := read(t, request.Incoming{API: api.Anthropic, Body: []byte(last(api.Anthropic,
			text))}); q.Kind != api.KindCompaction {
			t.Errorf("padded by %d: %v", pad, q.Kind)
		}
	}
}

// TestNoTurn: requests that are no turn (§2.3), and those that only look like it.
func TestNoTurn(t *testing.T) {
	t.Parallel()
	const claude = "Your task is to create a detailed summary of the conversation so far, paying close attention"
	const codex = "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary"
	without := func(body string) string {
		return strings.Replace(strings.Replace(body, `"tools":[{}],`, ``, 1), `"toolConfig":{"tools":[{}]},`, ``, 1)
	}
	system := func(words, body string) string { return strings.Replace(body, `{`, `{"system":"`+words+`",`, 1) }
	for _, c := range []struct {
		name, path, body string
		api              api.Name
		head             map[string][]string
		kind, in         api.Kind // by itself, and in a run that had tools
		want             string   // who has spoken, and the prompt
	}{
		{name: "a turn", body: last(api.Anthropic, "x"), api: api.Anthropic, want: "true x"},
		{name: "Claude Code, compaction by its words", body: last(api.Anthropic, claude), api: api.Anthropic,
			kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "its newer words", body: last(api.Anthropic,
			"CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do "+
				"NOT"), api: api.Anthropic, kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "those words, long and escaped", body: last(api.Anthropic,
			"\n\n"+claude+strings.Repeat("\\\"\u2028\x01",
				200)), api: api.Anthropic, kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "those words amid a text", body: last(api.Anthropic, "What does this mean: "+claude),
			api: api.Anthropic, want: "true What does this mean: " + claude},
		{name: "those words behind calls", body: strings.Replace(last(api.Anthropic, claude), `"content":"b"`,
			`"content":[{"type":"tool_use","id":"1","name":"a"}]`, 1), api: api.Anthropic,
			kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "those words behind a result, and a system message", api: api.Anthropic, kind: api.KindCompaction,
			in: api.KindCompaction, want: "false first",
			body: `{"tools":[{}],"messages":[{"role":"user","content":"first"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a"}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"` + claude + `"}]},{"role":"system","content":"x"}]}`},
		{name: "those words, and the model has gone on", api: api.Anthropic, want: "false first",
			body: `{"tools":[{}],"messages":[{"role":"user","content":"first"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a"}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"},{"type":"text","text":"` + claude + `"}]},{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"a"}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"2"}]}]}`},
		{name: "those words, said by a tool", api: api.Anthropic, want: "false first",
			body: `{"tools":[{}],"messages":[{"role":"user","content":"first"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a"}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"` + claude + `"}]}]}]}`},
		{name: "those words before any answer", body: `{"tools":[{}],"messages":[{"role":"user","content":"` +
			claude + `"}]}`, api: api.Anthropic, want: "true " + claude},
		{name: "those words behind the host's", api: api.Anthropic, kind: api.KindCompaction,
			in:   api.KindCompaction,
			want: "false first",
			body: strings.Replace(last(api.Anthropic, claude), `"content":"`+claude,
				`"content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"`+claude+`"}],"x":"`, 1)},
		{name: "those words, but a person wrote them", body: last(api.Anthropic, claude), api: api.Anthropic,
			head: head("X-Reminder-Turn", "user"), want: "true " + claude},
		{name: "Claude Code says so", body: last(api.Anthropic, "x"), api: api.Anthropic,
			head: head("X-Claude-Code-Request-Class",
				"compaction"), kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "or so", body: last(api.Anthropic, "x"), api: api.Anthropic, head: head("X-Claude-Code-Compaction",
			"auto"), kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "or not", body: last(api.Anthropic, "x"), api: api.Anthropic,
			head: head("X-Claude-Code-Compaction", "false", "X-Claude-Code-Request-Class", "main"), want: "true x"},
		{name: "a mark of the host's", api: api.Anthropic, body: last(api.Anthropic, "sum it up"),
			head: head("X-Reminder-Turn", "Side"), kind: api.KindSide, in: api.KindSide, want: "false first"},
		{name: "Claude Code, something beside", body: last(api.Anthropic, "x"), api: api.Anthropic,
			head: head("X-Claude-Code-Request-Class", "auxiliary"), kind: api.KindSide, in: api.KindSide,
			want: "false first"},
		{name: "Codex, compaction by its header", body: last(api.Responses, "x"), api: api.Responses,
			head: head("X-Codex-Turn-Metadata",
				`{"request_kind":"compaction"}`), kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "Codex, by its body", body: strings.Replace(last(api.Responses, "x"), `{`,
			`{"client_metadata":{"x-codex-turn-metadata":"{\"request_kind\":\"compaction\"}"},`, 1), api: api.Responses, kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "Codex, a turn", body: last(api.Responses, "x"), api: api.Responses,
			head: head("X-Codex-Turn-Metadata", `{"request_kind":"turn"}`), want: "true x"},
		{name: "Codex, by its words in mid-loop",
			body: `{"input":[{"role":"user","content":"first"},{"type":"function_call","call_id":"1","name":"a"},{"type":"function_call_output","call_id":"1"},{"role":"user","content":"` + codex + `"}]}`,
			api:  api.Responses, kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "Responses, compact", path: "/v1/responses/compact", body: last(api.Responses, "x"),
			kind: api.KindCompaction, in: api.KindCompaction, want: "true x"},
		{name: "count", path: "/v1/messages/count_tokens", body: last(api.Anthropic, "x"), kind: api.KindCount,
			in: api.KindCount, want: "true x"},
		{name: "opencode, title", body: system("You are a title generator. You output ONLY a thread title.",
			without(last(api.Anthropic,
				"x"))), api: api.Anthropic, kind: api.KindTitle, in: api.KindTitle, want: "false first"},
		{name: "opencode, title on Chat", body: strings.Replace(without(last(api.Chat, "x")), `"messages":[`,
			`"messages":[{"role":"system","content":"You are a title generator. You output"},`, 1), api: api.Chat, kind: api.KindTitle, in: api.KindTitle, want: "false first"},
		{name: "an agent that makes titles, with tools", body: system("You are a title generator.",
			last(api.Anthropic, "x")), api: api.Anthropic, want: "true x"},
		{name: "Gemini CLI, compression", body: strings.Replace(without(last(api.Gemini, "x")), `{`,
			`{"systemInstruction":{"role":"user","parts":[{"text":"\nYou are the component that summarizes internal chat history into a given structure."}]},`, 1), api: api.Gemini,
			kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "Gemini CLI 0.61", body: strings.Replace(without(last(api.Gemini, "x")), `{`,
			`{"systemInstruction":{"parts":[{"text":"You are a specialized system component responsible for distilling chat history into x"}]},`, 1), api: api.Gemini,
			kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "opencode, compaction", body: system("You are a context summarization agent. You",
			without(last(api.Chat, "x"))), api: api.Chat, kind: api.KindCompaction, in: api.KindCompaction,
			want: "false first"},
		{name: "Copilot, compaction", body: last(api.Chat, "x"), api: api.Chat, head: head("X-Interaction-Type",
			"conversation-compaction"), kind: api.KindCompaction, in: api.KindCompaction, want: "false first"},
		{name: "Copilot, something beside", body: last(api.Chat, "x"), api: api.Chat,
			head: head("X-Interaction-Type",
				"conversation-background"), kind: api.KindSide, in: api.KindSide, want: "false first"},
		{name: "Copilot, a turn", body: last(api.Chat, "x"), api: api.Chat, head: head("X-Interaction-Type",
			"conversation-user"), want: "true x"},
		{name: "Qwen, what to remember", body: last(api.Chat, "Managed memory has TWO directories. Choose"),
			api: api.Chat, kind: api.KindSide, in: api.KindSide, want: "false first"},
		{name: "the same, a round later", api: api.Chat, kind: api.KindSide, in: api.KindSide, want: "false first",
			body: `{"tools":[{}],"messages":[{"role":"user","content":"first"},{"role":"assistant","content":"b"},{"role":"user","content":"Managed memory has TWO directories. Choose"},
				{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a"}}]},{"role":"tool","tool_call_id":"1","content":"x"}]}`},
		{name: "Gemini CLI, router", path: "/v1beta/models/gemini-3-flash:generateContent", head: head("User-Agent",
			"GeminiCLI/0.61.0/x (linux)"), kind: api.KindRouter, in: api.KindRouter, want: "false first",
			body: strings.Replace(without(last(api.Gemini, "x")), `{`,
				`{"generationConfig":{"temperature":0,"responseJsonSchema":{"type":"object"}},`, 1)},
		{name: "the same from anybody", path: "/v1beta/models/gemini-3-flash:generateContent", in: api.KindRouter,
			want: "true x",
			body: strings.Replace(without(last(api.Gemini, "x")), `{`, `{"generationConfig":{"responseSchema":{}},`,
				1)},
		{name: "no tools any more", body: without(last(api.Chat, "x")), api: api.Chat, in: api.KindSide,
			want: "true x"},
		{name: "no tools any more, Converse", body: without(last(api.Converse, "x")), api: api.Converse,
			in: api.KindSide, want: "true x"},
		{name: "an empty list of tools", body: strings.Replace(last(api.Chat, "x"), `[{}]`, `[]`, 1),
			api: api.Chat, in: api.KindSide, want: "true x"},
		{name: "where nobody knows about tools", body: without(last(api.Messages, "x")), api: api.Messages,
			want: "true x"},
		{name: "not a model", path: "/v1/models", body: last(api.Chat, "x"), kind: api.KindOther, in: api.KindOther,
			want: "unknown "},
	} {
		q := read(t, request.Incoming{API: c.api, Path: c.path, Header: c.head, Body: []byte(c.body)})
		if got := fmt.Sprint(q.UserMessage, " ", q.Prompt.S); q.Kind != c.kind || q.KindIn(true) != c.in ||
			q.KindIn(false) != c.kind || got != c.want {
			t.Errorf("%s: %v, in a run with tools %v, %s; want %v, %v, %s", c.name, q.Kind, q.KindIn(true), got,
				c.kind, c.in, c.want)
		}
	}
}
