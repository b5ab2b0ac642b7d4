package agent

import (
	"github.com/aside-go/aside/compile/fact"
)

// goose is Block's Goose (HOOKS.md §16). Its hooks cannot carry text, so what is due is written to the file
// that gooseFile names.
var goose = Agent{
	Name: "goose", Title: "Goose", Binary: "goose", Untried: true,
	// Its end could be held back, too, but says nothing of an end that was held back before it.
	Hooks: Hooks{Read: readGoose, Encode: encodeGoose, Moments: []fact.Moment{fact.BeforeTool}, Hold: holdGoose},
	Config: Config{
		User: Dir{Home: ".agents/plugins/aside"}, Project: ".agents/plugins/aside",
		Own: ".config/goose",
		Files: []File{
			{Path: "hooks/hooks.json", JSON: &JSONHooks{
				Grouped: true, Handler: shellHandler,
				Events: on("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
					"Stop"),
			}},
			{Path: "plugin.json", Text: "{\n  \"name\": \"aside\",\n  \"version\": \"1.0.0\",\n" +
				"  \"description\": \"Reminders for agents\"\n}\n"},
		},
		After: []string{
			"Goose reads reminders from a file. Put this into your shell's profile, and start goose anew from " +
				"a new shell:",
			"    export " + gooseFile + "={file}",
		},
		TextFile: gooseFile,
	},
	Tools: []Tools{
		{Shell, "command", "developer__shell"},
		{Edit, "path", "developer__edit developer__text_editor developer__write"},
		{Read, "path", "developer__tree"},
		{Read, "source", "developer__read_image"},
	},
	Never: never(modes, usage, answers, cost, output, compacts, resumes, []fact.ID{fact.Model}),
}

// gooseFile is the environment variable with the path of a file that Goose reads for each model call. Goose
// does not keep the text.
const gooseFile = "GOOSE_MOIM_MESSAGE_FILE"

func readGoose(e *Event, o object, in Input) {
	switch e.Kind {
	case UserPrompt, ToolResult, ToolFailed, Stop:
		e.Ephemeral, e.File = e.Kind != Stop, absolute(in.variable(gooseFile))
	}
	if e.Kind == UserPrompt {
		e.setPrompt(o.text("message", "prompt"))
	}
}

func encodeGoose(e Event, text string) []byte {
	if e.File == "" {
		return nil
	}
	return []byte(text + "\n")
}

// holdGoose holds a call back.
func holdGoose(_ Event, text string) []byte { return encode(decision{"block", text}) }
