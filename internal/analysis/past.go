package analysis

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// past is a history made up for an example.
type past struct {
	now   fact.Mark
	tools []tool
	calls []string
	fires map[string]fact.Mark
}

type tool struct {
	name  string
	calls int
	turns int // since the last call
}

// use notes that a tool was used so often, or so many turns ago.
func (p *past) use(u use) {
	name, n := strings.ReplaceAll(u.pattern, "*", "x"), u.n
	match := func(tool string) bool { return accepts(u.pattern, tool) }
	if u.count {
		if n -= p.ToolCount(match); n <= 0 {
			return
		}
	} else if old, ok := p.TurnsSinceTool(match); ok && old == n {
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

// ToolCount implements fact.History.
func (p *past) ToolCount(match func(tool string) bool) int {
	n := 0
	for _, t := range p.tools {
		if match(t.name) {
			n += t.calls
		}
	}
	return n
}

// TurnsSinceTool implements fact.History.
func (p *past) TurnsSinceTool(match func(tool string) bool) (turns int, ok bool) {
	for _, t := range p.tools {
		if t.calls > 0 && match(t.name) && (!ok || t.turns < turns) {
			turns, ok = t.turns, true
		}
	}
	return turns, ok
}

// ChainRepeats implements fact.History.
func (p *past) ChainRepeats(chain []func(tool string) bool) int {
	n := 0
	for rest := p.calls; len(chain) > 0 && len(rest) >= len(chain); rest = rest[:len(rest)-len(chain)] {
		for i, match := range chain {
			if !match(rest[len(rest)-len(chain)+i]) {
				return n
			}
		}
		n++
	}
	return n
}

// LastFire implements fact.History.
func (p *past) LastFire(id string) (fact.Mark, bool) {
	m, ok := p.fires[id]
	return m, ok
}
