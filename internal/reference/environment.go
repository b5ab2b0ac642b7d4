package reference

import (
	"regexp"
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
	env["tool"] = func(name, pattern string) bool { return matcher(pattern)(name) }
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
	h := f.History()
	if h == nil {
		h = &Past{}
	}
	now := h.Now()
	env["fired"] = false
	if last, ok := h.LastFire(f.Self()); ok {
		env["fired"], env["turns"], env["passed"] = true, now.Turn-last.Turn, int(now.At.Sub(last.At))
		if now.UserTurnOK && last.UserTurnOK {
			env["user_turns"] = now.UserTurn - last.UserTurn
		}
	}
	env["tool_count"] = func(tool string) any { return h.ToolCount(matcher(tool)) }
	env["used"] = func(tool string) any { return h.ToolCount(matcher(tool)) > 0 }
	env["turns_since_tool"] = func(tool string) any {
		if n, ok := h.TurnsSinceTool(matcher(tool)); ok {
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
			links = append(links, matcher(strings.TrimSpace(link)))
		}
		return h.ChainRepeats(links)
	}
}

// matcher is a tool's name, in which * stands for anything, as a regular expression.
func matcher(pattern string) func(string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	re := regexp.MustCompile(`(?s)\A` + strings.Join(parts, ".*") + `\z`)
	return re.MatchString
}

// Past is a history that was written down. It is only read, so it may be shared.
type Past struct {
	At    fact.Mark            // the turn being evaluated
	Calls [][]string           // the tools of each turn, the last one the turn that is evaluated now
	Fires map[string]fact.Mark // when each reminder last fired
}

var _ fact.History = (*Past)(nil)

// Now implements fact.History.
func (p *Past) Now() fact.Mark { return p.At }

// ToolCount implements fact.History.
func (p *Past) ToolCount(match func(string) bool) int {
	n := 0
	for _, turn := range p.Calls {
		for _, tool := range turn {
			if match(tool) {
				n++
			}
		}
	}
	return n
}

// TurnsSinceTool implements fact.History.
func (p *Past) TurnsSinceTool(match func(string) bool) (int, bool) {
	for i := len(p.Calls) - 1; i >= 0; i-- {
		for _, tool := range p.Calls[i] {
			if match(tool) {
				return len(p.Calls) - i, true
			}
		}
	}
	return 0, false
}

// ChainRepeats implements fact.History.
func (p *Past) ChainRepeats(chain []func(string) bool) int {
	var calls []string
	for _, turn := range p.Calls {
		calls = append(calls, turn...)
	}
	if len(chain) == 0 {
		return 0
	}
	for n := 0; ; n++ {
		end := len(calls) - n*len(chain)
		if end < len(chain) {
			return n
		}
		for i, link := range chain {
			if !link(calls[end-len(chain)+i]) {
				return n
			}
		}
	}
}

// LastFire implements fact.History.
func (p *Past) LastFire(id string) (fact.Mark, bool) {
	m, ok := p.Fires[id]
	return m, ok
}
