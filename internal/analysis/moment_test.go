package analysis_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/analysis"
	"github.com/aside-go/aside/internal/test/testkit"
)

// ofMoment draws a trigger that is read at a moment.
func (g gen) ofMoment(s *fact.Schema) (src string, p *compiled.Predicate) {
	for {
		src = g.one("stopping", "before_tool:Bash", "before_tool:@edit", `before_tool:"Bash(git*)"`) + " and " +
			g.trigger()
		if p, ds := compiled.Compile(src, s); !ds.HasErrors() {
			return src, p
		}
	}
}

// An occasion is a moment in a run, and what the turns of the user turn told before it.
type occasion struct {
	moment fact.Moment
	turns  []turn
	own    *fact.Frame // what the host tells at the moment
	at     *fact.Frame // what is read there
}

// A turn is told in one part or two.
type turn struct {
	parts []*fact.Frame
	whole *fact.Frame
}

// tellings draws what hosts tell, each twice: the second is for a frame that is changed afterwards.
func (g gen) tellings(s *fact.Schema, h *analysis.Host, few bool) (f, again *fact.Frame) {
	seed := g.Uint64()
	draw := func() (f *fact.Frame, ok bool) {
		g := newGen(seed)
		f = g.frame(s)
		if few {
			f.Unset(func(fact.Fact) bool { return !g.chance(8) })
		}
		return f, lose(f, h)
	}
	f, ok := draw()
	if !ok {
		return g.tellings(s, h, few)
	}
	again, _ = draw()
	return f, again
}

// occasion draws a moment of a host: before the first turn of a run, or after up to three of a user turn.
func (g gen) occasion(s *fact.Schema, m fact.Moment, h *analysis.Host) *occasion {
	x := &occasion{moment: m}
	last, past := s.NewFrame(), g.frame(s).History()
	for range g.IntN(4) {
		f, whole := g.tellings(s, h, false)
		t := turn{[]*fact.Frame{f}, whole}
		if g.chance(4) {
			var more *fact.Frame
			more, t.whole = g.tellings(s, h, false)
			t.parts = append(t.parts, more)
			more.Stand(f)
			t.whole.Stand(f)
			t.whole.Unite(f)
		}
		x.turns = append(x.turns, t)
		last, past = t.whole, f.History()
	}
	if x.own, x.at = g.tellings(s, h, true); g.chance(2) {
		x.own, x.at = s.NewFrame(), s.NewFrame()
	}
	ended := s.NewFrame()
	ended.Inherit(last)
	ended.EndEvents()
	x.at.Inherit(ended)
	var call *fact.Call
	if m == fact.BeforeTool {
		call = &g.calls([]string{g.one(allTools...)})[0]
	}
	x.at.SetMoment(m, call)
	x.at.SetHistory(past)
	x.at.SetSelf("r")
	return x
}

// tell returns the moment as a set of triggers reads it.
func (x *occasion) tell(set *compile.Set) *fact.Frame {
	truths := new(compile.Truths)
	for i := range x.turns {
		t := &x.turns[i]
		var earlier *fact.Frame
		for j, f := range t.parts {
			fresh(f)
			var said fact.Memory
			switch {
			case j > 0:
				said = earlier.Told()
				f.SetBefore(earlier.Before())
			case i > 0:
				set.Remember(f, x.turns[i-1].whole, i == 1)
			}
			set.TellTexts(f, said, fact.AllTexts, truths)
			set.Tell(f, earlier)
			earlier = f
		}
		t.whole.SetMemory(earlier.Told())
		t.whole.SetBefore(earlier.Before())
	}
	last := x.own.Schema().NewFrame()
	if n := len(x.turns); n > 0 {
		last = x.turns[n-1].whole
	}
	fresh(x.own)
	set.TellMoment(x.own, last, x.moment, len(x.turns) <= 1, truths)
	x.at.SetMemory(x.own.Told())
	x.at.Recall(compile.RecallAt(x.moment))
	return x.at
}

// fresh makes a frame forget what a set has told in it.
func fresh(f *fact.Frame) {
	f.SetMemory(nil)
	f.SetBefore(nil)
	f.Recall(0)
}

// raw is the moment as a predicate without a set reads it.
func (x *occasion) raw() *fact.Frame {
	fresh(x.at)
	return x.at
}

// setOf compiles a trigger of a moment, and others that are read there.
func setOf(t *testing.T, s *fact.Schema, m fact.Moment, src string, others ...string) *compile.Set {
	t.Helper()
	rs := []reminder.Reminder{{ID: "r", Trigger: src, Text: "x"}}
	for i, other := range others {
		rs = append(rs, reminder.Reminder{ID: fmt.Sprint("other", i), Text: "x",
			Trigger: map[fact.Moment]string{fact.BeforeTool: `before_tool:"*"`, fact.Stopping: "stopping"}[m] +
				" and (" + other + ")"})
	}
	set, ds := compile.New(rs, compile.Options{Schema: s})
	if ds.HasErrors() {
		t.Fatal(src, others, ds)
	}
	return set
}

// TestMomentsBruteForce: what is said of triggers that are read at a moment holds at many of these moments,
// as the engine tells them and as a predicate alone reads them.
func TestMomentsBruteForce(t *testing.T) {
	t.Parallel()
	s := schema(t)
	moments := map[fact.Moment][]*occasion{}
	many := testkit.Repeat(300, 2000)
	for i := range many {
		g := newGen(uint64(i))
		for _, m := range []fact.Moment{fact.BeforeTool, fact.Stopping} {
			moments[m] = append(moments[m], g.occasion(s, m, nil))
		}
	}
	said := map[string]int{}
	for seed := range seeds() {
		g := newGen(seed + 4_000_000)
		src, p := g.ofMoment(s)
		ds := analysis.Check(setOf(t, s, p.Moment(), src), nil)
		if ex, ok := analysis.Witness(p); ok && p.Eval(ex.Frame) != fact.True {
			t.Errorf("%s is not true when %s", src, ex.Text)
		} else if ok {
			said[p.Moment().String()]++
		}
		if len(ds) == 0 {
			continue
		}
		for _, d := range ds {
			said[string(d.Code)]++
		}
		hold := newHolder(t, src, p, s, ds)
		set := setOf(t, s, p.Moment(), src, hold.others()...)
		from := g.IntN(many - momentsEach)
		for _, x := range moments[p.Moment()][from : from+momentsEach] {
			hold.on(x.tell(set))
			hold.on(x.raw())
		}
	}
	t.Log(said)
	for _, code := range []string{"R0901", "R0904", "R0905", "R0906", "before_tool", "stopping"} {
		if said[code] == 0 {
			t.Errorf("%s was never said", code)
		}
	}
}

const momentsEach = 150

// TestMoments: what is said of triggers that are read at a moment: a code, or "" for those that can be true,
// of which there is an example.
func TestMoments(t *testing.T) {
	t.Parallel()
	for src, code := range map[string]string{
		// The calls are the one at hand.
		`before_tool:Bash and command contains "rm -rf"`:           "",
		`before_tool:Bash and tool_used == Edit`:                   "R0901",
		`before_tool:Bash and tool_used == Bash`:                   "R0904",
		`before_tool:"Bash(git*)" and tool_used != Bash`:           "R0901",
		`before_tool:"mcp__*" and tool_used == mcp__a`:             "",
		`before_tool:"*" and tool_used == Bash and tool_used == x`: "R0901",
		`before_tool:Bash and command == a and command == b`:       "R0901",
		`before_tool:@edit and path == a and path == b`:            "",
		`before_tool:Bash and len(calls) > 1`:                      "R0901",
		`before_tool:Bash and len(tool_used) == 1`:                 "R0906",
		`before_tool:Bash and any(calls, .failed)`:                 "R0901",
		// What happened before is as the turn told it.
		`before_tool:Bash and after_tool:Edit`:                               "",
		`before_tool:@shell and after_tool:Edit and tool_used != Edit`:       "",
		`before_tool:Bash and after_tool:Edit and not after_tool:"Ed*"`:      "R0901",
		`before_tool:Bash and tool_failed:Bash and not after_tool:Edit`:      "",
		`before_tool:Bash and output contains "x" and output startsWith "y"`: "",
		`before_tool:Bash and compacted and last_tool_call_failed`:           "",
		`before_tool:Bash and user_message and not user_message`:             "R0901",
		// At the end it is as all turns of the user turn told it.
		`stopping and after_tool:@edit and not after_tool:"@shell(go test*)"`: "",
		`stopping and after_tool:Edit and tool_used != Edit`:                  "R0901",
		`stopping and last_tool_call_failed and not tool_failed:"*"`:          "",
		`stopping and tool_failed:Bash and last_tool_call_failed == false`:    "",
		`stopping and vars.score in [1] and vars.score > 3`:                   "",
		`stopping and vars.score > 1 and vars.score < 2`:                      "R0901",
		`stopping and vars.word == a and vars.word == b`:                      "",
		`stopping and vars.rang in [false] and vars.rang`:                     "",
		`stopping and vars.rang and not vars.rang`:                            "R0901",
		`stopping and count(calls, .failed) > 3 and all(calls, .tool == "x")`: "",
		`stopping and output contains "FAIL" and not (output contains "FA")`:  "R0901",
		`stopping and turn_count > 5 and turn_count < 5`:                      "R0901",
	} {
		p, ds := compiled.Compile(src, schema(t))
		if p == nil {
			t.Fatal(src, ds)
		}
		got := ""
		for _, d := range analysis.Check(setOf(t, schema(t), p.Moment(), src), nil) {
			got += string(d.Code)
		}
		if got != code {
			t.Errorf("%s: %q, want %q", src, got, code)
		}
		if ex, ok := analysis.Witness(p); ok == (code == "R0901") || ok && p.Eval(ex.Frame) != fact.True {
			t.Errorf("%s: an example %v: %s", src, ok, ex.Text)
		}
	}
}

// TestMomentRelations: what is said of two triggers that are read at one moment holds there.
func TestMomentRelations(t *testing.T) {
	t.Parallel()
	s := schema(t)
	moments := make([]*occasion, testkit.Repeat(1000, 2000))
	g := newGen(97)
	for i := range moments {
		moments[i] = g.occasion(s, []fact.Moment{fact.BeforeTool, fact.Stopping}[i%2], nil)
	}
	said := relations{}
	for seed := range seeds() {
		g := newGen(seed + 7_000_000)
		of := g.one("stopping", "before_tool:Bash", "before_tool:@edit")
		mine := []topic{topics[g.IntN(len(topics))], topics[10+g.IntN(8)]}
		var rs []reminder.Reminder
		for _, id := range []string{"a", "b"} {
			rs = append(rs, reminder.Reminder{ID: id, Trigger: of + " and " + g.join(mine, 1), Text: "text of " + id})
		}
		set, ds := compile.New(rs, compile.Options{Schema: s})
		if ds.HasErrors() {
			continue
		}
		from := g.IntN(len(moments) - momentsEach)
		said.hold(t, set, func(yield func(*fact.Frame) bool) {
			for _, o := range moments[from : from+momentsEach] {
				if o.moment == set.Trigger(0).Moment() && !yield(o.tell(set)) {
					return
				}
			}
		})
	}
	said.enough(t)
}

// TestHostsAtMoments: what can be true at a moment of a host that never reports what calls result in.
func TestHostsAtMoments(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{
		`before_tool:Bash and output contains "x"`:             false,
		`before_tool:Bash and not (output contains "x")`:       false,
		`before_tool:Bash and tool_failed:Bash`:                false,
		`before_tool:Bash and not tool_failed:Bash`:            true,
		`before_tool:Bash and last_tool_call_failed == false`:  false,
		`before_tool:Bash and command contains "x"`:            true,
		`stopping and output contains "x"`:                     false,
		`stopping and not (output contains "x")`:               true, // of a user turn without calls
		`stopping and len(output) == 0`:                        true,
		`stopping and tool_failed:Bash`:                        false,
		`stopping and not tool_failed:Bash`:                    true,
		`stopping and last_tool_call_failed`:                   false,
		`stopping and last_tool_call_failed == false`:          true,
		`stopping and after_tool:Edit`:                         true,
		`stopping and compacted`:                               false,
		`stopping and not compacted`:                           false,
		`before_tool:Bash and after_tool:Edit and compacted`:   false,
		`before_tool:Bash and (after_tool:Edit or compacted)`:  true,
		`stopping and any(calls, .failed) and turn_count == 3`: true, // in doubt
	} {
		p, ds := compiled.Compile(src, nil)
		if p == nil {
			t.Fatal(src, ds)
		}
		h := analysis.Host{Facts: []fact.ID{fact.Output, fact.LastToolCallFailed, fact.Compacted}}
		if got := h.Possible(p); got != want {
			t.Errorf("%s can be true: %v", src, got)
		}
	}
}

// lessTold are facts that some agent never reports, one by one or together.
var lessTold = [][]fact.ID{
	{fact.ContextUsage, fact.ContextTokens, fact.ContextWindow}, {fact.LastToolCallFailed, fact.FailuresInRow},
	{fact.Cost}, {fact.Output}, {fact.UserMessage, fact.UserTurnCount}, {fact.Prompt}, {fact.TurnCount},
	{fact.Hour, fact.Weekday, fact.ThreadType}, {fact.MessageCount}, {fact.Compacted}, {fact.Resumed},
	{fact.Response}, {fact.OutputTokens, fact.LastResponseTokens}, {fact.Model, fact.Provider}, {fact.Elapsed},
	{fact.Idle}, {fact.Started},
}

// lose leaves out of a turn what a host never reports. It reports false for a turn that is not that host's.
func lose(f *fact.Frame, h *analysis.Host) bool {
	if h == nil {
		return true
	}
	lost := func(id fact.ID) bool { return slices.Contains(h.Facts, id) }
	calls, known := f.Batch()
	calls = slices.Clone(calls)
	for i := range calls {
		if lost(fact.Output) {
			calls[i].Output, calls[i].OutputTold = "", false
		}
		if lost(fact.LastToolCallFailed) {
			calls[i].Failed = fact.Unknown
		}
	}
	if known && f.Known(fact.CallList) {
		f.SetCalls(calls)
	}
	f.Unset(func(ft fact.Fact) bool { return lost(ft.ID) })
	_, failed := f.Failed()
	return !failed || !lost(fact.LastToolCallFailed)
}

// TestHostsBruteForce: a trigger that is said to be never true on a host that tells less than others, or a
// part of it, is never true on the turns and at the moments of such a host.
func TestHostsBruteForce(t *testing.T) {
	t.Parallel()
	s := schema(t)
	said := map[bool]int{}
	for seed := range seeds() / 4 {
		g := newGen(seed + 5_000_000)
		src, p := g.compiled(s)
		if g.chance(2) {
			src, p = g.ofMoment(s)
		}
		h := &analysis.Host{}
		for range 1 + g.IntN(4) {
			h.Facts = append(h.Facts, lessTold[g.IntN(len(lessTold))]...)
		}
		for _, m := range []fact.Moment{fact.BeforeTool, fact.Stopping} {
			if g.chance(5) {
				h.Moments = append(h.Moments, m)
			}
		}
		parts, never := h.Untold(p)
		holds, fails := analysis.Between(p)
		if said[never]++; !never && len(parts) == 0 && holds && fails {
			continue
		}
		never = never || !h.Possible(p)
		set := setOf(t, s, p.Moment(), src)
		for range 60 {
			between := g.frame(s)
			between.EndEvents()
			if x := p.Eval(between); x == fact.True && !holds || x == fact.False && !fails {
				t.Fatalf("%s is %v between two turns, and said not to be, as on\n%s", src, x, show(between))
			}
			f, _ := g.tellings(s, h, false)
			if m := p.Moment(); slices.Contains(h.Moments, m) {
				break
			} else if m != fact.Turn {
				f = g.occasion(s, m, h).tell(set)
			}
			if never && p.Eval(f) == fact.True {
				t.Fatalf("%s is said to be never true without %v, and is on\n%s", src, h.Facts, show(f))
			}
			for _, n := range parts {
				if n.Eval(f) == fact.True {
					span := n.Expr.Span()
					t.Fatalf("%s of %s is said to be never true without %v, and is on\n%s",
						src[span.Start.Offset:span.End.Offset], src, h.Facts, show(f))
				}
			}
		}
	}
	t.Log(said)
	if said[true] == 0 || said[false] == 0 {
		t.Error("one of the two was never said")
	}
}
