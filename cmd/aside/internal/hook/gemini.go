package hook

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// ModeBeforeModel is a mode of Gemini CLI's hooks: texts go into single model requests, at the event BeforeModel, and are not kept. All
// other events only observe then.
const ModeBeforeModel = "before-model"

// gemini is Gemini CLI, 0.56 and later (HOOKS.md §6). Where stdout is empty it takes stderr for the answer, so a hook never writes there.
var gemini = Dialect{
	Agent:    "gemini",
	Modes:    []string{ModeBeforeModel},
	Failures: true,
	Threads:  true, // hooks do not run in subagents
	Decode:   decodeGemini,
	Encode:   encodeGemini,
}

func decodeGemini(in Input) Event {
	e, o, ok := decodeOwn(in)
	if !ok {
		return e
	}
	e.projectDir(in, "GEMINI_PROJECT_DIR")
	switch e.Name {
	case "SessionStart": // a text here would be glued to the front of the prompt, and a /command would not be recognised
		e.Kind = SessionStart
		decodeStart(&e, o)
	case "BeforeAgent":
		e.Kind, e.CanInject = UserPrompt, true
		e.setPrompt(o.text("prompt"))
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
		e.addTool(o.name("tool_name"), "", fact.Unknown)
	case "AfterTool":
		response := o.object("tool_response")
		e.Kind, e.CanInject = ToolResult, !response.has("error") // of a result with an error the model sees the error alone
		e.addTool(o.name("tool_name"), "", geminiFailed(response))
	case "AfterAgent":
		e.Kind, e.Message = Stop, o.str("prompt_response")
	case "PreCompress": // comes before every model call, so it does not mean that the history is compacted
		e.Kind, e.Trigger = PreCompact, o.name("trigger")
	case "SessionEnd":
		e.Kind = SessionEnd
	}
	if in.Mode == ModeBeforeModel && e.Kind != ModelRequest {
		e.CanInject = false
	}
	return e
}

// geminiFailed reports whether a call failed: by its error, or for a shell command by the line with its exit code.
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
	if e.CanInject && e.Kind == ModelRequest {
		return encodeModelRequest(e, text)
	}
	return encodeSpecific(e, text)
}

// encodeModelRequest returns all messages of the request as they came, with the text as a message after them: Gemini CLI matches the
// messages by position. It is nil where the request has no list of messages.
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
