package lint

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/near"
)

// everyTool are the tools of all agents, each once.
var everyTool = sync.OnceValue(func() []string {
	var names []string
	for _, a := range agents {
		names = append(names, a.tools...)
	}
	slices.Sort(names)
	return slices.Compact(names)
})

// toolName looks at the name of a tool that a trigger waits for. Hosts have tools of their own, so a name that is not known is no
// finding: only one that is nearly known is, and one that no tool can have. Of rules that several agents share (another name is
// the chosen agent's own) the names that are another's are none either.
func (s *subject) toolName(field string, at grammar.Range, name string, shared bool) {
	report := func(message, hint, fix string) {
		d := s.add(finding{
			code: code.ToolOfNoAgent, field: field, at: at,
			message: message,
			hint:    hint,
		})
		if fix != "" {
			s.mendName(d, field, at, name, fix)
		}
	}
	bare := strings.TrimRight(name, "*")
	switch {
	case name == "" || bare == "":
		return
	case strings.ContainsAny(name, ";&"):
		report(fmt.Sprintf("%q is the name of one tool here", name), "name the tools one by one, with commas between, as in after_tool:Edit,Write", "")
		return
	case strings.ContainsAny(name, "|^$()[]\\") || strings.Contains(name, ".*"):
		hint, fix := "name the tools one by one, as in after_tool:Edit,Write; * is the only wildcard", ""
		if head, ok := strings.CutSuffix(name, ".*"); ok && plainName(head) {
			hint, fix = fmt.Sprintf("write %s*", head), head+"*"
		}
		report(fmt.Sprintf("%q looks like a regular expression, and here it is the name of a tool", name), hint, fix)
		return
	case strings.HasPrefix(name, "mcp__"):
		if server := strings.TrimPrefix(name, "mcp__"); server != "" && !strings.Contains(server, "__") && !strings.HasSuffix(name, "*") && plainName(server) {
			report(fmt.Sprintf("%q is an MCP server, not one of its tools", name), fmt.Sprintf("write %s__* for all of its tools", name), name+"__*")
		}
		return
	case strings.Contains(name, "*"):
		return
	}
	if s.agent != nil && len(s.agent.tools) > 0 {
		s.agentTool(name, shared, report)
		return
	}
	if slices.Contains(everyTool(), name) {
		return
	}
	for _, known := range everyTool() {
		if strings.EqualFold(known, name) {
			report(fmt.Sprintf("names of tools are case-sensitive, and no agent has a tool %q", name), fmt.Sprintf("did you mean %s?", known), known)
			return
		}
	}
}

// agentTool looks at a name as one of the tools of the chosen agent.
func (s *subject) agentTool(name string, shared bool, report func(message, hint, fix string)) {
	own := s.agent.tools
	if slices.Contains(own, name) || shared && slices.Contains(everyTool(), name) {
		return
	}
	for _, known := range own {
		if strings.EqualFold(known, name) {
			report(fmt.Sprintf("names of tools are case-sensitive, and %s has no tool %q", s.agent.title, name), fmt.Sprintf("did you mean %s?", known), known)
			return
		}
	}
	if slices.Contains(everyTool(), name) {
		hint, fix := "name a tool of its own", ""
		if same := kin(name); same != nil {
			for _, known := range own {
				if slices.Contains(same, known) {
					hint, fix = fmt.Sprintf("there it is called %s", known), known
					break
				}
			}
		}
		report(fmt.Sprintf("%s has no tool %q: another agent has", s.agent.title, name), hint, fix)
		return
	}
	if near := near.Names(name, own); len(near) > 0 && len(name) > 3 {
		report(fmt.Sprintf("%s has no tool %q", s.agent.title, name), fmt.Sprintf("did you mean %s?", near[0]), near[0])
	}
}

// families are tools that do the same in different agents; the first that an agent has is the one to name.
var families = [][]string{
	{"Edit", "edit", "replace", "apply_patch", "ApplyPatch", "MultiEdit", "multiedit", "patch"},
	{"Write", "write", "write_file", "Create", "apply_patch"},
	{"Bash", "bash", "run_shell_command", "Shell", "shell", "Execute", "exec_command", "PowerShell"},
	{"Read", "read", "read_file", "read_many_files"},
	{"Grep", "grep", "grep_search", "search_file_content"},
	{"Glob", "glob"},
	{"LS", "list", "list_directory"},
	{"TodoWrite", "todowrite", "todo_write", "write_todos", "update_plan"},
	{"WebFetch", "webfetch", "web_fetch", "FetchUrl"},
	{"WebSearch", "websearch", "web_search", "google_web_search"},
	{"Agent", "Task", "task", "agent", "spawn_agent"},
}

func kin(name string) []string {
	for _, f := range families {
		if slices.Contains(f, name) {
			return f
		}
	}
	return nil
}

func plainName(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-') {
			return false
		}
	}
	return s != ""
}

// mendName writes another name in the place of one, in the quotes that it stands in.
func (s *subject) mendName(d *grammar.Diagnostic, field string, at grammar.Range, name, fix string) {
	value := s.Trigger
	if field == "rearm" {
		value = s.Rearm
	}
	from, to := at.Start.Offset, at.End.Offset
	if from < 0 || from > to || to > len(value) {
		return
	}
	i := strings.Index(value[from:to], name)
	if i < 0 || strings.Count(value[from:to], name) > 1 {
		return
	}
	s.mend(d, field, shift(at, value[from:to], i, i+len(name)), fix)
}
