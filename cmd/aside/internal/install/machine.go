package install

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/internal/agent"
)

// Scope says whether the user's own configuration is meant, or that of the project.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Machine is the machine that an installation is for.
type Machine struct {
	Home    string              // "" where there is none
	Project string              // the project's directory
	State   string              // aside's state directory; its subdirectory "install" holds the lock
	Env     func(string) string // os.Getenv
	Windows bool
	Program Program

	// Version returns the version of an agent's program, "" where that is not known. nil: no version is known.
	Version func(binary string) string
}

// Quoted returns a path as it is written for a shell.
func (m *Machine) Quoted(path string) string { return shell([]string{path}, m.Windows) }

// TextFile returns the path of the file from which an agent is to read reminders.
func (m *Machine) TextFile(a *agent.Agent) string { return filepath.Join(m.State, a.Name+".md") }

func (m *Machine) exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// read returns what a file holds, nil where it cannot be read: to write the file will be an error then, which
// says why.
func (m *Machine) read(path string) []byte {
	s, err := look(path)
	if err != nil {
		return nil
	}
	return s.bytes
}

// older reports whether version is known and earlier than than.
func older(version, than string) bool {
	a, b := numbers(version), numbers(than)
	n := min(len(a), len(b))
	return slices.Compare(a[:n], b[:n]) < 0
}

func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(version, ".") {
		digits := part[:len(part)-len(strings.TrimLeft(part, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		list = append(list, n)
	}
	return list
}

// Registered is one of our hooks in a configuration.
type Registered struct {
	Event   string
	Command Command
	Current bool // the entry is what this version would write
}

// Found is what one configuration file holds that is ours.
type Found struct {
	Scope Scope
	Path  string
	Err   error        // why the file cannot be read; nil: it can
	Hooks []Registered // in the order of the file
	// Missing are the events that an installation would register and that have no hook of ours, Twice those with
	// more than one.
	Missing, Twice []string
	Wrapped        bool // the command of Claude Code's status line is ours
	// Off is the setting in the file that switches all hooks off, "" where none does.
	Off string
}

// Inspect looks for hooks in the files of an agent's configuration of a scope. It returns the files that hold
// one of ours, that switch hooks off, or that cannot be read. Current does not depend on m.Program: the hooks
// are compared with those that an installation of the program of the first of them would write.
func (m *Machine) Inspect(a *agent.Agent, s Scope) []Found {
	list := m.search(a, s)
	for _, f := range list {
		if len(f.Hooks) > 0 && f.Hooks[0].Command.Words != nil {
			with := *m
			with.Program = ProgramAt(f.Hooks[0].Command.Program())
			return with.search(a, s)
		}
	}
	return list
}

// files returns the files of an agent's configuration of a scope, none where it has none.
func (m *Machine) files(a *agent.Agent, s Scope) []part {
	at, err := m.at(Request{Agent: a, Scope: s})
	if err != nil {
		return nil
	}
	return at.parts()
}

func (m *Machine) search(a *agent.Agent, s Scope) (list []Found) {
	for _, p := range m.files(a, s) {
		f := Found{Scope: s, Path: p.file()}
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
			x := knownJSON(now.bytes)
			f.set(x, p.off)
			f.Wrapped = a.Config.StatusLine && wrapped(x)
		case *tomlHooks:
			f.read(p, now.bytes)
			f.set(decodeTOML(now.bytes), p.off)
		case *owned:
			if asWritten, ours := p.state(now.bytes); ours && p.words != nil {
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

// hooksPart is a part that holds hooks of several events.
type hooksPart interface {
	part
	common() *hookFile
	commands(now []byte) ([]Registered, error) // ours that the file holds
}

func (f *Found) read(p hooksPart, now []byte) {
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
	f.Missing = slices.DeleteFunc(p.common().events(), func(e string) bool { return count[e] > 0 })
}

// set sets Off where x has the setting that switches all hooks off.
func (f *Found) set(x any, off agent.Switch) {
	if len(off.Path) == 0 || !has(x, off.Path...) {
		return
	}
	for _, name := range off.Path {
		x = x.(map[string]any)[name]
	}
	if x == off.Value {
		f.Off = strings.Join(off.Path, ".")
	}
}

// Configured returns the directory below the home by which it shows that the user has an agent, "" where
// there is none.
func (m *Machine) Configured(a *agent.Agent) string {
	at := a.Config.User
	if a.Config.Own != "" {
		at = agent.Dir{Home: a.Config.Own}
	}
	dir := at.In(m.Env, m.Home, m.Project)
	if dir == "" || !m.exists(dir) {
		return ""
	}
	return dir
}
