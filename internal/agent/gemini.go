package agent

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// gemini is Gemini CLI, 0.56 and later (HOOKS.md §6). Where stdout is empty it takes stderr for the answer,
// so a hook never writes there.
var gemini = Agent{
	Name: "gemini", Title: "Gemini CLI", Binary: "gemini",
	Limit: "a model call that no event reports is a turn in which nothing is said; its own calls " +
		"beside one that " +
		"asks a subagent are not seen; replay knows no directory",
	Hooks: Hooks{
		Modes: []string{ModeBeforeModel}, Failures: true, Gaps: true, Rounds: RoundsRecorded,
		Threads: true, Nests: "invoke_agent",
		Names: map[string]Kind{
			"BeforeAgent": UserPrompt, "AfterAgent": Stop, "BeforeModel": ModelRequest, "AfterModel": ModelResponse,
			"BeforeTool": ToolCall, "AfterTool": ToolResult,
			"PreCompress": PreCompact, // comes before every model call, so it does not tell a compaction
		},
		// A text at SessionStart would be glued to the prompt, and a /command would not be recognised.
		Carries: []Kind{UserPrompt, ModelRequest, ToolResult}, Dir: "GEMINI_PROJECT_DIR", Failed: geminiFailed,
		Foreign: readByOthers, Read: readGemini, Encode: encodeGemini, Notices: true,
		Moments: bothMoments, Hold: holdGemini,
	},
	Base: Base{Env: []string{"GOOGLE_GEMINI_BASE_URL"}},
	Config: Config{
		User: Dir{Variable: "GEMINI_CLI_HOME", Below: ".gemini", Home: ".gemini"}, Project: ".gemini",
		Files: []File{
			{Path: "settings.json", JSON: &JSONHooks{
				Grouped: true,
				Events: []Registration{
					{Event: "SessionStart", Matcher: "*"}, {Event: "BeforeAgent", Matcher: "*"},
					{Event: "BeforeTool", Matcher: "*"}, {Event: "AfterTool", Matcher: "*"},
					{Event: "AfterAgent", Matcher: "*"}, {Event: "SessionEnd", Matcher: "*"},
					{Event: "BeforeModel", Matcher: "*", Mode: ModeBeforeModel},
				},
				Handler: []Member{{"type", "command"}, {"name", "aside"}, {"command", Line},
					{"timeout", Patience * 1000}},
				Off: Switch{Path: []string{"hooksConfig", "enabled"}},
			}},
			{Path: "commands/remind.toml", Text: "description = \"Fire a named reminder now\"\n" +
				"prompt = '" + strings.TrimSpace(remindText("{{args}}")) + "'\n"},
		},
		After:        []string{"Start gemini anew."},
		AfterProject: []string{"Start gemini anew, in a folder that it trusts."},
	},
	Session: &Session{Files: ".gemini/tmp/*/chats/session-*.json*", Format: "Gemini CLI session"},
	Tools: []Tools{
		{Shell, "command", "run_shell_command"},
		{Edit, "file_path", "edit replace write_file"},
		{Read, "file_path", "read_file"},
		{Read, "include", "read_many_files"},
		{Read, "dir_path", "list_directory"},
		{Search, "pattern", "glob grep_search search_file_content"},
		{Web, "query", "google_web_search"},
		{Web, "prompt", "web_fetch"},
		{Todo, "", "write_todos"},
		{Task, "agent_name", "invoke_agent"},
		{NoClass, "", "save_memory activate_skill ask_user enter_plan_mode exit_plan_mode"},
	},
	AllTools: true,
	Never:    never(modes, compacts),
	Keeps:    true,

	Tags: []Tag{{Name: "session_context"}, {Name: "hook_context", Beside: true}, {Name: "state_snapshot",
		Beside: true}},
	Notes: []Note{{
		Words:  "You have stopped calling tools without finishing. You have one final chance",
		Source: "Gemini CLI 0.61.0, to a subagent",
	}},
	UserAgent: "GeminiCLI",
	Openings: []Opening{
		{"You are the component that summarizes", true, Compaction, "Gemini CLI, Qwen Code 0.24.4"},
		{
			"You are a specialized system component responsible for distilling chat history",
			true, Compaction, "Gemini CLI 0.61.0",
		},
	},
	Structured: Router,
}

// ModeBeforeModel is a mode of Gemini CLI's hooks: texts go into single model requests, at the event
// BeforeModel, and are not kept. All other events only observe then.
const ModeBeforeModel = "before-model"

func readGemini(e *Event, o object, in Input) {
	switch e.Kind {
	case ModelRequest:
		e.Ephemeral, e.Wraps = true, true
		e.Model = o.object("llm_request").name("model")
	case ModelResponse:
		usage := o.object("llm_response").object("usage_metadata")
		e.ContextTokens, e.ResponseTokens = usage.count("prompt_token_count"), usage.count("candidates_token_count")
		e.Model = o.object("llm_request").name("model")
	case ToolResult: // of a result with an error the model sees the error alone
		e.CanInject = !o.object("tool_response").has("error")
	case Stop:
		e.Message = o.str("prompt_response")
	}
	if in.Mode == ModeBeforeModel && e.Kind != ModelRequest {
		e.CanInject = false
	}
}

// geminiFailed reports whether a call failed: by its error, or for a shell command by the line with its
// exit code.
func geminiFailed(o object) fact.Truth {
	response := o.object("tool_response")
	if response.has("error") {
		return fact.True
	}
	for line := range strings.Lines(response.text("llm_content")) {
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), "Exit Code: "); ok && code != "0" &&
			code != "(none)" {
			return fact.True
		}
	}
	return fact.False
}

func encodeGemini(e Event, text string) []byte {
	if e.CanInject && e.Kind == ModelRequest {
		return encodeModelRequest(e, text)
	}
	return encodeSpecific(e, text)
}

// holdGemini holds a call back, or has the agent answer once more.
func holdGemini(_ Event, text string) []byte { return encode(decision{"deny", text}) }

// encodeModelRequest returns all messages of the request as they came, with the text as a message after
// them: Gemini CLI matches the messages by position. It is nil where the request has no list of messages.
func encodeModelRequest(e Event, text string) []byte {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	own := encode(message{"user", text})
	messages := strings.TrimSpace(e.stdin.object("llm_request").raw("messages"))
	head, ok := strings.CutSuffix(messages, "]")
	if !ok || !strings.HasPrefix(head, "[") {
		return nil
	}
	sep := ","
	if strings.TrimSpace(head) == "[" {
		sep = ""
	}
	var b strings.Builder
	b.WriteString(`{"hookSpecificOutput":{"hookEventName":"BeforeModel","llm_request":{"messages":`)
	b.WriteString(head)
	b.WriteString(sep)
	b.Write(own)
	b.WriteString(`]}}}`)
	return []byte(b.String())
}
