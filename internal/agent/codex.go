package agent

// codex is OpenAI's Codex CLI (HOOKS.md §5). It rejects output with a member that it does not know.
var codex = Agent{
	Name: "codex", Title: "Codex CLI", Binary: "codex",
	Limit: "a model call that no event reports, since its calls were held back or have no hooks, " +
		"is a turn in which nothing is said; hooks alone learn of a resume, so replay does not know it; " +
		"where a person resumes a subagent's thread, its end is not the end of the work",
	Hooks: Hooks{
		Recorded: true, Gaps: true, Threads: true, Rounds: RoundsRecorded, TurnID: "turn_id", Subagents: true,
		Carries: []Kind{SessionStart, UserPrompt, ToolCall, ToolResult, SubagentStart},
		Foreign: readByOthers, Encode: encodeSpecific, Moments: bothMoments, Hold: holdSpecific,
	},
	Base: Base{Env: []string{"OPENAI_BASE_URL"}, File: "config.toml"},
	Config: Config{
		User: Dir{Variable: "CODEX_HOME", Home: ".codex"}, Project: ".codex",
		Files: []File{ // Codex warns of a directory that has hooks in both
			{Path: "hooks.json", JSON: &JSONHooks{Grouped: true, Events: codexEvents, Handler: shellHandler}},
			{Path: "config.toml", TOML: &TOMLHooks{
				Grouped: true, Events: codexEvents, InPlace: true, Off: Switch{Path: []string{"features", "hooks"}},
			}},
		},
		After: []string{
			"Start codex and approve the hooks under /hooks: until then it skips them without a word. " +
				"After an upgrade that changes them it asks again.",
			"Its terminal takes /remind for a command that it does not know: use aside remind NAME in another one.",
		},
		Remark: "whether the hooks are approved is known to Codex alone: /hooks shows it, and until then " +
			"they do not run",
	},
	Session: &Session{Files: ".codex/sessions/*/*/*/rollout-*.jsonl", Format: "Codex session"},
	Tools: []Tools{
		{Shell, "command as words", "Bash shell"},
		{Shell, "cmd", "exec_command"},
		{Edit, "command", "apply_patch"},
		{Read, "path", "view_image"},
		{Web, "query", "web_search"},
		{Todo, "", "update_plan"},
		{Task, "agent_type", "spawn_agent"},
		{NoClass, "", "write_stdin"},
	},
	AllTools: true,
	Never:    never(),
	Keeps:    true,

	Tags: []Tag{
		{Name: "environment_context"}, {Name: "user_instructions"}, {Name: "turn_aborted"}, {
			Name: "subagent_notification"},
		{Name: "skill"},
	},
	Notes: []Note{
		{
			Words:   "Another language model started to solve this problem and produced a summary",
			Summary: true, Source: "Codex 0.169.0",
		},
		{Words: "# AGENTS.md instructions", Source: "Codex 0.169.0 and before"},
	},
	Identify: identifyCodex,
	Signs: []Sign{
		{Header: codexMetadata, Member: "request_kind", Value: "compaction", Says: Compaction},
		{Header: codexMetadata, Member: "request_kind", Value: "prewarm", Says: Side},
		{Header: codexMetadata, Member: "request_kind", Value: "memory", Says: Side},
	},
	Openings: []Opening{
		{"You are performing a CONTEXT CHECKPOINT COMPACTION", false, Compaction, "Codex 0.169.0 and before"},
	},
}

// codexMetadata is a header with a JSON object; the body may hold the object in its place.
const codexMetadata = "x-codex-turn-metadata"

// identifyCodex reads the ids that Codex sends in headers and again in the body's client_metadata.
func identifyCodex(q Request) (Thread, bool) {
	meta := func(name string) string { return q.Member(codexMetadata, name) }
	own := first(q.Header("thread-id"), meta("thread_id"), q.ID("client_metadata.thread_id"))
	if own == "" && meta("session_id") == "" && meta("request_kind") == "" {
		return Thread{}, false // other clients have a session-id and request ids too
	}
	thread := first(q.Header("thread-id"), q.Header("x-client-request-id"), own)
	t := Thread{Run: q.Header("session-id"), Source: "session-id"}
	if t.Run == "" {
		t.Run = first(meta("session_id"), q.ID("client_metadata.session_id"))
		t.Source = "client_metadata.session_id"
	}
	if t.Run == "" {
		t.Run, t.Source = q.ID("prompt_cache_key"), "prompt_cache_key"
	}
	if t.Run == "" {
		return Thread{}, false
	}
	t.Turn = first(meta("turn_id"), q.ID("client_metadata.turn_id"))
	t.Begun = meta("history_initialization")
	t.Window = first(q.Header("x-codex-window-id"), meta("window_id"))
	kind := first(q.Header("x-openai-subagent"), meta("subagent_kind"))
	if thread != t.Run || kind != "" || meta("thread_source") == "subagent" ||
		q.Header("x-codex-parent-thread-id") != "" {
		t.Thread, t.Type = first(thread, "subagent"), kind
	}
	t.settle()
	return t, true
}

var codexEvents = on("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart",
	"PreCompact", "Stop", "SessionEnd")
