package compile

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// callPattern is a call pattern as a trigger names it.
type callPattern struct {
	fact.Pattern
	// the name of the tool, where the pattern looks at nothing else; nil for one with a class or a subject
	name *pattern
}

// matchAny returns whether a call matches any of the patterns.
func matchAny(ps []callPattern, c *fact.Call, at fact.Place) fact.Truth {
	t := fact.False
	for i := range ps {
		if t = t.Or(ps[i].Match(c, at)); t == fact.True {
			break
		}
	}
	return t
}

// namesOf returns the names that the patterns stand for, where none of them looks at anything else.
func namesOf(ps []callPattern) ([]*pattern, bool) {
	names := make([]*pattern, len(ps))
	for i := range ps {
		if names[i] = ps[i].name; names[i] == nil {
			return nil, false
		}
	}
	return names, true
}

// called asks whether a call of the previous turn matches one of some patterns, or none does. Patterns of
// names alone are members of tool_used instead.
type called struct {
	ps  []callPattern
	not bool
}

func (l called) truth(f *fact.Frame) fact.Truth {
	calls, known := f.Batch()
	t := fact.False
	if !known {
		t = fact.Unknown
	}
	for i := range calls {
		if t = t.Or(matchAny(l.ps, &calls[i], f.Place())); t == fact.True {
			break
		}
	}
	if l.not {
		return t.Not()
	}
	return t
}
func (l called) reads() []fact.ID { return []fact.ID{fact.ToolUsed} }

// value names the tools alone: what they were called with is never shown.
func (l called) value(f *fact.Frame) string { return describe(f, fact.ToolUsed) }

// failed asks whether any call that matches one of some patterns failed in the previous turn. Where the host
// does not say which calls failed, one failure among several calls cannot be laid at the door of any of
// them, and the answer is Unknown.
type failed struct {
	ps    []callPattern
	names []*pattern // where no pattern looks at anything but names; nil else
}

func newFailed(ps []callPattern) failed {
	l := failed{ps: ps}
	if names, plain := namesOf(ps); plain {
		l.names = names
	}
	return l
}

func (l failed) truth(f *fact.Frame) fact.Truth {
	names, told := f.Failed()
	if l.names != nil && told {
		return fact.Of(anyOf(l.names, names))
	}
	any := f.Truth(fact.LastToolCallFailed)
	if any == fact.False {
		return fact.False
	}
	if l.names != nil && !f.Known(fact.CallList) {
		return l.byNames(f, any)
	}
	calls, known := f.Batch()
	if !known {
		if told && len(names) == 0 {
			return fact.False
		}
		return fact.Unknown
	}
	t, sure := fact.False, any == fact.True && len(calls) > 0
	for i := range calls {
		match, failed := matchAny(l.ps, &calls[i], f.Place()), calls[i].Failed
		switch {
		case f.Known(fact.CallList):
		case told:
			failed = fact.Of(slices.Contains(names, calls[i].Tool))
		default:
			failed = fact.Unknown
		}
		t = t.Or(match.And(failed))
		sure = sure && match == fact.True
	}
	if sure { // whichever of them failed
		return fact.True
	}
	return t
}

// byNames is truth where the names of the tools are all that is told. any is whether a call failed.
func (l failed) byNames(f *fact.Frame, any fact.Truth) fact.Truth {
	used, ok := f.Set(fact.ToolUsed)
	switch {
	case !ok:
		return fact.Unknown
	case !anyOf(l.names, used):
		return fact.False
	case any != fact.True:
		return fact.Unknown
	}
	for i := range used {
		if !anyOf(l.names, used[i:i+1]) {
			return fact.Unknown
		}
	}
	return fact.True
}

func (l failed) reads() []fact.ID { return []fact.ID{fact.ToolUsed, fact.LastToolCallFailed} }
func (l failed) value(f *fact.Frame) string {
	if names, ok := f.Failed(); ok {
		return "failed tools: [" + strings.Join(names, ", ") + "]"
	}
	return describe(f, fact.ToolUsed, fact.LastToolCallFailed)
}

// before asks whether a call that matches one of some patterns is about to be executed.
type before struct{ ps []callPattern }

func (l before) truth(f *fact.Frame) fact.Truth {
	m, call := f.Moment()
	if m != fact.BeforeTool || call == nil {
		return fact.False
	}
	return matchAny(l.ps, call, f.Place())
}
func (l before) reads() []fact.ID { return nil }
func (l before) value(f *fact.Frame) string {
	m, call := f.Moment()
	if m != fact.BeforeTool || call == nil {
		return "no call is about to be executed"
	}
	return call.Tool + " is about to be executed"
}

// stopping asks whether the agent is about to end its work.
type stopping struct{}

func (stopping) truth(f *fact.Frame) fact.Truth {
	m, _ := f.Moment()
	return fact.Of(m == fact.Stopping)
}
func (stopping) reads() []fact.ID { return nil }
func (l stopping) value(f *fact.Frame) string {
	if l.truth(f) == fact.True {
		return "the agent is about to end its work"
	}
	return "the agent is not about to end its work"
}
