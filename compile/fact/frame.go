package fact

import (
	"math"
	"time"
)

// MaxInt is the greatest whole number a fact can hold; up to it a float64 is exact.
const MaxInt = 1 << 53

// FailedTools is the name under which SetValue takes the list of tools that failed in the previous turn. It
// is not the name of a fact: a trigger can read the list only through the shorthand tool_failed:NAME.
const FailedTools = "tool_failed"

// Frame holds the facts of one turn, each in the slot that its ID names. At first all of them are unknown.
// One goroutine fills a frame; from then on any number of goroutines may read it.
//
// The ID given to a method must belong to the frame's schema, and the method must suit the fact's type:
// SetInt for an Int, Text for a String. Neither is checked, since the methods run for every trigger on every
// turn. SetValue checks both.
type Frame struct {
	schema *Schema

	// num holds numbers, durations (in nanoseconds) and bools (0 or 1). NaN stands for unknown. Every comparison
	// with a NaN is false, so a predicate learns that a fact is unknown from the comparison itself: neither it
	// nor its opposite holds.
	num   []float64
	text  []string
	set   [][]string
	known []bool // for each slot, whether text or set holds a known value

	failed      []string
	failedKnown bool
	calls       []Call // known[CallList] says whether they are known
	room        []Call // of the calls of SetUses, of later turns too
	place       Place
	lines       *lines // nil until a call was told
	moment      Moment
	hand        *Call // about to be executed, of the moment BeforeTool
	between     bool
	absent      Texts // of Lack
	hidden      Texts // of these, those that the frame holds
	aside       [2]string
	told        Memory // of this turn
	before      Memory // of the turns of this user turn before it
	recall      Recall
	history     History
	self        string
}

// NewFrame returns a frame in which every fact is unknown and which has no history.
func (s *Schema) NewFrame() *Frame {
	n := len(s.facts)
	f := &Frame{schema: s, num: make([]float64, n), text: make([]string, n), set: make([][]string, n),
		known: make([]bool, n)}
	f.Reset()
	return f
}

// Reset brings the frame back to the state in which NewFrame returned it, so that it can be filled for
// another turn.
func (f *Frame) Reset() {
	f.Lack(0)
	for i := range f.num {
		f.num[i] = math.NaN()
	}
	clear(f.text)
	clear(f.set)
	clear(f.known)
	f.forget()
	f.told, f.before, f.recall = f.told[:0], f.before[:0], 0
	f.calls, f.failed, f.failedKnown, f.place = nil, nil, false, Place{}
	f.moment, f.hand, f.between, f.history, f.self = Turn, nil, false, nil, ""
}

// Schema returns the schema the frame was made for.
func (f *Frame) Schema() *Schema { return f.schema }

// Num returns the fact in slot id as a number: an int or ratio as it is, a duration in nanoseconds, a bool as
// 0 or 1. It returns NaN if the fact is unknown.
func (f *Frame) Num(id ID) float64 { return f.num[id] }

// Text returns the String fact in slot id, and whether it is known.
func (f *Frame) Text(id ID) (string, bool) { return f.text[id], f.known[id] }

// Set returns the Set fact in slot id, and whether it is known. Of a set that is not known it returns those
// members that are: it holds at least these. The caller must not modify the slice.
func (f *Frame) Set(id ID) ([]string, bool) { return f.set[id], f.known[id] }

// Truth returns the Bool fact in slot id; Unknown if it is not known.
func (f *Frame) Truth(id ID) Truth {
	switch f.num[id] {
	case 0:
		return False
	case 1:
		return True
	default:
		return Unknown
	}
}

// Known reports whether the fact in slot id is known.
func (f *Frame) Known(id ID) bool { return f.known[id] || !math.IsNaN(f.num[id]) }

// Value returns the fact in slot id as a bool, int64, float64 (for a number, a ratio or dollars),
// time.Duration, string, []string or []Call, depending on its type. It returns nil if the fact is unknown.
func (f *Frame) Value(id ID) any {
	if !f.Known(id) {
		return nil
	}
	switch f.schema.facts[id].Type {
	case Bool:
		return f.num[id] == 1
	case Int:
		return int64(f.num[id])
	case Number, Ratio, Dollars:
		return f.num[id]
	case Calls:
		return f.calls
	case Duration:
		return time.Duration(f.num[id])
	case String:
		return f.text[id]
	default:
		return f.set[id]
	}
}

// SetBool sets the Bool fact in slot id.
func (f *Frame) SetBool(id ID, v bool) {
	f.num[id] = 0
	if v {
		f.num[id] = 1
	}
}

// SetInt sets the Int fact in slot id. A number outside -MaxInt to MaxInt becomes the nearer of the two.
func (f *Frame) SetInt(id ID, v int64) { f.num[id] = float64(min(max(v, -MaxInt), MaxInt)) }

// SetRatio sets the Ratio fact in slot id; a NaN or an infinity makes it unknown. A ratio should lie between
// 0 and 1, but the frame keeps any other: context_usage passes 1 when a host counts more tokens than it
// believes the window to hold.
func (f *Frame) SetRatio(id ID, v float64) {
	if math.IsInf(v, 0) {
		v = math.NaN()
	}
	f.num[id] = v
}

// SetNumber sets the Number or Dollars fact in slot id; a NaN or an infinity makes it unknown.
func (f *Frame) SetNumber(id ID, v float64) { f.SetRatio(id, v) }

// SetDuration sets the Duration fact in slot id.
func (f *Frame) SetDuration(id ID, v time.Duration) { f.num[id] = float64(v) }

// SetText sets the String fact in slot id.
func (f *Frame) SetText(id ID, v string) { f.text[id], f.known[id] = v, true }

// SetSet sets the Set fact in slot id. A nil v is the empty set, which is not the same as an unknown one. The
// frame keeps v without copying it and never modifies it.
func (f *Frame) SetSet(id ID, v []string) { f.set[id], f.known[id] = v, true }

// SetFailed sets which tools failed in the previous turn. Only the shorthand tool_failed reads the list; the
// fact last_tool_call_failed has to be set by itself. The frame keeps names without copying it and never
// modifies it.
func (f *Frame) SetFailed(names []string) { f.failed, f.failedKnown = names, true }

// Failed returns which tools failed in the previous turn, and whether that is known. The caller must not
// modify the slice.
func (f *Frame) Failed() ([]string, bool) { return f.failed, f.failedKnown }

// ChainMemory is how many tool calls a run remembers in their order: a chain that takes more calls is never
// found.
const ChainMemory = 256

// History is a run's memory of its past turns. Triggers ask it through the functions of LANGUAGE.md §1,
// such as tool_count("Bash"), and through cadences, such as every 10 turns. firing.Run implements it. Without
// a History the answers of all functions are unknown.
//
// An implementation must be pure, that is, answer the same question the same way throughout a turn, and it
// must be safe for concurrent use.
type History interface {
	// Now returns the turn that is being evaluated.
	Now() Mark
	// Begin returns the beginning of the run: turn 0, user turn 0, and the time of the first turn.
	Begin() Mark
	// CallCount returns how many calls the run has made that match the pattern. ok is false if that is not
	// known: no tools, or no subjects that the pattern looks at, were ever reported, or a call without a told
	// subject may have matched. n is then the number of those that surely did.
	CallCount(p Pattern) (n int, ok bool)
	// TurnsSinceCall returns how many turns ago a matching call was last made: 1 on the turn that reports it.
	// ok is false as long as there was none, or if it is not known.
	TurnsSinceCall(p Pattern) (turns int, ok bool)
	// CalledSince returns whether a call that matches a came after the latest that matches b, or none matched
	// b at all.
	CalledSince(a, b Pattern) Truth
	// ChainRepeats returns how many times in a row the chain of calls stands at the very end of the run's last
	// ChainMemory tool calls. Each link of the chain accepts the names of one call. ok is false until tools
	// were reported.
	ChainRepeats(chain []func(tool string) bool) (n int, ok bool)
	// LastFire returns when the trigger of a reminder last made it fire; a firing by hand does not count.
	// ok is false before its first firing. Firings of the turn being evaluated are not visible yet.
	LastFire(id string) (at Mark, ok bool)
}

// Mark is a point in a run.
type Mark struct {
	Turn         int       // the turns that were committed so far, this one included: 1 on the first
	UserTurn     int       // user turns so far
	UserTurnOK   bool      // whether UserTurn is known
	OutputTokens int64     // output of the model so far in the run
	OutputOK     bool      // whether OutputTokens is known
	At           time.Time // the time of the host's clock, which may stand still or go back
}

// SetHistory sets the past that triggers may ask about; nil is none.
func (f *Frame) SetHistory(h History) { f.history = h }

// History returns the History that SetHistory set, or nil.
func (f *Frame) History() History { return f.history }

// SetSelf sets the id of the reminder whose trigger is evaluated next. A cadence needs it, to find out when
// its own reminder last fired.
func (f *Frame) SetSelf(id string) { f.self = id }

// Self returns the id that SetSelf set.
func (f *Frame) Self() string { return f.self }
