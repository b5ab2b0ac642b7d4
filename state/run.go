package state

import (
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Run is the past of a run in the view of the triggers of a turn: the counters have advanced to this turn,
// but no reminder has fired on it yet. It implements fact.History. A Run is immutable, may be used
// concurrently, and stays valid after the step.
type Run struct{ s *past }

var _ fact.History = (*Run)(nil)

// Now implements fact.History.
func (r *Run) Now() fact.Mark { return r.s.mark() }

func (s *past) mark() fact.Mark {
	return fact.Mark{
		Turn: s.turn, UserTurn: s.userTurns, UserTurnOK: s.userKnown,
		OutputTokens: s.output, OutputOK: s.outputKnown, At: s.last,
	}
}

// ToolCount implements fact.History.
func (r *Run) ToolCount(match func(tool string) bool) int {
	n := 0
	for i := range r.s.tools {
		if match(r.s.tools[i].name) {
			n += r.s.tools[i].calls
		}
	}
	for _, c := range r.s.recent[:r.s.pending] {
		if match(r.s.tools[c.tool].name) {
			n++
		}
	}
	return n
}

// TurnsSinceTool implements fact.History.
func (r *Run) TurnsSinceTool(match func(tool string) bool) (turns int, ok bool) {
	last := 0
	for i := range r.s.tools {
		if t := &r.s.tools[i]; t.turn > last && match(t.name) {
			last = t.turn
		}
	}
	for _, c := range r.s.recent[:r.s.pending] {
		if turn := r.s.turnOf(c); turn > last && match(r.s.tools[c.tool].name) {
			last = turn
		}
	}
	if last == 0 {
		return 0, false
	}
	return r.s.turn - last + 1, true
}

// ChainRepeats implements fact.History. It sees the last fact.ChainMemory calls.
func (r *Run) ChainRepeats(chain []func(tool string) bool) int {
	if len(chain) == 0 {
		return 0
	}
	repeats := 0
	known := len(r.s.calls) + r.s.pending
	for begin := known - len(chain); begin >= max(known-fact.ChainMemory, 0); begin -= len(chain) {
		for i, match := range chain {
			if !match(r.s.called(begin + i)) {
				return repeats
			}
		}
		repeats++
	}
	return repeats
}

// called returns the name of a tool by its place in calls and recent.
func (s *past) called(i int) string {
	if i < len(s.calls) {
		return s.tools[s.calls[i]].name
	}
	return s.tools[s.recent[i-len(s.calls)].tool].name
}

// LastFire implements fact.History. A count that the host first reported after the firing was zero at the
// firing.
func (r *Run) LastFire(id string) (at fact.Mark, ok bool) {
	e := find(r.s.entries, id)
	if e == nil {
		return fact.Mark{}, false
	}
	at = e.last
	if at.Turn == r.s.turn {
		at = e.before
	}
	at.OutputOK = at.OutputOK || r.s.outputKnown
	at.UserTurnOK = at.UserTurnOK || r.s.userKnown
	return at, at.Turn != 0
}

// ToolCalls returns the number of the run's tool calls; ok is false if the host has never reported any tools.
func (r *Run) ToolCalls() (n int, ok bool) { return r.s.toolCalls, r.s.toolsKnown }

// FailuresInRow returns the number of turns in a row, up to this one, that reported a failed tool call; ok is
// false if the host did not say on this turn whether a call failed.
func (r *Run) FailuresInRow() (n int, ok bool) { return r.s.failures, r.s.failedKnown }

// Elapsed returns the time since the run's first turn. It never decreases: while the clock is set back, it
// stands still.
func (r *Run) Elapsed() time.Duration { return distance(r.s.first, r.s.high) }

// Idle returns the time since the previous turn, 0 if the clock was set back since; ok is false on the first
// turn.
func (r *Run) Idle() (d time.Duration, ok bool) {
	if r.s.turn < 2 {
		return 0, false
	}
	return distance(r.s.prev, r.s.last), true
}

// Left returns the rest on this turn of a span that began at since; zero if the span is over.
func (r *Run) Left(span reminder.Span, since fact.Mark) reminder.Span {
	return reminder.Span{
		Turns: max(span.Turns-(r.s.turn-since.Turn), 0),
		Time:  max(span.Time-distance(since.At, r.s.last), 0),
	}
}

// distance returns the time from one moment to a later one, and 0 if the second is not later. So a clock that
// is set back can delay the end of a cooldown, but never end one early.
func distance(from, to time.Time) time.Duration { return max(to.Sub(from), 0) }

// advance advances the counters to this turn.
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
		s.tag = validUTF8(in.Tag)
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
		s.count(in.Tools)
	}
}

// count counts a batch of tool calls.
func (s *past) count(names []string) {
	s.toolCalls += len(names)
	s.tools = slices.Clip(s.tools)
	for _, name := range names {
		if s.pending == maxRecent {
			s.settle()
		}
		name = validUTF8(name)
		i := slices.IndexFunc(s.tools, func(t tool) bool { return t.name == name })
		if i < 0 {
			i = len(s.tools)
			s.tools = append(s.tools, tool{name: name})
		}
		s.recent[s.pending] = call{uint32(i), uint32(s.turn)}
		s.pending++
	}
}

// settle adds the recent calls to tools and calls.
func (s *past) settle() {
	recent := s.recent[:s.pending]
	s.tools = slices.Clone(s.tools)
	calls := append(make([]uint32, 0, len(s.calls)+len(recent)), s.calls...)
	for _, c := range recent {
		s.tools[c.tool].calls++
		s.tools[c.tool].turn = s.turnOf(c)
		calls = append(calls, c.tool)
	}
	s.calls, s.pending = calls[max(len(calls)-fact.ChainMemory, 0):], 0
}

// latest is the last moment that a snapshot can hold.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)

// moment returns t in the form that a snapshot can hold: in UTC, without a monotonic reading, and within the
// years 1 to
// 9999. It compares times rather than years, since Time.Year overflows for times very far away.
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

// validUTF8 returns s in the form that a snapshot can hold.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
