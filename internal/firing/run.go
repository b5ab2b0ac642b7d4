package firing

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

// at returns the past of the run, that of one that has not begun for the zero Run.
func (r *Run) at() *past {
	if r.s == nil {
		return &unbegun
	}
	return r.s
}

// Now implements fact.History.
func (r *Run) Now() fact.Mark { return r.at().mark() }

func (s *past) mark() fact.Mark {
	return fact.Mark{
		Turn: s.turn, UserTurn: s.userTurns, UserTurnOK: s.userKnown,
		OutputTokens: s.output, OutputOK: s.outputKnown, At: s.last,
	}
}

// Begin implements fact.History.
func (r *Run) Begin() fact.Mark {
	return fact.Mark{UserTurnOK: r.at().userKnown, OutputOK: true, At: r.at().first}
}

// made is the memory of the calls that match a pattern.
type made struct {
	calls int
	turn  int  // of the last one; 0 if there was none
	seq   int  // its number among all calls of the run, from 1; 0 if there was none
	known bool // whether no other call can have matched
}

// made looks up a pattern among the calls of the run.
func (r *Run) made(p fact.Pattern) made {
	s := r.at()
	if p.Subject() {
		i, ok := findPattern(s.patterns, p.String())
		if !ok {
			return made{}
		}
		c := s.patterns[i]
		return made{c.Calls, c.Turn, c.Seq, s.toldCalls && !c.Unsure}
	}
	m := made{known: s.toolsKnown}
	add := func(t *tool, calls, turn, seq int) {
		c := fact.Call{Tool: t.Name, Class: t.Class, Edits: t.Edits}
		if calls > 0 && p.Match(&c, fact.Place{}) == fact.True {
			m.calls += calls
			m.turn, m.seq = max(m.turn, turn), max(m.seq, seq)
		}
	}
	for i := range s.tools {
		t := &s.tools[i]
		add(t, t.Calls, t.Turn, t.Seq)
	}
	for i, c := range s.recent[:s.pending] {
		add(&s.tools[c.tool], 1, s.turnOf(c), s.toolCalls-s.pending+i+1)
	}
	return m
}

// CallCount implements fact.History.
func (r *Run) CallCount(p fact.Pattern) (n int, ok bool) {
	m := r.made(p)
	return m.calls, m.known
}

// TurnsSinceCall implements fact.History.
func (r *Run) TurnsSinceCall(p fact.Pattern) (turns int, ok bool) {
	m := r.made(p)
	return r.at().turn - m.turn + 1, m.known && m.calls > 0
}

// CalledSince implements fact.History.
func (r *Run) CalledSince(a, b fact.Pattern) fact.Truth {
	x, y := r.made(a), r.made(b)
	if !x.known || !y.known {
		return fact.Unknown
	}
	return fact.Of(y.calls == 0 || x.seq > y.seq)
}

// ToolClass returns the class with which the run last saw a tool of that name; NoClass if it saw none.
func (r *Run) ToolClass(name string) (class fact.Class) {
	for i := range r.at().tools {
		if r.at().tools[i].Name == name {
			class = r.at().tools[i].Class
		}
	}
	return class
}

// ChainRepeats implements fact.History. It sees the last fact.ChainMemory calls.
func (r *Run) ChainRepeats(chain []func(tool string) bool) (repeats int, ok bool) {
	if len(chain) == 0 {
		return 0, r.at().toolsKnown
	}
	known := len(r.at().calls) + r.at().pending
	for begin := known - len(chain); begin >= max(known-fact.ChainMemory, 0); begin -= len(chain) {
		for i, match := range chain {
			if !match(r.at().called(begin + i)) {
				return repeats, r.at().toolsKnown
			}
		}
		repeats++
	}
	return repeats, r.at().toolsKnown
}

// called returns the name of a tool by its place in calls and recent.
func (s *past) called(i int) string {
	if i < len(s.calls) {
		return s.tools[s.calls[i]].Name
	}
	return s.tools[s.recent[i-len(s.calls)].tool].Name
}

// LastFire implements fact.History.
func (r *Run) LastFire(id string) (at fact.Mark, ok bool) {
	e := r.at().entry(id)
	if e == nil {
		return fact.Mark{}, false
	}
	at = e.last
	if at.Turn == r.at().turn {
		at = e.before
	}
	return at, at.Turn != 0
}

// ToolCalls returns the number of the run's tool calls; ok is false if the host has never reported any tools.
func (r *Run) ToolCalls() (n int, ok bool) { return r.at().toolCalls, r.at().toolsKnown }

// FailuresInRow returns the number of turns in a row, up to this one, that reported a failed tool call; ok is
// false if the host did not say on this turn whether a call failed.
func (r *Run) FailuresInRow() (n int, ok bool) { return r.at().failures, r.at().failedKnown }

// Elapsed returns the time since the run's first turn. It never decreases: while the clock is set back, it
// stands still.
func (r *Run) Elapsed() time.Duration { return distance(r.at().first, r.at().high) }

// Idle returns the time since the previous turn, 0 if the clock was set back since; ok is false on the first
// turn.
func (r *Run) Idle() (d time.Duration, ok bool) {
	if r.at().turn < 2 {
		return 0, false
	}
	return distance(r.at().prev, r.at().last), true
}

// Left returns the rest on this turn of a span that began at since; zero if the span is over, or if it is of
// user turns that the host never reports.
func (r *Run) Left(span reminder.Span, since fact.Mark) reminder.Span {
	left := reminder.Span{
		Turns: max(span.Turns-(r.at().turn-since.Turn), 0),
		Time:  max(span.Time-distance(since.At, r.at().last), 0),
	}
	if r.at().userKnown {
		left.UserTurns = max(span.UserTurns-(r.at().userTurns-since.UserTurn), 0)
	}
	return left
}

// distance returns the time from one moment to a later one, and 0 if the second is not later. So a clock that
// is set back can delay the end of a cooldown, but never end one early.
func distance(from, to time.Time) time.Duration { return max(to.Sub(from), 0) }

// begin begins a turn: what stood after the last one is now what stood before it.
func (s *past) begin(in *Input) {
	at := moment(in.At)
	if s.turn == 0 {
		s.own()
		s.first, s.high = at, at
	}
	s.turn++
	s.prev, s.last = s.last, at
	if at.After(s.high) {
		s.high = at
	}
	s.spoke, s.responded, s.failuresBefore, s.failedKnown = false, false, s.failures, false
	s.prompted, s.told = s.told&fact.PromptText != 0, 0
}

// arrived returns the texts that are new on this turn: a response that is told, and the prompt of a person's
// message. Where nobody tells of messages, a prompt is new after a turn that told none.
func (s *past) arrived(spoken fact.Truth) fact.Texts {
	t := s.told & fact.ResponseText
	if spoken == fact.True || spoken == fact.Unknown && !s.prompted && s.told&fact.PromptText != 0 {
		t |= fact.PromptText
	}
	return t
}

// advance advances the counters by one part of the turn.
func (s *past) advance(in *Input) {
	if s.tag == "" && in.Tag != "" {
		s.own()
		s.tag = validUTF8(in.Tag)
	}
	s.told |= in.Texts
	if in.UserMessage != fact.Unknown {
		s.userKnown = true
	}
	if in.UserMessage == fact.True && !s.spoke {
		s.spoke = true
		s.userTurns++
		s.speakIdentical()
		if s.seen != nil {
			s.own()
			s.seen = nil
		}
		s.forgetPauses()
		if in.More {
			s.speakLate()
		}
	}
	switch {
	case in.OutputKnown:
		s.outputKnown = true
		s.output = min(max(in.OutputTokens, 0), fact.MaxInt)
	case in.ResponseKnown && !s.responded:
		s.outputKnown = true
		s.output += min(max(in.ResponseTokens, 0), fact.MaxInt-s.output)
	}
	s.responded = s.responded || in.ResponseKnown
	s.failedKnown = s.failedKnown || in.Failed != fact.Unknown
	switch in.Failed {
	case fact.True:
		s.failures = s.failuresBefore + 1
	case fact.False:
		if s.failures <= s.failuresBefore { // no call of an earlier part of this turn failed
			s.failures = 0
		}
	}
	if in.ToolsKnown {
		s.toolsKnown = true
		s.toldCalls = s.toldCalls || in.CallsTold
		s.countIdentical(in)
		s.count(in)
	}
}

// count counts a batch of calls.
func (s *past) count(in *Input) {
	if len(in.Calls) == 0 {
		return
	}
	s.countPatterns(in)
	for i := range in.Calls {
		if s.pending == maxRecent {
			s.settle()
		}
		t := tool{Name: validUTF8(in.Calls[i].Tool), Class: in.Calls[i].Class, Edits: in.Calls[i].Edits}
		k := slices.IndexFunc(s.tools, t.same)
		if k < 0 {
			k = len(s.tools)
			s.own()
			s.tools = append(slices.Clip(s.tools), t)
		}
		s.recent[s.pending] = call{uint32(k), uint32(s.turn)}
		s.pending++
		s.toolCalls++
	}
}

// same reports whether calls of two tools are counted together.
func (t tool) same(o tool) bool { return t.Name == o.Name && t.Class == o.Class && t.Edits == o.Edits }

// settle adds the recent calls to tools and calls.
func (s *past) settle() {
	s.own()
	recent := s.recent[:s.pending]
	s.tools = slices.Clone(s.tools)
	calls := append(make([]uint32, 0, len(s.calls)+len(recent)), s.calls...)
	for i, c := range recent {
		t := &s.tools[c.tool]
		t.Calls++
		t.Turn, t.Seq = s.turnOf(c), s.toolCalls-len(recent)+i+1
		calls = append(calls, c.tool)
	}
	s.calls, s.pending = calls[max(len(calls)-fact.ChainMemory, 0):], 0
}

// countPatterns counts a batch of calls, not yet in toolCalls, for each pattern with a subject.
func (s *past) countPatterns(in *Input) {
	if len(s.patterns) == 0 {
		return
	}
	var patterns []patternCount // nil while none has changed
	for i, p := range s.patterns {
		if p.pattern == nil && in.Pattern != nil {
			p.pattern = in.Pattern(p.Key)
		}
		if p.pattern == nil {
			p.Unsure = true
		} else if !p.count(in, s) && s.patterns[i].pattern != nil {
			continue
		}
		if patterns == nil {
			patterns = slices.Clone(s.patterns)
		}
		patterns[i] = p
	}
	if patterns != nil {
		s.own()
		s.patterns = patterns
	}
}

// count counts the calls of a batch, not yet in s.toolCalls, and reports whether p has changed.
func (p *patternCount) count(in *Input, s *past) (changed bool) {
	for k := range in.Calls {
		switch p.pattern.Match(&in.Calls[k], in.Place) {
		case fact.True:
			p.Calls++
			p.Turn, p.Seq = s.turn, s.toolCalls+k+1
		case fact.Unknown:
			p.Unsure = true
		default:
			continue
		}
		changed = true
	}
	return changed
}

// maxPatterns is how many patterns a run counts that its rules do not name now.
const maxPatterns = 256

// watch brings the patterns of the run up to those of a set: a pattern that the run has not met counts from
// now on. The others go on counting, since a later set may name them again.
func (s *past) watch(rs *Rules) {
	out := slices.Clone(s.patterns[:min(len(s.patterns), maxPatterns)])
	for _, p := range rs.patterns {
		key := p.String()
		i, ok := findPattern(out, key)
		if !ok {
			out = slices.Insert(out, i, patternCount{Key: key})
		}
		out[i].pattern = p
	}
	s.patterns = out
}

func findPattern(patterns []patternCount, key string) (int, bool) {
	return slices.BinarySearchFunc(patterns, key, func(c patternCount, key string) int {
		return strings.Compare(c.Key, key)
	})
}

// latest is the last moment that a snapshot can hold.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)

// moment returns t in the form that a snapshot can hold: in UTC, in whole milliseconds, without a monotonic
// reading, and within the years 1 to 9999. It compares times rather than years, since Time.Year overflows
// for times very far away.
func moment(t time.Time) time.Time {
	t = t.UTC().Truncate(time.Millisecond)
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
