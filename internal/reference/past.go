package reference

import (
	"github.com/aside-go/aside/compile/fact"
)

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
