package firing

import (
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Input is one turn, one part of it, or another moment: the events and figures that the host reports, and the
// functions that the machine calls for the truths of triggers and for texts.
type Input struct {
	Run    string // the run's name, by which a reminder with a holdout is sent or held back
	Thread string // the name of the agent thread, if it is not that of the run
	Key    string // the host's name for this turn, by which Step recognises it; "" is always a new turn
	// Body stands for the request that told a turn with a Key: a digest, in any form. "" is not known, and is
	// the same as every other.
	Body string
	// At counts in whole milliseconds. Moments outside the years 1 to 9999 count as the first or the last moment
	// of these.
	At     time.Time
	Order  reminder.Order
	Budget reminder.Budget

	Holdout reminder.Holdout
	Shadow  map[string]bool // ids of reminders whose texts are sent to nobody, also by hand: each is a Trial

	// More says that this is a further part of the last turn (LANGUAGE.md §4): Calls are those of this part,
	// and everything else holds for the turn as far as it is known by now. At the moment BeforeTool it says that
	// Call is of the answer before that turn.
	More bool
	// Moment is the occasion. At another moment than a Turn nothing is counted or armed, and only Judge, Render
	// and what says whose text may go out play a part.
	Moment fact.Moment
	Call   *fact.Call // about to be executed, at the moment BeforeTool
	// Pauses returns what reminder i asks about Call, each part by a key in words, of which hashes are kept.
	// Step calls it for reminders with Pause alone.
	Pauses func(i int) []string

	// The events since the previous turn. A Run counts them. An event that the host did not report is
	// fact.Unknown: the zero Truth is False.
	UserMessage, Compacted, Resumed, Failed fact.Truth
	// Spoken is UserMessage over all parts of the turn so far. Texts are those that this part tells.
	Spoken fact.Truth
	Texts  fact.Texts
	// CompactedBefore says that an earlier part of this turn told of a compaction, which re-arms on each part.
	CompactedBefore bool

	Calls      []fact.Call // the calls made, in order
	ToolsKnown bool        // whether the host reported which tools were called
	CallsTold  bool        // whether it reported Calls with their subjects
	Place      fact.Place  // in which the paths of Calls are compared
	// Pattern returns a pattern that an earlier set named, by its String. nil makes the counts of such patterns
	// unknown once a call is made.
	Pattern        func(text string) fact.Pattern
	ResponseTokens int64 // output of the previous model call
	ResponseKnown  bool  // whether the host reported ResponseTokens
	// output of the run so far, of a host that counts it itself; the run counts on from it
	OutputTokens int64
	OutputKnown  bool // whether the host reported OutputTokens

	Remind []string // ids of reminders to fire by hand
	Silent bool     // this turn can carry no text; the texts that fire wait for a turn that can

	// Judge returns the truths of triggers and of rearm conditions, each by the index of the reminder in the
	// Rules. A list may end early; the missing truths are Unknown. Step calls Judge at most once, after the
	// counts have advanced to this turn. nil leaves every truth unknown, and clears no state.
	Judge func(run *Run) (trigger, rearm []fact.Truth)
	// Expect returns the truth of the expected trigger of reminder i on this turn; Unknown stands for no change.
	// nil leaves all of them unknown.
	Expect func(i int) fact.Truth
	// Between returns where between this turn and the next one the trigger of reminder i is false. Step calls it
	// last of all. nil is nowhere.
	Between func(i int) fact.Gaps
	// Render returns the text of reminder i. Step calls it for the reminders that are to fire. A reminder whose
	// text is an error does not fire. nil is an error for every reminder.
	Render func(i int) (string, error)
	// Tokens counts the tokens of a text, for the budget. nil counts a quarter of the bytes, rounded up.
	Tokens func(text string) int

	// Record is called with each record of a firing that this step makes, Agent and Model missing. nil makes
	// none.
	Record func(reminder.Record)

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
// its last 64 keys. The key of the last turn with another Body is ErrOtherBody. With an error Step
// returns neither snapshot nor decision.
//
// At another moment than a turn Step returns prev itself if no trigger is true.
func Step(prev *Snapshot, rules *Rules, in Input) (*Snapshot, *reminder.Decision, error) {
	last := prev.at()
	hash := hashKey(in.Key)
	body := hashKey(in.Body)
	switch d, err := last.decided(hash, in.Key, body); {
	case err != nil:
		return nil, nil, err
	case d != nil:
		return prev, d, nil
	}
	judge := in.Judge
	if in.Moment != fact.Turn && judge != nil && last.rules == rules {
		trigger, rearm := judge(&Run{last})
		if !slices.Contains(trigger, fact.True) { // most moments: nothing is copied
			return prev, &reminder.Decision{Turn: last.turn, Rules: rules.Digest, Fired: []reminder.Due{},
				Due: []reminder.Due{}}, nil
		}
		judge = func(*Run) ([]fact.Truth, []fact.Truth) { return trigger, rearm }
	}
	out := &results{past: last.shared()}
	out.next = Snapshot{&out.past, prev.Notes()}
	s, d := &out.past, &out.decision
	st := stepState{last: last, next: s, decision: d, rules: rules}
	st.in = in // not in the literal, which would copy it twice
	s.adopt(rules)
	if in.Moment == fact.Turn {
		s.facts = in.Facts
		begins := !in.More || s.turn == 0
		if s.watchIdentical(rules, begins); begins {
			s.begin(&in)
		}
		if in.Key != "" {
			s.remember(hash, body)
		}
		s.advance(&in)
		st.arrived = s.arrived(in.Spoken)
		s.decision = d
	}
	d.Turn, d.Key, d.Rules = s.turn, validUTF8(in.Key), rules.Digest
	d.Fired, d.Due = []reminder.Due{}, []reminder.Due{}
	if in.Moment == fact.Turn {
		st.endTexts()
		st.manual()
	}
	var trigger, rearm []fact.Truth
	if judge != nil {
		out.run.s = s
		trigger, rearm = judge(&out.run)
	}
	turnTime := s.last
	if in.Moment != fact.Turn {
		s.last = moment(in.At) // cooldowns end by the time of the moment; counts stand as on the turn
	}
	switch {
	case judge != nil:
		st.update(trigger, rearm)
	case s.turn != last.turn:
		st.skip()
	}
	st.renderTexts()
	st.applyBudget()
	st.fire()
	st.carry()
	s.last = turnTime
	st.arm()
	return &out.next, d, nil
}

// results holds all results of a step, so that they take one allocation.
type results struct {
	next     Snapshot
	past     past
	decision reminder.Decision
	run      Run
}

// stepState is the state of one call of Step. No snapshot may point to it: a store that keeps snapshots would
// keep the last input of each run.
type stepState struct {
	last     *past
	next     *past // begins as a copy of last; shares its lists until they change
	decision *reminder.Decision

	in         Input
	rules      *Rules
	arrived    fact.Texts   // on this turn
	trigger    []fact.Truth // the result of Input.Judge
	rearmed    []string     // ids of reminders that are armed again because no request carried their text
	hand       []string     // ids of reminders asked for by hand, in byte order
	candidates []candidate
}
