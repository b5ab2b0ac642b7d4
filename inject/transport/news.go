package transport

import (
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject/wire"
)

// news are the facts that follow from a request only together with the run's notes of the turn before.
type news struct {
	compacted bool
	counted   bool // the last user message was there on the turn before, so nobody has just submitted it
	resumed   fact.Truth
	usage     usage
	window    wire.Count
}

// since returns the news that x brings.
func (n notes) since(x *exchange) (s news) {
	q := x.q
	s.compacted = !q.Partial && n.shortened(x.conv)
	rewritten := s.compacted || !q.Partial && !n.continues(x.conv)
	if n.Window != "" && q.Thread.Window != "" {
		s.compacted = s.compacted || n.Window != q.Thread.Window
	}
	s.resumed, s.counted = fact.Unknown, q.PromptKey != "" && q.PromptKey == n.Prompt
	if q.Thread.Begun != "" {
		s.resumed = fact.Of(q.Thread.Begun != "new" && n.Begun != q.Thread.Turn)
	}
	if s.usage = n.Usage; rewritten || s.compacted {
		s.usage.Context = tokens{}
	}
	s.window.N, s.window.Known = x.opts.Windows.Holds(q.Model, s.usage.Context.N)
	return s
}

// fill writes the news into a frame of facts.
func (s news) fill(f *fact.Frame) {
	f.SetBool(fact.Compacted, s.compacted)
	if s.resumed != fact.Unknown {
		f.SetBool(fact.Resumed, s.resumed == fact.True)
	}
	if s.counted {
		f.SetBool(fact.UserMessage, false)
	}
	if n := s.usage.Context; n.Known {
		f.SetInt(fact.ContextTokens, n.N)
	}
	if n := s.usage.Response; n.Known {
		f.SetInt(fact.LastResponseTokens, n.N)
	}
	if s.window.Known {
		f.SetInt(fact.ContextWindow, s.window.N)
	}
}
