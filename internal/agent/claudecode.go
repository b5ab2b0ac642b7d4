package agent

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// claudeCode is Claude Code, 2.1.69 and later (HOOKS.md §4).
var claudeCode = Agent{
	Name: "claude-code", Title: "Claude Code", Binary: "claude",
	Limit: "which call a person refused is known from the session's file alone, which may be late",
	Hooks: Hooks{
		Modes: []string{ModeZeroTurn}, Failures: true, Threads: true, Rounds: RoundsRecorded,
		Names: map[string]Kind{"PermissionDenied": ToolFailed, "StopFailure": Stop, StatusEvent: StatusLine},
		Carries: []Kind{SessionStart, UserPrompt, PromptExpansion, ToolCall, ToolResult, ToolFailed, ToolBatch,
			SubagentStart},
		TurnID: "prompt_id", Subagents: true, Dir: "CLAUDE_PROJECT_DIR", Failed: neverFailed,
		Foreign: notClaudeCode, Read: readClaudeCode, Encode: encodeClaudeCode, Notices: true,
		Moments: bothMoments, Hold: holdSpecific,
	},
	Base: Base{Env: []string{"ANTHROPIC_BASE_URL"}},
	Config: Config{
		User: Dir{Variable: "CLAUDE_CONFIG_DIR", Home: ".claude"}, Project: ".claude",
		Files: []File{
			{Path: "settings.json", JSON: &JSONHooks{
				Grouped: true,
				Events: []Registration{
					{Event: "SessionStart"}, {Event: "UserPromptSubmit"}, {Event: "UserPromptExpansion", Matcher: "remind"},
					{Event: "PreToolUse"},
					{Event: "PostToolUse"}, // tells how long a call took; PostToolBatch, from 2.1.240 on, speaks
					{Event: "PostToolUseFailure"}, {Event: "PostToolBatch"}, {Event: "SubagentStart"}, {Event: "PreCompact"},
					{Event: "Stop"}, {Event: "SubagentStop"}, {Event: "SessionEnd"},
				},
				// A program with "args", without a shell, is known from 2.1.139 on, by the documentation.
				Handler: []Member{{"type", "command"}, {"command", Program}, {"args", Args}, {"timeout", Patience}},
				Earlier: shellHandler, EarlierUntil: "2.1.139",
				Off: Switch{[]string{"disableAllHooks"}, true},
			}},
			{Path: "commands/remind.md", Text: "---\ndescription: Fire a named reminder now\nargument-hint: NAME\n" +
				"disable-model-invocation: true\n---\n" + remindText("$ARGUMENTS")},
		},
		After: []string{"A session that is running takes them up by itself; /hooks lists them."},
		AfterProject: []string{"Claude Code runs the hooks of a project once you trust the folder; " +
			"a session that is running takes them up by itself."},
		StatusLine: true,
	},
	Session: &Session{Files: ".claude/projects/*/*.jsonl", Format: "Claude Code session", HookTexts: true},
	Tools: []Tools{
		{Shell, "command", "Bash PowerShell"},
		{Edit, "file_path", "Edit MultiEdit Write"},
		{Edit, "notebook_path", "NotebookEdit"},
		{Read, "file_path", "Read"},
		{Search, "pattern", "Glob Grep"},
		{Web, "url", "WebFetch"},
		{Web, "query", "WebSearch"},
		{Todo, "", "TaskCreate TaskGet TaskList TaskUpdate TodoWrite"},
		{Task, "subagent_type", "Agent Task"},
		{NoClass, "", "AskUserQuestion BashOutput EnterPlanMode ExitPlanMode KillShell " +
			"Skill SlashCommand TaskOutput TaskStop ToolSearch"},
	},
	AllTools: true,
	Never:    never(),
	Times:    true,
	Keeps:    true,

	Tags: []Tag{
		{Name: "command-name"}, {Name: "command-message"}, {Name: "command-args"},
		{Name: "local-command-stdout"}, {Name: "local-command-stderr"}, {Name: "local-command-caveat"},
		{Name: "bash-input"}, {Name: "bash-stdout"}, {Name: "bash-stderr"},
		{Name: "task-notification"}, {Name: "background-task"}, {Name: "teammate-message"},
		{Name: "system-reminder", Beside: true}, {Name: "context-update", Beside: true},
		{Name: "user-prompt-submit-hook", Beside: true},
	},
	Notes: []Note{
		{Words: "[Request interrupted by user", Source: "Claude Code"},
		{
			Words:   "This session is being continued from a previous conversation",
			Summary: true, Source: "Claude Code 2.1.329",
		},
	},
	Identify: identifyClaudeCode,
	Spoke:    spokeToClaudeCode,
	Signs: []Sign{
		{Header: "x-claude-code-request-class", Value: "compaction", Says: Compaction},
		{Header: "x-claude-code-request-class", Value: "auxiliary", Says: Side},
		{Header: "x-claude-code-compaction", Says: Compaction},
	},
	Openings: []Opening{
		{"Your task is to create a detailed summary of", false, Compaction, "Claude Code, 2025-2026"},
		{"CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.", false, Compaction, "Claude Code 2.1.329"},
		{
			"You are a helpful AI assistant tasked with summarizing conversations",
			true, Compaction, "Claude Code, opencode",
		},
	},
}

// ModeZeroTurn is a mode of Claude Code's hooks: "/remind NAME" makes no model call, and the reminder goes
// out with the next event.
const ModeZeroTurn = "zero-turn"

func readClaudeCode(e *Event, o object, in Input) {
	e.Internal = e.Agent != "" && e.SubagentType == ""
	switch e.Kind {
	case SessionStart:
		e.ContextTokens = o.count("context_tokens")
	case UserPrompt:
		readClaudePrompt(e, o, in)
	case ToolResult, ToolFailed:
		e.Unless = ToolBatch
	case StatusLine:
		readStatus(e, o)
	}
	if e.Internal || e.Name == "PermissionDenied" {
		e.CanInject = false
	}
}

// notClaudeCode reports whether another agent runs the hook: Cursor, Copilot and VS Code read the settings of
// Claude Code.
func notClaudeCode(in Input, o object) bool {
	switch {
	case o.has("cursor_version", "conversation_id", "generation_id"): // Cursor
		return true
	case o.has("timestamp") && !o.has("transcript_path"): // Copilot: Claude Code always names a transcript
		return true
	case o.spelt("hookEventName", "sessionId"): // VS Code, Copilot
		return true
	}
	return in.variable("CLAUDECODE") == "" && (in.variable("CURSOR_VERSION") != "" || o.has("timestamp"))
}

// readClaudePrompt reads who submitted a prompt: newer versions tell it by the member "source"; else the text
// tells.
func readClaudePrompt(e *Event, o object, in Input) {
	switch source := o.name("source"); source {
	case "user", "sdk":
		e.asked = ""
	case "system", "loop_wakeup", "schedule_wakeup", "poll_event":
		e.Human, e.PromptClass, e.Manual = fact.False, source, ""
	}
	if in.Mode == ModeZeroTurn && e.Manual != "" && e.Agent == "" {
		e.Arms, e.CanInject, e.Human = true, false, fact.False
	}
}

func encodeClaudeCode(e Event, text string) []byte {
	switch {
	case e.Arms:
		type suppress struct {
			Name     string `json:"hookEventName"`
			Suppress bool   `json:"suppressOriginalPrompt"`
		}
		return encode(struct {
			Decision string   `json:"decision"`
			Reason   string   `json:"reason"`
			Output   suppress `json:"hookSpecificOutput"`
		}{"block", text, suppress{e.Name, true}})
	default:
		return encodeSpecific(e, text)
	}
}

func identifyClaudeCode(q Request) (Thread, bool) {
	const header = "x-claude-code-session-id"
	run := q.Header(header)
	if run == "" {
		return Thread{}, false
	}
	t := Thread{Run: run, Source: header, Thread: q.Header("x-claude-code-agent-id"),
		Type: q.Header("x-claude-code-agent-type")}
	t.settle()
	return t, true
}

// spokeToClaudeCode reads the origin of the turn that Claude Code writes into the first block of its system
// prompt. In a tool round it is the origin of the turn that the round belongs to. So it can prove that no
// person has spoken, but not that a person has.
func spokeToClaudeCode(q Request) fact.Truth {
	if !q.Person() {
		return fact.Unknown
	}
	billing, ok := strings.CutPrefix(q.System(), "x-anthropic-billing-header:")
	if !ok {
		return fact.Unknown
	}
	_, origin, _ := strings.Cut(billing, "cc_turn_origin=")
	origin, _, _ = strings.Cut(origin, ";")
	switch strings.TrimSpace(origin) {
	case "", "human", "user", "sdk":
		return fact.Unknown
	}
	return fact.False
}

// StatusEvent is the name under which the hooks of Claude Code get the text that Claude Code writes to its
// status line's command. Claude Code itself has no such event.
const StatusEvent = "StatusLine"

// StatusAgent is the agent whose status line it is.
const StatusAgent = "claude-code"

// ReadStatusLine returns the model that a status line's stdin names, and how full its context is in
// percent; "" and nil where that is not known.
func ReadStatusLine(stdin []byte) (model string, percent *float64) {
	o, _ := readObject(stdin)
	model = o.object("model").nameOr("display_name", o.object("model").name("id"))
	window := o.object("context_window")
	if percent = window.number("used_percentage"); percent == nil {
		if used, size := statusTokens(window), window.count("context_window_size"); used != nil &&
			size != nil && *size > 0 {
			p := float64(*used) / float64(*size) * 100
			percent = &p
		}
	}
	return model, percent
}

// readStatus reads what Claude Code writes to its status line's command.
func readStatus(e *Event, o object) {
	e.Model = o.object("model").name("id")
	window := o.object("context_window")
	e.ContextTokens, e.ContextWindow = statusTokens(window), window.count("context_window_size")
	if e.ContextWindow != nil && *e.ContextWindow == 0 {
		e.ContextWindow = nil
	}
}

// statusTokens returns how many tokens the last request had, nil before the first request and after a
// compaction.
func statusTokens(window object) *int64 {
	return window.object("current_usage").total("input_tokens", "cache_creation_input_tokens",
		"cache_read_input_tokens")
}
