package install

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/agent"
)

// place is where an installation goes.
type place struct {
	*Machine
	request Request
	dir     string // of the agent's configuration
}

// in returns a path below the directory, given with slashes.
func (at place) in(path string) string { return filepath.Join(at.dir, filepath.FromSlash(path)) }

// part is one file of an installation. install and uninstall return what the file is to hold, nil for no
// file. now is what the file holds, nil for no file, and backup what it held before the first installation,
// nil where that is not known.
type part interface {
	file() string
	install(now, backup []byte) ([]byte, error)
	uninstall(now, backup []byte) ([]byte, error)
}

// directory returns the directory of an agent's configuration, "" where that is not known.
func (m *Machine) directory(c *agent.Config, s Scope) string {
	if s == Project {
		return filepath.Join(m.Project, filepath.FromSlash(c.Project))
	}
	return c.User.In(m.Env, m.Home, m.Project)
}

// parts returns the files of an installation, as the agent declares them.
func (at place) parts() (all []part) {
	for i := range at.request.Agent.Config.Files {
		f := &at.request.Agent.Config.Files[i]
		path := at.path(f)
		switch {
		case f.JSON != nil:
			all = append(all, at.jsonHooks(path, f.JSON))
		case f.TOML != nil:
			t := at.tomlHooks(path, f.TOML)
			if f.TOML.InPlace {
				j := all[len(all)-1].(*jsonHooks)
				t.wanted = !at.exists(j.path) && t.hasHooks(at.read(t.path))
				j.wanted = !t.wanted
			}
			all = append(all, t)
		case f.Script != nil:
			all = append(all, at.script(path, f.Script))
		case f.Plugin != nil:
			all = append(all, at.plugin(path, f.Plugin))
		default:
			spare := strings.HasPrefix(filepath.Base(path), "remind.") // the command behind /remind
			all = append(all, &owned{path: path, text: f.Text, mode: 0o644, spare: spare})
		}
	}
	return all
}

// path returns the path of a file of an installation.
func (at place) path(f *agent.File) string {
	path := f.Path
	if at.request.Scope == Project {
		if f.ProjectPath != "" {
			path = f.ProjectPath
		}
		if f.HiddenToo && at.exists(at.in("."+path)) {
			path = "." + path
		}
	}
	if at.Windows {
		path += f.WindowsExt
	}
	return at.in(path)
}

// hookFile is what files with hooks of several events have in common.
type hookFile struct {
	path    string
	agent   string
	wanted  bool // false: an installation removes what is ours
	grouped bool
	hooks   []agent.Registration
	mode    *string // Request.Mode
	off     agent.Switch
}

// registration is a hook of ours in a file.
type registration struct {
	event   string
	command Command
	value   any // the whole of it, decoded
}

func (at place) hookFile(path string, grouped bool, off agent.Switch) hookFile {
	return hookFile{path: path, agent: at.request.Agent.Name, wanted: true, grouped: grouped,
		mode: at.request.Mode, off: off}
}

func (f *hookFile) file() string      { return f.path }
func (f *hookFile) common() *hookFile { return f }

// events returns the events that an installation registers.
func (f *hookFile) events() (names []string) {
	if f.wanted {
		for _, h := range f.hooks {
			names = append(names, h.Event)
		}
	}
	return names
}

func (f *hookFile) registers(event string) bool {
	return slices.ContainsFunc(f.hooks, func(h agent.Registration) bool { return h.Event == event })
}

// kept returns what a new installation leaves as it is in our commands: the mode, unless f.mode sets it, and
// by event the words that somebody has added.
func (f *hookFile) kept(list []registration) (mode string, more map[string][]string) {
	more = map[string][]string{}
	for _, r := range list {
		mode = cmp.Or(mode, r.command.Mode)
		more[r.event] = r.command.more
	}
	if f.mode != nil {
		mode = *f.mode
	}
	return mode, more
}

// compare reports of hooks in the file whether they are those that an installation would write.
func (f *hookFile) compare(list []registration,
	write func(h agent.Registration, c Command) any) (all []Registered) {
	for _, r := range list {
		current := slices.ContainsFunc(f.hooks, func(h agent.Registration) bool {
			return h.Event == r.event && same(r.value, write(h, r.command))
		})
		all = append(all, Registered{r.event, r.command, current})
	}
	return all
}

func (at place) jsonHooks(path string, f *agent.JSONHooks) *jsonHooks {
	j := &jsonHooks{
		hookFile: at.hookFile(path, f.Grouped, f.Off),
		root:     cmp.Or(f.Root, "hooks"),
		handler:  at.handler(f.Handler, f.TellEvent),
	}
	if f.Version {
		j.top = object{{"version", 1}}
	}
	if f.Earlier != nil && at.Version != nil && older(at.Version(at.request.Agent.Binary), f.EarlierUntil) {
		j.handler = at.handler(f.Earlier, f.TellEvent)
	}
	mode := ""
	if j.mode != nil {
		mode = *j.mode
	} else if d, err := readDoc(path, at.read(path)); err == nil {
		mode, _ = j.kept(j.registered(d))
	}
	for _, e := range f.Events {
		if e.Mode == "" || e.Mode == mode {
			j.hooks = append(j.hooks, e)
		}
	}
	if at.request.Agent.Config.StatusLine {
		j.extra = statusLine{at.Program, at.Windows, at.request.StatusLine}.edit
	}
	return j
}

// handler returns the function that makes the handler of an event.
func (at place) handler(members []agent.Member, tellEvent bool) handler {
	return func(h agent.Registration, mode string, more []string) object {
		event, members := h.Event, members
		if h.Handler != nil {
			members = h.Handler
		}
		if !tellEvent {
			event = ""
		}
		words := at.Program.command(at.request.Agent.Name, event, mode, more)
		o := make(object, len(members))
		for i, m := range members {
			o[i] = member{m.Name, m.Value}
			switch m.Value {
			case agent.Line:
				o[i].value = shell(words, at.Windows)
			case agent.Program:
				o[i].value = words[0]
			case agent.Args:
				o[i].value = words[1:]
			case agent.Guarded:
				o[i].value = shell(words, false) + guard
			case agent.GuardedPowerShell:
				o[i].value = guardPowerShell[0] + shell(words, true) + guardPowerShell[1]
			}
		}
		return o
	}
}

// line returns the command of a hook as a line for a shell.
func (at place) line(mode string, more []string) string {
	return shell(at.Program.command(at.request.Agent.Name, "", mode, more), at.Windows)
}

func (at place) tomlHooks(path string, f *agent.TOMLHooks) *tomlHooks {
	t := &tomlHooks{hookFile: at.hookFile(path, f.Grouped, f.Off), command: at.line}
	t.hooks = f.Events
	return t
}

func (at place) script(path string, f *agent.Script) *owned {
	mark := "# " + ourMark
	text := "#!/bin/sh\n" + mark + "\nexec " + at.line("", nil) + "\n"
	if at.Windows {
		text = mark + "\n$input | & " + at.line("", nil) + "\nexit 0\n"
	}
	return &owned{path: path, text: text, mark: mark, mode: 0o755, event: f.Event, words: scriptWords}
}

func (at place) plugin(path string, f *agent.Plugin) *owned {
	words := at.Program.command(at.request.Agent.Name, "", "", nil)
	return &owned{
		path: path, mark: f.Mark + ourMark, mode: 0o644, event: f.Event,
		text:  strings.Replace(f.Source, f.Command, string(marshal(words)), 1),
		words: func(text string) []string { return pluginWords(text, f.Before) },
	}
}

// check returns an error where the agent's file for texts, which a variable names, holds somebody else's
// text.
func (at place) check() error {
	variable := at.request.Agent.Config.TextFile
	if variable == "" {
		return nil
	}
	file := at.Env(variable)
	if file != "" && !filepath.IsAbs(file) {
		file = filepath.Join(at.Project, file)
	}
	if file == "" || file == at.TextFile(at.request.Agent) || len(bytes.TrimSpace(at.read(file))) == 0 {
		return nil
	}
	return fmt.Errorf("%s names %s, whose text %w: hooks leave it alone and could say nothing; "+
		"make it a reminder, and unset the variable", variable, file, ErrForeign)
}

// after returns Result.After.
func (at place) after() (lines []string) {
	c := &at.request.Agent.Config
	list := c.After
	if at.request.Scope == Project && c.AfterProject != nil {
		list = c.AfterProject
	}
	for _, l := range list {
		lines = append(lines, strings.ReplaceAll(l, "{file}", at.Quoted(at.TextFile(at.request.Agent))))
	}
	return lines
}
