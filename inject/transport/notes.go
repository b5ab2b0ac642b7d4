package transport

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/firing"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state"
)

// notes are the Transport's part of a run's snapshot.
type notes struct {
	Ledger ledger.Ledger   `json:"ledger"`
	Late   []ledger.Firing `json:"late,omitempty"` // whose texts no request has carried yet

	// Of the last turn.
	Turn   int      `json:"turn,omitempty"`
	API    wire.API `json:"api,omitempty"`    // "": of an older version, which did not note it
	Head   string   `json:"head,omitempty"`   // body.Conversation.Head
	First  string   `json:"first,omitempty"`  // the key of the first message that had one
	Last   string   `json:"last,omitempty"`   // the key of the last one
	Keys   int      `json:"keys,omitempty"`   // how many messages had a key
	Prompt string   `json:"prompt,omitempty"` // request.Request.PromptKey
	Behind string   `json:"behind,omitempty"` // the response before it, in a conversation that the server keeps
	// how many answers stood in its request
	Count int `json:"answers,omitempty"`
	// the message to which it asked for an answer
	Before evidence.Message `json:"before,omitzero"`
	// the response that it goes on from, where a run with a name says so
	From   string `json:"from,omitempty"`
	Window string `json:"window,omitempty"` // request.Identity.Window
	Begun  string `json:"begun,omitempty"`  // the user turn that was reported as resumed
	Usage  usage  `json:"usage,omitzero"`   // of its response; zero: not known
	// the latest compaction that a turn's request has held, and what an answer before it has told of results
	// that the API has cleared
	Compaction string `json:"compaction,omitempty"`
	Cleared    int64  `json:"cleared,omitempty"`
	// the calls in its response, where the server keeps that; nil: not known
	Made  *toolCalls `json:"made,omitempty"`
	Spent dollars    `json:"spent,omitzero"` // for the responses to the turns before it
	Free  bool       `json:"free,omitempty"` // its request was refused, so nothing is paid for it

	Summary bool `json:"summary,omitempty"` // since that turn the client has asked for a summary
	Tools   bool `json:"tools,omitempty"`   // a turn of the run has offered tools

	Answers completions `json:"heard,omitempty"` // the latest, see internal/evidence

	// Of a run without a name.
	Base   string      `json:"base,omitempty"`  // exchange.base
	Root   string      `json:"root,omitempty"`  // the run that its first request began, see exchange.beginning
	Used   int64       `json:"used,omitempty"`  // the time of its last turn, in milliseconds since 1970
	At     int64       `json:"at,omitempty"`    // the time of its first turn, in seconds since 1970
	Rules  string      `json:"rules,omitempty"` // the hash of the reminders of its first turn
	Newer  string      `json:"newer,omitempty"` // the run that the same first request has begun after a while
	Listed uint32      `json:"listed,omitzero"` // see listed; that of another run: not all its answers are stored
	Past   checkpoints `json:"past,omitempty"`
	Origin checkpoint  `json:"origin,omitzero"` // the state after its first turn
	// ids of the responses that its last turns went on from, where the API keeps them
	Replies []string `json:"replies,omitempty"`

	Refusals []refusal `json:"refusals,omitempty"`
}

// refusal says that the API of a model has refused a request with texts at a place that it was not known to
// take them at.
type refusal struct {
	Model string `json:"model"`
	body.Placement
}

// usage is what a response reported, as far as it did: tokens, and what the API has cut of the conversation.
type usage struct {
	Context     count `json:"context,omitzero"`
	Response    count `json:"response,omitzero"`
	Compactions count `json:"compactions,omitzero"` // in the response
	Cleared     count `json:"cleared,omitzero"`     // results of tools that the model has not read any more
	// Cost is the price of the response.
	Cost dollars `json:"cost,omitzero"`
}

// usageOf returns the usage of a response to a request for a model. The response knows best which model has
// answered.
func usageOf(u response.Usage, id string) usage {
	out := usage{Context: count(u.Context), Response: count(u.Response)}
	if b := u.Bill; b.Known {
		row := model.Of(cmp.Or(u.Model, id))
		out.Cost.N, out.Cost.Known = row.Cost(b.Tokens)
	}
	return out
}

// amount is a number that may be unknown. The zero value is, and is not written.
type amount[N int64 | float64] struct {
	N     N
	Known bool
}

type (
	count   = amount[int64]
	dollars = amount[float64]
)

// MarshalJSON implements json.Marshaler.
func (a amount[N]) MarshalJSON() ([]byte, error) { return json.Marshal(a.N) }

// UnmarshalJSON implements json.Unmarshaler.
func (a *amount[N]) UnmarshalJSON(b []byte) error {
	a.Known = string(b) != "null"
	return json.Unmarshal(b, &a.N)
}

// cost returns the price of all responses to the turns of a run. It is unknown from the first response on of
// which it is not known, and where the conversation has begun before the run.
func (n notes) cost(x *exchange) dollars {
	switch {
	case n.Turn == 0:
		return dollars{Known: !x.conv.Answered()}
	case n.Free:
		return n.Spent
	case n.Spent.Known && n.Usage.Cost.Known:
		return dollars{n.Spent.N + n.Usage.Cost.N, true}
	default:
		return dollars{}
	}
}

// carriedNotes are notes in the form in which a run's state carries them: never changed, and encoded only
// for a store that asks for bytes.
type carriedNotes struct{ notes }

// MarshalJSON implements json.Marshaler.
func (s *carriedNotes) MarshalJSON() ([]byte, error) { return json.Marshal(s.notes) }

// decode returns the notes that a run's state carries, the zero notes where it carries none.
func decode(carried json.Marshaler) (n notes, err error) {
	switch c := carried.(type) {
	case *carriedNotes:
		return c.notes, nil
	case json.RawMessage:
		if err = json.Unmarshal(c, &n); err != nil {
			err = fmt.Errorf("notes of the run: %w", err)
		}
	}
	return n, err
}

// Findable returns a snapshot that was read from another store with the keys by which a store can find its
// run, see state.Store. It may be called concurrently.
func Findable(s *state.Snapshot) *state.Snapshot {
	n, err := decode(s.Notes())
	if err != nil || n.Base == "" {
		return s
	}
	keyed, err := firing.Note(s, &carriedNotes{n})
	if err != nil {
		return s
	}
	return keyed
}

// Offered returns the ids of the reminders whose texts are only offered in a run, by the notes in its
// snapshot: they were put into a request, and no request with them is known to have been accepted. It returns
// nil for notes that are not a Transport's. It may be called concurrently.
func Offered(carried json.Marshaler) []string {
	n, err := decode(carried)
	if err != nil {
		return nil
	}
	return n.Ledger.Offered()
}

// current returns the notes that the run's state carries, together with the answer that may not be
// in them yet, and with what the state has lost.
func (x *exchange) current(carried json.Marshaler) (notes, error) {
	n, err := decode(carried)
	for _, a := range x.pending {
		n = n.answered(a)
	}
	if r := x.at.reply; r != nil && n.Turn == r.Turn { // of several answers to the turn, the one that is named
		n = n.answered(answer{turn: n.Turn, usage: r.Usage, made: r.Made})
	}
	n = x.positioned(n)
	if id := x.q.Thread.Previous; x.named && id != "" && id != n.From { // an answer that is not saved yet
		n.Ledger = n.Ledger.Accept(n.Turn)
	}
	n = x.recovered(n)
	n.Ledger = x.anchored(n)
	x.refusals = n.Refusals
	return n, err
}

// note changes the run's notes outside of a turn, also for a client that is gone.
func (x *exchange) note(edit func(notes) notes) error { return x.noteOf(x.report.Run, edit) }

func (x *exchange) noteOf(run string, edit func(notes) notes) error {
	ctx, cancel := context.WithTimeout(x.lasting(), stateTime)
	defer cancel()
	return x.t.ev.Note(ctx, run, func(carried json.Marshaler) (json.Marshaler, error) {
		n, err := decode(carried)
		return &carriedNotes{edit(n)}, err
	})
}

// lasting is the context in which the state is written, for a client that is gone, too.
func (x *exchange) lasting() context.Context { return x.reads.In(context.WithoutCancel(x.ctx)) }

// addWhy has the Report say a fault that changes nothing for the request.
func (x *exchange) addWhy(fault error) {
	switch {
	case fault == nil:
	case x.report.Why == "":
		x.report.Why = fault.Error()
	default:
		x.report.Why += "; " + fault.Error()
	}
}

// shortened reports whether a conversation was compacted: it is the run's, but begins otherwise.
// Its last messages may be the same. Unless the client was seen to ask for a summary, it must also
// hold fewer messages than before.
func (n notes) shortened(c *body.Conversation) bool {
	first, _ := c.Ends()
	return n.First != "" && first != "" && first != n.First && (n.Summary || c.Len() < n.Keys)
}

// lastKept returns the id of the last response that the server keeps, as far as it is known: of the last
// turn, or else of the one before.
func (n notes) lastKept() string {
	if n.Made != nil {
		return n.Made.Response
	}
	return n.Behind
}

// after returns the notes as they are after a turn, but for the ledger.
func (n notes) after(turn int, x *exchange) notes {
	q, behind := x.q, n.lastKept()
	now := x.t.ev.Now()
	if !x.named {
		n, x.outdated = n.leave(behind)
		if !x.reads.Finds(x.ctx) {
			x.overdue = n.overdue()
		}
		n.Base, n.Used = x.base, now.UnixMilli()
	}
	if turn == 1 {
		if n.At, n.Rules, n.Root = now.Unix(), x.rules(), ""; x.first != "" {
			n.Root = x.report.Run
		}
		if !x.named {
			n.Listed = listed(x.report.Run)
		}
	}
	n.Spent, n.Free = n.cost(x), false
	n.Compaction = cmp.Or(x.conv.Compaction(), n.Compaction)
	if n.Usage.Cleared.Known {
		n.Cleared = n.Usage.Cleared.N
	}
	if n.Behind, n.From = "", ""; x.named {
		n.From = q.Thread.Previous
	}
	if q.Thread.Conversation != "" {
		n.Behind = behind
	}
	n.Turn, n.API, n.Head, n.Usage, n.Made, n.Summary = turn, q.API, x.head, usage{}, nil, false
	n.Count, n.Before = x.conv.Answers(), x.before()
	if first, last := x.conv.Ends(); first != "" {
		n.First, n.Last, n.Keys = first, last, x.conv.Len()
	}
	n.Tools = n.Tools || q.Tools == fact.True
	if q.PromptKey != "" && (q.UserMessage != fact.False || n.Prompt == "") {
		n.Prompt = q.PromptKey
	}
	n.Window = cmp.Or(q.Thread.Window, n.Window)
	if q.Thread.Begun != "" {
		n.Begun = q.Thread.Turn
	}
	return n
}

// answer is the response to a turn, as far as it has come.
type answer struct {
	of    *token // of the exchange whose response it is
	turn  int
	usage usage         // zero: not reported yet
	made  *toolCalls    // nil: not known
	said  evidence.Said // zero: not known
	saved bool          // a later turn has saved it
	none  bool          // the request was refused
}

// maxPending is of how many runs the Transport keeps the answers that are not saved. A client may send its
// next request at the last event of a stream, before the answer is over and saved in the notes; that request
// is decided by the answer as far as it has come.
const maxPending = 4096

// answered returns the notes as they are after an answer.
func (n notes) answered(a answer) notes {
	if a.none {
		n.Free = n.Turn == a.turn
		return n
	}
	n.Ledger = n.Ledger.Accept(a.turn)
	if a.said.Words != 0 && a.turn <= n.Turn {
		n.Answers = n.with(completion{evidence.Answer{Said: a.said, Turn: a.turn}, a.usage})
	}
	if n.Turn == a.turn && a.usage != (usage{}) { // else the run has gone on meanwhile
		n.Usage = a.usage
	}
	if n.Turn == a.turn && a.made != nil {
		n.Made = a.made
	}
	return n
}

// positioned returns the notes for the answer that the conversation goes on from: of several to one turn each
// has its own usage. The form in which the client of a run without a name writes it is kept, too.
func (x *exchange) positioned(n notes) notes {
	said, known := x.newest(n)
	if !known {
		return n
	}
	var it *completion
	for i := range n.Answers {
		a := &n.Answers[i]
		if a.Turn == n.Turn && a.Is(&said) && (it == nil || a.Fits(&said) >= it.Fits(&said)) {
			it = a
		}
	}
	switch {
	case it != nil:
		n.Usage = it.Usage
	case !x.named:
		n.Usage = usage{}
	}
	switch {
	case x.named:
	case it != nil && it.Words == said.Words && slices.Equal(it.IDs, said.IDs):
		n.Answers = n.Answers.goingOn(*it)
	case x.at.unseen:
		n.Answers = x.learnt(n.Answers, n.Turn+1)
	default:
		n.Answers = n.with(completion{evidence.Answer{Said: said, Turn: n.Turn}, n.Usage})
	}
	return n
}

// newest returns the newest answer that the conversation holds, if the run's last turn may have got it. Of a
// run with a name it is read only where that turn has several.
func (x *exchange) newest(n notes) (said evidence.Said, known bool) {
	if !x.named {
		if len(x.at.said) == 0 || n.Turn != x.at.turn || n.Turn == 0 {
			return said, false
		}
		return x.at.said[len(x.at.said)-1], true
	}
	if k := len(n.Answers); k < 2 || n.Answers[k-1].Turn != n.Turn || n.Answers[k-2].Turn != n.Turn {
		return said, false
	}
	steps, _ := x.conv.Steps()
	if len(steps) == 0 {
		return said, false
	}
	return x.conv.Said(steps[len(steps)-1]), true
}
