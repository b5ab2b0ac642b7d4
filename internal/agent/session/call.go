package session

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/jsonscan"
)

// Call is one use of a tool.
type Call struct {
	ID     string
	Name   string
	Failed fact.Truth // unknown where no result was recorded, or the result does not say
	// Told is the call as rules see it, as far as the Sink wants it. It is never printed.
	Told fact.Call

	Input, Output []byte // JSON, in the line that is being read; nil in a Turn
}

// Fact returns the call as rules see it.
func (c *Call) Fact() fact.Call {
	told := c.Told
	told.Tool, told.Failed = c.Name, c.Failed
	return told
}

// SetCalls sets the facts of the calls before the turn. Of an outcome that was not recorded nothing is known.
func (t *Turn) SetCalls(f *fact.Frame, whole bool) {
	calls := make([]fact.Call, len(t.Calls))
	for i := range t.Calls {
		calls[i] = t.Calls[i].Fact()
	}
	f.ForgetOutcomes()
	SetCalls(f, calls, whole)
}

// SetCalls sets the facts of calls: as a whole, or those of their tools and outcomes alone.
func SetCalls(f *fact.Frame, calls []fact.Call, whole bool) {
	if whole {
		f.SetCalls(calls)
		return
	}
	f.SetTools(calls)
	f.SetOutcomes(calls)
}

// Place says how the place of calls is found, for a Sink.
type Place struct {
	// Project returns the project of a directory, "" for none, and then it is the first directory of the run;
	// nil finds none.
	Project func(dir string) string
	Home    string
}

// place records where the agent works from here on: the directory and the git branch, as JSON.
func (t *thread) place(dir, branch []byte) {
	if len(dir) > 0 && string(dir) != t.rawDir {
		t.rawDir = string(dir)
		t.work(jsonscan.Unquote(dir))
	}
	if len(branch) > 0 && string(branch) != t.rawBranch {
		t.rawBranch = string(branch)
		if t.branch = jsonscan.Unquote(branch); t.branch == "HEAD" { // no branch is checked out
			t.branch = ""
		}
	}
}

// work records the directory that the agent works in.
func (t *thread) work(dir string) {
	if dir == "" || dir == t.where.Dir {
		return
	}
	if t.where.Dir == "" {
		t.first = dir
	}
	t.where = agent.Where{Dir: dir, Project: t.first, Home: t.out.Place.Home}
	if t.out.Place.Project != nil {
		if project := t.out.Place.Project(dir); project != "" {
			t.where.Project = project
		}
	}
}

// told completes a call, given the name that the agent's table has for the tool, and lets go of the line. Of
// an agent without a name no tools are known.
func (t *thread) told(c Call, tool, name string) Call {
	a, ok := agent.Named(name)
	if !ok {
		a = new(agent.Agent)
	}
	if t.out.Subject == nil {
		c.Told.Class, c.Input, c.Output = a.ClassOf(tool), nil, nil
		return c
	}
	return t.wanted(c, a.ClassOf(tool), func(input []byte) fact.Call {
		return a.Call(tool, input, c.Output, t.where)
	})
}

// anyAgent completes a call of a tool of an agent that the file does not name, as told does.
func (t *thread) anyAgent(c Call) Call {
	if t.out.Subject == nil {
		c.Input, c.Output = nil, nil
		return c
	}
	return t.wanted(c, agent.ClassOf(c.Name), func(input []byte) fact.Call {
		return agent.CallOfAny(c.Name, input, c.Output, t.where)
	})
}

// wanted completes a call as call returns it, given the input, or nil where the subject is not wanted.
func (t *thread) wanted(c Call, class fact.Class, call func(input []byte) fact.Call) Call {
	if !t.out.Subject(c.Name, class) {
		c.Input = nil
	}
	c.Told = call(c.Input)
	c.Input, c.Output = nil, nil
	return c
}

// setOutput records the result of the call with an id, which is JSON.
func (t *thread) setOutput(id string, raw []byte, text func(string) string) {
	for i := range t.last.calls {
		if c := &t.last.calls[i]; c.ID == id {
			t.setOutputOf(c, raw, text)
		}
	}
}

func (t *thread) setOutputOf(c *Call, raw []byte, text func(string) string) {
	if !t.out.Outputs || len(raw) == 0 {
		return
	}
	if said, ok := agent.OutputOf(raw); ok {
		c.Told.Output, c.Told.OutputTold = fact.CutOutput(t.without(said, text)), true
	}
}

// without returns what text leaves of said. The rest is a hint.
func (t *thread) without(said string, text func(string) string) string {
	left := text(said)
	if left != said {
		t.waiting.Hints = append(t.waiting.Hints, strings.Replace(said, left, "", 1))
	}
	return left
}

// asIs is the text of a result that needs no change.
func asIs(text string) string { return text }

// codexInput returns the input of a call of Codex, and the name of its tool in the table.
func codexInput(l *codexLine, name string) (input []byte, tool string) {
	for _, member := range [...]string{"arguments", "input", "action"} {
		if input = l.get(member); len(input) > 0 {
			break
		}
	}
	switch {
	case name == "exec_command": // of which hooks are told so
		if cmd := jsonscan.Member([]byte(jsonscan.Unquote(input)), "cmd"); cmd != nil {
			return slices.Concat([]byte(`{"command":`), cmd, []byte(`}`)), codexTool(name)
		}
		return input, name
	case name == "apply_patch" && bytes.HasPrefix(input, []byte(`"{`)): // a function that takes the patch
		return jsonscan.Member([]byte(jsonscan.Unquote(input)), "input"), name
	}
	return input, codexTool(name)
}

// codexOutput returns what a command printed, without the lines that Codex puts before it for the model.
// Hooks have it in this form.
func codexOutput(text string) string {
	const reach = 512
	head := text[:min(len(text), reach)]
	if strings.HasPrefix(head, `{"output":`) { // an older form
		if out := jsonscan.Member([]byte(text), "output"); len(out) > 0 && out[0] == '"' {
			return jsonscan.Unquote(out)
		}
	}
	before, _, ok := strings.Cut(head, "\nOutput:\n")
	if !ok || !strings.Contains(before, "exited with code ") && !strings.Contains(before, "Exit code: ") &&
		!strings.Contains(before, "Process running with session ID ") {
		return text
	}
	return text[len(before)+len("\nOutput:\n"):]
}

// geminiOutput returns the result of a call of Gemini CLI as the tool gave it: in the session's file it has
// tags around it, and texts of hooks behind it.
func geminiOutput(result []byte) []byte {
	for _, part := range jsonscan.Elements(result) {
		response := jsonscan.Member(jsonscan.Member(part, "functionResponse"), "response")
		for _, name := range [...]string{"output", "error"} {
			if out := jsonscan.Member(response, name); len(out) > 0 {
				return out
			}
		}
	}
	return nil
}

// untagged returns a text without the tags that Gemini CLI puts around results and texts of hooks.
func untagged(text string) string {
	if i := strings.LastIndex(text, "<hook_context>"); i >= 0 && strings.HasSuffix(strings.TrimSpace(text),
		"</hook_context>") {
		text = strings.TrimRight(text[:i], "\n")
	}
	if inner, ok := strings.CutPrefix(text, "<untrusted_context>\n"); ok {
		return strings.TrimSuffix(inner, "\n</untrusted_context>")
	}
	return text
}
