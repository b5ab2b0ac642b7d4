package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/test/reference"
)

// gen draws triggers and turns from few facts, names and numbers, so that parts of triggers meet.
type gen struct{ *rand.Rand }

func newGen(seed uint64) gen { return gen{rand.New(rand.NewPCG(seed, 7))} }

func (g gen) one(from ...string) string { return from[g.IntN(len(from))] }
func (g gen) chance(n int) bool         { return g.IntN(n) == 0 }

func (g gen) some(from ...string) string {
	var out []string
	for range 1 + g.IntN(3) {
		out = append(out, g.one(from...))
	}
	return strings.Join(out, ", ")
}

var (
	orders   = []string{"<", "<=", ">", ">=", "==", "!="}
	wholes   = []string{"0", "1", "2", "3", "5", "10", "11"}
	names    = []string{"Edit", "Bash", "Read", `"mcp__*"`, `"mcp__a*"`, `"mcp__a__b"`, `"Ed*"`, `"*"`}
	threads  = []string{"plan", "learn", "fast"}
	allTools = []string{"Edit", "Bash", "Read", "mcp__a__b", "mcp__x", "Edited", "Other"}
)

func schema(t interface{ Fatal(...any) }) *fact.Schema {
	s, err := fact.NewSchema(
		fact.Fact{Name: "vars.n", Type: fact.Int, Kind: fact.Gauge}, fact.Fact{Name: "vars.flag",
			Type: fact.Bool}, fact.Fact{Name: "vars.seen", Type: fact.Int, Kind: fact.Counter},
		fact.Fact{Name: "vars.wait", Type: fact.Duration}, fact.Fact{Name: "vars.name",
			Type: fact.String},
		fact.Fact{Name: "vars.rang", Type: fact.Bool, Kind: fact.Event},
		fact.Fact{Name: "vars.score", Type: fact.Int, Kind: fact.Event},
		fact.Fact{Name: "vars.word", Type: fact.String, Kind: fact.Event},
		fact.Fact{Name: "vars.alarms", Type: fact.Set, Kind: fact.Event},
		fact.Fact{Name: "vars.tags", Type: fact.Set},
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A topic is what the operands of one trigger are about; few of them, so that operands meet.
type topic func(g gen) string

var topics = []topic{
	func(g gen) string { return "turn_count " + g.one(orders...) + " " + g.one(wholes...) },
	func(g gen) string {
		return "context_usage " + g.one(orders...) + " " + g.one("0", "50%", "75%", "0.75", "100%")
	},
	func(g gen) string {
		return "vars.n " + g.one(orders...) + " " + g.one(append(wholes, "-1", "-3", "-4k")...)
	},
	func(g gen) string { return "vars.seen " + g.one(orders...) + " " + g.one(wholes...) },
	func(g gen) string { return "user_turn_count in [" + g.some(wholes...) + "]" },
	func(g gen) string {
		return g.one("elapsed", "idle") + " " + g.one(orders...) + " " + g.one("0s", "90s", "5m", "1h")
	},
	func(g gen) string {
		return "vars.wait " + g.one(orders...) + " " + g.one("0s", "90s", "5m", "-90s", "-5m")
	},
	func(g gen) string {
		return g.one("user_message", "not user_message", "user_message == false", "vars.flag",
			"vars.flag == user_message")
	},
	func(g gen) string { return "thread_type " + g.one("==", "!=") + " " + g.one(threads...) },
	func(g gen) string {
		return g.one("thread:"+g.some(threads...), "thread_type in ["+g.some(threads...)+"]")
	},
	func(g gen) string {
		return g.one("tool_used == ", "tool_used != ", "after_tool:") + g.one(names...)
	},
	func(g gen) string {
		return g.one("after_tool:"+g.some(names...), "tool_used in ["+g.some(names...)+"]")
	},
	func(g gen) string { return "tool_failed:" + g.one("Edit", "Bash", "Edit, Bash", `"*"`, `"mcp__*"`) },
	func(g gen) string {
		return g.one("last_tool_call_failed", "failures_in_row "+g.one(orders...)+" "+g.one("0", "1", "2"))
	},
	func(g gen) string {
		return "len(tool_used) " + g.one(orders...) + " " + g.one("0", "1", "2", "3", "-1")
	},
	func(g gen) string {
		return fmt.Sprintf("tool_count(%s) %s %s", quote(g.one("Edit", "Bash", "mcp__*", "*")), g.one(orders...),
			g.one("0", "1", "2", "3", "-1"))
	},
	func(g gen) string {
		return fmt.Sprintf("turns_since_tool(%s) %s %s", quote(g.one("Edit", "Bash", "mcp__*", "*")),
			g.one(orders...), g.one("0", "1", "2", "3"))
	},
	func(g gen) string {
		return g.one("", "not ") + "used(" + quote(g.one("Edit", "Bash", "mcp__*", "*")) + ")"
	},
	func(g gen) string {
		return fmt.Sprintf("turns_since(%s) %s %s", quote(g.one("a", "b")), g.one(orders...), g.one("0", "1", "3"))
	},
	func(g gen) string {
		return fmt.Sprintf("output_tokens_since(\"a\") %s %s", g.one(orders...), g.one("0", "1", "3"))
	},
	func(g gen) string { return g.one("every 1 turn", "every 3 turns", "every 2 user turns", "every 5m") },
	func(g gen) string {
		return "context_tokens " + g.one(orders...) + " " + g.one("context_window", "context_window", "0", "10",
			"message_count")
	},
	func(g gen) string {
		return "context_window " + g.one(orders...) + " " + g.one("message_count", "0", "3", "vars.n")
	},
	func(g gen) string {
		return g.one("always", "never", "vars.tags == x", "vars.tags in [x, y]", "vars.tags != y",
			"vars.name in vars.tags", "len(vars.tags) > 1")
	},
	func(g gen) string {
		return g.one("repeated_tool_chain:Edit>Bash|2", `tool_chain_repeats("Edit>Bash") > 1`,
			`tool_chain_repeats("Edit") >= 1`)
	},
	func(g gen) string {
		return g.one(`prompt contains "a"`, `turn_count % vars.n == 0`, `any(tool_used, # startsWith "mcp__")`,
			`len(prompt) > 2`)
	},
	func(g gen) string { return "hour " + g.one(orders...) + " " + g.one("0", "9", "22", "23") },
	func(g gen) string {
		return g.one("weekday == ", "weekday != ") + g.one("mon", "sat", "sun") + g.one("",
			" or weekday in [sat, sun]")
	},
	func(g gen) string { return "cost " + g.one(orders...) + " " + g.one("$0", "$0.5", "$5") },
	func(g gen) string { return g.one("started", "not started", "every 3 turns", "every 1 turn") },
	func(g gen) string {
		return g.one("after_tool:", "tool_failed:", "tool_used == ", "tool_used != ") +
			g.one(`"Bash(git push*)"`, `"Edit(*.go)"`, `"@edit"`, `"mcp__*(*x*)"`)
	},
	func(g gen) string {
		return g.one(`used("Bash(git*)")`, `tool_count("@edit") > 1`, `turns_since_tool("Edit(*.go)") > 1`,
			`called_since("Bash", "Edit")`, `command contains "git"`, `path endsWith ".go"`, `output == x`,
			`command in [x, y]`, "len(command) > 1", "len(calls) > 0", `any(calls, .failed)`)
	},
	func(g gen) string {
		return g.one("command", "path", "output", "vars.tags") + " " + g.one("contains", "startsWith", "endsWith") +
			" " + g.one(`"git push"`, `"git"`, `"g"`, `"a.go"`, `".go"`, `"x"`)
	},
	func(g gen) string {
		return "command " + g.one(`contains "git"`, `contains "git p"`, `startsWith "git"`, `endsWith "-f"`,
			`== "git push -f"`, `== "ls"`, `!= "git push -f"`)
	},
	func(g gen) string {
		return g.one("after_tool:", "after_tool:", "tool_failed:") + g.one(`"Bash(git push*)"`, `"Bash(git*)"`,
			`"Bash(*)"`, `"@shell"`, `"@shell(git*)"`, `"B*(git push*)"`, "Bash", `"Edit(*.go)"`, `"@edit(*.go)"`)
	},
	func(g gen) string {
		p := g.one(`"Bash(git*)"`, `"@edit"`, `"Edit(*.go)"`)
		return g.one("used("+p+")", "not used("+p+")", "tool_count("+p+") "+g.one(orders...)+" "+g.one("0", "1",
			"2"),
			"turns_since_tool("+p+") "+g.one(orders...)+" "+g.one("0", "1", "3"))
	},
	func(g gen) string {
		p := func() string { return g.one(`"Bash(git*)"`, `"@edit"`, `"Edit"`) }
		return g.one("called_since("+p()+", "+p()+")", "not called_since("+p()+", "+p()+")", "used("+p()+")",
			"tool_count("+p()+") > 0")
	},
	func(g gen) string { return "vars.n in [" + g.some(append(wholes, "-1", "-3", "-4")...) + "]" },
	func(g gen) string {
		return g.one("turn_count - user_turn_count", "2 * turn_count", "turn_count + user_turn_count",
			"5 - turn_count",
			"0.5 * user_turn_count", "user_turn_count - 2", "turn_count + vars.n") + " " + g.one(orders...) + " " +
			g.one(wholes...)
	},
	func(g gen) string {
		return g.one("elapsed - idle", "elapsed + idle", "2 * idle", "elapsed - 2 * idle", "idle",
			"elapsed") + " " + g.one(orders...) + " " + g.one("0s", "90s", "5m", "1h")
	},
	func(g gen) string {
		return g.one("prompt", "lower(prompt)", "upper(prompt)") + " " +
			g.one("contains", "startsWith", "endsWith", "==") + " " + g.one(`"a"`, `"aa"`, `"A"`, `"plan"`,
			`"x"`, `""`)
	},
	func(g gen) string {
		return g.one("any", "all", "none") + "(calls, " + g.one("", "not ") + g.one(`(.tool == "Bash")`,
			"(.failed)", `(.tool startsWith "mcp")`, `(.tool == "Edit" and .failed)`) + ")"
	},
	func(g gen) string {
		return g.one("vars.rang", "vars.rang in [false]", "vars.rang == vars.flag",
			"vars.score "+g.one(orders...)+" "+g.one("0", "2", "3"), "vars.score in [0, 2]", "vars.score + 1 > 3",
			"vars.score < vars.n", "vars.word == "+g.one(threads...), "vars.word in ["+g.some(threads...)+"]", `vars.word contains "a"`)
	},
	func(g gen) string {
		return g.one("vars.alarms == ", "vars.alarms != ") + g.one("x", "y") + g.one("", "",
			" or len(vars.alarms) > 1", ` or all(vars.alarms, # == "x")`, " or vars.name in vars.alarms")
	},
}

func quote(s string) string { return `"` + strings.Trim(s, `"`) + `"` }

// trigger draws a trigger about few topics.
func (g gen) trigger() string {
	mine := make([]topic, 1+g.IntN(3))
	for i := range mine {
		mine[i] = topics[g.IntN(len(topics))]
	}
	if g.chance(3) { // all about tools
		mine = append(mine, topics[10+g.IntN(8)], topics[10+g.IntN(8)])
	}
	return g.join(mine, 1+g.IntN(2))
}

func (g gen) join(mine []topic, depth int) string {
	if depth == 0 || g.chance(5) {
		s := mine[g.IntN(len(mine))](g)
		if g.chance(5) {
			return "not (" + s + ")"
		}
		return s
	}
	word := g.one(" and ", " or ")
	var terms []string
	for range 2 + g.IntN(2) {
		terms = append(terms, g.join(mine, depth-1))
	}
	s := "(" + strings.Join(terms, word) + ")"
	if g.chance(6) {
		s = "not " + s
	}
	return s
}

// compiled draws a trigger that compiles.
func (g gen) compiled(s *fact.Schema) (string, *compiled.Predicate) {
	for {
		src := g.trigger()
		if p, ds := compiled.Compile(src, s); !ds.HasErrors() {
			return src, p
		}
	}
}

// frame draws a turn as hosts may tell it: any fact may be unknown, and what is told agrees.
func (g gen) frame(s *fact.Schema) *fact.Frame {
	f := s.NewFrame()
	known := 2 + g.IntN(8)
	if g.chance(3) {
		known = 1000
	}
	for i := range s.Len() {
		ft := s.Fact(fact.ID(i))
		if g.chance(known) {
			continue
		}
		switch ft.Type {
		case fact.Bool:
			f.SetBool(ft.ID, g.chance(2))
		case fact.Int:
			n := []int64{0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 1000, fact.MaxInt}[g.IntN(13)]
			if ft.Name == "vars.n" && g.chance(2) {
				n = -n
			}
			if ft.ID == fact.Hour {
				n = int64(g.IntN(24))
			}
			f.SetInt(ft.ID, n)
		case fact.Dollars:
			f.SetNumber(ft.ID, []float64{0, 0.25, 0.5, 1, 5, 6.5}[g.IntN(6)])
		case fact.Ratio:
			f.SetRatio(ft.ID, []float64{0, 0.001, 0.3, 0.5, 0.500001, 0.6, 0.75, 0.76, 0.9, 1, 1.2}[g.IntN(11)])
		case fact.Duration:
			d := []time.Duration{0, 1, time.Second, 90 * time.Second, 91 * time.Second, 5 * time.Minute,
				6 * time.Minute, time.Hour, 2 * time.Hour}[g.IntN(9)]
			if ft.Name == "vars.wait" && g.chance(2) {
				d = -d
			}
			f.SetDuration(ft.ID, d)
		case fact.String:
			f.SetText(ft.ID, g.one("plan", "learn", "fast", "root", "x", "aaa", ""))
			if ft.ID == fact.Weekday {
				f.SetText(ft.ID, g.one("mon", "tue", "wed", "thu", "fri", "sat", "sun"))
			}
		case fact.Set:
			f.SetSet(ft.ID, g.set("x", "y", "z"))
		}
	}
	g.past(f)
	return f
}

func (g gen) set(from ...string) []string {
	out := []string{}
	for range []int{0, 1, 1, 2, 3, 5}[g.IntN(6)] {
		out = append(out, g.one(from...))
	}
	return out
}

// past draws the tools of this turn and of those before, what failed, and when reminders fired.
func (g gen) past(f *fact.Frame) {
	turns := 1 + g.IntN(8)
	calls := make([][]string, turns)
	for i := range calls {
		if g.chance(2) {
			calls[i] = g.set(allTools...)
		}
	}
	now := calls[turns-1]
	f.SetBool(fact.Started, turns == 1)
	if !f.Known(fact.ToolUsed) {
		calls[turns-1] = nil // an engine that is told nothing counts nothing
		if g.chance(2) {
			calls = nil
		}
		agree(f)
		g.marks(f, calls, turns)
		return
	}
	f.SetSet(fact.ToolUsed, now)
	if g.chance(2) {
		f.SetCalls(g.calls(now))
		agree(f)
		g.marks(f, calls, turns)
		if list, _ := f.Value(fact.CallList).([]fact.Call); g.chance(2) {
			f.SetHistory(g.calledBefore(f.History().(*reference.Past), list))
		}
		return
	}
	var failed []string
	for _, t := range now {
		if g.chance(3) {
			failed = append(failed, t)
		}
	}
	any := len(failed) > 0
	if f.Known(fact.LastToolCallFailed) {
		f.SetBool(fact.LastToolCallFailed, any)
		if g.chance(2) {
			f.SetFailed(failed)
		}
	}
	if f.Known(fact.FailuresInRow) {
		n := int64(0)
		if any {
			n = 1 + int64(g.IntN(3))
		}
		f.SetInt(fact.FailuresInRow, n)
	}
	g.marks(f, calls, turns)
}

// agree makes the row of failures agree with the last turn: it is as long as one turn at least, or none.
func agree(f *fact.Frame) {
	if f.Known(fact.FailuresInRow) && f.Known(fact.LastToolCallFailed) {
		f.SetInt(fact.FailuresInRow, int64(f.Num(fact.LastToolCallFailed))*2)
	}
}

// calls draws calls of these tools, any part of which may not be told.
func (g gen) calls(tools []string) []fact.Call {
	list := make([]fact.Call, len(tools))
	for i, tool := range tools {
		c := fact.Call{Tool: tool, Told: !g.chance(3), OutputTold: !g.chance(3), Failed: fact.Truth(g.IntN(3))}
		switch tool {
		case "Bash":
			c.Class = fact.Shell
		case "Edit":
			c.Class = fact.Edit
		case "Read":
			c.Class = fact.Read
		}
		if c.OutputTold {
			c.Output = g.one("x", "y", "a git")
		}
		if c.Told {
			switch c.Class {
			case fact.Shell:
				c.Command = g.one("git push -f", "ls", "x")
			case fact.Edit, fact.Read:
				c.Paths = []string{g.one("a.go", "x", "b/c.sql")}
			default:
				c.Subject = g.one("axb", "y")
			}
		}
		list[i] = c
	}
	return list
}

// calledBefore is a past in which calls were told with their subjects; now are those of this turn.
func (g gen) calledBefore(p *reference.Past, now []fact.Call) *callsBefore {
	out := &callsBefore{Past: p}
	for _, names := range p.Calls[:len(p.Calls)-1] {
		out.calls = append(out.calls, g.calls(names))
	}
	out.calls = append(out.calls, now)
	return out
}

// callsBefore is a past of calls.
type callsBefore struct {
	*reference.Past
	calls [][]fact.Call
}

// matching returns the number, the turn and the place of the last of the calls that match a pattern, and
// whether no other one can.
func (p *callsBefore) matching(of fact.Pattern) (n, turn, seq int, sure bool) {
	all := 0
	sure = true
	for i, list := range p.calls {
		for k := range list {
			all++
			switch of.Match(&list[k], fact.Place{}) {
			case fact.True:
				n, turn, seq = n+1, i, all
			case fact.Unknown:
				sure = false
			}
		}
	}
	return n, turn, seq, sure
}

func (p *callsBefore) CallCount(of fact.Pattern) (n int, ok bool) {
	n, _, _, ok = p.matching(of)
	return n, ok
}

func (p *callsBefore) TurnsSinceCall(of fact.Pattern) (turns int, ok bool) {
	n, turn, _, sure := p.matching(of)
	return len(p.calls) - turn, sure && n > 0
}

func (p *callsBefore) CalledSince(a, b fact.Pattern) fact.Truth {
	_, _, x, sureA := p.matching(a)
	n, _, y, sureB := p.matching(b)
	if !sureA || !sureB {
		return fact.Unknown
	}
	return fact.Of(n == 0 || x > y)
}

// marks draws the history of a turn.
func (g gen) marks(f *fact.Frame, calls [][]string, turns int) {
	p := &reference.Past{Calls: calls, Fires: map[string]fact.Mark{},
		At: fact.Mark{Turn: turns, UserTurn: g.IntN(turns + 1), UserTurnOK: g.chance(2),
			OutputTokens: int64(g.IntN(6)), OutputOK: g.chance(2), At: time.Unix(10_000, 0)}}
	for _, id := range []string{"a", "b", "r"} {
		if turns > 1 && g.chance(2) {
			p.Fires[id] = fact.Mark{Turn: 1 + g.IntN(turns-1), UserTurn: g.IntN(p.At.UserTurn + 1),
				UserTurnOK: g.chance(2),
				OutputTokens: int64(g.IntN(int(p.At.OutputTokens) +
					1)), OutputOK: g.chance(2), At: time.Unix(10_000-int64(g.IntN(1000))+100, 0)}
		}
	}
	f.SetHistory(p)
	f.SetSelf("r")
}

func TestGeneratorsCompile(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for i, top := range topics {
		for seed := range uint64(60) {
			src := top(newGen(seed))
			if _, ds := compiled.Compile(src, s); ds.HasErrors() {
				t.Errorf("topic %d: %s: %v", i, src, ds)
			}
		}
	}
}

func format(v any) string { return fmt.Sprintf("%+v", v) }
