package reference

import (
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/vm"

	"github.com/aside-go/aside/compile/fact"
)

// environment holds the names that a program can use on one turn: facts by name (durations as numbers of
// nanoseconds, unknown ones nil), declared facts under vars, the functions of the language, and the helpers
// of the source.
func environment(p *Program, f *fact.Frame) map[string]any {
	vars := map[string]any{}
	env := map[string]any{"vars": vars}
	for i := range p.schema.Len() {
		ft := p.schema.Fact(fact.ID(i))
		v := f.Value(ft.ID)
		switch n := v.(type) {
		case int64:
			v = int(n)
		case time.Duration:
			v = f.Num(ft.ID)
		}
		if name, ok := strings.CutPrefix(ft.Name, "vars."); ok {
			vars[name] = v
		} else {
			env[ft.Name] = v
		}
	}
	for i, s := range p.texts {
		env["s"+strconv.Itoa(i)] = s
	}
	env["known"] = func(name string) bool {
		ft, ok := p.schema.Lookup(name)
		return ok && f.Value(ft.ID) != nil
	}
	env["tool"] = func(name, pattern string) bool { return like(pattern, name) }
	env["failed"], env["told"] = f.Failed()
	past(env, f)
	env["answered"] = func(function, arg string) bool {
		return env[function].(func(string) any)(arg) != nil
	}
	env["general"] = func(i int) int {
		out, err := vm.Run(p.general[i], env)
		switch {
		case err != nil:
			return 1
		case out == true:
			return 2
		default:
			return 0
		}
	}
	return env
}

// past puts the functions over the run's history into env.
func past(env map[string]any, f *fact.Frame) {
	env["between"] = f.Between()
	env["turns"], env["user_turns"], env["passed"] = nil, nil, nil
	h := f.History()
	if h == nil {
		for _, function := range []string{"tool_count", "used", "turns_since_tool", "turns_since",
			"output_tokens_since", "tool_chain_repeats"} {
			env[function] = func(string) any { return nil }
		}
		return
	}
	now := h.Now()
	last, ok := h.LastFire(f.Self())
	if !ok {
		last = h.Begin()
		last.UserTurnOK = true
	}
	env["turns"], env["passed"] = now.Turn-last.Turn, int(now.At.Sub(last.At))
	if now.UserTurnOK && last.UserTurnOK {
		env["user_turns"] = now.UserTurn - last.UserTurn
	}
	env["tool_count"] = func(tool string) any {
		if n, ok := h.CallCount(named(tool)); ok {
			return n
		}
		return nil
	}
	env["used"] = func(tool string) any {
		n, ok := h.CallCount(named(tool))
		if !ok && n == 0 {
			return nil
		}
		return n > 0
	}
	env["turns_since_tool"] = func(tool string) any {
		if n, ok := h.TurnsSinceCall(named(tool)); ok {
			return n
		}
		return nil
	}
	env["turns_since"] = func(id string) any {
		if last, ok := h.LastFire(id); ok {
			return now.Turn - last.Turn
		}
		return nil
	}
	env["output_tokens_since"] = func(id string) any {
		if last, ok := h.LastFire(id); ok && last.OutputOK && now.OutputOK {
			return int(max(now.OutputTokens-last.OutputTokens, 0))
		}
		return nil
	}
	env["tool_chain_repeats"] = func(chain string) any {
		var links []func(string) bool
		for _, link := range strings.Split(chain, ">") {
			link = strings.TrimSpace(link)
			links = append(links, func(tool string) bool { return like(link, tool) })
		}
		if n, ok := h.ChainRepeats(links); ok {
			return n
		}
		return nil
	}
}

// named is a call pattern of a tool's name alone.
type named string

// String implements fact.Pattern.
func (n named) String() string { return string(n) }

// Subject implements fact.Pattern.
func (n named) Subject() bool { return false }

// Match implements fact.Pattern.
func (n named) Match(c *fact.Call, _ fact.Place) fact.Truth { return fact.Of(like(string(n), c.Tool)) }

// Past is a history that was written down. It is only read, so it may be shared.
type Past struct {
	At    fact.Mark            // the turn being evaluated
	Start time.Time            // the time of the first turn
	Calls [][]string           // the tools of each turn, the last one the turn being evaluated; nil: never told
	Fires map[string]fact.Mark // when each reminder last fired
}

var _ fact.History = (*Past)(nil)

// Now implements fact.History.
func (p *Past) Now() fact.Mark { return p.At }

// Begin implements fact.History.
func (p *Past) Begin() fact.Mark { return fact.Mark{UserTurnOK: true, At: p.Start} }

// CallCount implements fact.History.
func (p *Past) CallCount(of fact.Pattern) (n int, ok bool) {
	for _, turn := range p.Calls {
		for _, tool := range turn {
			if of.Match(&fact.Call{Tool: tool}, fact.Place{}) == fact.True {
				n++
			}
		}
	}
	return n, p.Calls != nil
}

// TurnsSinceCall implements fact.History.
func (p *Past) TurnsSinceCall(of fact.Pattern) (turns int, ok bool) {
	for i := len(p.Calls) - 1; i >= 0; i-- {
		for _, tool := range p.Calls[i] {
			if of.Match(&fact.Call{Tool: tool}, fact.Place{}) == fact.True {
				return len(p.Calls) - i, true
			}
		}
	}
	return 0, false
}

// CalledSince implements fact.History.
func (p *Past) CalledSince(a, b fact.Pattern) fact.Truth {
	if p.Calls == nil {
		return fact.Unknown
	}
	lastA, lastB, n := -1, -1, 0
	for _, turn := range p.Calls {
		for _, tool := range turn {
			c := &fact.Call{Tool: tool}
			if a.Match(c, fact.Place{}) == fact.True {
				lastA = n
			}
			if b.Match(c, fact.Place{}) == fact.True {
				lastB = n
			}
			n++
		}
	}
	return fact.Of(lastB < 0 || lastA > lastB)
}

// ChainRepeats implements fact.History.
func (p *Past) ChainRepeats(chain []func(string) bool) (int, bool) {
	var calls []string
	for _, turn := range p.Calls {
		calls = append(calls, turn...)
	}
	if len(chain) == 0 {
		return 0, p.Calls != nil
	}
	for n := 0; ; n++ {
		end := len(calls) - n*len(chain)
		if end < len(chain) {
			return n, p.Calls != nil
		}
		for i, link := range chain {
			if !link(calls[end-len(chain)+i]) {
				return n, true
			}
		}
	}
}

// LastFire implements fact.History.
func (p *Past) LastFire(id string) (fact.Mark, bool) {
	m, ok := p.Fires[id]
	return m, ok
}
