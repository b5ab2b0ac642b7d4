package state

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// KeyMemory is how many turn keys a run remembers. A turn with an older key is taken for a new one, unless keys number the turns.
const KeyMemory = 64

// Snapshot is the state of a run after a turn: all that this process or another needs to go on with the run. A nil Snapshot
// is a run that has not begun. Snapshots are immutable and may be used concurrently.
type Snapshot struct {
	past *past // nil if the run has not begun; shared by snapshots that differ only in their notes
	kept Notes // nil for none; else a json.RawMessage without white space that nobody else holds, or a value of the host's own
}

// Notes are what a host keeps with a run: one JSON value, which the machine carries from turn to turn and never looks at.
//
// They are either a json.RawMessage or a value of a type of the host's own. Such a value must be immutable. Only a store that
// needs the bytes calls its MarshalJSON, which it may do any number of times and concurrently, and which must not fail. A
// store gives back either the value that it was given, or a json.RawMessage.
type Notes = json.Marshaler

// past is the state of a run without its notes.
type past struct {
	turn     int
	keys     []uint64 // hashes of turn keys, oldest first
	decision *Decision
	facts    json.RawMessage
	tag      string

	// What the clock said: on the first turn, on the last one, on the one before that, and the latest time ever.
	first, last, prev, high time.Time

	userTurns   int
	userKnown   bool
	output      int64
	outputKnown bool
	toolCalls   int
	toolsKnown  bool
	failures    int
	failedKnown bool // whether the host said on the last turn if a tool failed
	tools       []tool
	calls       []uint32 // the last fact.ChainMemory calls, oldest first, as indices of tools

	entries []slot // by id
	texts   []text // by id
	queue   []string
	spent   int64

	rules *Rules // of the last step, to which the positions of entries belong; not encoded
}

// tool counts the calls of one tool. Tools stand in the order of their first use.
type tool struct {
	name  string
	calls int
	turn  int // on which the last call was reported
}

// text is the text of a rule that fired: one that is still kept, or that waits for a turn that can carry it.
type text struct {
	reminder.Due
	turn    int  // on which it fired
	waiting bool // no turn has carried it yet
	missed  bool // the request that carried it failed for good, so it is due on the next turn even if its keep has run out
}

// at returns the state that s holds, an empty one for a run that has not begun. It must not be modified.
func (s *Snapshot) at() *past {
	if s == nil || s.past == nil {
		return &past{}
	}
	return s.past
}

// Turn returns how many turns the run has had.
func (s *Snapshot) Turn() int { return s.at().turn }

// Decision returns the decision of the last turn; nil before the first. It must not be modified.
func (s *Snapshot) Decision() *Decision { return s.at().decision }

// Facts returns Input.Facts of the last turn; a store may have removed white space. They must not be modified.
func (s *Snapshot) Facts() json.RawMessage { return s.at().facts }

// Notes returns what the host keeps with the run; nil for nothing. A json.RawMessage comes back without blanks. It must not
// be modified.
func (s *Snapshot) Notes() Notes {
	if s == nil {
		return nil
	}
	return s.kept
}

// Tag returns the first Input.Tag of the run that was not empty; "" if there was none.
func (s *Snapshot) Tag() string { return s.at().tag }

// Spent returns how many tokens all texts that fired in the run had, as Input.Tokens counted them.
func (s *Snapshot) Spent() int64 { return s.at().spent }

// Queued returns the ids of the rules that Remind, or a silent turn, has left to be fired by hand; in byte order.
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

// Run returns the run as Input.Judge saw it on the last turn.
func (s *Snapshot) Run() *Run { return &Run{s.at()} }

// ReminderState is the memory that a run has of one reminder. Firings by hand do not count.
type ReminderState struct {
	Armed   bool
	Fires   int       // how often the trigger has fired the reminder
	Last    fact.Mark // the last firing by the trigger; Turn 0 is never
	Since   int       // turn from which on the trigger has been true; 0 if it is not true
	SinceAt time.Time // the time of turn Since
}

// Reminder returns the memory that the run has of the reminder with that id. A reminder of which the run remembers nothing
// is armed and has never fired.
func (s *Snapshot) Reminder(id string) ReminderState {
	e := find(s.at().entries, id)
	if e == nil {
		return ReminderState{Armed: true}
	}
	return ReminderState{Armed: !e.disarmed, Fires: e.fires, Last: e.last, Since: e.since, SinceAt: e.sinceAt}
}

// Remind returns prev with a rule queued to be fired by hand on the next turn that can carry text. To queue it twice is to
// queue it once. Whether there is such a rule is found out on that turn, which reports the id as undelivered if not.
func Remind(prev *Snapshot, id string) *Snapshot {
	next := *prev.at()
	next.queue = insert(next.queue, strings.ToValidUTF8(id, "\uFFFD"))
	return &Snapshot{&next, prev.Notes()}
}

// Missed returns prev with the texts of those rules due again on the next turn, byte for byte the same. It is for texts of
// the last decision that never reached a model because the request failed for good: those in Decision.Fired, and those in
// Decision.Due that are marked Late. The others of Decision.Due were in an earlier request, and are due again by themselves as
// long as they are kept. To be due again is no new firing. Ids of rules without a text are ignored.
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

// Note returns prev with notes in place of those that the host kept with the run so far; nil is none. It keeps a copy of a
// json.RawMessage. An empty one is none, and one that is not JSON is an error.
func Note(prev *Snapshot, notes Notes) (*Snapshot, error) {
	next := &Snapshot{prev.at(), notes}
	if raw, ok := notes.(json.RawMessage); ok {
		kept, err := compact(raw)
		if err != nil {
			return nil, fmt.Errorf("notes of the run: %w", err)
		}
		next.kept = noted(slices.Clone(kept))
	}
	return next, nil
}

// noted returns raw as Notes; nil if it is empty.
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
