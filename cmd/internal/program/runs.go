package program

import (
	"context"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/effect"
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

// EffectCmd is "aside effect".
type EffectCmd struct {
	IDs []string `arg:"" optional:"" name:"id" help:"Reminders; without one all of which outcomes are recorded."`
	StateFlag
	Since Since    `placeholder:"TIME" help:"Leave out firings before; a date, a time, or a span such as 7d or 12h."`
	By    []string `enum:"agent,model" placeholder:"agent,model" help:"Tell the evidence apart by agent, by model, or by both."`
	JSON  bool     `name:"json" xor:"form" help:"Print a JSON array."`
	HTML  string   `name:"html" xor:"form" placeholder:"FILE" help:"Write a page to this file."`
}

// Run reports.
func (c *EffectCmd) Run(ctx context.Context, e *command.Env) error {
	o := effect.Options{IDs: c.IDs, State: c.State, Since: c.Since.Before(time.Now()), JSON: c.JSON,
		HTML: c.HTML}
	for _, by := range c.By {
		o.By.Agent = o.By.Agent || by == "agent"
		o.By.Model = o.By.Model || by == "model"
	}
	return effect.Run(ctx, e, o)
}
