package setup

import (
	"os/exec"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/internal/agent"
)

// Present is an agent that is on this machine and that can be reminded.
type Present struct {
	*agent.Agent
	Program string          // path of its program in PATH; "": it is not there
	Dir     string          // directory of its configuration that exists; "": none
	Hooks   []install.Scope // the scopes in which hooks of ours are registered
}

// Usual reports whether an agent is taken where the user names none: it has our hooks already, or somebody
// has run it with reminders. Its program need not be in PATH: an editor is not, nor what a profile adds.
func (p *Present) Usual() bool { return len(p.Hooks) > 0 || !p.Untried }

// About describes an agent for a list.
func (p *Present) About(e *command.Env) string {
	words := []string{p.Title}
	if p.Untried {
		words = append(words, "untried")
	}
	switch {
	case len(p.Hooks) > 0:
		words = append(words, "set up")
	case p.Program == "":
		words = append(words, "only "+e.Short(p.Dir)+" is there")
	}
	return strings.Join(words, ", ")
}

// Find returns the agents that are on this machine, by their programs, configurations, or hooks of ours, in
// the order of agent.All. Agents that cannot be reminded, or not in this scope, are left out.
func Find(e *command.Env, m *install.Machine, scope install.Scope) (all []Present) {
	for _, a := range agent.All() {
		if a.Config.Why != "" || scope == install.Project && a.Config.Project == "" {
			continue
		}
		p := Present{Agent: a, Dir: m.Configured(a)}
		if a.Binary != "" && (!a.Common || p.Dir != "") {
			if path, err := exec.LookPath(a.Binary); err == nil {
				p.Program = path
			}
		}
		for _, s := range Scopes(e) {
			if slices.ContainsFunc(m.Inspect(a, s), func(f install.Found) bool { return len(f.Hooks) > 0 }) {
				p.Hooks = append(p.Hooks, s)
			}
		}
		if p.Program != "" || p.Dir != "" || len(p.Hooks) > 0 {
			all = append(all, p)
		}
	}
	return all
}

// Scopes returns the scopes that differ from here: a home is not a project.
func Scopes(e *command.Env) []install.Scope {
	if e.Dir == "" || e.IsHome(e.Dir) {
		return []install.Scope{install.User}
	}
	return []install.Scope{install.User, install.Project}
}

// Names returns the names of agents that are on this machine.
func Names(all []Present) (names []string) {
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names
}

// Choices returns the agents as a list to pick from.
func Choices(e *command.Env, all []Present) (list []command.Choice) {
	for _, p := range all {
		list = append(list, command.Choice{Name: p.Name, About: p.About(e), Usual: p.Usual()})
	}
	return list
}

// Registered returns the names of the agents that run our hooks on this machine, the user's or the project's.
// It only reads their configurations.
func Registered(e *command.Env) []string {
	m, err := Machine(e)
	if err != nil {
		return nil
	}
	return Names(slices.DeleteFunc(Find(e, m, install.User), func(p Present) bool { return len(p.Hooks) == 0 }))
}
