package program

import (
	"context"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/listing"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/cmd/internal/why"
	"github.com/aside-go/aside/eval"
)

// WhyCmd is "aside why".
type WhyCmd struct {
	ID string `arg:"" optional:"" name:"id" help:"One reminder; without it all of them."`
	RunFlag
	ShownFlags
	StateFlag
	Session string   `placeholder:"FILE" help:"A recorded session, as aside replay reads it, in place of what is remembered; with --run a directory of them will do, too."`
	Turn    int      `placeholder:"N" help:"The turn of the session that is meant; without it the last one. Without --session: of the run that --run names, else of your newest session."`
	Verbose bool     `short:"v" help:"All parts of long conditions."`
	Var     VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	JSON    bool     `name:"json" help:"Print a JSON object."`
}

// Help shows examples.
func (*WhyCmd) Help() string {
	return `Says for the last turn of a run what each part of a trigger came to, whether the reminder was armed,
what else stood in its
way, and what comes next: which values it waits for, and how far off they are.

What is remembered of a run is its last turn, without texts. With --session or --turn a recording is replayed
instead, and any turn of it is explained, with all that was known on it, by the rules as they are now. With --run and
--turn that is the session file of the run, unless the turn is the one that is remembered.

Examples:

    aside why
    aside why run-tests --run 4d5611e5
    aside why run-tests --turn 40                     # why not, in your newest session
    aside why run-tests --run 4d5611e5 --turn 40      # in the session of a run
    aside why --session s.jsonl --turn 40`
}

// Run explains.
func (c *WhyCmd) Run(ctx context.Context, e *command.Env) error {
	switch {
	case c.Turn < 0:
		return command.Usage("--turn %d: turns are numbered from 1", c.Turn)
	case c.State != "" && (c.Session != "" || c.Turn > 0 && c.RunID == ""):
		return command.Usage("--state is about what is remembered, --session and --turn about a recording: " +
			"give one of the two")
	case c.Session == "" && c.Turn > 0 && c.RunID == "":
		if c.Session = transcript.Newest(e.Home); c.Session == "" {
			return command.No("there is no session of an agent here: --session FILE names one")
		}
	}
	return why.Run(ctx, e, why.Options{
		ID: c.ID, RunID: c.RunID, State: c.State, Rules: c.Request(c.Var), JSON: c.JSON, Verbose: c.Verbose,
		Session: c.Session, Turn: c.Turn,
	})
}

// RunsCmd is "aside runs".
type RunsCmd struct {
	StateFlag
	All  bool `help:"All of them, with the subagents that are idle or have ended."`
	JSON bool `name:"json" help:"Print a JSON array with all of them."`
}

// Help shows examples.
func (*RunsCmd) Help() string {
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
func (c *RunsCmd) Run(ctx context.Context, e *command.Env) error {
	return runs.List(ctx, e, runs.Options{State: c.State, All: c.All, JSON: c.JSON})
}

// StateCmd is "aside state".
type StateCmd struct {
	Copy StateCopyCmd `cmd:"" help:"Copy runs from one store into another."`
}

// StateCopyCmd is "aside state copy".
type StateCopyCmd struct {
	From string `arg:"" help:"The store to copy from, as --state names one: a directory, the URL of a database, @FILE."`
	To   string `arg:"" help:"The store to copy to. Where a run is in both, the one with more turns stays, and that of FROM where both have as many."`
}

// Help shows examples.
func (*StateCopyCmd) Help() string {
	return `Copies each run that one store remembers into another one, to move from a directory to a database or
between databases, and the records of outcomes that aside effect reports. Nothing is removed. A copy that was
cut short goes on when the command is given again. Hosts may be at work on both meanwhile; a run that goes on
in the first one is copied as it is then. To move, copy, stop the hosts, and copy again what has changed.

Examples:

    aside state copy ~/.local/state/aside @/run/secrets/aside
    aside state copy redis://old.internal redis://new.internal`
}

// Run copies the runs.
func (c *StateCopyCmd) Run(ctx context.Context, e *command.Env) error {
	return runs.Copy(ctx, e, c.From, c.To)
}

// RemindCmd is "aside remind".
type RemindCmd struct {
	Name string `arg:"" optional:"" help:"The reminder's id; without it all are listed."`
	RunFlag
	ShownFlags
	StateFlag
	Var VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Help shows examples.
func (*RemindCmd) Help() string {
	return `The text goes out on the run's next turn that can carry one, whatever the trigger, the cooldown and
the limits say. The run is the newest one of this project, subagents left out, and where there is none the newest
one anywhere; the answer says which. aside runs lists them.

Examples:

    aside remind                     # what there is
    aside remind run-tests
    aside remind run-tests --run 4d5611e5`
}

// Run lists the reminders, or queues a named one.
func (c *RemindCmd) Run(ctx context.Context, e *command.Env) error {
	r, err := rules.Load(e, c.Request(c.Var))
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
