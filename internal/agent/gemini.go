package agent

import (
	"fmt"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// ModeBeforeModel is a mode of Gemini CLI's hooks: texts go into single model requests, at the event
// BeforeModel, and are not kept. All other events only observe then.
const ModeBeforeModel = "before-model"

func readGemini(e *Event, o object, in Input) {
	switch e.Kind {
	case ModelRequest:
		e.Ephemeral, e.Wraps = true, true
	case ToolResult: // of a result with an error the model sees the error alone
		e.CanInject = !o.object("tool_response").has("error")
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

// composeGemini answers a request with all its messages as they came, and the text as a message after them:
// Gemini CLI matches the messages by position. It is nil where the request has no list of messages.
func composeGemini(e Event, text string) []byte {
	if e.Kind != ModelRequest {
		return nil
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	messages := strings.TrimSpace(e.stdin.object("llm_request").raw("messages"))
	head, ok := strings.CutSuffix(messages, "]")
	if !ok || !strings.HasPrefix(head, "[") {
		return nil
	}
	sep := ","
	if strings.TrimSpace(head) == "[" {
		sep = ""
	}
	return fmt.Appendf(nil, `{"hookSpecificOutput":{"hookEventName":"BeforeModel","llm_request":{"messages":`+
		`%s%s%s]}}}`, head, sep, encode(message{"user", text}))
}
