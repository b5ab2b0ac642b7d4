package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/cmd/aside/internal/runs"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// whyCmd is "aside why".
type whyCmd struct {
	ID string `arg:"" optional:"" name:"id" help:"One reminder; without it all of them."`
	runFlag
	rulesFlag
	stateFlag
	Var  varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	JSON bool     `name:"json" help:"Print a JSON object."`
}

// Help shows examples.
func (*whyCmd) Help() string {
	return `Says for the last turn of a run what each part of a trigger came to, whether the reminder was armed, what else stood in its
way, and what comes next: which values it waits for, and how far off they are.

Examples:

    aside why
    aside why run-tests --run 4d5611e5`
}

// Run explains.
func (c *whyCmd) Run(ctx context.Context, e *command.Env) error {
	r, err := rules.Load(e, c.request(e, c.Var))
	if err != nil {
		return err
	}
	r.Complain(e)
	if c.ID != "" {
		rm, err := r.Find(c.ID)
		if err != nil {
			return err
		}
		if _, ok := r.Set.Index(rm.ID); !ok {
			return command.No("the reminder %q is switched off or has a mistake in it: aside show %s", rm.ID, rm.ID)
		}
	}
	store, run, err := runs.Existing(ctx, e, c.State, c.RunID)
	if err != nil {
		return err
	}
	snap, _, err := store.Load(ctx, run)
	if err != nil {
		return runs.Broken(err, run)
	}
	ex, err := eval.New(r.Set, eval.Options{Store: store}).Explain(ctx, run)
	if err != nil {
		return runs.Broken(err, run)
	}
	if c.ID != "" {
		kept := ex[:0]
		for _, x := range ex {
			if x.ID == c.ID {
				kept = append(kept, x)
			}
		}
		ex = kept
	}
	if c.JSON {
		return e.PrintJSON(whyJSON{Run: run, Turn: snap.Turn(), At: snap.Run().Now().At.UTC(), Reminders: explained(ex)})
	}
	e.Note("run %s, turn %d, %s", run, snap.Turn(), snap.Run().Now().At.Local().Format("2006-01-02 15:04:05"))
	if len(ex) == 0 {
		r.Nothing(e)
		return nil
	}
	for i, x := range ex {
		if i > 0 {
			fmt.Fprintln(e.Out)
		}
		explain(e, x)
	}
	return nil
}

// whyJSON is what "aside why --json" prints.
type whyJSON struct {
	Run       string          `json:"run"`
	Turn      int             `json:"turn"` // the run's last turn
	At        time.Time       `json:"at"`   // the time of that turn
	Reminders []explainedJSON `json:"reminders"`
}

type explainedJSON struct {
	ID         string        `json:"id"`
	Mode       string        `json:"mode"`
	Fired      bool          `json:"fired"`  // on the last turn
	Manual     bool          `json:"manual"` // it has fired because it was asked for by name
	Why        string        `json:"why"`    // what made the trigger true, or why it did not fire
	Armed      bool          `json:"armed"`
	Fires      int           `json:"fires"`
	LastFire   int           `json:"last_fire"`             // the turn; 0: never
	Next       string        `json:"next"`                  // what comes next, in words
	Needs      *compile.Need `json:"needs,omitempty"`       // what the trigger needs to become true; where the reminder is not armed and has no rearm, false
	RearmNeeds *compile.Need `json:"rearm_needs,omitempty"` // what rearm needs to become true
	Trigger    partJSON      `json:"trigger"`
	Rearm      *partJSON     `json:"rearm,omitempty"`
	Held       []state.Held  `json:"held"`
	Unkept     []string      `json:"unkept"` // facts that were known on that turn, and whose text is not stored
}

type partJSON struct {
	Text  string     `json:"text"`
	Truth string     `json:"truth"` // false, unknown or true
	Value string     `json:"value,omitempty"`
	Parts []partJSON `json:"parts,omitempty"`
}

func explained(ex []eval.Explanation) []explainedJSON {
	list := make([]explainedJSON, len(ex))
	for i, x := range ex {
		list[i] = explainedJSON{ID: x.ID, Mode: x.Mode.String(), Fired: x.Fired, Manual: manual(x), Why: reason(x), Armed: x.Armed,
			Fires: x.Fires, LastFire: x.LastFire, Next: x.Next, Trigger: parts(x.Trigger), Held: x.Held, Unkept: x.Unkept}
		if x.Rearm != nil {
			p := parts(*x.Rearm)
			list[i].Rearm = &p
		}
		if !x.Needs.IsZero() {
			list[i].Needs = &x.Needs
		}
		if !x.RearmNeeds.IsZero() {
			list[i].RearmNeeds = &x.RearmNeeds
		}
		if x.Held == nil {
			list[i].Held = []state.Held{}
		}
		if x.Unkept == nil {
			list[i].Unkept = []string{}
		}
	}
	return list
}

func parts(p compile.Part) partJSON {
	j := partJSON{Text: p.Text, Truth: p.Truth.String(), Value: p.Value}
	for _, q := range p.Parts {
		j.Parts = append(j.Parts, parts(q))
	}
	return j
}
