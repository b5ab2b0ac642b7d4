package condition

import (
	"slices"

	"github.com/aside-go/aside/compile/fact"
)

// Match returns whether a call matches any of the patterns of l.
func (l *Leaf) Match(c *fact.Call, at fact.Place) fact.Truth {
	t := fact.False
	for i := range l.Patterns {
		if t = t.Or(l.Patterns[i].Match(c, at)); t == fact.True {
			break
		}
	}
	return t
}

// called is the truth of a Called.
func (l *Leaf) called(f *fact.Frame) fact.Truth {
	calls, known := f.Batch()
	t := fact.False
	if !known {
		t = fact.Unknown
	}
	for i := range calls {
		if t = t.Or(l.Match(&calls[i], f.Place())); t == fact.True {
			break
		}
	}
	if l.Not {
		return t.Not()
	}
	return t
}

// failed is the truth of a Failed. named reports whether any of some tools is one of
// its names; it is nil where a pattern looks at anything but names. Where the host does not say which calls
// failed, one failure among several calls cannot be laid at the door of any of them, and the answer is
// Unknown.
func (l *Leaf) failed(named func(tools []string) bool, f *fact.Frame) fact.Truth {
	names, told := f.Failed()
	if named != nil && told {
		return fact.Of(named(names))
	}
	any := f.Truth(fact.LastToolCallFailed)
	if any == fact.False {
		return fact.False
	}
	if named != nil && !f.Known(fact.CallList) {
		return failedByNames(named, any, f)
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
		match, failed := l.Match(&calls[i], f.Place()), calls[i].Failed
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

// failedByNames is failed where the names of the tools are all that is told. any is whether a call failed.
func failedByNames(named func([]string) bool, any fact.Truth, f *fact.Frame) fact.Truth {
	used, ok := f.Set(fact.ToolUsed)
	switch {
	case !ok:
		return fact.Unknown
	case !named(used):
		return fact.False
	case any != fact.True:
		return fact.Unknown
	}
	for i := range used {
		if !named(used[i : i+1]) {
			return fact.Unknown
		}
	}
	return fact.True
}

// before is the truth of a Before.
func (l *Leaf) before(f *fact.Frame) fact.Truth {
	m, call := f.Moment()
	if m != fact.BeforeTool || call == nil {
		return fact.False
	}
	return l.Match(call, f.Place())
}

// stopping is the truth of a Stopping.
func stopping(f *fact.Frame) fact.Truth {
	m, _ := f.Moment()
	return fact.Of(m == fact.Stopping)
}

// Calls returns the fact calls, and whether it is known.
func Calls(f *fact.Frame) ([]fact.Call, bool) {
	if !f.Known(fact.CallList) {
		return nil, false
	}
	return f.Batch()
}
