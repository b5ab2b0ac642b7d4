package analysis

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

// The questions of a varAsked and a varLike are free to be true or false; an example makes up a turn on which
// they are.

// asked takes the truth of a question about a call, or about the end of the agent's work.
func (t *turn) asked(question, about string, is bool) {
	switch question {
	case "called", "failed", "before":
		c, ok := callOf(about)
		if !is && question != "before" {
			t.all = true
			t.words = append(t.words, "no call of "+about+map[string]string{"called": " was made",
				"failed": " failed"}[question])
		}
		if !is || !ok {
			return
		}
		c.Failed = fact.Of(question == "failed")
		switch question {
		case "before":
			t.words = append(t.words, "a call of "+about+" is about to be executed")
			if t.frame != nil {
				t.frame.SetMoment(fact.BeforeTool, &c)
			}
			return
		case "failed":
			t.words = append(t.words, "a call of "+about+" failed")
		default:
			t.words = append(t.words, "a call of "+about+" was made")
		}
		t.calls = append(t.calls, c)
	case "stopping":
		if is {
			t.words = append(t.words, "the agent is about to end its work")
			if t.frame != nil {
				t.frame.SetMoment(fact.Stopping, nil)
			}
		}
	}
}

// like takes the truth of a question about the members of a set.
func (t *turn) like(v *variable, is bool) {
	h := t.set(v.id)
	if h.known = true; is {
		text := v.name
		switch v.of {
		case "matches":
			text = plainPattern(text)
		case "contains": // and neither begins nor ends with it
			text = "-" + text + "-"
		}
		h.names = append(h.names, text)
	}
}

// setCalls puts the calls that were made up into the frame, beside those of the tools that were used.
func (t *turn) setCalls() {
	if len(t.calls) == 0 && !t.all {
		return
	}
	if names, ok := t.frame.Set(fact.ToolUsed); ok {
		for _, name := range names {
			if !slices.ContainsFunc(t.calls, func(c fact.Call) bool { return c.Tool == name }) {
				t.calls = append(t.calls, fact.Call{Tool: name, Told: true,
					Failed: fact.Of(slices.Contains(t.bad, name))})
			}
		}
	}
	for len(t.calls) < t.least {
		t.calls = append(t.calls, fact.Call{Tool: "Other", Told: true})
	}
	commands, told := t.frame.Set(fact.Command)
	paths, pathsTold := t.frame.Set(fact.Path)
	t.frame.SetCalls(t.calls)
	if told {
		t.frame.SetSet(fact.Command, commands)
	}
	if pathsTold {
		t.frame.SetSet(fact.Path, paths)
	}
}

// fillers stand for the wildcards of a subject.
var fillers = []*strings.Replacer{
	strings.NewReplacer("**/", "", "/**", "/x", "*", "", "?", "x"),
	strings.NewReplacer("**/", "", "/**", "/x", "*", "x", "?", "x"),
}

// callOf makes up a call that matches a pattern; ok is false if it finds none.
func callOf(pattern string) (c fact.Call, ok bool) {
	p, m := callpattern.Parse(pattern)
	if m != nil {
		return c, false
	}
	name, subject, _ := strings.Cut(strings.TrimSuffix(pattern, ")"), "(")
	tool := strings.ReplaceAll(name, "*", "x")
	classes := append([]fact.Class{fact.NoClass}, fact.Classes()...)
	if p.Class() != fact.NoClass {
		tool, classes = "Other", []fact.Class{p.Class()}
	} else if known, is := commonTools[tool]; is {
		classes = []fact.Class{known}
	}
	for _, class := range classes {
		for _, f := range fillers {
			text := f.Replace(subject)
			c = fact.Call{Tool: tool, Class: class, Told: true, OutputTold: true}
			switch class {
			case fact.Shell:
				c.Command = text
			case fact.Edit, fact.Read:
				c.Paths = []string{text}
			case fact.Todo:
			default:
				c.Subject = text
			}
			if p.Match(&c, fact.Place{}) == fact.True {
				return c, true
			}
		}
	}
	return c, false
}

// commonTools are names of tools that most people write, with their classes, so that an example is one that
// agents can tell.
var commonTools = map[string]fact.Class{"Bash": fact.Shell, "Edit": fact.Edit, "Write": fact.Edit,
	"Read": fact.Read, "Grep": fact.Search, "Glob": fact.Search, "WebFetch": fact.Web, "WebSearch": fact.Web,
	"Task": fact.Task, "TodoWrite": fact.Todo}

// answer makes a past that answers a function over patterns with n.
func (p *past) answer(function, patterns string, n int) {
	switch function {
	case "tool_count":
		p.counts[patterns] = n
	case "used":
		p.counts[patterns] = max(p.counts[patterns], n)
	case "turns_since_tool":
		p.turns[patterns] = n
	case "called_since":
		p.since[patterns] = n
	}
}
