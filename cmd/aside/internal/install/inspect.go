package install

import (
	"bytes"
	"slices"
)

// Registered is one of our hooks in a configuration.
type Registered struct {
	Event   string
	Command Command
	Current bool // it is as this version would write it
}

// Found is what a configuration says of us.
type Found struct {
	Agent *Agent
	Scope Scope
	Path  string
	Err   error        // it cannot be read
	Hooks []Registered // in order
	// Missing are the events that an installation registers and this one has not, Twice those with more than one of ours.
	Missing, Twice []string
	// StatusLine is Claude Code's status line, Wrapped whether it is ours.
	StatusLine string
	Wrapped    bool
	// Off says which setting there switches all hooks off.
	Off string
}

// Inspect looks where an agent keeps its configuration of a scope. Without a hook of ours it finds nothing, unless a file cannot be
// read. Which program runs does not make a hook less current, as long as it is the same for all.
func (m *Machine) Inspect(a *Agent, s Scope) []Found {
	list := m.inspect(a, s)
	for _, f := range list {
		if len(f.Hooks) > 0 && f.Hooks[0].Command.Words != nil {
			with := *m
			with.Program = ProgramAt(f.Hooks[0].Command.Program())
			return with.inspect(a, s)
		}
	}
	return list
}

func (m *Machine) inspect(a *Agent, s Scope) (list []Found) {
	at, err := m.at(Request{Agent: a, Scope: s})
	if err != nil {
		return nil
	}
	for _, p := range a.parts(at) {
		f := Found{Agent: a, Scope: s, Path: p.file()}
		now, err := look(p.file())
		if err != nil {
			f.Err = err
			list = append(list, f)
			continue
		}
		if now.bytes == nil {
			continue
		}
		switch p := p.(type) {
		case *jsonHooks:
			f.read(p, now.bytes)
			f.settings(now.bytes, m)
		case *tomlHooks:
			f.read(p, now.bytes)
			if x, _ := decodeTOML(now.bytes).(map[string]any); has(x, "features", "hooks") && x["features"].(map[string]any)["hooks"] == false {
				f.Off = "features.hooks"
			}
		case *owned:
			if asWritten, ours := p.state(now.bytes); ours {
				r := Registered{Event: p.event, Current: asWritten && bytes.Equal(now.bytes, p.content())}
				r.Command, _ = recognise(p.words(string(now.bytes)), a.Name)
				f.Hooks = []Registered{r}
			}
		}
		if len(f.Hooks) > 0 || f.Err != nil || f.Off != "" {
			list = append(list, f)
		}
	}
	return list
}

// registrar is a part that holds hooks.
type registrar interface {
	commands(now []byte) ([]Registered, error)
	events() []string
}

func (f *Found) read(p registrar, now []byte) {
	if f.Hooks, f.Err = p.commands(now); len(f.Hooks) == 0 {
		return
	}
	count := map[string]int{}
	for _, h := range f.Hooks {
		count[h.Event]++
		if count[h.Event] == 2 {
			f.Twice = append(f.Twice, h.Event)
		}
	}
	f.Missing = slices.DeleteFunc(p.events(), func(e string) bool { return count[e] > 0 })
}

// settings reads what else a JSON configuration says of hooks.
func (f *Found) settings(now []byte, m *Machine) {
	if f.Agent.Name != "claude-code" {
		return
	}
	f.StatusLine, f.Wrapped = statusLine{program: m.Program}.wrapped(now)
	if x, _ := knownJSON(now).(map[string]any); x["disableAllHooks"] == true {
		f.Off = "disableAllHooks"
	}
}
