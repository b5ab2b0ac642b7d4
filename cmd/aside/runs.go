package main

import (
	"context"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/listing"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/cmd/aside/internal/runs"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/cmd/aside/internal/why"
	"github.com/aside-go/aside/eval"
)

// whyCmd is "aside why".
type whyCmd struct {
	ID string `arg:"" optional:"" name:"id" help:"One reminder; without it all of them."`
	runFlag
	shownFlags
	stateFlag
	Var  varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	JSON bool     `name:"json" help:"Print a JSON object."`
}

// Help shows examples.
func (*whyCmd) Help() string {
	return `Says for the last turn of a run what each part of a trigger came to, whether the reminder was armed,
what else stood in its
way, and what comes next: which values it waits for, and how far off they are.

Examples:

    aside why
    aside why run-tests --run 4d5611e5`
}

// Run explains.
func (c *whyCmd) Run(ctx context.Context, e *command.Env) error {
	return why.Run(ctx, e, why.Options{
		ID: c.ID, RunID: c.RunID, State: c.State, Rules: c.request(c.Var), JSON: c.JSON,
	})
}

// runsCmd is "aside runs".
type runsCmd struct {
	stateFlag
	All  bool `help:"All of them, with the subagents that are idle or have ended."`
	JSON bool `name:"json" help:"Print a JSON array with all of them."`
}

// Help shows examples.
func (*runsCmd) Help() string {
	return `A run is one conversation of an agent; each of its subagents has a run of its own, and stands below
it. Runs are forgotten after 30 days, or as ASIDE_KEEP says. What the first column says is enough for --run.

A run is active if its last turn was within the last hour, and else idle; it has ended if the agent said so, and
may be resumed.

--json prints [{"run","agent","root","project","here","at","turns","state"}]; root is there for a subagent, and
here says that the run is of this project.

Examples:

    aside runs
    aside why --run 4d5611e5
    aside runs --json | jq -r '.[] | select(.here).run'`
}

// Run lists the runs.
func (c *runsCmd) Run(ctx context.Context, e *command.Env) error {
	return runs.List(ctx, e, runs.Options{State: c.State, All: c.All, JSON: c.JSON})
}

// stateCmd is "aside state".
type stateCmd struct {
	Copy stateCopyCmd `cmd:"" help:"Copy runs from one store into another."`
}

// stateCopyCmd is "aside state copy".
type stateCopyCmd struct {
	From string `arg:"" help:"The store to copy from: a directory, or the URL of a database."`
	To   string `arg:"" help:"The store to copy to. Where a run is in both, the one with more turns stays."`
}

// Help shows examples.
func (*stateCopyCmd) Help() string {
	return `Copies each run that one store remembers into another one, to move from a directory to a database or
between databases. Nothing is removed. A copy that was cut short goes on when the command is given again.
Hosts may be at work on both meanwhile; a run that goes on in the first one is copied as it is then.

Examples:

    aside state copy ~/.local/state/aside postgres://aside@db.internal/aside
    aside state copy redis://old.internal redis://new.internal`
}

// Run copies the runs.
func (c *stateCopyCmd) Run(ctx context.Context, e *command.Env) error {
	return runs.Copy(ctx, e, c.From, c.To)
}

// remindCmd is "aside remind".
type remindCmd struct {
	Name string `arg:"" optional:"" help:"The reminder's id; without it all are listed."`
	runFlag
	shownFlags
	stateFlag
	Var varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Help shows examples.
func (*remindCmd) Help() string {
	return `The text goes out on the run's next turn that can carry one, whatever the trigger, the cooldown and
the limits say. The run is the newest one of this project, subagents left out, and where there is none the newest
one anywhere; the answer says which. aside runs lists them.

Examples:

    aside remind                     # what there is
    aside remind run-tests
    aside remind run-tests --run 4d5611e5`
}

// Run lists the reminders, or queues a named one.
func (c *remindCmd) Run(ctx context.Context, e *command.Env) error {
	r, err := rules.Load(e, c.request(c.Var))
	if err != nil {
		return err
	}
	bad := r.Complain(e)
	if c.Name == "" {
		if r.Set.Len() == 0 {
			r.Nothing(e)
			return command.Verdict(bad)
		}
		var rows [][]string
		for i := range r.Set.Len() {
			rm := r.Set.Reminder(i)
			rows = append(rows, []string{rm.ID, listing.About(rm)})
		}
		if err := terminal.Table(e.Out, rows, e.Width); err != nil {
			return err
		}
		return command.Verdict(bad)
	}
	if _, ok := r.Set.Index(c.Name); !ok {
		return rules.Unknown(c.Name, r.Set.IDs())
	}
	store, run, err := runs.Existing(ctx, e, c.State, c.RunID)
	if err != nil {
		return err
	}
	if err := eval.New(r.Set, eval.Options{Store: store}).Remind(ctx, run.Name, c.Name); err != nil {
		return runs.Broken(err, run.Name)
	}
	run.Remind(e, c.Name, c.RunID == "")
	return nil
}
