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
// the answer to the turn of the text, and behind the answers to the turns before. It is not the last one of
// another turn, though that may say the same, as "go on" does.
func (x *exchange) anchored(n notes) ledger.Ledger {
	l := n.Ledger
	if x.q.Partial || len(l.Entries) == 0 {
		return l
	}
	unedited, latest := x.unedited(n)
	var moved []int // the entries whose message may be another one
	own := map[int]int{}
	for i, e := range l.Entries {
		at, minted, there := x.conv.At(e.Anchor)
		switch {
		case there && (minted || at < unedited && e.Turn <= latest && e.Missing == 0):
			own[at] = e.Turn
		case e.Says != 0 && !e.Once && e.API == x.q.API:
			moved = append(moved, i)
		}
	}
	if len(moved) == 0 {
		return l
	}
	l.Entries = slices.Clone(l.Entries)
	steps, turns := x.turnsOf(n)
	x.ownTurns(own, n, steps, turns)
	for _, i := range moved {
		e := &l.Entries[i]
		may := func(message int) bool {
			turn, known := own[message]
			return !known || turn == e.Turn
		}
		after, before := bounds(steps, turns, e.Turn)
		other := ""
		if after != nil || before != nil {
			other = x.conv.Between(e.Says, after, before, func(message int) bool {
				return may(message) && (message != x.conv.Own(nil) || e.Turn == n.Turn)
			})
		}
		at, _, there := x.conv.At(e.Anchor)
		switch stays := there && may(at) && (other == "" || x.conv.Message(at+1).Words == e.Says); {
		case stays:
			own[at] = e.Turn
		case other != "":
			e.Anchor = other
			at, _, _ = x.conv.At(other)
			own[at] = e.Turn
		case there:
			e.Other = true
		}
	}
	return l
}

// unedited compares the beginning of the request with earlier requests of the run. It returns the number of
// messages that it shares with the latest such request, to the word, and the turn of that request.
func (x *exchange) unedited(n notes) (messages, turn int) {
	if x.head == n.Head {
		return x.conv.Own(nil) + 1, n.Turn
	}
	steps, _ := x.conv.Steps()
	for _, s := range slices.Backward(steps) {
		if s.Before == number(n.Head) {
			return x.conv.Own(&s) + 1, n.Turn
		}
		if i := slices.IndexFunc(n.Answers, func(a completion) bool { return a.Asked == s.Before }); i >= 0 {
			return x.conv.Own(&s) + 1, n.Answers[i].Turn
		}
	}
	return 0, 0
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

// ownTurns adds to own, by index, the turn of each message that is known to be the last one of a turn. Such a
// message stands before the answer to its turn and has the same words as then, or it ends a request that
// holds the answer to the latest turn.
func (x *exchange) ownTurns(own map[int]int, n notes, steps []body.Step, turns []int) {
	for i := range steps {
		message, before := x.conv.Own(&steps[i]), x.conv.Said(steps[i]).Before
		if _, known := own[message]; !known && slices.ContainsFunc(n.Answers, func(a completion) bool {
			return turns[i] != 0 && a.Turn == turns[i] && a.Before.Words == before.Words
		}) {
			own[message] = turns[i]
		}
	}
	if k := len(turns); k > 0 && turns[k-1] == n.Turn {
		own[x.conv.Own(nil)] = n.Turn + 1
	}
}

// counted reports whether the last prompt of the request was there on the turn before, so that nobody has
// just submitted it: it says the same, at the same place among the prompts, and stands behind neither the
// last message of that turn nor the answer to it. A client that cuts its history moves prompts to the places
// of others.
func (x *exchange) counted(n notes) bool {
	if x.q.PromptKey == "" || x.q.PromptKey != n.Prompt || x.q.Partial {
		return false
	}
	if i, _, there := x.conv.At(n.Last); there && i < x.q.PromptAt {
		return false
	}
	steps, turns := x.turnsOf(n)
	for i := range steps {
		if turns[i] == n.Turn && steps[i].End <= x.q.PromptAt {
			return false
		}
	}
	return true
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
	turns = q.Turns(&evidence.Run{Answers: n.evidence()})
	for i, s := range steps {
		for _, a := range n.Answers {
			if a.Asked == s.Before && a.Is(&q.Answers[i]) { // to all that stands before it, not to another turn
				turns[i] = a.Turn
			}
		}
	}
	return steps, turns
}
