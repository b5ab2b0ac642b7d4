package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state"
)

// reply is a response that the API keeps, as the Transport must know it: a later request may name it, or an
// item of it, in place of all that was said. The store has it under a name that is made of the response's id,
// so that every process finds it.
type reply struct {
	Base   string `json:"base"`             // exchange.base
	Asked  string `json:"asked"`            // body.Step.Before
	Answer string `json:"answer,omitempty"` // body.Step.Answer; "": it was cut off
	// the run that has taken the turn; "": that is for this turn alone, and another one begins with the answer
	Run string `json:"run,omitempty"`
	// what a process that was killed has not saved in the run
	Usage usage `json:"usage,omitzero"`
	Made  *made `json:"made,omitempty"`
}

// step is an answer of the model that the conversation goes on from.
type step struct {
	body.Step
	run string // of its reply; "": the answer tells the run
}

// maxReplies is how many replies this process has in memory.
const maxReplies = 1 << 14

// maxStored is how many replies of a run are stored: those that the last turns went on from, as many as the
// run keeps states of. A request that goes on from an older one is known to the processes that have it in
// memory.
const maxStored = maxPast

// replyName is the name under which the store has a reply, like a run without a turn. The id is random, so
// nobody finds it who has not seen the response.
func (x *exchange) replyName(id string) string {
	return response.KeptPrefix + digest(string(x.q.API), id)
}

// reply returns what is known of a response or an item of one.
func (x *exchange) reply(ctx context.Context, id string) (r reply, known bool, err error) {
	if r, known = x.t.replies.Get(x.t.index.key(x.tenant, byReply, id)); known || !isUnique(id) {
		return r, known, nil
	}
	carried, _, err := x.t.ev.Notes(ctx, x.replyName(id))
	if err != nil || carried == nil {
		return r, false, err
	}
	b, err := carried.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return reply{}, false, fmt.Errorf("response of the run: %w", err)
	}
	x.t.replies.Add(x.t.index.key(x.tenant, byReply, id), r)
	return r, true, nil
}

// keepReply remembers the response to a turn, if the API keeps it and nobody has named the run. The client
// has not seen the response's end by then.
func (x *exchange) keepReply(u response.Usage) {
	if x.items == nil || x.base == "" || u.ID == "" || x.replied {
		return
	}
	x.replied = true
	r := reply{Base: x.base, Asked: x.asked, Answer: x.answerKey, Usage: usageOf(u, x.q.Model), Made: x.made}
	if !x.alone {
		r.Run = x.report.Run
	}
	ids, items := []string{u.ID}, x.items.IDs()
	for _, id := range append(items, u.ID) {
		x.t.replies.Add(x.t.index.key(x.tenant, byReply, id), r)
	}
	if x.alone && len(items) > 0 { // a run is found by its first answer
		ids = append(ids, items[len(items)-1])
	}
	raw, err := json.Marshal(r)
	if err != nil {
		x.addWhy(err)
		return
	}
	s, err := state.Note(nil, json.RawMessage(raw))
	ctx, done := x.t.patience(context.WithoutCancel(x.ctx))
	defer func() { done(err) }()
	for _, id := range ids {
		if err == nil && isUnique(id) {
			_, err = x.t.ev.Begin(ctx, x.replyName(id), s)
		}
	}
	x.addWhy(err)
}

// dropOutdated removes from the store the replies that the run's turn has left behind.
func (x *exchange) dropOutdated() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), stateTime)
	defer cancel()
	for _, id := range x.outdated {
		if err := x.t.ev.Forget(ctx, x.replyName(id)); err != nil {
			return err
		}
	}
	return nil
}

// leave returns the notes with another response that a turn went on from, and which replies are too old now.
func (n notes) leave(id string) (notes, []string) {
	if !isUnique(id) || slices.Contains(n.Replies, id) {
		return n, nil
	}
	all := append(slices.Clone(n.Replies), id)
	old := max(len(all)-maxStored, 0)
	n.Replies = all[old:]
	return n, all[:old]
}

// steps returns the answers that the conversation goes on from, as far as they are known, and sets the
// exchange's names of the conversation. Of an answer that the API keeps, the reply knows what the request
// does not tell.
func (x *exchange) steps(ctx context.Context) (steps []step, err error) {
	told, asked := x.conv.Steps()
	x.base, x.asked, x.alone, x.behind, x.kept = "", asked, false, "", nil
	steps = make([]step, 0, len(told)+1)
	add := func(id string, s body.Step) error {
		r, known, err := x.reply(ctx, id)
		if x.kept = nil; known {
			if len(steps) == 0 {
				x.base = r.Base
			}
			x.kept, s.Before, s.Answer = &r, r.Asked, r.Answer
		}
		if known || s.Before != "" {
			steps = append(steps, step{s, r.Run})
		}
		return err
	}
	if id := x.q.Thread.Previous; id != "" {
		if err := add(id, body.Step{}); err != nil {
			return nil, err
		}
		if len(steps) > 0 {
			x.behind = steps[0].Before
		}
	}
	for _, s := range told {
		if s.Item == "" {
			steps, x.kept = append(steps, step{Step: s}), nil
		} else if err := add(s.Item, s); err != nil {
			return nil, err
		}
	}
	if x.base == "" {
		begin := asked
		if len(steps) > 0 {
			begin = steps[0].Before
		}
		x.base = unnamedRun + digest(string(x.q.API), begin)
	}
	return steps, nil
}

// heads are the Heads of the conversation, that of the response before it included.
func (x *exchange) heads() []string {
	if x.behind == "" {
		return x.conv.Heads()
	}
	return append([]string{x.behind}, x.conv.Heads()...)
}

// goesOn reports whether the conversation goes on from the last turn of a run, whose notes are n.
func (x *exchange) goesOn(n notes) bool {
	return x.behind != "" && n.Head == x.behind || x.conv.GoesOn(n.Head, n.Last)
}
