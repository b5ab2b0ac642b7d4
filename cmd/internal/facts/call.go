package facts

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/duration"
	"github.com/aside-go/aside/internal/near"
)

// The members of a call, in the order in which LANGUAGE.md §5 lists them. One that is about to be executed
// has those before output.
var callKeys = [...]string{"tool", "class", "command", "path", "subject", "written", "input", "output",
	"failed", "duration"}

// Before returns the call that is about to be executed, and all problems.
func (r Reader) Before(v Value) (*fact.Call, []Problem) {
	d := r.decoder()
	c := d.call(v, "before", callKeys[:7])
	return &c, d.problems
}

// named returns calls of which the names are known. failed names those that failed, where that is known.
func named(tools, failed []string, known bool) []fact.Call {
	calls := make([]fact.Call, len(tools))
	for i, name := range tools {
		calls[i] = fact.Call{Tool: name, Class: agent.ClassOf(name), Failed: fact.Unknown}
		if known {
			calls[i].Failed = fact.Of(slices.Contains(failed, name))
		}
	}
	return calls
}

func (d *decoder) callList(v Value) (any, bool) {
	if v.Kind != List {
		d.fail(v, "write [{tool: NAME}]", "calls must be a list of calls, %s is none", v)
		return nil, false
	}
	before, calls := len(d.problems), make([]fact.Call, len(v.Items))
	for i, item := range v.Items {
		calls[i] = d.call(item, "a call", callKeys[:])
	}
	return calls, len(d.problems) == before
}

// call reads a call with the members in allowed.
func (d *decoder) call(v Value, what string, allowed []string) fact.Call {
	var c fact.Call
	given := map[string]Value{}
	if v.Kind != Map {
		d.fail(v, "write {tool: NAME}", "%s must be a mapping", what)
		return c
	}
	for i, key := range v.Keys {
		name := key.Text
		_, twice := given[name]
		switch {
		case twice:
			d.fail(key, "leave one of them out", "%s is given twice", name)
		case slices.Contains(allowed, name):
			given[name] = v.Items[i]
		case slices.Contains(callKeys[:], name):
			d.fail(key, "", "a call that is about to be executed has no %s", name)
		default:
			d.fail(key, near.Hint("", name, allowed), "a call has no %q", name)
		}
	}
	c.Tool, _ = d.text(given, "tool")
	if _, ok := given["tool"]; !ok || c.Tool == "" && given["tool"].Kind == Text {
		d.fail(v, "write {tool: NAME}", "a call without a tool")
	}
	c.Class = d.class(given, c.Tool)
	d.input(&c, given)
	d.subject(&c, given)
	if _, ok := given["written"]; ok {
		c.Written, c.WrittenTold = d.several(given, "written")
	}
	for i, s := range c.Written {
		c.Written[i] = fact.CutOutput(s)
	}
	c.Output, c.OutputTold = d.text(given, "output")
	c.Output = fact.CutOutput(c.Output)
	c.Failed = d.failed(given)
	d.took(&c, given)
	callpattern.Writes(&c, d.clean)
	return c
}

// input sets the input of a call, and what follows from it where the call does not say that itself.
func (d *decoder) input(c *fact.Call, given map[string]Value) {
	v, ok := given["input"]
	switch {
	case !ok, isUnknown(v, true):
		return
	case v.Kind != Map:
		d.fail(v, "write {NAME: VALUE}", "the input of a call must be a mapping, %s is none", v)
		return
	}
	raw, err := json.Marshal(v.plain())
	if err != nil {
		d.fail(v, "", "the input of a call cannot be written as JSON: %v", err)
		return
	}
	told := agent.CallOfAny(c.Tool, raw, nil, agent.Where{Dir: d.Place.Project, Project: d.Place.Project,
		Home: d.Place.Home})
	class := c.Class
	if *c = told; class != told.Class {
		c.Class = class
	}
}

// text returns a member that is a text, and whether it is known.
func (d *decoder) text(given map[string]Value, name string) (string, bool) {
	v, ok := given[name]
	switch {
	case !ok, isUnknown(v, true) && name != "tool":
		return "", false
	case v.Kind == Text:
		return v.Text, true
	}
	hint := ""
	if v.Kind == Bool || v.Kind == Number {
		hint = fmt.Sprintf("write %q", v.Text)
	}
	d.fail(v, hint, "the %s of a call must be a text, %s is none", name, v)
	return "", false
}

// class returns the class that is given, or else that of the tool's name.
func (d *decoder) class(given map[string]Value, tool string) fact.Class {
	name, ok := d.text(given, "class")
	if !ok {
		return agent.ClassOf(tool)
	}
	names := make([]string, len(fact.Classes()))
	for i, c := range fact.Classes() {
		names[i] = string(c)
	}
	if !slices.Contains(names, name) {
		hint := near.Hint("", strings.TrimPrefix(name, "@"), names)
		if hint == "" {
			hint = "a class is one of " + strings.Join(names, ", ")
		}
		d.fail(given["class"], hint, "there is no class %q", name)
	}
	return fact.Class(name)
}

func (d *decoder) failed(given map[string]Value) fact.Truth {
	v, ok := given["failed"]
	switch {
	case !ok:
		return fact.False
	case v.Kind == Bool:
		return fact.Of(v.Text == "true")
	case !isUnknown(v, false):
		d.fail(v, "true, false or unknown", "failed of a call is a bool, %s is none", v)
	}
	return fact.Unknown
}

// took sets how long a call took.
func (d *decoder) took(c *fact.Call, given map[string]Value) {
	text, ok := d.text(given, "duration")
	if !ok {
		return
	}
	took, err := duration.Parse(text)
	if err != nil {
		d.fail(given["duration"], "write a duration, as in 90s or 1m30s", "the duration of a call: %v", err)
		return
	}
	c.Duration, c.DurationTold = took, true
}

// subject sets the subject of a call from its command, path and subject.
func (d *decoder) subject(c *fact.Call, given map[string]Value) {
	command, byCommand := d.text(given, "command")
	paths, byPath := d.paths(given)
	subject, bySubject := d.text(given, "subject")
	if byCommand || byPath || bySubject || c.Input == "" {
		c.Command, c.Paths, c.Subject = command, paths, subject
		c.Told = byCommand || byPath || bySubject
	}
	if !bySubject {
		return
	}
	switch { // one thing with two names
	case c.Class == fact.Shell && byCommand:
		d.fail(given["subject"], "leave subject out", "the subject of a shell call is its command")
	case (c.Class == fact.Edit || c.Class == fact.Read) && byPath:
		d.fail(given["subject"], "leave subject out", "the subject of this call is its path")
	case c.Class == fact.Shell:
		c.Command, c.Subject = subject, ""
	case c.Class == fact.Edit || c.Class == fact.Read:
		c.Paths, c.Subject = []string{d.clean(subject)}, ""
	}
}

// paths returns the paths of a call.
func (d *decoder) paths(given map[string]Value) (paths []string, known bool) {
	paths, known = d.several(given, "path")
	for i := range paths {
		paths[i] = d.clean(paths[i])
	}
	return paths, known
}

// several returns a member that is one text or a list of texts, and whether it is known.
func (d *decoder) several(given map[string]Value, name string) ([]string, bool) {
	if v := given[name]; v.Kind == List {
		return d.texts(name, v)
	}
	if one, ok := d.text(given, name); ok {
		return []string{one}, true
	}
	return nil, false
}

// clean returns a path as fact.Call has it.
func (d *decoder) clean(p string) string {
	if p == "" {
		return p
	}
	p = path.Clean(filepath.ToSlash(p))
	if below, ok := strings.CutPrefix(p, strings.TrimSuffix(d.Place.Project, "/")+"/"); ok &&
		d.Place.Project != "" {
		return below
	}
	return p
}
