package transport

import (
	"cmp"
	"context"
	"slices"

	"github.com/aside-go/aside/internal/response"
)

// reply is a response that the API keeps, as the Transport must know it: a later request may name it, or an
// item of it, in place of all that was said. The store has it under a name that is made of the response's id,
// so that every process finds it.
type reply struct {
	Base string `json:"base"` // exchange.base
	Run  string `json:"run"`
	Turn int    `json:"turn"` // of the run, whose response it is
	// what a process that was killed has not saved in the run
	Usage usage      `json:"usage,omitzero"`
	Made  *toolCalls `json:"made,omitempty"`
}

// maxReplies is how many replies this process has in memory.
const maxReplies = 1 << 14

// replyName is the name under which the store has a reply, like a run without a turn. The id is random, so
// nobody finds it who has not seen the response.
func (x *exchange) replyName(id string) string {
	return response.KeptPrefix + digest(string(x.q.API), id)
}

// reply returns what is known of a response or an item of one.
func (x *exchange) reply(ctx context.Context, id string) (r reply, known bool, err error) {
	name := x.replyName(id)
	if r, known = x.t.replies.Get(name); known || !response.Minted(id) {
		return r, known, nil
	}
	if known, err = x.kept(ctx, name, &r); !known || err != nil {
		return reply{}, false, err
	}
	x.t.replies.Add(name, r)
	return r, r.Run != "", nil
}

// keepReply remembers the response to a turn, if the API keeps it and nobody has named the run. The client
// has not seen the response's end by then.
func (x *exchange) keepReply(u response.Usage) {
	if !x.keeps() || x.base == "" || u.ID == "" || x.replied {
		return
	}
	x.replied = true
	r := reply{Base: x.base, Run: x.report.Run, Turn: x.report.Turn, Usage: x.answerWith(u).usage, Made: x.made}
	ids := []string{u.ID}
	for _, id := range append(x.items, u.ID) {
		x.t.replies.Add(x.replyName(id), r)
	}
	if n := len(x.items); x.report.Turn == 1 && n > 0 { // a client may name items alone
		ids = append(ids, x.items[n-1])
	}
	var err error
	ctx, done := x.t.patience(x.lasting())
	defer func() { done(err) }()
	for _, id := range ids {
		if err == nil && response.Minted(id) {
			_, err = x.keepNew(ctx, x.replyName(id), r)
		}
	}
	x.addWhy(err)
}

// clean begins to remove from the store what the run's turn has left behind, for while the model answers.
func (x *exchange) clean() {
	if len(x.outdated) == 0 && len(x.overdue) == 0 {
		return
	}
	x.cleaned = make(chan error, 1)
	cleaned, run, outdated, overdue := x.cleaned, x.report.Run, x.outdated, x.overdue
	go func() {
		_, err := safely(func() (_ string, err error) {
			ctx, done := x.t.patience(x.lasting())
			defer func() { done(err) }()
			for _, id := range outdated {
				err = cmp.Or(err, x.t.ev.Forget(ctx, x.replyName(id)))
			}
			for _, d := range overdue {
				err = cmp.Or(err, x.dropRow(ctx, d, run))
			}
			return "", err
		})
		cleaned <- err
	}()
}

// awaitClean waits until that has ended: what is saved from then on stays.
func (x *exchange) awaitClean() {
	if x.cleaned != nil {
		x.addWhy(<-x.cleaned)
		x.cleaned = nil
	}
}

// leave returns the notes with another response that a turn went on from, and which replies are too old now:
// the store has as many as the run keeps states of.
func (n notes) leave(id string) (notes, []string) {
	if !response.Minted(id) || slices.Contains(n.Replies, id) {
		return n, nil
	}
	all := append(slices.Clone(n.Replies), id)
	old := max(len(all)-maxCheckpoints, 0)
	n.Replies = all[old:]
	return n, all[:old]
}

// readSteps reads the answers that the conversation goes on from, and names its beginning. Of an answer that
// the API keeps, the reply knows what the request does not tell.
func (x *exchange) readSteps(ctx context.Context) (err error) {
	x.steps, x.asked = x.conv.Steps()
	x.base, x.at.reply = "", nil
	last := x.q.Thread.Previous
	if n := len(x.steps); n > 0 { // which the client may say again beside the response that they are of
		last = cmp.Or(x.steps[n-1].Item, last)
	}
	if last != "" {
		r, known, err := x.reply(ctx, last)
		if err != nil {
			return err
		}
		if known {
			x.base, x.at.reply = r.Base, &r
		}
	}
	if x.base == "" {
		begin := x.asked
		if len(x.steps) > 0 {
			begin = x.steps[0].Head()
		}
		x.base = unnamedRun + digest(string(x.q.API), begin)
	}
	return nil
}
