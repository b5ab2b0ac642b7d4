// Package why says of each reminder why it fired or did not on the last turn of a run.
package why

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/reasons"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/state"
)

// Options are the flags of why.
type Options struct {
	ID    string // one reminder; "": all
	RunID string // "": the most recent run
	State string // the place of the state, as runs.Existing takes it
	Rules rules.Request
	JSON  bool
	// all parts of each condition
	Verbose bool

	// a recorded session, or a directory of such, that is replayed in place of what is remembered; "": none
	Session string
	Turn    int // of the session; 0: the last
}

// Run explains.
func Run(ctx context.Context, e *command.Env, c Options) error {
	r, err := rules.Load(e, c.Rules)
	if err != nil {
		return err
	}
	if bad := r.Complain(e); c.Session != "" && !bad && r.Set.Len() == 0 && len(c.Rules.Paths) == 0 {
		starter.Instead(e, r) // as aside replay does
	}
	if c.ID != "" {
		rm, err := r.Find(c.ID)
		if err != nil {
			return err
		}
		if _, ok := r.Set.Index(rm.ID); !ok {
			return command.No("the reminder %q is switched off or has a mistake in it: aside list %s", rm.ID, rm.ID)
		}
	}
	answer, ex, set, err := c.answer(ctx, e, r)
	if err != nil {
		return err
	}
	never := c.never(ctx, e, r.Set, answer.Run, ex)
	if c.JSON {
		answer.Reminders = explained(ex, set)
		for i, x := range ex {
			answer.Reminders[i].Why = cmp.Or(never[x.ID], answer.Reminders[i].Why)
		}
		return e.PrintJSON(answer)
	}
	at := ""
	if !answer.At.IsZero() {
		at = answer.At.Local().Format(", 2006-01-02 15:04:05")
	}
	e.Note("run %s, turn %d%s", answer.Run, answer.Turn, at)
	if answer.Served {
		e.Note("what is due in this session goes out with its requests: aside why --run %s",
			answer.Run[strings.Index(answer.Run, ":")+1:])
	}
	if len(ex) == 0 {
		r.Nothing(e)
		return nil
	}
	done := e.Page()
	p := &printer{paint: e.Paint, set: set, never: never,
		Printer: reasons.Printer{Out: e.Out, Width: e.Width, All: c.Verbose, More: " (-v)"}}
	for i, x := range ex {
		if i > 0 {
			fmt.Fprintln(e.Out)
		}
		p.explain(x)
	}
	return done()
}

// answer returns the turn that c is about, the explanations, and the set that they are of.
func (c *Options) answer(ctx context.Context, e *command.Env, r *rules.Loaded) (
	*Answer, []eval.Explanation, *compile.Set, error) {
	if c.Session != "" {
		return c.recorded(ctx, e, r.Set)
	}
	store, run, err := runs.Existing(ctx, e, c.State, c.RunID)
	if err != nil {
		return nil, nil, nil, err
	}
	if e.Switched != nil {
		switched, err := e.Switched(ctx, store)
		if err != nil {
			e.Note("aside: which rules are switched cannot be read: %s", err)
		}
		for _, id := range slices.Sorted(maps.Keys(switched)) {
			if c.ID == "" || c.ID == id {
				e.Note("aside: %s is %s", id, switched[id])
			}
		}
	}
	ev := eval.New(r.Set, eval.Options{Store: store})
	answer, ex, err := lastTurn(ctx, ev, store, run.Name, c.ID)
	if err == nil && c.Turn > 0 && c.Turn != answer.Turn {
		return c.earlier(ctx, e, r.Set, answer)
	}
	return answer, ex, ev.SetOf(run.Name), runs.Broken(err, run.Name)
}

// earlier explains another turn than the last of a run that is remembered: by the session file of the run, if
// that is still there.
func (c *Options) earlier(ctx context.Context, e *command.Env, set *compile.Set, last *Answer) (
	*Answer, []eval.Explanation, *compile.Set, error) {
	of := *c
	if of.Session, of.RunID = sessionOf(e, last.Run); of.Session != "" {
		return of.recorded(ctx, e, set)
	}
	return nil, nil, nil, command.No("of run %s the last turn is remembered, which is turn %d, and its session "+
		"file is not where agents keep theirs: --session FILE names it", last.Run, last.Turn)
}

// sessionOf returns the session file of a run that is remembered, and the name of the run in it; "" where
// agents do not keep it any more.
func sessionOf(e *command.Env, run string) (path, id string) {
	_, id, _ = strings.Cut(run, ":")
	session, _, _ := strings.Cut(id, "/")
	return transcript.Named(e.Home, session), strings.Replace(id, "/", "/agent-", 1)
}

// never says of those reminders that are read at another moment than a turn, and did not fire in the session
// of a run, why not: as replay says it.
func (c *Options) never(ctx context.Context, e *command.Env, set *compile.Set, run string,
	ex []eval.Explanation) map[string]string {
	o := replay.Options{Set: set, Owner: replay.OwnerOf(e.Home), Files: transcript.Machine(nil), RunID: c.RunID,
		Paths: []string{c.Session}}
	for _, x := range ex {
		if x.Moment != fact.Turn && !x.Fired {
			o.Only = append(o.Only, x.ID)
		}
	}
	if o.Only == nil || c.Session == "-" {
		return nil
	}
	if c.Session == "" {
		o.Paths[0], o.RunID = sessionOf(e, run)
	}
	var report replay.Kept
	o.Views = []replay.View{&report}
	if o.Paths[0] == "" || replay.Run(ctx, o) != nil || report.Report == nil {
		return nil
	}
	all := map[string]string{}
	for _, r := range report.Reminders {
		all[r.ID] = r.Never
	}
	return all
}

// Of explains the last turn of a run: all reminders, or the one with an id.
func Of(ctx context.Context, ev *eval.Evaluator, store state.Store, run, id string) (*Answer, error) {
	a, ex, err := lastTurn(ctx, ev, store, run, id)
	if err != nil {
		return nil, err
	}
	a.Reminders = explained(ex, ev.SetOf(run))
	return a, nil
}

// lastTurn returns the last turn of a run without its reminders, and their explanations: all, or those with
// an id.
func lastTurn(ctx context.Context, ev *eval.Evaluator, store state.Store, run, id string) (
	a *Answer, ex []eval.Explanation, err error) {
	snap, _, err := store.Load(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	all, err := ev.Explain(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	offered := transport.Offered(snap.Notes())
	for _, x := range all {
		x.Offered = x.Offered || slices.Contains(offered, x.ID)
		if ids = append(ids, x.ID); id == "" || x.ID == id {
			ex = append(ex, x)
		}
	}
	if id != "" && ex == nil {
		return nil, nil, &eval.UnknownError{Name: id, Suggestions: near.Names(id, ids)}
	}
	return &Answer{Run: run, Turn: snap.Turn(), At: snap.Run().Now().At.UTC(),
		Served: hook.Served(snap.Notes())}, ex, nil
}

// Answer is the last turn of a run, explained, in the form in which "aside why --json" prints it.
type Answer struct {
	Run       string          `json:"run"`
	Turn      int             `json:"turn"` // the run's last turn
	At        time.Time       `json:"at"`   // the time of that turn
	Reminders []explainedJSON `json:"reminders"`
	// a server says what is due in the session, under a run of its own
	Served bool `json:"served,omitempty"`
}

type explainedJSON struct {
	ID     string `json:"id"`
	Mode   string `json:"mode"`
	Moment string `json:"moment,omitempty"` // before_tool or stopping, if the trigger is read there
	Fired  bool   `json:"fired"`            // on the last turn; with a moment also since it
	Manual bool   `json:"manual"`           // it has fired because it was asked for by name
	// its text waits, or stands in a request that no API is known to have taken: nobody has read it yet
	Offered bool `json:"offered,omitempty"`
	// its text was not sent, since the run is held out of the reminder
	HeldOut  bool   `json:"held_out,omitempty"`
	Why      string `json:"why"` // the cause of the firing, or the obstacle
	Armed    bool   `json:"armed"`
	Fires    int    `json:"fires"`
	LastFire int    `json:"last_fire"`         // the turn; 0: never
	Expect   string `json:"expect,omitempty"`  // what the model should do after a firing
	Until    int    `json:"until,omitempty"`   // the last turn of the expectation that is open; 0: none is open
	Ignored  int    `json:"ignored,omitempty"` // ignored firings in a row
	// the expectations that ended on that turn
	Ended    []reminder.Outcome `json:"ended,omitempty"`
	Next     string             `json:"next"`               // the next firing, in words
	Cooldown string             `json:"cooldown,omitempty"` // the rest of it
	// the need of the trigger to become true; where the reminder is not armed and has no rearm, false
	Needs      trigger.Need    `json:"needs,omitzero"`
	RearmNeeds trigger.Need    `json:"rearm_needs,omitzero"` // the need of rearm to become true
	Trigger    trigger.Part    `json:"trigger"`
	Rearm      *trigger.Part   `json:"rearm,omitempty"`
	Held       []reminder.Held `json:"held"`
	Unkept     []string        `json:"unkept"` // facts that were known on that turn, and whose text is not stored
}

func explained(ex []eval.Explanation, set *compile.Set) []explainedJSON {
	list := make([]explainedJSON, len(ex))
	for i, x := range ex {
		list[i] = explainedJSON{ID: x.ID, Mode: x.Mode.String(), Fired: x.Fired, Manual: reasons.Manual(&x),
			Offered: x.Offered, HeldOut: x.HeldOut, Why: reasons.Of(&x, set), Armed: x.Armed, Fires: x.Fires,
			LastFire: x.LastFire, Next: x.Next, Ended: x.Ended, Expect: x.Expect, Until: x.Until,
			Ignored: x.Ignored, Needs: x.Needs, RearmNeeds: x.RearmNeeds, Trigger: x.Trigger, Rearm: x.Rearm,
			Held: append([]reminder.Held{}, x.Held...), Unkept: append([]string{}, x.Unkept...)}
		if x.Moment != fact.Turn {
			list[i].Moment = x.Moment.String()
		}
		if !x.Cooldown.IsZero() {
			list[i].Cooldown = x.Cooldown.String()
		}
	}
	return list
}
