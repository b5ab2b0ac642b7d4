package analysis_test

import (
	"slices"
	"strings"
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

// at draws a moment after a turn. Where the host tells no events there, those of the turn are over.
func (g gen) at(m fact.Moment, turn *fact.Frame, tells bool) *fact.Frame {
	f := turn.Schema().NewFrame()
	var call *fact.Call
	if m == fact.BeforeTool {
		call = &g.calls([]string{g.one(allTools...)})[0]
	}
	f.SetMoment(m, call)
	past := turn.History()
	if !tells {
		turn.EndEvents()
	}
	f.Inherit(turn)
	f.SetHistory(past)
	f.SetSelf("r")
	return f
}

// TestMomentsBruteForce: what is said of triggers that are read at a moment holds at many of these moments;
// what is said of hosts that tell no events there holds at those of such hosts.
func TestMomentsBruteForce(t *testing.T) {
	t.Parallel()
	s := schema(t)
	frames := map[fact.Moment][]*fact.Frame{}
	told := map[*fact.Frame]bool{}
	many := testkit.Repeat(1000, 4000)
	for i := range many {
		g := newGen(uint64(i))
		for _, m := range []fact.Moment{fact.BeforeTool, fact.Stopping} {
			tells := g.chance(3)
			f := g.at(m, newGen(uint64(i)).frame(s), tells)
			frames[m], told[f] = append(frames[m], f), tells
		}
	}
	said, ofHosts := map[string]int{}, 0
	for seed := range seeds() {
		g := newGen(seed + 4_000_000)
		src, p := g.ofMoment(s)
		set, _ := compile.New([]reminder.Reminder{{ID: "r", Trigger: src, Text: "x"}}, compile.Options{Schema: s})
		ds := analysis.Check(set, nil)
		anywhere := newHolder(t, src, p, s, ds)
		silent := newHolder(t, src, p, s, ds)
		anywhere.ds = slices.Clone(ds)
		for i, d := range ds {
			said[string(d.Code)]++
			if strings.Contains(d.Message, "no agent does") {
				ofHosts++
				anywhere.ds[i].Code = "" // nothing is said of a host that tells events there
			}
		}
		from := g.IntN(many - turnsEach)
		for _, f := range frames[p.Moment()][from : from+turnsEach] {
			if told[f] {
				anywhere.on(f)
			} else {
				silent.on(f)
			}
		}
		if ex, ok := analysis.Witness(p); ok && p.Eval(ex.Frame) != fact.True {
			t.Errorf("%s is not true when %s", src, ex.Text)
		}
	}
	t.Log(said, "of hosts that tell no events:", ofHosts)
	for _, code := range []string{"R0901", "R0904", "R0905", "R0906"} {
		if said[code] == 0 {
			t.Errorf("%s was never said", code)
		}
	}
	if ofHosts < int(seeds()/10) {
		t.Errorf("only %d times something is said of events at a moment", ofHosts)
	}
}

// lessTold are facts that some agent never tells, one by one or together.
var lessTold = [][]fact.ID{
	{fact.ContextUsage, fact.ContextTokens, fact.ContextWindow}, {fact.LastToolCallFailed, fact.FailuresInRow},
	{fact.Cost}, {fact.Output}, {fact.UserMessage, fact.UserTurnCount}, {fact.Prompt}, {fact.TurnCount},
	{fact.Hour, fact.Weekday, fact.ThreadType}, {fact.MessageCount}, {fact.Compacted}, {fact.Resumed},
	{fact.Response}, {fact.OutputTokens, fact.LastResponseTokens}, {fact.Model, fact.Provider}, {fact.Elapsed},
	{fact.Idle}, {fact.Started},
}

// lose leaves out of a turn what a host never tells. It reports false for a turn that is not that host's.
func lose(f *fact.Frame, h *analysis.Host) bool {
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
		for range 60 {
			f := g.frame(s)
			between := g.frame(s)
			between.EndEvents()
			if x := p.Eval(between); x == fact.True && !holds || x == fact.False && !fails {
				t.Fatalf("%s is %v between two turns, and said not to be, as on\n%s", src, x, show(between))
			}
			if m := p.Moment(); m != fact.Turn {
				if slices.Contains(h.Moments, m) {
					break
				}
				f = g.at(m, f, false)
			}
			if !lose(f, h) {
				continue
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
