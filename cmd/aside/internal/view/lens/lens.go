// Package lens shows a recorded session with its reminders: the messages in their order, and each reminder
// between those where the model read it, or would have read it by other rules. It is the model behind the
// ways in which people look at reminders: on a terminal, in a browser, as JSON.
//
// It reads recordings by package replay, and keeps their texts in memory. All texts are as they were
// recorded: whoever shows them makes them harmless. Open may be called concurrently; a Session must not be
// written to, and its methods are for one goroutine at a time.
package lens

import (
	"context"
	"io"
	"time"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
)

// Session is what one recording holds.
type Session struct {
	File  string `json:"file"`
	Runs  []Run  `json:"runs"`  // in the order in which they begin; those of subagents follow the session's
	Items []Item `json:"items"` // of all runs, in the order in which they were recorded

	Silent []Silent `json:"-"` // the reminders that did not fire
}

// Silent is a reminder that did not fire, and why not, as replay says it.
type Silent struct{ ID, Why string }

// Run is one conversation of one agent thread.
type Run struct {
	ID     string `json:"id"`
	Thread string `json:"thread_type"`     // root, or the type of a subagent
	Model  string `json:"model,omitempty"` // that was asked last
	Turns  int    `json:"turns"`           // model calls
	File   string `json:"file"`
}

// Kind says what an Item is.
type Kind string

// The kinds.
const (
	Prompt Kind = "prompt"   // a message of a person
	Answer Kind = "answer"   // a text of the model
	Call   Kind = "call"     // a call of a tool, with what became of it
	Note   Kind = "note"     // an event, such as a compaction
	Aside  Kind = "reminder" // Item.Reminder
)

// Item is one message, call or reminder.
type Item struct {
	Kind Kind `json:"kind"`
	Run  int  `json:"run"` // index in Session.Runs
	// of an answer and its calls their model call; of others the one that read them first
	Turn int       `json:"turn"`
	At   time.Time `json:"at,omitzero"`

	Title  string `json:"title,omitempty"`  // of a call the tool
	Text   string `json:"text,omitempty"`   // of a call its subject: the command, the paths
	Output string `json:"output,omitempty"` // of a call, of which a long one lacks its middle (fact.CutOutput)
	Failed bool   `json:"failed,omitempty"` // of a call

	Reminder *Reminder `json:"reminder,omitempty"`
}

// Reminder is a text that the model read, or would have read.
type Reminder struct {
	ID     string `json:"id"`             // "": a hook put it there, and it is of none of the rules
	File   string `json:"file,omitempty"` // of the rule
	Line   int    `json:"line,omitempty"`
	Turn   int    `json:"turn"`
	Moment string `json:"moment,omitempty"` // before_tool, stopping; "": a turn
	Why    string `json:"why,omitempty"`
	Tokens int    `json:"tokens,omitempty"`
	Text   string `json:"text"`
	// Live says that the recording holds the text, so the model did read it.
	Live    bool `json:"live"`
	HeldOut bool `json:"held_out,omitempty"` // the run is held out of it: the text was not sent
	// Outcome is heeded, ignored or open, Waiting where that was not known at the end, "" where nothing is
	// expected. After is how many turns later.
	Outcome string `json:"outcome,omitempty"`
	After   int    `json:"after,omitempty"`
	Next    string `json:"next,omitempty"` // what comes next, in words; Explain sets it

	decision *eval.Decision
}

// Waiting is the Outcome of a firing whose time was not over at the end of the recording.
const Waiting = "waiting"

// Explain returns what is known of the reminder on its turn, and sets Next; false for one that was recorded,
// and that these rules would not have put there.
func (r *Reminder) Explain() (eval.Explanation, bool) {
	if r.decision == nil {
		return eval.Explanation{}, false
	}
	all, err := r.decision.Explain()
	if err != nil {
		return eval.Explanation{}, false
	}
	for _, x := range all {
		if x.ID == r.ID {
			r.Next = x.Next
			return x, true
		}
	}
	return eval.Explanation{}, false
}

// Open reads recordings, and plays the rules of o.Set over them. To see other rules over the same recording,
// open it again. Messages for a person go to o.Err, and the error is one for replay.ExitCode; the Session is
// what was read.
func Open(ctx context.Context, o replay.Options) (*Session, error) {
	if o.Set == nil {
		o.Set, _ = compile.New(nil, compile.Options{})
	}
	o.Words, o.Out = true, io.Discard
	v := &view{set: o.Set, Session: &Session{Runs: []Run{}, Items: []Item{}}, open: map[int]*open{}}
	if len(o.Paths) > 0 {
		v.File = o.Paths[0]
	}
	o.Views = append(o.Views, v)
	err := replay.Run(ctx, o)
	return v.Session, err
}

// Reminders returns the indexes in s.Items of the reminders.
func (s *Session) Reminders() (at []int) {
	for i := range s.Items {
		if s.Items[i].Reminder != nil {
			at = append(at, i)
		}
	}
	return at
}
