package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/install"
)

// doctorCmd is "aside doctor".
type doctorCmd struct {
	Agent string `placeholder:"AGENT" help:"Look at one agent only, which should be set up."`
	JSON  bool   `name:"json" help:"Print a JSON object."`
}

// Help says what is looked at.
func (*doctorCmd) Help() string {
	return `Looks at everything between a rule and the model: the programs that agents run, what is registered where and whether it runs, rules and trust, the state directory, what hooks have logged, and for Claude Code whether the last reminder stands in the newest session. Each thing that is wrong comes with what to do. Nothing is changed.

The exit code is 1 if something is wrong. --json prints {"ok","findings":[{"check","agent","status","what","remedy"}]}; status is ok, note or wrong.

Examples:

    aside doctor
    aside doctor --agent codex --json`
}

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

// doctor collects findings.
type doctor struct {
	*env
	machine *install.Machine
	found   []finding
	agent   *install.Agent // the agent that is looked at; nil: none
}

// say adds a finding. remedy may be "".
func (d *doctor) say(check string, s status, remedy, format string, args ...any) {
	f := finding{Check: check, Status: s, What: visible(fmt.Sprintf(format, args...)), Remedy: remedy}
	if d.agent != nil {
		f.Agent = d.agent.Name
	}
	d.found = append(d.found, f)
}

// Run looks at everything, and prints the findings.
func (c *doctorCmd) Run(ctx context.Context, e *env) error {
	agents := install.Agents()
	if c.Agent != "" {
		a, err := agent(c.Agent)
		if err != nil {
			return err
		}
		agents = []*install.Agent{a}
	}
	m, err := e.machine(ctx)
	if err != nil {
		return err
	}
	if m.Program, err = e.program(""); err != nil {
		return err
	}
	d := &doctor{env: e, machine: m}
	d.programs()
	d.agents(ctx, agents, c.Agent != "")
	d.rules()
	d.state(ctx)
	d.log()
	sick := slices.ContainsFunc(d.found, func(f finding) bool { return f.Status == wrong })
	if c.JSON {
		b, err := marshal(struct {
			OK       bool      `json:"ok"`
			Findings []finding `json:"findings"`
		}{!sick, d.found})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(e.out, "%s\n", b); err != nil {
			return err
		}
		return verdict(sick)
	}
	d.print()
	if n := d.count(wrong); n > 0 {
		e.note("%s wrong", map[bool]string{true: "one thing is", false: fmt.Sprintf("%d things are", n)}[n == 1])
	} else {
		e.note("all is well")
	}
	return verdict(sick)
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
		about := f.Check
		if f.Agent != "" {
			about = f.Agent
		}
		if about != head {
			head = about
			fmt.Fprintln(d.out, d.paint("1", head))
		}
		style := map[status]string{fine: "32", note: "33", wrong: "1;31"}[f.Status]
		fmt.Fprintf(d.out, "  %s%s %s\n", d.paint(style, string(f.Status)), strings.Repeat(" ", 5-len(f.Status)), f.What)
		if f.Remedy != "" {
			fmt.Fprintf(d.out, "        → %s\n", f.Remedy)
		}
	}
}

// asJSON returns s as a JSON string without the quotes.
func asJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}
