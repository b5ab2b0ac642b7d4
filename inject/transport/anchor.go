package transport

import (
	"slices"

	"github.com/aside-go/aside/inject/internal/ledger"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/evidence"
)

// anchored returns the ledger of the notes as this request has its messages. A client that cuts its history,
// or writes something else in place of its beginning, changes the keys of the messages behind that. A text
// whose message is still there stands with it all the same: the message says what it said, and stands before
// the answer to the turn of the text, and behind the answers to the turns before.
func (x *exchange) anchored(n notes) ledger.Ledger {
	l := n.Ledger
	if x.q.Partial {
		return l
	}
	var steps []body.Step
	var turns []int
	for i, e := range n.Ledger.Entries {
		if e.Says == 0 || e.Once || e.API != x.q.API || x.conv.Has(e.Anchor) {
			continue
		}
		if turns == nil {
			l.Entries = slices.Clone(l.Entries)
			steps, turns = x.turnsOf(n)
		}
		after, before := bounds(steps, turns, e.Turn)
		if key := x.conv.Between(e.Says, after, before); key != "" && (after != nil || before != nil) {
			l.Entries[i].Anchor = key
		}
	}
	return l
}

// bounds returns the answers between which a message must stand that was the last before the answer to a
// turn, or was there before: behind that of the latest turn before, and not behind that of the turn or of one
// after it. Where the answer to the turn is there, nothing else is asked.
func bounds(steps []body.Step, turns []int, turn int) (after, before *body.Step) {
	for i, t := range turns {
		switch {
		case t == 0:
		case t < turn:
			after = &steps[i]
		case before == nil:
			if before = &steps[i]; t == turn {
				return nil, before
			}
		}
	}
	return after, before
}

// turnsOf returns the answers in the request, and the turn to which each is the answer, 0 for none that is
// known.
func (x *exchange) turnsOf(n notes) (steps []body.Step, turns []int) {
	steps, _ = x.conv.Steps()
	steps = steps[max(0, len(steps)-evidence.Kept):]
	var q evidence.Request
	for _, s := range steps {
		q.Answers = append(q.Answers, x.conv.Said(s))
	}
	return steps, q.Turns(&evidence.Run{Answers: n.evidence()})
}
