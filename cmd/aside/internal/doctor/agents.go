package doctor

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/agent"
)

const getHook = "go install github.com/aside-go/aside/cmd/aside-hook@latest"

// programs looks whether aside-hook is installed beside this program.
func (d *doctor) programs() {
	d.say("program", fine, "", "%s, %s", command.Version(), d.Short(d.machine.Program.Aside))
	if d.machine.Program.Hook == "" {
		d.say("program", note, getHook+", then install again",
			"aside-hook does not stand beside it: agents run aside itself, which takes a little longer each time")
	} else {
		d.say("program", fine, "", "aside-hook stands beside it")
	}
}

// agents looks at the agents that are set up. asked says that the user has named a single agent, which should
// be set up.
func (d *doctor) agents(ctx context.Context, agents []*agent.Agent, asked bool) {
	any := false
	var there []string
	for _, a := range agents {
		d.agent = a
		var all []install.Found
		for _, s := range setup.Scopes(d.Env) {
			all = append(all, d.machine.Inspect(a, s)...)
		}
		registered := slices.ContainsFunc(all, func(f install.Found) bool { return len(f.Hooks) > 0 })
		switch {
		case a.Config.Why != "" && asked:
			d.say("agent", wrong, "aside help serve: aside serve stands before the model's API",
				"%s cannot be reminded: %s", a.Title, a.Config.Why)
		case a.Config.Why != "":
		case registered:
			any = true
			d.registered(ctx, all)
		case asked:
			d.broken(all)
			d.say("agent", wrong, "aside setup "+a.Name, "nothing is registered for %s", a.Title)
		default:
			d.broken(all)
			if a.Binary == "" || a.Common || a.Untried {
				continue
			}
			if _, err := exec.LookPath(a.Binary); err == nil {
				there = append(there, a.Name)
			}
		}
	}
	d.agent = nil
	if any && len(there) > 0 {
		d.say("agent", note, "aside setup "+strings.Join(there, " "), "here, and not set up: %s",
			strings.Join(there, ", "))
	}
	if !any && !asked {
		remedy := "aside setup"
		if len(there) == 0 {
			remedy += "; aside help install lists the agents"
		}
		d.say("agent", wrong, remedy, "no agent is set up: nothing reaches a model by hooks")
	}
}

// broken reports configurations that cannot be read.
func (d *doctor) broken(all []install.Found) {
	for _, f := range all {
		var s *install.SyntaxError
		switch {
		case errors.As(f.Err, &s):
			d.say("agent", wrong, cmp.Or(s.Hint, "correct it there, and again: aside setup --check"), "%s:%d:%d: %s",
				d.Short(f.Path), s.Line, s.Column, s.Message)
		case f.Err != nil:
			d.say("agent", wrong, "ls -l "+d.machine.Quoted(f.Path), "%s", terminal.Plain(f.Err))
		}
	}
}

// registered looks at the hooks of the current agent.
func (d *doctor) registered(ctx context.Context, all []install.Found) {
	a := d.agent
	for _, f := range all {
		d.mended[a.Name] = newer(d.mended[a.Name], f.Path)
		for _, h := range f.Hooks {
			if h.Command.Words == nil {
				continue
			}
			if path, err := exec.LookPath(h.Command.Program()); err == nil {
				d.mended[a.Name] = newer(d.mended[a.Name], path)
			}
		}
	}
	if at := d.mended[a.Name]; at.After(d.mended[""]) {
		d.mended[""] = at
	}
	if a.Binary != "" && !a.Mute {
		if v := d.machine.Version(a.Binary); v != "" {
			d.say("agent", fine, "", "%s %s%s", a.Title, v, map[bool]string{true: ", untried"}[a.Untried])
		} else {
			why := "no file beside " + a.Binary + " names it"
			if _, err := exec.LookPath(a.Binary); err != nil {
				why = a.Binary + " is not in PATH"
			}
			d.say("agent", note, "", "the version of %s cannot be told: %s", a.Title, why)
		}
	}
	d.broken(all)
	type registered struct {
		install.Command
		foreign bool // it is from the configuration of a project
	}
	var commands []registered
	users := "" // the file of the user's scope, which comes first
	for _, f := range all {
		again := "aside setup " + a.Name
		if f.Scope == install.Project {
			again += " --scope project"
		}
		path := d.Short(f.Path)
		if f.Off != "" {
			d.say("agent", wrong, "take "+f.Off+" out of "+path, "%s switches all hooks off: %s", path, f.Off)
		}
		if len(f.Hooks) == 0 {
			continue
		}
		stale := 0
		for _, h := range f.Hooks {
			if !h.Current {
				stale++
			}
			if h.Command.Words != nil && !slices.ContainsFunc(commands,
				func(c registered) bool { return c.Program() == h.Command.Program() }) {
				commands = append(commands, registered{h.Command, f.Scope == install.Project})
			}
		}
		switch {
		case len(f.Missing) > 0:
			d.say("agent", wrong, again, "%s: not registered for %s", path, strings.Join(f.Missing, ", "))
		case len(f.Twice) > 0:
			d.say("agent", wrong, again, "%s: registered twice for %s", path, strings.Join(f.Twice, ", "))
		case stale > 0:
			d.say("agent", wrong, again, "%s: %s as this version would write it", path,
				map[bool]string{true: "one hook is not", false: fmt.Sprintf("%d hooks are not", stale)}[stale == 1])
		default:
			d.say("agent", fine, "", "%s: %s registered", path, terminal.Count(len(f.Hooks), "hook"))
		}
		if f.Scope == install.User {
			users = path
		} else if users != "" {
			d.say("agent", wrong, "aside uninstall "+a.Name+" --scope project",
				"registered in %s, too: events reach aside twice in this project", users)
		}
	}
	for _, c := range commands {
		if c.foreign && !d.own(c.Program()) {
			d.say("program", note, "", "%s, which this project's configuration names, was not tried",
				d.Short(c.Program()))
			continue
		}
		d.program(ctx, c.Command)
	}
	d.special(ctx, all)
}

// own reports whether a program that a project's configuration names may be run: it must be found by its name
// in PATH, or be this program or its aside-hook. Any other program is whatever the project's authors have
// chosen.
func (d *doctor) own(name string) bool {
	path, err := exec.LookPath(name)
	if err != nil {
		return true // nothing will be run
	}
	return filepath.Base(name) == name || setup.SameFile(path, d.machine.Program.Aside) ||
		setup.SameFile(path, d.machine.Program.Hook)
}

// program runs a program that a configuration names, as the agent would, with an event that does not exist:
// it must print nothing.
func (d *doctor) program(ctx context.Context, c install.Command) {
	name := c.Program()
	again := "aside setup " + d.agent.Name
	path, err := exec.LookPath(name)
	switch {
	case err != nil && filepath.IsAbs(name):
		d.say("program", wrong, again, "%s, which it runs, is not there, or is not a program", d.Short(name))
		return
	case err != nil:
		d.say("program", wrong, "put it into a directory of PATH, or: "+again,
			"%s, which it runs, is not in PATH", name)
		return
	}
	if info, err := buildinfo.ReadFile(path); err == nil {
		if own, ok := debug.ReadBuildInfo(); ok && versionOf(info) != versionOf(own) {
			d.say("program", note, again, "%s is %s, and this is %s: they may not read each other's state",
				d.Short(path), versionOf(info), versionOf(own))
		}
	}
	state, err := os.MkdirTemp("", "aside-doctor")
	if err != nil {
		d.say("program", note, "", "%s was not tried: %s", d.Short(path), terminal.Plain(err))
		return
	}
	defer os.RemoveAll(state)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, c.Plain()...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
	event, _ := json.Marshal(map[string]string{"session_id": "doctor", "hook_event_name": "AsideDoctor",
		"transcript_path": filepath.Join(state, "none.jsonl"), "cwd": state})
	cmd.Stdin = bytes.NewReader(event)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err = cmd.Run()
	took := time.Since(start)
	logged, _ := os.ReadFile(filepath.Join(state, "aside", "hook.log"))
	switch {
	case err != nil:
		d.say("program", wrong, again, "%s does not run: %s", d.Short(path), terminal.Line(err.Error()))
	case out.Len() > 0 || errs.Len() > 0:
		d.say("program", wrong, again, "%s says something where it should be silent: %.100q", d.Short(path),
			out.String()+errs.String())
	case len(logged) > 0:
		_, what, _ := strings.Cut(strings.TrimSpace(string(logged)), " ")
		d.say("program", wrong, again, "%s fails: %s", d.Short(path), what)
	case took > 300*time.Millisecond:
		d.say("program", note, "", "%s runs, but took %d ms: each tool call waits for it", d.Short(path),
			took.Milliseconds())
	default:
		d.say("program", fine, "", "%s runs", d.Short(path))
	}
	if err == nil {
		d.commands = append(d.commands, tried{d.agent, c})
	}
}

// versionOf returns the version of a program of ours, and the commit of one that was built without a version.
func versionOf(info *debug.BuildInfo) string {
	v := cmp.Or(info.Main.Version, "unknown")
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && !strings.Contains(v, s.Value[:min(len(s.Value), 12)]) {
			v += " of " + s.Value[:min(len(s.Value), 12)]
		}
	}
	return v
}

// special looks at the properties of single agents.
func (d *doctor) special(ctx context.Context, all []install.Found) {
	c := &d.agent.Config
	if c.StatusLine {
		if !slices.ContainsFunc(all, func(f install.Found) bool { return f.Wrapped }) {
			d.say("agent", note, "aside setup "+d.agent.Name+" --statusline",
				"the size of the context window is guessed from the model; the status line would report it")
		}
	}
	for _, other := range agent.All() {
		if !slices.Contains(other.Config.Reads, d.agent.Name) {
			continue
		}
		if _, err := exec.LookPath(other.Binary); err == nil && len(d.machine.Inspect(other, install.User)) == 0 {
			d.say("agent", note, "aside setup "+other.Name+", for reminders there",
				"%s runs the hooks of %s, too; aside stays silent in it", other.Title, d.agent.Title)
		}
	}
	if d.agent.Session != nil && d.agent.Session.HookTexts {
		d.delivery(ctx)
	}
	if c.Remark != "" {
		d.say("agent", note, "", "%s", c.Remark)
	}
	if c.TextFile != "" {
		d.textFile(c.TextFile)
	}
}

// textFile looks whether the agent reads its texts from the file that hooks write to. variable names that
// file.
func (d *doctor) textFile(variable string) {
	file := d.machine.TextFile(d.agent)
	remedy := "export " + variable + "=" + d.machine.Quoted(file)
	switch now := os.Getenv(variable); now {
	case file:
		d.say("agent", fine, "", "%s is %s", variable, d.Short(file))
	case "":
		d.say("agent", wrong, remedy, "%s is not set here: %s reads no reminders", variable, d.agent.Name)
	default:
		d.say("agent", wrong, remedy, "%s is %s: hooks write over what stands there", variable, d.Short(now))
	}
}
