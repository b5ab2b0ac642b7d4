package hook

import "github.com/aside-go/aside/compile/fact"

// gooseFile names the file whose text Goose puts before each model call, anew and without keeping it.
const gooseFile = "GOOSE_MOIM_MESSAGE_FILE"

// goose is Block's Goose (HOOKS.md §16). Its hooks cannot carry text, so what is due stands in a file.
var goose = Dialect{
	Agent:  "goose",
	Decode: decodeGoose,
	Encode: encodeGoose,
}

func decodeGoose(in Input) Event {
	e, o, ok := begin(in)
	if !ok {
		return e
	}
	tool, id := o.name("tool_name"), o.name("tool_call_id")
	switch e.Name {
	case "SessionStart":
		e.Kind = SessionStart
		decodeStart(&e, o)
	case "UserPromptSubmit":
		e.Kind, e.Ephemeral, e.File = UserPrompt, true, absolute(in.env(gooseFile))
		e.prompt(o.text("message", "prompt"))
	case "PreToolUse":
		e.Kind = ToolCall
		e.tool(tool, id, fact.Unknown)
	case "PostToolUse":
		e.Kind, e.Ephemeral, e.File = ToolResult, true, absolute(in.env(gooseFile))
		e.tool(tool, id, fact.Unknown)
	case "PostToolUseFailure":
		e.Kind, e.Ephemeral, e.File = ToolFailed, true, absolute(in.env(gooseFile))
		e.tool(tool, id, fact.True)
	case "Stop":
		e.Kind, e.Message, e.File = Stop, o.str("last_assistant_message"), absolute(in.env(gooseFile))
	case "SessionEnd":
		e.Kind = SessionEnd
	}
	return e
}

func encodeGoose(e Event, text string) []byte {
	if e.File == "" {
		return nil
	}
	return []byte(text + "\n")
}
