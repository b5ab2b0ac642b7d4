package hook

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// ModeBeforeModel is a way of working of Gemini CLI: texts go into each request of their own, by BeforeModel, and are not kept.
// Its other events only observe then.
const ModeBeforeModel = "before-model"

// gemini is Gemini CLI, 0.56 and later (HOOKS.md §6). It reads stderr where stdout is empty.
var gemini = Dialect{
	Agent:    "gemini",
	Modes:    []string{ModeBeforeModel},
	Failures: true,
	Threads:  true, // hooks do not run in subagents
	Decode:   decodeGemini,
	Encode:   encodeGemini,
}

func decodeGemini(in Input) Event {
	e, o, ok := begin(in)
	if !ok {
		return e
	}
	if o.has("cursor_version") || o.spelt("hookEventName", "sessionId") {
		e.Kind = Duplicate
		return e
	}
	e.projectDir(in, "GEMINI_PROJECT_DIR")
	switch e.Name {
	case "SessionStart": // a text here is glued to the prompt, which then is no command any more
		e.Kind = SessionStart
		decodeStart(&e, o)
	case "BeforeAgent":
		e.Kind, e.CanInject = UserPrompt, true
		e.prompt(o.text("prompt"))
	case "BeforeModel":
		e.Kind, e.CanInject, e.Ephemeral = ModelRequest, true, true
		e.Model = o.object("llm_request").name("model")
	case "AfterModel":
		e.Kind = ModelResponse
		usage := o.object("llm_response").object("usage_metadata")
		e.ContextTokens, e.ResponseTokens = usage.count("prompt_token_count"), usage.count("candidates_token_count")
		e.Model = o.object("llm_request").name("model")
	case "BeforeTool":
		e.Kind = ToolCall
		e.tool(o.name("tool_name"), "", fact.Unknown)
	case "AfterTool":
		response := o.object("tool_response")
		e.Kind, e.CanInject = ToolResult, !response.has("error") // of a result with an error the model reads nothing else
		e.tool(o.name("tool_name"), "", geminiFailed(response))
	case "AfterAgent":
		e.Kind, e.Message = Stop, o.str("prompt_response")
	case "PreCompress": // comes before every model call, compressed or not
		e.Kind, e.Trigger = PreCompact, o.name("trigger")
	case "SessionEnd":
		e.Kind = SessionEnd
	}
	if in.Mode == ModeBeforeModel && e.Kind != ModelRequest {
		e.CanInject = false
	}
	return e
}

// geminiFailed reads whether a call failed: by its error, or, of a shell command, by the line that tells its exit code.
func geminiFailed(response object) fact.Truth {
	if response.has("error") {
		return fact.True
	}
	for line := range strings.Lines(response.text("llm_content")) {
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), "Exit Code: "); ok && code != "0" && code != "(none)" {
			return fact.True
		}
	}
	return fact.False
}

func encodeGemini(e Event, text string) []byte {
	switch {
	case !e.CanInject:
		return nil
	case e.Kind != ModelRequest:
		return encodeSpecific(e, text)
	}
	return encodeModelRequest(e, text)
}

// encodeModelRequest gives back all messages of the request as they came, and one behind them: the agent takes them by position.
func encodeModelRequest(e Event, text string) []byte {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	own := encode(message{"user", tagged(text)})
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
