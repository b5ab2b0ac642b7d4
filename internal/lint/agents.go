package lint

import (
	"fmt"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// An agent is a host of which it is known what it tells. The facts are those that its hooks can never tell, however new it is, and that
// nothing else of it tells either; what a host tells at times is not among them.
type agent struct {
	name, title string
	stores      bool      // texts stay in its conversation
	never       []fact.ID //
	tools       []string  // what its own tools are called; others are of MCP servers and plugins
}

// Unknown to every hook: no agent hands the messages or its answer to one, or says who makes its model.
var hooks = []fact.ID{fact.MessageCount, fact.Response, fact.Provider}

var (
	usage    = []fact.ID{fact.ContextUsage, fact.ContextTokens, fact.ContextWindow}
	answers  = []fact.ID{fact.LastResponseTokens, fact.OutputTokens}
	failures = []fact.ID{fact.LastToolCallFailed, fact.FailuresInRow}
)

var agents = []agent{
	{"claude-code", "Claude Code", true, hooks, []string{"Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "KillShell",
		"MultiEdit", "NotebookEdit", "PowerShell", "Read", "Skill", "SlashCommand", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate",
		"TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write"}},
	{"codex", "Codex CLI", true, slices.Concat(hooks, failures), []string{"Bash", "apply_patch", "update_plan", "view_image", "web_search", "shell", "exec_command", "write_stdin", "spawn_agent"}},
	{"gemini", "Gemini CLI", true, hooks, []string{"edit", "glob", "google_web_search", "grep_search", "list_directory", "read_file", "read_many_files", "replace",
		"run_shell_command", "save_memory", "search_file_content", "web_fetch", "write_file", "write_todos", "activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"}},
	{"qwen", "Qwen Code", true, slices.Concat(hooks, answers), []string{"agent", "edit", "exit_plan_mode", "glob", "grep_search", "list_directory", "read_file", "read_many_files", "run_shell_command",
		"save_memory", "skill", "task", "todo_write", "web_fetch", "web_search", "write_file"}},
	{"cursor", "Cursor", true, slices.Concat(hooks, answers), []string{"Delete", "Edit", "Glob", "Grep", "Read", "Shell", "Task", "TodoWrite", "WebFetch", "WebSearch", "Write"}},
	{"copilot", "GitHub Copilot CLI", true, slices.Concat(hooks, usage, answers, []fact.ID{fact.Model}), nil},
	{"vscode", "VS Code", true, slices.Concat(hooks, usage, answers, []fact.ID{fact.Model}), nil},
	{"droid", "Factory Droid", true, slices.Concat(hooks, usage, answers, failures), []string{"ApplyPatch", "Create", "Edit", "Execute", "FetchUrl", "Glob", "Grep", "LS", "MultiEdit", "Read", "Task", "TodoWrite", "WebSearch"}},
	{"cline", "Cline", true, slices.Concat(hooks, usage, answers), nil},
	{"crush", "Crush", true, slices.Concat(hooks, usage, answers, failures, []fact.ID{fact.Prompt, fact.UserTurnCount, fact.Model}), nil},
	{"kimi-code", "Kimi Code", true, slices.Concat(hooks, answers, []fact.ID{fact.ContextUsage, fact.ContextWindow}), nil},
	{"goose", "Goose", false, slices.Concat(hooks, usage, answers, []fact.ID{fact.Model}), nil},
	{"windsurf", "Windsurf", true, slices.Concat(hooks, usage, answers), nil},
	{"opencode", "opencode", false, hooks, []string{"bash", "edit", "glob", "grep", "list", "lsp", "multiedit", "patch", "apply_patch", "plan_enter", "plan_exit", "question", "read", "skill", "task", "todoread", "todowrite", "webfetch",
		"websearch", "codesearch", "write"}},
	{"serve", "aside serve", false, nil, nil},
}

// Agents returns the names that Options.Agent takes: the agents with hooks, and serve.
func Agents() []string {
	names := make([]string, len(agents))
	for i := range agents {
		names[i] = agents[i].name
	}
	return names
}

// Never returns the names of the facts that an agent can never tell. The caller may keep it.
func Never(name string) []string {
	a := agentNamed(name)
	if a == nil {
		return nil
	}
	schema := fact.Builtin()
	var names []string
	for _, id := range a.never {
		names = append(names, schema.Fact(id).Name)
	}
	return names
}

// Tools returns what the tools of an agent are called, those of MCP servers and plugins left out; nil where that is not known. The caller
// must not write to it.
func Tools(name string) []string {
	if a := agentNamed(name); a != nil {
		return a.tools
	}
	return nil
}

func agentNamed(name string) *agent {
	i := slices.IndexFunc(agents, func(a agent) bool { return a.name == name })
	if i < 0 {
		return nil
	}
	return &agents[i]
}

// can is which truths a part of a trigger can come to.
type can struct{ yes, no, unknown bool }

// unknowable tells of facts that the chosen agent can never tell.
func (s *subject) unknowable(field string, root grammar.Expr) {
	if s.agent == nil || len(s.agent.never) == 0 {
		return
	}
	dead := !s.reach(root).yes
	walk(root, 0, func(x grammar.Expr, not int) {
		switch x.(type) {
		case *grammar.And, *grammar.Or, *grammar.Not:
			return
		}
		for _, f := range s.read(x).facts {
			if !slices.Contains(s.agent.never, f.ID) {
				continue
			}
			message := fmt.Sprintf("%s never tells %s", s.agent.title, f.Name)
			switch {
			case dead && field == "trigger":
				message += ", so this reminder never fires there"
			case dead:
				message += ", so this is never true there"
			default:
				message += ", so this part is never true there"
			}
			s.add(finding{
				code: code.FactNotTold, field: field, at: x.Span(),
				message: message,
				hint:    s.instead(f),
			})
			return
		}
	})
}

// instead says what to use in place of a fact that cannot be known.
func (s *subject) instead(f fact.Fact) string {
	switch f.ID {
	case fact.ContextUsage, fact.ContextTokens, fact.ContextWindow:
		if s.agent.name == "kimi-code" {
			return "use context_tokens before a compaction, or count turns"
		}
		return "count turns instead, as in turn_count > 40, or run the agent through aside serve"
	case fact.LastToolCallFailed, fact.FailuresInRow:
		return "run the agent through aside serve, or leave this part out"
	case fact.MessageCount:
		return "use turn_count, or run the agent through aside serve"
	case fact.OutputTokens, fact.LastResponseTokens, fact.Response, fact.Provider:
		return "run the agent through aside serve, or leave this part out"
	}
	return "leave this part out"
}

// reach says which truths x can come to where what the agent never tells is unknown.
func (s *subject) reach(x grammar.Expr) can {
	switch x := x.(type) {
	case *grammar.Not:
		c := s.reach(x.X)
		return can{c.no, c.yes, c.unknown}
	case *grammar.And:
		all := can{yes: true}
		for _, t := range x.Terms {
			c := s.reach(t)
			all.no = all.no || c.no
			all.unknown = all.unknown || c.unknown
			all.yes = all.yes && c.yes
		}
		return all
	case *grammar.Or:
		all := can{no: true}
		for _, t := range x.Terms {
			c := s.reach(t)
			all.yes = all.yes || c.yes
			all.unknown = all.unknown || c.unknown
			all.no = all.no && c.no
		}
		return all
	}
	// A general leaf that has an "or" of its own is unknown all the same: it is so where anything that it mentions is.
	for _, f := range s.read(x).facts {
		if slices.Contains(s.agent.never, f.ID) {
			return can{unknown: true}
		}
	}
	return can{true, true, true}
}
