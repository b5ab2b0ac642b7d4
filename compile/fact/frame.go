package fact

import (
	"fmt"
	"math"
	"time"
)

// MaxInt is the greatest whole number a fact can hold; up to it a float64 is exact.
const MaxInt = 1 << 53

// FailedTools is the name under which a host reports which tools of the previous turn failed. It is no fact: triggers
// ask for it by the shorthand tool_failed alone.
const FailedTools = "tool_failed"

// Frame holds the facts of one turn, one slot each, all unknown at first. It is filled by one goroutine and may then be
// read by many.
//
// Numbers, durations (in nanoseconds) and bools (0 and 1) share one array, in which NaN is "unknown": every comparison
// with it is false, so a predicate that asks both ways needs no second look. A NaN from outside is refused.
type Frame struct {
	schema  *Schema
	num     []float64
	text    []string
	set     [][]string
	known   []bool // of text and set
	failed  []string
	told    bool // whether failed is known
	history History
	self    string
}

// NewFrame returns a frame in which every fact is unknown and no history is there.
func (s *Schema) NewFrame() *Frame {
	n := len(s.facts)
	f := &Frame{schema: s, num: make([]float64, n), text: make([]string, n), set: make([][]string, n), known: make([]bool, n)}
	f.Reset()
	return f
}

// Reset makes every fact unknown and forgets the history.
func (f *Frame) Reset() {
	for i := range f.num {
		f.num[i] = math.NaN()
	}
	clear(f.text)
	clear(f.set)
	clear(f.known)
	f.failed, f.told, f.history, f.self = nil, false, nil, ""
}

// Schema returns the schema the frame was made for.
func (f *Frame) Schema() *Schema { return f.schema }

// Num returns the number in slot id: of a ratio its value, of a duration nanoseconds, of a bool 0 or 1; NaN if unknown.
func (f *Frame) Num(id ID) float64 { return f.num[id] }

// Text returns the string in slot id, and whether it is known.
func (f *Frame) Text(id ID) (string, bool) { return f.text[id], f.known[id] }

// Set returns the set in slot id, and whether it is known. The caller must not write to it.
func (f *Frame) Set(id ID) ([]string, bool) { return f.set[id], f.known[id] }

// Truth returns the bool in slot id.
func (f *Frame) Truth(id ID) Truth {
	switch f.num[id] {
	case 0:
		return False
	case 1:
		return True
	default:
		return Unknown
	}
}

// Known reports whether the fact in slot id is known.
func (f *Frame) Known(id ID) bool { return f.known[id] || !math.IsNaN(f.num[id]) }

// Value returns the fact in slot id as bool, int64, float64 (a ratio), time.Duration, string or []string; nil if unknown.
func (f *Frame) Value(id ID) any {
	if !f.Known(id) {
		return nil
	}
	switch f.schema.facts[id].Type {
	case Bool:
		return f.num[id] == 1
	case Int:
		return int64(f.num[id])
	case Ratio:
		return f.num[id]
	case Duration:
		return time.Duration(f.num[id])
	case String:
		return f.text[id]
	default:
		return f.set[id]
	}
}

// SetBool makes the fact in slot id known.
func (f *Frame) SetBool(id ID, v bool) {
	f.num[id] = 0
	if v {
		f.num[id] = 1
	}
}

// SetInt makes the fact in slot id known. Numbers beyond ±MaxInt are cut to it.
func (f *Frame) SetInt(id ID, v int64) { f.num[id] = float64(min(max(v, -MaxInt), MaxInt)) }

// SetRatio makes the fact in slot id known; a NaN leaves it unknown. Ratios outside 0 to 1 are the caller's fault, and kept:
// a host may count more tokens than it believes the window to hold.
func (f *Frame) SetRatio(id ID, v float64) { f.num[id] = v }

// SetDuration makes the fact in slot id known.
func (f *Frame) SetDuration(id ID, v time.Duration) { f.num[id] = float64(v) }

// SetText makes the fact in slot id known.
func (f *Frame) SetText(id ID, v string) { f.text[id], f.known[id] = v, true }

// SetSet makes the fact in slot id known; nil is the known empty set. The frame keeps v and does not write to it.
func (f *Frame) SetSet(id ID, v []string) { f.set[id], f.known[id] = v, true }

// SetFailed tells which tools of the previous turn failed, for the shorthand tool_failed; it is no fact that a trigger could
// name, and sets none. The frame keeps names and does not write to it.
func (f *Frame) SetFailed(names []string) { f.failed, f.told = names, true }

// Failed returns the tools of the previous turn that failed, and whether the host told them apart.
func (f *Frame) Failed() ([]string, bool) { return f.failed, f.told }

// SetValue makes a fact known by name, from what a host has: bool; any integer; float64 (whole for an int); string; []string
// or []any of strings; time.Duration or a string that time.ParseDuration reads. A nil leaves the fact unknown.
// The name FailedTools stands for SetFailed. An unknown name, a value of another type, NaN, infinities, and numbers out of range are errors, and change nothing.
func (f *Frame) SetValue(name string, v any) error {
	if name == FailedTools {
		l, ok := textList(v)
		if !ok && v != nil {
			return fmt.Errorf("%q is a list of tools, %v is none", name, v)
		}
		if v != nil {
			f.SetFailed(l)
		}
		return nil
	}
	ft, ok := f.schema.Lookup(name)
	if !ok {
		return &UnknownError{Name: name}
	}
	if v == nil {
		return nil
	}
	switch ft.Type {
	case Bool:
		if b, ok := v.(bool); ok {
			f.SetBool(ft.ID, b)
			return nil
		}
	case Int:
		if n, ok := number(v); ok {
			if n != math.Trunc(n) || math.Abs(n) > MaxInt {
				return fmt.Errorf("fact %q: %v is not a whole number up to %d", name, v, int64(MaxInt))
			}
			f.num[ft.ID] = n
			return nil
		}
	case Ratio:
		if n, ok := number(v); ok {
			if !(n >= 0 && n <= math.MaxFloat64) {
				return fmt.Errorf("fact %q: %v is not a ratio", name, v)
			}
			f.num[ft.ID] = n
			return nil
		}
	case Duration:
		switch d := v.(type) {
		case time.Duration:
			f.SetDuration(ft.ID, d)
			return nil
		case string:
			p, err := time.ParseDuration(d)
			if err != nil {
				return fmt.Errorf("fact %q: %q is not a duration such as 90s or 5m", name, d)
			}
			f.SetDuration(ft.ID, p)
			return nil
		}
	case String:
		if s, ok := v.(string); ok {
			f.SetText(ft.ID, s)
			return nil
		}
	case Set:
		if s, ok := textList(v); ok {
			f.SetSet(ft.ID, s)
			return nil
		}
	}
	return fmt.Errorf("fact %q is a %s, %v is none", name, ft.Type, v)
}

// UnknownError says that a schema has no fact of that name.
type UnknownError struct{ Name string }

// Error implements error.
func (e *UnknownError) Error() string { return fmt.Sprintf("there is no fact %q", e.Name) }

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float32:
		return float64(n), true
	case int32:
		return float64(n), true
	case uint32:
		return float64(n), true
	default:
		return 0, false
	}
}

func textList(v any) ([]string, bool) {
	switch l := v.(type) {
	case []string:
		return l, true
	case []any:
		out := make([]string, len(l))
		for i, e := range l {
			s, ok := e.(string)
			if !ok {
				return nil, false
			}
			out[i] = s
		}
		return out, true
	default:
		return nil, false
	}
}
