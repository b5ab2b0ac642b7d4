package agent

import (
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// windsurf is Windsurf's Cascade (HOOKS.md §14). What its hooks print never reaches the model, so they only
// observe.
var windsurf = Agent{
	Name: "windsurf", Title: "Windsurf Cascade", Untried: true,
	Hooks: Hooks{
		SessionID: "trajectory_id", TurnID: "execution_id", Read: readWindsurf,
		Encode: func(Event, string) []byte { return nil },
	},
	Config: Config{Why: "its hooks can observe and block, and have no way to put a text before the model"},
	Never: never(modes, usage, answers, failures, cost, output, compacts, resumes,
		[]fact.ID{fact.Command, fact.Path, fact.Written, fact.Model}),
	Keeps: true,
}

func readWindsurf(e *Event, o object, _ Input) {
	info := o.object("tool_info")
	e.Dir = absolute(info.str("cwd"))
	e.Cwd = e.Dir
	tool := ""
	switch _, action, _ := strings.Cut(e.Name, "_"); action {
	case "user_prompt":
		e.Kind = UserPrompt
		e.setPrompt(info.text("user_prompt"))
		return
	case "cascade_response":
		e.Kind = Stop
		return
	case "mcp_tool_use":
		tool = info.nameOr("mcp_tool_name", action)
	case "read_code", "write_code", "run_command":
		tool = action
	default:
		return
	}
	if e.Kind = ToolCall; strings.HasPrefix(e.Name, "post_") {
		e.Kind = ToolResult
	}
	e.addCall(Call{Name: tool, Failed: fact.Unknown})
}
