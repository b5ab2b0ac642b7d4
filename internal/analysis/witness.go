package analysis

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/condition"
	"github.com/aside-go/aside/internal/duration"
)

// Example is a turn on which a trigger is true.
type Example struct {
	Frame *fact.Frame // facts that the trigger does not need are unknown; the caller must not write to it
	// "context_usage is 76% and turn_count is 11"; "" for a trigger that is true whatever the facts
	Text string
}

// Witness returns a turn on which the trigger is true: it was evaluated on it. ok is false where the trigger
// can never be true, and where no such turn was found.
func Witness(p *compile.Predicate) (ex Example, ok bool) {
	n := p.Root()
	if n == nil {
		return Example{}, false
	}
	s := newSystem(p.Schema())
	forms, ok := s.forms([]string{self}, n)
	if !ok {
		return Example{}, false
	}
	return s.witness(forms[0], p, n)
}

// self is the id of the reminder whose trigger is examined by itself.
const self = "this"

// solve puts components of f into cells in which f is true, as few as need be; the others stay open.
func (s *system) solve(f *form) bool {
	s.ask(true) // a fact without a value may be unknown
	s.steps = 10 * maxSteps
	for _, c := range s.inOrderOf(f, nil) {
		if s.reach(f) == maskT {
			break
		}
		best := -1
		for i := range s.components[c].known {
			s.at[c] = i
			m := s.reach(f)
			if m&maskT != 0 && (best < 0 || m == maskT || s.present(c, i)) {
				best = i // that a tool is there is the better example
			}
			if m == maskT {
				break
			}
		}
		s.at[c] = best
		if best < 0 || s.over {
			return false
		}
	}
	if s.reach(f) != maskT || s.over {
		return false
	}
	for c, at := range slices.Backward(s.at) { // one tool is enough, where it is
		if at >= 0 && s.present(c, at) {
			if s.at[c] = 1 - at; s.reach(f) != maskT {
				s.at[c] = at
			}
		}
	}
	return !s.over
}

// present reports whether a cell is one in which a set has a certain member.
func (s *system) present(c, i int) bool {
	comp := &s.components[c]
	return len(comp.vars) == 1 && s.vars[comp.vars[0]].kind == varMember && i == 1 &&
		comp.cells[i].values[0] == 1
}

// inOrderOf lists the components that f depends on as they are first mentioned.
func (s *system) inOrderOf(f *form, out []int) []int {
	if c := only(f.in); f.op == formAtom && c >= 0 && !slices.Contains(out, c) {
		out = append(out, c)
	}
	for _, k := range f.kids {
		out = s.inOrderOf(k, out)
	}
	return out
}

// example says in words for which facts f is true; ok is false where none were found.
func example(s *system, f *form) (string, bool) {
	defer s.reset()
	if !s.solve(f) {
		return "", false
	}
	return s.turn(nil).Text, true
}

func (s *system) reset() {
	for c := range s.at {
		s.at[c] = -1
	}
}

// witness looks for facts with which the trigger is true, and tries them.
func (s *system) witness(f *form, p *compile.Predicate, n *condition.Node) (Example, bool) {
	defer s.reset()
	if !s.solve(f) {
		return Example{}, false
	}
	ex := s.turn(s.schema.NewFrame())
	if p.Eval(ex.Frame) == fact.True {
		return ex, true
	}
	return s.guess(ex, p, n)
}

// turn describes the cells that components are in, and fills a frame with them if there is one.
func (s *system) turn(f *fact.Frame) Example {
	t := turn{s: s, frame: f, past: &past{now: fact.Mark{Turn: longAgo, UserTurn: longAgo, UserTurnOK: true,
		OutputTokens: longAgo * 100, OutputOK: true, At: time.Unix(1e9, 0)}, fires: map[string]fact.Mark{},
		counts: map[string]int{}, turns: map[string]int{}, since: map[string]int{}}}
	for c := range s.components {
		if s.at[c] < 0 {
			continue
		}
		comp := &s.components[c]
		for i, v := range comp.vars {
			t.take(&s.vars[v], comp.cells[s.at[c]].values[i])
		}
	}
	t.finish()
	return Example{Frame: f, Text: list(t.words)}
}

// longAgo is a turn before which there is room for everything.
const longAgo = 1 << 20

// turn is a turn in the making.
type turn struct {
	s     *system
	frame *fact.Frame
	past  *past
	words []string
	sets  []held
	told  bool
	bad   []string // tools that failed
	uses  []use
	calls []fact.Call // of the previous turn, made up for call patterns
	least int         // how many calls there are at least
	all   bool        // and it is known that there are no others
}

// use holds the questions about the past of a tool.
type use struct {
	pattern string
	count   bool // how often, else how many turns ago
	n       int
}

// held holds the members of a set.
type held struct {
	id    fact.ID
	names []string
	least int // members
	known bool
}

func (t *turn) set(id fact.ID) *held {
	for i := range t.sets {
		if t.sets[i].id == id {
			return &t.sets[i]
		}
	}
	t.sets = append(t.sets, held{id: id})
	return &t.sets[len(t.sets)-1]
}

// take sets one variable.
func (t *turn) take(v *variable, x float64) {
	if x != x {
		return
	}
	switch v.kind {
	case varSlot:
		t.number(v, x)
		t.say(v, x)
	case varText:
		if t.frame != nil {
			t.frame.SetText(v.id, textValue(v, x))
		}
		t.say(v, x)
	case varMember:
		h := t.set(v.id)
		h.known = true
		if x < 1 {
			return
		}
		w := t.s.worldOf(v.id)
		for _, r := range w.regions {
			if r.name == v.name {
				h.names = append(h.names, r.sample)
				if x == 2 {
					t.bad = append(t.bad, r.sample)
				}
			}
		}
	case varTold:
		t.told = x == 1
	case varTerm:
		t.term(v, x)
	case varCalls:
		if math.IsInf(x, 1) {
			t.words = append(t.words, t.s.name(v)+" is unknown")
			return
		}
		t.past.answer(v.of, v.name, int(x))
		t.say(v, x)
	case varSelf:
		t.fired(v, x)
	case varAsked:
		t.asked(v.of, v.name, x == 1)
	case varLike:
		t.like(v, x == 1)
	}
}

func (t *turn) say(v *variable, x float64) {
	t.words = append(t.words, t.s.name(v)+" is "+t.s.value(v, x))
}

func (t *turn) number(v *variable, x float64) {
	if t.frame == nil {
		return
	}
	switch t.s.schema.Fact(v.id).Type {
	case fact.Bool:
		t.frame.SetBool(v.id, x == 1)
	case fact.Int:
		t.frame.SetInt(v.id, int64(x))
	case fact.Ratio, fact.Number, fact.Dollars:
		t.frame.SetNumber(v.id, x)
	default:
		t.frame.SetDuration(v.id, time.Duration(x))
	}
}

// term makes a past that answers a function with x.
func (t *turn) term(v *variable, x float64) {
	fn, arg := v.of, v.name
	if math.IsInf(x, 1) {
		t.words = append(t.words, t.s.name(v)+" is unknown")
		return
	}
	switch fn {
	case "len":
		if v.id == fact.CallList {
			t.least, t.all = int(x), true
			return
		}
		h := t.set(v.id)
		h.known, h.least = true, int(x)
		return
	case "tool_count", "turns_since_tool":
		t.uses = append(t.uses, use{arg, fn == "tool_count", int(x)})
	case "tool_chain_repeats":
		for range int(min(x, 256)) {
			for link := range strings.SplitSeq(arg, ">") {
				t.past.calls = append(t.past.calls, strings.ReplaceAll(strings.TrimSpace(link), "*", "x"))
			}
		}
	case "turns_since":
		m := t.past.fires[arg]
		m.Turn = longAgo - int(x)
		t.past.fires[arg] = m
	case "output_tokens_since":
		m := t.past.fires[arg]
		m.OutputTokens, m.OutputOK = t.past.now.OutputTokens-int64(x), true
		t.past.fires[arg] = m
	}
	t.say(v, x)
}

// fired sets how far back the reminder's own last firing is.
func (t *turn) fired(v *variable, x float64) {
	if math.IsInf(x, 1) {
		return
	}
	m := fact.Mark{Turn: longAgo - 1, UserTurn: longAgo, UserTurnOK: true, OutputTokens: t.past.now.OutputTokens,
		OutputOK: true, At: t.past.now.At}
	if old, ok := t.past.fires[self]; ok {
		m = old
	}
	switch v.id {
	case 0:
		m.Turn = longAgo - int(x)
		t.words = append(t.words, "it last fired "+plural(x, "turn")+" ago")
	case 1:
		m.UserTurn = longAgo - int(x)
		t.words = append(t.words, "it last fired "+plural(x, "user turn")+" ago")
	default:
		m.At = m.At.Add(-time.Duration(x))
		t.words = append(t.words, "it last fired "+duration.Format(time.Duration(x))+" ago")
	}
	t.past.fires[self] = m
}

func plural(n float64, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return plainNumber(n) + " " + unit
}

// finish puts the collected values into the frame.
func (t *turn) finish() {
	for i := range t.sets {
		h := &t.sets[i]
		if !h.known {
			continue
		}
		for len(h.names) < h.least {
			if len(h.names) > 0 {
				h.names = append(h.names, h.names[0])
			} else {
				h.names = append(h.names, "Other")
			}
		}
		name := t.s.schema.Fact(h.id).Name
		if len(h.names) == 0 {
			t.words = append(t.words, name+" is empty")
		} else {
			t.words = append(t.words, name+" is ["+strings.Join(h.names, ", ")+"]")
		}
		if t.frame != nil {
			t.frame.SetSet(h.id, h.names)
		}
	}
	if len(t.bad) > 0 {
		t.words = append(t.words, list(t.bad)+" failed")
	}
	if t.frame == nil {
		return
	}
	// Questions about few tools come first, so that questions about more can count their answers.
	slices.SortStableFunc(t.uses, func(a, b use) int {
		switch {
		case a.pattern == b.pattern:
			return 0
		case callpattern.Covers(b.pattern, a.pattern):
			return -1
		case callpattern.Covers(a.pattern, b.pattern):
			return 1
		}
		return strings.Count(a.pattern, "*") - strings.Count(b.pattern, "*")
	})
	for _, u := range t.uses {
		t.past.use(u)
	}
	t.setCalls()
	if t.told {
		t.frame.SetFailed(t.bad)
	}
	t.frame.SetHistory(t.past)
	t.frame.SetSelf(self)
}

// past is a history made up for an example.
type past struct {
	now   fact.Mark
	tools []tool
	calls []string
	fires map[string]fact.Mark
	// the answers about patterns that look at more than names, by their texts
	counts, turns, since map[string]int
}

type tool struct {
	name  string
	calls int
	turns int // since the last call
}

// nameOf is a call pattern of a tool's name alone.
type nameOf string

func (p nameOf) String() string { return string(p) }
func (p nameOf) Subject() bool  { return false }
func (p nameOf) Match(c *fact.Call, _ fact.Place) fact.Truth {
	return fact.Of(callpattern.Wild(string(p))(c.Tool))
}

// use notes that a tool was used so often, or so many turns ago.
func (p *past) use(u use) {
	name, n := strings.ReplaceAll(u.pattern, "*", "x"), u.n
	of := nameOf(u.pattern)
	if u.count {
		used, _ := p.CallCount(of)
		if n -= used; n <= 0 {
			return
		}
	} else if old, ok := p.TurnsSinceCall(of); ok && old == n {
		return
	}
	count := u.count
	i := slices.IndexFunc(p.tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		i = len(p.tools)
		p.tools = append(p.tools, tool{name, 1, 2})
		if count {
			p.tools[i].calls = 0
		}
	}
	if count {
		p.tools[i].calls += n
	} else {
		p.tools[i].turns = n
	}
}

// Now implements fact.History.
func (p *past) Now() fact.Mark { return p.now }

// Begin implements fact.History.
func (p *past) Begin() fact.Mark { return fact.Mark{UserTurnOK: true} }

// CallCount implements fact.History.
func (p *past) CallCount(of fact.Pattern) (n int, ok bool) {
	if n, ok := p.counts[of.String()]; ok || looksInside(of) {
		return n, ok
	}
	for _, t := range p.tools {
		if of.Match(&fact.Call{Tool: t.name}, fact.Place{}) == fact.True {
			n += t.calls
		}
	}
	return n, true
}

func looksInside(of fact.Pattern) bool { return of.Subject() || strings.HasPrefix(of.String(), "@") }

// TurnsSinceCall implements fact.History.
func (p *past) TurnsSinceCall(of fact.Pattern) (turns int, ok bool) {
	if n, ok := p.turns[of.String()]; ok || looksInside(of) {
		return n, ok
	}
	for _, t := range p.tools {
		matches := of.Match(&fact.Call{Tool: t.name}, fact.Place{}) == fact.True
		if t.calls > 0 && matches && (!ok || t.turns < turns) {
			turns, ok = t.turns, true
		}
	}
	return turns, ok
}

// CalledSince implements fact.History.
func (p *past) CalledSince(a, b fact.Pattern) fact.Truth {
	if a.String() == b.String() { // it was never made
		n, ok := p.CallCount(a)
		if !ok {
			return fact.Unknown
		}
		return fact.Of(n == 0)
	}
	n, ok := p.since[a.String()+", "+b.String()]
	if !ok {
		return fact.Unknown
	}
	return fact.Of(n == 1)
}

// ChainRepeats implements fact.History.
func (p *past) ChainRepeats(chain []func(tool string) bool) (n int, ok bool) {
	for rest := p.calls; len(chain) > 0 && len(rest) >= len(chain); rest = rest[:len(rest)-len(chain)] {
		for i, match := range chain {
			if !match(rest[len(rest)-len(chain)+i]) {
				return n, true
			}
		}
		n++
	}
	return n, true
}

// LastFire implements fact.History.
func (p *past) LastFire(id string) (fact.Mark, bool) {
	m, ok := p.fires[id]
	return m, ok
}
