package main

import (
	"context"
	"maps"
	"os"
	"os/user"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/asided/internal/control"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/state/filestore"
)

// rulesCmd is "asided rules".
type rulesCmd struct {
	List   rulesListCmd `cmd:"" default:"withargs" help:"List the rules that are off or in shadow, with who asked for it, and when."`
	Off    switchCmd    `cmd:"" help:"Switch a rule off."`
	Shadow switchCmd    `cmd:"" help:"Have a rule decided and counted, and its text not sent, also by hand."`
	On     switchCmd    `cmd:"" help:"Switch a rule on again."`
}

// rulesListCmd is "asided rules list".
type rulesListCmd struct {
	program.StateFlag
	JSON bool `name:"json" help:"Print a JSON object: {ID: {state, by, at, why}}."`
}

// Run lists.
func (c *rulesListCmd) Run(ctx context.Context, e *command.Env) error {
	store, where, err := runs.OpenExisting(e, c.State)
	if err != nil {
		return err
	}
	r, err := control.Read(ctx, store)
	switch {
	case err != nil:
		return err
	case c.JSON:
		return e.PrintJSON(r.Rules)
	case len(r.Rules) == 0:
		e.Note("aside: no rule is switched off in %s", e.Short(where))
		return nil
	}
	rows := [][]string{{"ID", "STATE", "BY", "AT", "WHY"}}
	for _, id := range slices.Sorted(maps.Keys(r.Rules)) {
		x := r.Rules[id]
		rows = append(rows, []string{id, string(x.State), x.By, x.At.Local().Format(time.DateTime), x.Why})
	}
	return terminal.Table(e.Out, rows, e.Width)
}

// switchCmd is a command that switches a rule. Its name is the state that the rule has then.
type switchCmd struct {
	ID string `arg:"" help:"The rule's id."`
	program.StateFlag
	program.RulesFlag
	By  string `placeholder:"NAME" help:"Who asks for it; by default the user and the machine."`
	Why string `placeholder:"TEXT" help:"Why, in a few words, for the log and the list."`
}

// Run switches the rule.
func (c *switchCmd) Run(ctx context.Context, e *command.Env, k *kong.Context) error {
	s := control.State(k.Selected().Name)
	store, where, err := runs.Open(e, c.State, filestore.Power)
	if err != nil {
		return err
	}
	if where == "memory" {
		return command.Usage("--state memory: nobody else reads that")
	}
	if err := c.look(e, s); err != nil {
		return err
	}
	if c.By == "" {
		c.By = "?"
		if u, err := user.Current(); err == nil {
			c.By = u.Username
		}
		if host, err := os.Hostname(); err == nil {
			c.By += "@" + host
		}
	}
	entry := control.Entry{State: s, By: c.By, At: time.Now().UTC().Truncate(time.Millisecond), Why: c.Why}
	if r, err := control.Read(ctx, store); s == control.On && err == nil && r.Rules[c.ID].State == "" {
		return command.No("%s is not switched: asided rules lists those that are", c.ID)
	}
	if err := control.Switch(ctx, store, c.ID, entry); err != nil {
		return err
	}
	e.Note("aside: %s is %s, within a few seconds in every process whose state is in %s", c.ID, s,
		e.Short(where))
	return nil
}

// look refuses an id that none of the rules of --rules has. Without them it says that nobody has looked: the
// rules are those of other machines.
func (c *switchCmd) look(e *command.Env, to control.State) error {
	switch {
	case to == control.On:
		return nil
	case !reminder.ValidID(c.ID):
		return command.Usage("%q is not an id of a rule", c.ID)
	case len(c.Rules) == 0:
		e.Note("aside: whether there is a rule %s, the log of each process says; --rules PATH has it looked up",
			c.ID)
		return nil
	}
	r, err := rules.Load(e, rules.Request{Paths: c.Rules})
	if err != nil {
		return err
	}
	_, err = r.Find(c.ID)
	return err
}
