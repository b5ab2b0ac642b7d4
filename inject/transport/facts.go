package transport

import (
	"cmp"
	"crypto/rand"
	"fmt"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/request"
)

// facts returns the turn as the request and the run's notes tell it.
func (x *exchange) facts(n notes) eval.Turn {
	counted := x.q.UserMessage == fact.True && x.counted(n)
	// The client has cut the last prompt out of its history: what it still holds is an earlier one.
	earlier := x.q.UserMessage == fact.False && n.Turn > 0 && !x.at.unseen && n.Prompt != "" &&
		!request.SamePrompt(x.q.PromptKey, n.Prompt)
	q := n.Made.with(x.q, compile.ReadsOf(x.set))
	t := eval.Turn{Key: x.key(n), Place: x.t.opts.Place, Root: x.root(), Agent: x.q.Agent,
		Fill: func(f *fact.Frame) {
			q.Fill(f)
			if counted {
				f.SetBool(fact.UserMessage, false)
			}
			if earlier {
				f.Unset(func(k fact.Fact) bool { return k.ID == fact.Prompt })
			}
			x.fill(f, n)
			if x.begun != "" { // the other door has told what happened
				f.Unset(func(k fact.Fact) bool { return k.Kind == fact.Event })
			}
		}}
	if !x.marked {
		t.Mark = cmp.Or(x.last.mark, rand.Text()[:8])
	}
	if x.begun != "" {
		t.More, t.Mark = true, x.begun
	} else if x.t.opts.Commands && x.q.UserMessage == fact.True && !counted {
		if name := x.q.Reminded(); name != "" {
			t.Remind = []string{name}
		}
	}
	return t
}

// key returns the key of the turn. A request that names only a conversation that the server keeps, or that
// holds the end of a history alone, may say the same as an earlier one: the response before it, or the turn
// that it goes on from, tells them apart.
func (x *exchange) key(n notes) string {
	behind := n.lastKept()
	switch {
	case x.q.Thread.Conversation != "" && behind != "":
		return x.head + "-" + behind
	case !x.named && x.at.turn > 0:
		return fmt.Sprint(x.head, "-", x.at.turn)
	}
	return x.head
}

// root returns the run of the agent that this run is a subagent of, "" where there is none or the client
// was given another name for the run. Runs without a name have their beginning for it.
func (x *exchange) root() string {
	if x.base != "" { // runs of one conversation are held out alike
		return x.base
	}
	if id := x.q.Thread; id.Thread != "" && x.report.Run == id.Key() {
		return id.Run
	}
	return ""
}

// detail returns how much of the calls must be read for a set of reminders.
func (t *Transport) detail(r compile.CallReads) request.Detail {
	switch {
	case r.Outputs, t.opts.AllCalls:
		return request.Everything
	case r.Subjects:
		return request.Subjects
	default:
		return request.Names
	}
}

// fill sets the facts that the request tells only together with the notes of the turn before.
func (x *exchange) fill(f *fact.Frame, n notes) {
	q := x.q
	compacted := x.compacted(n)
	if compacted != fact.Unknown {
		f.SetBool(fact.Compacted, compacted == fact.True)
	}
	if begun := q.Thread.Begun; begun != "" {
		f.SetBool(fact.Resumed, begun != "new" && n.Begun != q.Thread.Turn)
	}
	context := n.Usage.Context
	// the history was rewritten: it does not hold the last message of the turn before
	if compacted == fact.True || !q.Partial && n.Last != "" && !x.conv.Has(n.Last) {
		context = count{}
	}
	if context.Known {
		f.SetInt(fact.ContextTokens, context.N)
	}
	if answer := n.Usage.Response; answer.Known {
		f.SetInt(fact.LastResponseTokens, answer.N)
	}
	if cost := n.cost(x); cost.Known {
		f.SetNumber(fact.Cost, cost.N)
	}
	if window, known := x.t.opts.Windows.Holds(q.Model, context.N); known {
		f.SetInt(fact.ContextWindow, window)
	}
}

// compacted reports whether the history was compacted since the turn before: by the client, as a summary of
// it, its form or a new window shows, or by the API, as a compaction shows that the request holds anew, or
// what the response told. Where the API keeps the history only the response tells: without it, it is unknown.
func (x *exchange) compacted(n notes) fact.Truth {
	was, is := n.Window, x.q.Thread.Window
	held := x.conv.Compaction()
	switch u := n.Usage; {
	case x.at.summed, held != "" && held != n.Compaction, u.Compactions.N > 0, u.Cleared.N > n.Cleared,
		was != "" && is != "" && was != is, !x.q.Partial && n.shortened(x.conv):
		return fact.True
	case x.q.Partial && !u.Compactions.Known:
		return fact.Unknown
	}
	return fact.False
}
