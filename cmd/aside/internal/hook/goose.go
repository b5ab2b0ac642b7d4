package hook

import "github.com/aside-go/aside/compile/fact"

// gooseFile is the environment variable with the path of a file that Goose reads for each model call. Goose does not keep the text.
const gooseFile = "GOOSE_MOIM_MESSAGE_FILE"

// goose is Block's Goose (HOOKS.md §16). Its hooks cannot carry text, so what is due is written to the file that gooseFile names.
var goose = Dialect{
	Agent:  "goose",
	Decode: decodeGoose,
	Encode: encodeGoose,
}

func decodeGoose(in Input) Event {
	e, o, ok := decodeCommon(in)
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
		e.setPrompt(o.text("message", "prompt"))
	case "PreToolUse":
		e.Kind = ToolCall
		e.addTool(tool, id, fact.Unknown)
	case "PostToolUse":
		e.Kind, e.Ephemeral, e.File = ToolResult, true, absolute(in.env(gooseFile))
		e.addTool(tool, id, fact.Unknown)
	case "PostToolUseFailure":
		e.Kind, e.Ephemeral, e.File = ToolFailed, true, absolute(in.env(gooseFile))
		e.addTool(tool, id, fact.True)
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
