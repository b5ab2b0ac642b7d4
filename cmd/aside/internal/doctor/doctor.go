// Package doctor looks at everything between a rule and the model, and names each fault and its remedy.
// It changes nothing.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/agent"
)

// status is the result of looking at one thing.
type status string

const (
	fine  status = "ok"
	note  status = "note" // worth knowing, but nothing is wrong
	wrong status = "wrong"
)

// finding is one thing that was looked at.
type finding struct {
	Check  string `json:"check"` // program, agent, rules, trust, state, log or delivery
	Agent  string `json:"agent,omitempty"`
	Status status `json:"status"`
	What   string `json:"what"`
	Remedy string `json:"remedy,omitempty"`
}

// report is the output of --json.
type report struct {
	OK       bool      `json:"ok"`
	Findings []finding `json:"findings"`
}

// doctor collects findings.
type doctor struct {
	*command.Env
	machine *install.Machine
	host    hook.Host
	found   []finding
	agent   *agent.Agent // the agent that is looked at; nil: none
	only    string       // the only agent that is asked for; "": all are
	// mended is when what an agent runs was last changed: its configuration, or the program; under "" the latest
	// of them. Only agents with hooks of ours have one. ruled is the same of the rules.
	mended map[string]time.Time
	ruled  time.Time

	stuck    string       // the state directory, where nothing can be written to it: all hooks fail for that
	commands []tried      // of hooks, that run
	set      *compile.Set // of the rules; nil: they could not be read
}

// say adds a finding. remedy may be "".
func (d *doctor) say(check string, s status, remedy, format string, args ...any) {
	f := finding{Check: check, Status: s, What: terminal.Visible(fmt.Sprintf(format, args...)), Remedy: remedy}
	if d.agent != nil {
		f.Agent = d.agent.Name
	}
	d.found = append(d.found, f)
}

// Cmd is "aside doctor", and "aside setup --check".
type Cmd struct {
	Agent string `placeholder:"AGENT" help:"Look at one agent only, which should be set up."`
	JSON  bool   `name:"json" help:"Print a JSON object."`
}

// Run looks at everything, and prints the findings.
func (c *Cmd) Run(ctx context.Context, e *command.Env) error {
	d, err := look(ctx, e, c.Agent)
	if err != nil {
		return err
	}
	n := d.count(wrong)
	if c.JSON {
		if err := e.PrintJSON(report{n == 0, d.found}); err != nil {
			return err
		}
		return command.Verdict(n > 0)
	}
	d.print()
	if n > 0 {
		e.Note("%s wrong", map[bool]string{true: "one thing is", false: fmt.Sprintf("%d things are", n)}[n == 1])
	} else {
		e.Note("all is well")
	}
	return command.Verdict(n > 0)
}

// Complain looks at everything, and prints what is wrong.
func Complain(ctx context.Context, e *command.Env) error {
	d, err := look(ctx, e, "")
	if err != nil || d.count(wrong) == 0 {
		return err
	}
	e.Note("\n%s", e.Paint("1", "What is wrong"))
	if err := e.Out.Flush(); err != nil {
		return err
	}
	d.found = slices.DeleteFunc(d.found, func(f finding) bool { return f.Status != wrong })
	d.print()
	return e.Out.Flush()
}

// look looks at everything, of one agent alone where one is named.
func look(ctx context.Context, e *command.Env, only string) (*doctor, error) {
	agents := agent.All()
	if only != "" {
		a, err := setup.Agent(only)
		if err != nil {
			return nil, err
		}
		agents = []*agent.Agent{a}
	}
	m, err := setup.Machine(e)
	if err != nil {
		return nil, err
	}
	if m.Program, err = setup.Program(""); err != nil {
		return nil, err
	}
	d := &doctor{Env: e, machine: m, host: hook.Host{Env: os.Getenv, Home: e.Home}, only: only,
		mended: map[string]time.Time{}}
	d.programs()
	d.agents(ctx, agents, only != "")
	d.rules()
	d.state(ctx)
	if d.stuck == "" {
		d.probes(ctx)
	}
	d.log(ctx)
	return d, nil
}

func (d *doctor) count(s status) (n int) {
	for _, f := range d.found {
		if f.Status == s {
			n++
		}
	}
	return n
}

// print prints the findings for people, with a heading for each agent and each other check.
func (d *doctor) print() {
	head := ""
	for _, f := range d.found {
		if about := cmp.Or(f.Agent, f.Check); about != head {
			head = about
			fmt.Fprintln(d.Out, d.Paint("1", head))
		}
		style := map[status]string{fine: "32", note: "33", wrong: "1;31"}[f.Status]
		d.line("  "+d.Paint(style, string(f.Status))+strings.Repeat(" ", 5-len(f.Status))+" ", f.What)
		if f.Remedy != "" {
			d.line("        "+d.Glyph("→", ">")+" ", f.Remedy)
		}
	}
}

// line prints a text behind a head of eight or ten columns, wrapped to the terminal.
func (d *doctor) line(head, text string) {
	if d.Width > 0 {
		n := 8
		if strings.HasPrefix(head, strings.Repeat(" ", n)) {
			n = 10
		}
		text = strings.Join(terminal.Wrap(text, max(d.Width-n, 20)), "\n"+strings.Repeat(" ", n))
	}
	fmt.Fprintln(d.Out, head+text)
}
