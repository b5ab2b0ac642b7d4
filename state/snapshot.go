package state

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/terms"
)

// KeyMemory is how many turn keys a run remembers. A turn with an older key is taken for a new one.
const KeyMemory = 64

// Snapshot is all that a run needs to go on after any turn, in this process or another. The nil Snapshot is a run that has
// not begun. It is immutable and may be used concurrently.
type Snapshot struct {
	past  *past // nil: the run has not begun; what has other notes and nothing else shares it
	notes Notes // nil: none; a json.RawMessage of the snapshot's own without blanks, or the host's value
}

// Notes are what a host keeps with a run: one JSON value, which the machine carries along and never looks at.
//
// They are bytes, a json.RawMessage, or a value of the host's own. Such a one is immutable, and MarshalJSON, which only a store that
// needs the bytes ever calls, any number of times and concurrently, must not fail. A store gives back the value that it was given, or
// its bytes.
type Notes = json.Marshaler

// past is all of a run but the notes.
type past struct {
	turn     int
	keys     []uint64 // hashes of turn keys, oldest first
	decision *Decision
	facts    json.RawMessage
	tag      string

	// The clock: on the first turn, the last one, the one before, and the latest ever seen.
	first, last, prev, high time.Time

	userTurns   int
	userKnown   bool
	output      int64
	outputKnown bool
	toolCalls   int
	toolsKnown  bool
	failures    int
	failedKnown bool // on the last turn
	tools       []tool
	calls       []uint32 // the last fact.ChainMemory calls, oldest first, as indices of tools

	entries []slot // by id
	texts   []text // by id
	queue   []string
	spent   int64

	rules *Rules // of the last step: whose positions the entries' are; not encoded
}

// tool counts the calls of one tool. Tools stand in the order of their first use.
type tool struct {
	name  string
	calls int
	turn  int // that reported the last use
}

// text is a fired text that is still kept, or that waits for something to carry it.
type text struct {
	terms.Due
	turn    int  // on which it fired
	waiting bool // nothing carried it yet
	missed  bool // it was carried by a request that failed for good: due on the next turn whatever keep says
}

// at returns what s holds; it must not be written to.
func (s *Snapshot) at() *past {
	if s == nil || s.past == nil {
		return &past{}
	}
	return s.past
}

// Turn returns how many turns were committed.
func (s *Snapshot) Turn() int { return s.at().turn }

// Decision returns the decision of the last turn, nil before the first. It must not be written to.
func (s *Snapshot) Decision() *Decision { return s.at().decision }

// Facts returns Input.Facts of the last turn, without blanks. It must not be written to.
func (s *Snapshot) Facts() json.RawMessage { return s.at().facts }

// Notes returns what the host keeps with the run; nil for nothing. Bytes are without blanks. It must not be written to.
func (s *Snapshot) Notes() Notes {
	if s == nil {
		return nil
	}
	return s.notes
}

// Tag returns the first Input.Tag that was not empty.
func (s *Snapshot) Tag() string { return s.at().tag }

// Spent returns how many tokens were fired in the run, as the budget counts.
func (s *Snapshot) Spent() int64 { return s.at().spent }

// Queued returns the ids that wait to be fired by hand, in byte order.
func (s *Snapshot) Queued() []string { return slices.Clone(s.at().queue) }

// Waiting returns the ids of fired texts that wait for a turn that can carry them, in byte order.
func (s *Snapshot) Waiting() []string {
	var ids []string
	for _, t := range s.at().texts {
		if t.waiting {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// Run returns the run as the triggers of the last turn saw it.
func (s *Snapshot) Run() *Run { return &Run{s.at()} }

// RuleState is what a run remembers of one rule.
type RuleState struct {
	Armed   bool
	Fires   int       // by itself
	Last    fact.Mark // when it last fired by itself; Turn 0 is never
	Since   int       // turn from which on its trigger has been true; 0 is not true
	SinceAt time.Time
}

// Rule returns what is remembered of the rule with that id; a rule unknown to the run is armed and never fired.
func (s *Snapshot) Rule(id string) RuleState {
	e := find(s.at().entries, id)
	if e == nil {
		return RuleState{Armed: true}
	}
	return RuleState{Armed: !e.spentArm, Fires: e.fires, Last: e.last, Since: e.since, SinceAt: e.sinceAt}
}

// Remind returns prev with the rule of that id queued to be fired by hand on the next turn that can carry text. Queueing
// it twice is queueing it once. Whether there is such a rule shows on that turn: one that is gone is reported undelivered.
func Remind(prev *Snapshot, id string) *Snapshot {
	next := *prev.at()
	next.queue = insert(next.queue, strings.ToValidUTF8(id, "\uFFFD"))
	return &Snapshot{&next, prev.Notes()}
}

// Missed returns prev with the texts of those ids, which were decided but never accepted by a model, due again on the
// next turn with the same bytes. That is no new firing. Name what the last decision fired or marked Late: a text that
// an earlier request already carried is due by itself as long as it is kept. Ids without a text are ignored.
func Missed(prev *Snapshot, ids ...string) *Snapshot {
	next := *prev.at()
	next.texts = slices.Clone(next.texts)
	for i := range next.texts {
		if t := &next.texts[i]; slices.Contains(ids, t.ID) {
			t.waiting, t.missed = true, true
		}
	}
	return &Snapshot{&next, prev.Notes()}
}

// Note returns prev with notes in place of what the host kept with the run so far. Of a json.RawMessage it keeps a copy; an empty
// one is none, and what is not JSON is an error.
func Note(prev *Snapshot, notes Notes) (*Snapshot, error) {
	next := &Snapshot{prev.at(), notes}
	if raw, ok := notes.(json.RawMessage); ok {
		kept, err := compact(raw)
		if err != nil {
			return nil, fmt.Errorf("notes of the run: %w", err)
		}
		next.notes = noted(slices.Clone(kept))
	}
	return next, nil
}

// noted returns bytes as notes.
func noted(raw json.RawMessage) Notes {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// insert returns a copy of sorted ids with id in it once.
func insert(ids []string, id string) []string {
	i, ok := slices.BinarySearch(ids, id)
	if ok {
		return ids
	}
	return slices.Insert(slices.Clip(ids), i, id)
}

// findText returns the text of that id, or nil.
func findText(texts []text, id string) *text {
	i, ok := slices.BinarySearchFunc(texts, id, func(t text, id string) int { return cmp.Compare(t.ID, id) })
	if !ok {
		return nil
	}
	return &texts[i]
}
