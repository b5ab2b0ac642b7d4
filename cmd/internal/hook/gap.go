package hook

import (
	"context"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/state"
)

// maxGap is how many turns without an event are taken at most. Where there are more, the hooks were away.
const maxGap = 64

// passed takes the turns of which no event has told, such as those with calls that were held back: after the
// turn that was taken last, which led to the first of past.Since, and before the one that the event opens,
// which comes after the last. Nothing can be said in them, and what fires waits for the event. Where prompts
// alone can speak, the last of them says all that waits, since a user turn, and the keep of most texts, ends
// there.
func (r *run) passed(ctx context.Context, ev *eval.Evaluator, past session.Facts) error {
	if len(past.Since) < 2 || len(past.Since) > maxGap || r.side == safety {
		return nil
	}
	answer := ""
	for i, t := range past.Since {
		if i > 0 {
			r.closes = r.agent.Later && i == len(past.Since)-1
			err := state.Retry(func() error { return r.pass(ctx, ev, t, answer) })
			if err != nil {
				return err
			}
		}
		answer = t.Key
	}
	return nil
}

// pass takes a turn of which no event has told. answer is the id of the answer before it.
func (r *run) pass(ctx context.Context, ev *eval.Evaluator, t *session.Turn, answer string) error {
	s, n, err := r.load(ctx)
	if err != nil {
		return err
	}
	n.Turn, n.Calls = openTurn{Answer: answer}, nil
	f := map[string]any{"user_message": len(t.Prompts) > 0}
	tellEvent(f, r.agent, fact.Compacted, t.Compacted)
	tellEvent(f, r.agent, fact.Resumed, t.Resumed)
	for _, p := range t.Prompts {
		n.Users, f["prompt"] = n.Users+1, p
	}
	if n.Users > 0 {
		f["user_turn_count"] = n.Users
	}
	n.tellThread(r.agent, &r.event, f)
	for name, c := range map[string]session.Count{"context_tokens": t.ContextTokens, "context_window": t.Window,
		"last_response_tokens": t.ResponseTokens} {
		if c.Known {
			f[name] = c.N
		}
	}
	tellText(f, "model", t.Model)
	at, read := r.where(f), compile.ReadsOf(ev.Set())
	d, again, err := r.prepare(ctx, ev, eval.Turn{Key: "answer " + digest(answer), Root: r.event.Session,
		Silent: !r.closes, Facts: f,
		Place: at.Place(), Fill: func(f *fact.Frame) { t.SetCalls(f, read.Subjects || read.Outputs) }}, s)
	if again || err != nil { // another hook has taken it
		return err
	}
	if r.closes { // the event that opens the next turn says it
		r.earlier = newlyDue(d)
		for _, x := range r.earlier {
			n.Rest = strings.Trim(n.Rest+separator+x.Text, "\n")
		}
	}
	if err := d.Carry(n.write()); err != nil {
		return err
	}
	r.begin()
	defer r.phase.end(r.side)
	return d.Commit(ctx)
}

// place is the Place of calls in the session's file.
func (r *run) place() session.Place {
	return session.Place{Home: r.host.Home,
		Project: func(dir string) string { return load.Project(dir, r.host.Home) }}
}

// nested reports whether the event is of a subagent's call (agent.Hooks.Nests), and records where such calls
// begin.
func (r *run) nested(ctx context.Context) (bool, error) {
	e := &r.event
	if r.agent.Nests == "" || len(e.Calls) == 0 {
		return false, nil
	}
	begins := e.Kind == agent.ToolCall && e.Calls[0].Name == r.agent.Nests
	_, n, err := r.load(ctx)
	if err != nil || !begins && (n.Nested == "" || e.Calls[0].Name == r.agent.Nests) {
		return false, err
	}
	past, _, err := r.past(ctx, session.File{Agent: r.call.Agent, Path: e.Transcript})
	if err != nil || !begins && past.Answer == n.Nested {
		return err == nil, err
	}
	if r.side == safety { // the other one stores it
		return false, nil
	}
	defer r.phase.end(r.side)
	return false, r.change(ctx, func(s *state.Snapshot, n *runNotes) (*state.Snapshot, error) {
		if n.Nested = ""; begins {
			n.Nested = past.Answer
		}
		return s, nil
	})
}
