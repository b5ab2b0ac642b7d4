package firing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Snapshot is the state of a run after a turn. With it, this process or another can continue the run. A nil
// Snapshot is a run that has not begun. Snapshots are immutable and may be used concurrently.
type Snapshot struct {
	past *past // nil if the run has not begun; shared by snapshots that differ only in their notes
	// nil for none; else a json.RawMessage without white space that nobody else holds, or a value of the host's
	// own
	kept Notes
}

// Notes are a JSON value that a host keeps with a run. The machine carries it from turn to turn and never
// reads it.
//
// Notes are either a json.RawMessage or a value of a type of the host's own. Such a value must be immutable.
// A store that needs the bytes calls its MarshalJSON, any number of times and concurrently; it must not fail.
// A store returns either the value that it was given, or a json.RawMessage.
type Notes = json.Marshaler

// past is the state of a run without its notes.
type past struct {
	turn     int
	decision *reminder.Decision
	facts    fact.Values
	// Times of the last turn and of the turn before it, and the latest time of all turns.
	last, prev, high time.Time

	userTurns, toolCalls, failures     int
	failuresBefore                     int // failures before this turn
	output                             int64
	userKnown, toolsKnown, outputKnown bool       // whether the host has ever reported any
	toldCalls                          bool       // whether it has ever told the subjects of calls
	failedKnown                        bool       // whether it said on the last turn if a tool failed
	spoke, responded                   bool       // whether this turn tells a message, tokens of a response
	told                               fact.Texts // on this turn
	prompted                           bool       // whether the turn before told a prompt

	recent  [maxRecent]call // the calls after calls, which settle adds to tools and calls
	pending int             // the number of calls in recent

	*rest
	owned bool // rest is of this past alone
}

// rest is the part of a past that most turns leave as it is. The pasts of a run share it: own it before a
// change.
type rest struct {
	tag   string
	first time.Time // of the first turn
	keys  []uint64  // hashes of turn keys, oldest first
	body  uint64    // hash of the body that came with the last of them; 0: it is not known

	tools    []tool         // without the counts of recent
	calls    []uint32       // the last fact.ChainMemory calls before recent, oldest first, as indices of tools
	patterns []patternCount // by key
	// calls of this user turn; nil where no rule asks for identical ones
	identical *identicalCalls

	entries []slot   // by id, of reminders that the rules have
	gone    []*entry // of those that they do not have now, oldest first; at most maxGone
	texts   []text   // by id
	queue   []string
	added   string   // reminders of this run alone, as JSON; the machine carries them and never reads them
	seen    []uint64 // hashes of the moments that were answered in this user turn, oldest first; at most maxSeen
	pauses  []pause  // of this user turn and the one before it, oldest first; at most maxSeen
	spent   int64

	rules *Rules // of the last step, to which the positions of entries belong; not encoded
}

// own gives s a rest of its own, which it may change.
func (s *past) own() {
	if !s.owned {
		r := *s.rest
		s.rest, s.owned = &r, true
	}
}

// shared returns a copy of s that shares its rest.
func (s *past) shared() past {
	c := *s
	c.owned = false
	return c
}

// unbegun is the past of a run that has not begun. It is never modified.
var unbegun = past{rest: &rest{}}

// tool counts the calls of one tool. Tools stand in the order of their first use. A tool is told from others
// by its name and its class.
type tool struct {
	Calls int        `json:"calls"`
	Class fact.Class `json:"class,omitempty"`
	Edits bool       `json:"edits,omitempty"` // calls of a Shell that change files are counted apart
	Name  string     `json:"name"`
	Seq   int        `json:"seq"`  // the number of the last call among the calls of the run, from 1
	Turn  int        `json:"turn"` // on which that was reported
}

// patternCount counts the calls that match a pattern with a subject.
type patternCount struct {
	pattern fact.Pattern // nil until it is needed
	Calls   int          `json:"calls,omitempty"`
	Key     string       `json:"key"`              // the String of the pattern
	Seq     int          `json:"seq,omitempty"`    // as of a tool
	Turn    int          `json:"turn,omitempty"`   // on which that was reported
	Unsure  bool         `json:"unsure,omitempty"` // a call whose subject was not told may have matched
}

// call is one recent call of a tool.
type call struct {
	tool uint32 // index of tools
	turn uint32 // the low bits of the turn, which turnOf completes
}

// turnOf returns the turn of a recent call. No run takes 2^32 turns between two calls.
func (s *past) turnOf(c call) int { return s.turn - int(uint32(s.turn)-c.turn) }

// maxRecent is the number of calls that a run holds before settle counts them: a turn copies these, and not
// all calls of the run.
const maxRecent = 16

// text is the text of a reminder that fired and is still kept, or waits for a turn that can carry it.
type text struct {
	reminder.Due
	turn     int  // on which it fired
	userTurn int  // the user turn in which it fired
	waiting  bool // no turn has carried it yet
	// the request that carried it failed for good, so it is due on the next turn even if its keep has run out
	missed bool
}

// at returns the state in s, the zero state for a run that has not begun. It must not be modified.
func (s *Snapshot) at() *past {
	if s == nil || s.past == nil {
		return &unbegun
	}
	return s.past
}

// Turn returns the number of the run's turns.
func (s *Snapshot) Turn() int { return s.at().turn }

// BeganUserTurn reports whether the last turn began a user turn: it answers a person's message, or it is the
// first.
func (s *Snapshot) BeganUserTurn() bool { return s.at().spoke || s.at().turn == 1 }

// Told returns the texts that the last turn has told so far.
func (s *Snapshot) Told() fact.Texts { return s.at().told }

// Decision returns the decision of the last turn; nil before the first. It must not be modified.
func (s *Snapshot) Decision() *reminder.Decision { return s.at().decision }

// Facts returns Input.Facts of the last turn.
func (s *Snapshot) Facts() fact.Values { return s.at().facts }

// Notes returns the host's notes of the run, nil if there are none. A json.RawMessage has no white space. The
// notes must not be modified.
func (s *Snapshot) Notes() Notes {
	if s == nil {
		return nil
	}
	return s.kept
}

// Tag returns the first Input.Tag of the run that was not empty; "" if there was none.
func (s *Snapshot) Tag() string { return s.at().tag }

// Spent returns the tokens of all texts that fired in the run, by the count of Input.Tokens.
func (s *Snapshot) Spent() int64 { return s.at().spent }

// Queued returns the ids of the reminders that wait to be fired by hand, in byte order.
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

// Run returns the run in the view of Input.Judge on the last turn.
func (s *Snapshot) Run() *Run { return &Run{s.at()} }

// ReminderState is the memory that a run has of one reminder. Firings by hand do not count.
type ReminderState struct {
	Armed   bool
	Rearms  fact.Gaps // of one that is not armed: where new texts arm it
	Fires   int       // how often the trigger has fired the reminder
	Last    fact.Mark // the last firing by the trigger; zero if there was none
	HeldOut bool      // whether its text was not sent, since the run is held out of the reminder
	Row     int       // turns in a row, up to the last one, on which the trigger was true, unknown ones aside
	Since   time.Time // the time of the first of these turns
	Open    int       // expectations that are neither heeded nor ignored yet
	Opened  int       // the turn with which the latest of them has begun; 0: none is open
	Ignored int       // ignored firings in a row
}

// Reminder returns the memory that the run has of the reminder with that id. A reminder of which the run
// remembers nothing is armed and has never fired.
func (s *Snapshot) Reminder(id string) ReminderState {
	e := s.at().entry(id)
	if e == nil {
		return ReminderState{Armed: true}
	}
	opened := 0
	for _, x := range e.open {
		if x.Ended == "" {
			opened = x.Turn
		}
	}
	return ReminderState{Opened: opened, Armed: !e.after.disarmed, Rearms: e.after.gaps, Fires: e.fires,
		Last:    e.last,
		HeldOut: e.heldOut, Row: e.after.row(s.Turn()),
		Since: e.after.since, Open: e.waiting(), Ignored: e.ignored}
}

// Remind returns prev with a reminder queued to be fired by hand on the next turn that can carry text. Two
// calls with the same id queue it once. If no reminder has the id on that turn, the decision reports it as
// undelivered.
func Remind(prev *Snapshot, id string) *Snapshot {
	next := prev.at().shared()
	next.own()
	next.queue = insert(next.queue, validUTF8(id))
	return &Snapshot{&next, prev.Notes()}
}

// Missed returns prev with the texts of those reminders due again on the next turn, byte for byte the same.
// It is for the texts of the last decision that never reached a model because the request failed for good:
// the texts in Decision.Fired, and the texts in Decision.Due that are Late. The other texts in Decision.Due
// were in an earlier request, and stay due as long as they are kept. A missed text counts no new firing. Ids
// of reminders without a text are ignored, and so are texts that are held out, which no request carries.
func Missed(prev *Snapshot, ids ...string) *Snapshot {
	next := prev.at().shared()
	next.own()
	next.texts = slices.Clone(next.texts)
	for i := range next.texts {
		if t := &next.texts[i]; slices.Contains(ids, t.ID) && !t.HeldOut {
			t.waiting, t.missed = true, true
		}
	}
	return &Snapshot{&next, prev.Notes()}
}

// Note returns prev with other notes; nil removes the notes. Note keeps a copy of a json.RawMessage. An empty
// one removes the notes, and one that is not JSON is an error.
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

// Add returns prev with the definitions of reminders of this run alone, as JSON: nil for none. The machine
// carries them from turn to turn and never reads them. Definitions that are not JSON are an error.
func Add(prev *Snapshot, definitions json.RawMessage) (*Snapshot, error) {
	raw, err := compact(definitions)
	if err != nil {
		return nil, fmt.Errorf("reminders of the run: %w", err)
	}
	next := prev.at().shared()
	next.own()
	next.added = string(raw)
	return &Snapshot{&next, prev.Notes()}, nil
}

// Added returns the definitions that Add has set, "" for none.
func (s *Snapshot) Added() string { return s.at().added }

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
