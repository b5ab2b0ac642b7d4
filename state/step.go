package state

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Input is one turn: what the host reports, and the functions by which the machine asks about triggers and texts.
type Input struct {
	Key    string // the host's name for this turn, by which Step knows it again; "" is always a new turn
	At     time.Time
	Order  reminder.Order
	Budget reminder.Budget

	// What happened since the previous turn; the counts that a Run tells are made of it. Where the host did not report
	// something, say fact.Unknown: the zero Truth is False.
	UserMessage, Compacted, Resumed, Failed fact.Truth
	Tools                                   []string // the tools called, in order
	ToolsKnown                              bool     // whether the host reported Tools
	ResponseTokens                          int64    // output of the previous model call
	ResponseKnown                           bool     // whether the host reported ResponseTokens
	OutputTokens                            int64    // output so far, of a host that counts it itself; the run goes on from it
	OutputKnown                             bool     // whether the host reported OutputTokens

	Remind []string // ids of rules to fire by hand
	Silent bool     // this turn can carry no text, so what fires waits for one that can

	// Judge returns the truths of triggers and of rearm conditions, each by the index of the rule; what is missing at the
	// end of a list is Unknown. It is called at most once, when the counts have advanced to this turn. nil judges nothing.
	Judge func(run *Run) (trigger, rearm []fact.Truth)
	// Render returns the text of rule i. It is called for the rules that are to fire; after an error the rule does
	// not. nil fails for every rule.
	Render func(i int) (string, error)
	// Tokens counts the tokens of a text, for the budget. nil is a quarter of the bytes, rounded up.
	Tokens func(text string) int

	Facts json.RawMessage // kept in the snapshot, so that the turn can be explained later; do not modify it afterwards
	Tag   string          // marks the texts of this run as ours; the run keeps the first that is not empty
}

// Step decides one turn of a run. It returns the snapshot of the run after that turn, and the decision. It modifies nothing
// that it is given, so a turn whose snapshot is not saved has not happened. A nil prev is a new run.
//
// If in has the key of the run's last turn, it is that turn again: Step returns prev itself and the decision that prev
// holds, and calls none of the functions of in. If it has the key of an older turn, or one that numbers its turn lower than the
// last one's, Step returns ErrOldKey; a run remembers its last KeyMemory keys. Facts that are not JSON are an error, too. With an
// error there is neither snapshot nor decision.
func Step(prev *Snapshot, rules *Rules, in Input) (*Snapshot, *Decision, error) {
	last := prev.at()
	hash := hashKey(in.Key)
	switch d, err := last.taken(hash, in.Key); {
	case err != nil:
		return nil, nil, err
	case d != nil:
		return prev, d, nil
	}
	if len(in.Facts) > 0 && !json.Valid(in.Facts) {
		return nil, nil, errors.New("the facts of the turn are not JSON")
	}

	out := &outcome{past: *last}
	out.next = Snapshot{&out.past, prev.Notes()}
	s, d := &out.past, &out.decision
	st := stepping{last: last, next: s, decision: d, in: in, rules: rules}
	s.facts = in.Facts
	s.entries, s.rules = s.entriesUnder(rules), rules
	if in.Key != "" {
		s.remember(hash)
	}
	s.advance(&in)
	*d = Decision{Turn: s.turn, Key: strings.ToValidUTF8(in.Key, "\uFFFD"), Fired: []reminder.Due{}, Due: []reminder.Due{}}
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

// outcome holds all that a step makes, so that it takes one allocation.
type outcome struct {
	next     Snapshot
	past     past
	decision Decision
	run      Run
}

// stepping is the work of one turn. No snapshot may point to it: a store that keeps snapshots would keep each run's last input.
type stepping struct {
	last     *past
	next     *past // begins as a copy of last; shares its lists until they change
	decision *Decision

	in         Input
	rules      *Rules
	trigger    []fact.Truth // what Input.Judge returned
	rearmed    []string     // ids of rules that are armed again because their text was never carried
	hand       []string     // ids of rules asked for by hand, in byte order
	candidates []candidate
}

// Taken tells what Step would do with this key, without taking a turn: it returns the decision of the run's last turn if that
// has the key, ErrOldKey if the key is an older one, and nil, nil if a turn with this key would be a new one.
func (s *Snapshot) Taken(key string) (*Decision, error) { return s.at().taken(hashKey(key), key) }

func (s *past) taken(hash uint64, key string) (*Decision, error) {
	switch {
	case key == "":
		return nil, nil
	case s.decision != nil && s.decision.Key != "" && s.keys[len(s.keys)-1] == hash && s.decision.Key == strings.ToValidUTF8(key, "\uFFFD"):
		return s.decision, nil
	case slices.Contains(s.keys, hash), s.decision != nil && older(key, s.decision.Key):
		return nil, fmt.Errorf("%w: %q", ErrOldKey, key)
	}
	return nil, nil
}

// older reports whether key is older than last, though the run may never have met it: both are the same but for the turn's number at
// their end, and that of key is the lower one. So a turn that comes late, after the one behind it, is refused. Numbers of more than
// six digits count no turns; they are hashes or random, and say nothing about time.
func older(key, last string) bool {
	name, n, ok := numbered(key)
	lastName, lastN, lastOK := numbered(last)
	return ok && lastOK && name == lastName && n < lastN
}

// numbered cuts the number off a key's end, if it is one of a turn.
func numbered(key string) (name string, n int, ok bool) {
	name = strings.TrimRight(key, "0123456789")
	digits := strings.TrimLeft(key[len(name):], "0")
	if len(name) == len(key) || len(digits) > 6 {
		return name, 0, false
	}
	for _, c := range []byte(digits) {
		n = 10*n + int(c-'0')
	}
	return name, n, true
}

// remember adds the hash of a turn key to those of the last KeyMemory turns.
func (s *past) remember(hash uint64) {
	old := s.keys[max(len(s.keys)-KeyMemory+1, 0):]
	s.keys = append(append(make([]uint64, 0, len(old)+1), old...), hash)
}

// hashKey returns what a run remembers of a turn key.
func hashKey(key string) uint64 {
	if key == "" {
		return 0
	}
	var room [64]byte // most keys take no more
	sum := sha256.Sum256(append(room[:0], key...))
	return binary.BigEndian.Uint64(sum[:8])
}

// advance brings the counters to this turn, from what the host reports.
func (s *past) advance(in *Input) {
	at := moment(in.At)
	if s.turn == 0 {
		s.first, s.high = at, at
	}
	s.turn++
	s.prev, s.last = s.last, at
	if at.After(s.high) {
		s.high = at
	}
	if s.tag == "" {
		s.tag = strings.ToValidUTF8(in.Tag, "\uFFFD")
	}
	if in.UserMessage != fact.Unknown {
		s.userKnown = true
	}
	if in.UserMessage == fact.True {
		s.userTurns++
	}
	switch {
	case in.OutputKnown:
		s.outputKnown = true
		s.output = min(max(in.OutputTokens, 0), fact.MaxInt)
	case in.ResponseKnown:
		s.outputKnown = true
		s.output += min(max(in.ResponseTokens, 0), fact.MaxInt-s.output)
	}
	s.failedKnown = in.Failed != fact.Unknown
	switch in.Failed {
	case fact.True:
		s.failures++
	case fact.False:
		s.failures = 0
	}
	if in.ToolsKnown {
		s.toolsKnown = true
		s.called(in.Tools)
	}
}

// called counts a batch of tool calls.
func (s *past) called(names []string) {
	if len(names) == 0 {
		return
	}
	s.toolCalls += len(names)
	tools := append(make([]tool, 0, len(s.tools)+len(names)), s.tools...)
	calls := append(make([]uint32, 0, len(s.calls)+len(names)), s.calls...)
	for _, name := range names {
		name = strings.ToValidUTF8(name, "\uFFFD")
		i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name })
		if i < 0 {
			i = len(tools)
			tools = append(tools, tool{name: name})
		}
		tools[i].calls++
		tools[i].turn = s.turn
		calls = append(calls, uint32(i))
	}
	s.tools = tools
	s.calls = slices.Clip(calls[max(len(calls)-fact.ChainMemory, 0):])
}

// latest is the last moment that a snapshot can hold.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)

// moment returns t as a snapshot can hold it: in UTC, without a monotonic reading, and brought into the years 1 to 9999. It
// compares times rather than years, since Time.Year overflows for times very far away.
func moment(t time.Time) time.Time {
	t = t.UTC().Round(0)
	switch {
	case t.Before(time.Time{}):
		return time.Time{}
	case t.After(latest):
		return latest
	default:
		return t
	}
}
