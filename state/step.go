package state

import (
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Input is one turn: the events and figures that the host reports, and the functions that the machine calls
// for the truths of triggers and for texts.
type Input struct {
	Key    string    // the host's name for this turn, by which Step recognises it; "" is always a new turn
	At     time.Time // moments outside the years 1 to 9999 count as the first or the last moment of these
	Order  reminder.Order
	Budget reminder.Budget

	// The events since the previous turn. A Run counts them. An event that the host did not report is
	// fact.Unknown: the zero Truth is False.
	UserMessage, Compacted, Resumed, Failed fact.Truth

	Tools          []string // the tools called, in order
	ToolsKnown     bool     // whether the host reported Tools
	ResponseTokens int64    // output of the previous model call
	ResponseKnown  bool     // whether the host reported ResponseTokens
	// output of the run so far, of a host that counts it itself; the run counts on from it
	OutputTokens int64
	OutputKnown  bool // whether the host reported OutputTokens

	Remind []string // ids of reminders to fire by hand
	Silent bool     // this turn can carry no text; the texts that fire wait for a turn that can

	// Judge returns the truths of triggers and of rearm conditions, each by the index of the reminder in the
	// Rules. A list may end early; the missing truths are Unknown. Step calls Judge at most once, after the
	// counts have advanced to this turn. nil leaves every truth unknown, and clears no state.
	Judge func(run *Run) (trigger, rearm []fact.Truth)
	// Render returns the text of reminder i. Step calls it for the reminders that are to fire. A reminder whose
	// text is an error does not fire. nil is an error for every reminder.
	Render func(i int) (string, error)
	// Tokens counts the tokens of a text, for the budget. nil counts a quarter of the bytes, rounded up.
	Tokens func(text string) int

	Facts fact.Values // kept in the snapshot, to explain the turn later
	Tag   string      // the mark of the run's texts; the run keeps the first one that is not empty
}

// Step decides one turn of a run. It returns the snapshot of the run after that turn, and the decision. It
// does not modify its arguments, so a turn whose snapshot is not saved has not happened. A nil prev is a new
// run.
//
// If in has the key of the run's last turn, it is that turn again: Step returns prev itself and the decision
// that prev holds, and calls none of the functions of in. If in has the key of an older turn, or a key that
// ends in a lower number than the last key and is otherwise the same, Step returns ErrOldKey; a run remembers
// its last KeyMemory keys. With an error Step returns neither snapshot nor decision.
func Step(prev *Snapshot, rules *Rules, in Input) (*Snapshot, *Decision, error) {
	last := prev.at()
	hash := hashKey(in.Key)
	switch d, err := last.decided(hash, in.Key); {
	case err != nil:
		return nil, nil, err
	case d != nil:
		return prev, d, nil
	}
	out := &outcome{past: *last}
	out.next = Snapshot{&out.past, prev.Notes()}
	s, d := &out.past, &out.decision
	st := stepState{last: last, next: s, decision: d, rules: rules}
	st.in = in // not in the literal, which would copy it twice
	s.facts = in.Facts
	s.entries, s.rules = s.entriesUnder(rules), rules
	if in.Key != "" {
		s.remember(hash)
	}
	s.advance(&in)
	d.Turn, d.Key = s.turn, validUTF8(in.Key)
	d.Fired, d.Due = []reminder.Due{}, []reminder.Due{}
	s.decision = d

	st.endTexts()
	st.manual()
	if in.Judge != nil {
		out.run.s = s
		st.update(in.Judge(&out.run))
	}
	st.renderTexts()
	st.applyBudget()
	st.fire()
	st.carry()
	return &out.next, d, nil
}

// outcome holds all results of a step, so that they take one allocation.
type outcome struct {
	next     Snapshot
	past     past
	decision Decision
	run      Run
}

// stepState is the state of one call of Step. No snapshot may point to it: a store that keeps snapshots would
// keep the last input of each run.
type stepState struct {
	last     *past
	next     *past // begins as a copy of last; shares its lists until they change
	decision *Decision

	in         Input
	rules      *Rules
	trigger    []fact.Truth // the result of Input.Judge
	rearmed    []string     // ids of reminders that are armed again because no request carried their text
	hand       []string     // ids of reminders asked for by hand, in byte order
	candidates []candidate
}
