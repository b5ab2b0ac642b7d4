package fact

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/aside-go/aside/internal/duration"
)

// SetValue sets a fact by its name, from the Go types in which a host is likely to have it:
//
//	bool      a bool
//	int       any integer, or a float that is a whole number; from -MaxInt to MaxInt
//	number    any float or integer that is finite
//	ratio     any float or integer that is finite and not negative
//	dollars   as a ratio
//	duration  a time.Duration, or a string such as 90s or 1d12h
//	string    a string
//	set       a []string, or an []any of strings; tool_used also a []Call, as for SetTools
//	calls     a []Call, as for SetCalls
//
// The name FailedTools takes a list of the same forms as a set, and stands for SetFailed. A nil v does
// nothing, so a fact that was unknown stays unknown.
//
// A name that the schema does not have is an *UnknownError. A value of another type and a number out of range
// are errors, too. After an error the frame is as it was before. Like SetSet, SetValue keeps a []string
// without copying it.
func (f *Frame) SetValue(name string, v any) error {
	if name == FailedTools {
		return f.setFailedTools(v)
	}
	ft, ok := f.schema.Lookup(name)
	if !ok {
		return &UnknownError{Name: name}
	}
	if v == nil {
		return nil
	}
	switch ft.Type {
	case Int, Number, Ratio, Dollars:
		return f.setNumeric(ft, v)
	case Duration:
		return f.setSpan(ft, v)
	case Bool:
		if b, ok := v.(bool); ok {
			f.SetBool(ft.ID, b)
			return nil
		}
	case String:
		if s, ok := v.(string); ok {
			f.SetText(ft.ID, s)
			return nil
		}
	case Set:
		if l, ok := stringList(v); ok {
			f.SetSet(ft.ID, l)
			return nil
		}
		if l, ok := v.([]Call); ok && ft.ID == ToolUsed {
			f.SetTools(l)
			return nil
		}
	case Calls:
		if l, ok := v.([]Call); ok {
			f.SetCalls(l)
			return nil
		}
	}
	return wrongType(ft, v)
}

func (f *Frame) setFailedTools(v any) error {
	if v == nil {
		return nil
	}
	l, ok := stringList(v)
	if !ok {
		return fmt.Errorf("%q is a list of tools, %v is none", FailedTools, v)
	}
	f.SetFailed(l)
	return nil
}

func (f *Frame) setNumeric(ft Fact, v any) error {
	n, ok := number(v)
	switch {
	case !ok:
		return wrongType(ft, v)
	case ft.Type == Int && (n != math.Trunc(n) || math.Abs(n) > MaxInt):
		return fmt.Errorf("fact %q: %v is not a whole number up to %d", ft.Name, v, int64(MaxInt))
	case math.IsNaN(n) || math.IsInf(n, 0):
		return fmt.Errorf("fact %q: %v is not a finite number", ft.Name, v)
	case n < 0 && (ft.Type == Ratio || ft.Type == Dollars):
		return fmt.Errorf("fact %q: %v is negative", ft.Name, v)
	}
	f.num[ft.ID] = n
	return nil
}

func (f *Frame) setSpan(ft Fact, v any) error {
	switch v := v.(type) {
	case time.Duration:
		f.SetDuration(ft.ID, v)
	case string:
		d, err := duration.Parse(v)
		if err != nil {
			return fmt.Errorf("fact %q: %w", ft.Name, err)
		}
		f.SetDuration(ft.ID, d)
	default:
		return wrongType(ft, v)
	}
	return nil
}

func wrongType(ft Fact, v any) error {
	return fmt.Errorf("fact %q is %s, %v is none", ft.Name, ft.Type.Article(), v)
}

// UnknownError says that a schema has no fact of that name.
type UnknownError struct{ Name string }

// Error implements error.
func (e *UnknownError) Error() string { return fmt.Sprintf("there is no fact %q", e.Name) }

// number returns v as a float64; ok is false if v is not a number. The types that hosts use most come first.
func number(v any) (n float64, ok bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case float32, int32, int16, int8, uint, uint64, uint32, uint16, uint8:
		return reflect.ValueOf(v).Convert(reflect.TypeFor[float64]()).Float(), true
	}
	return 0, false
}

// stringList returns v as a list of strings; ok is false if it is none.
func stringList(v any) (l []string, ok bool) {
	switch v := v.(type) {
	case []string:
		return v, true
	case []any:
		l = make([]string, len(v))
		for i, e := range v {
			if l[i], ok = e.(string); !ok {
				return nil, false
			}
		}
		return l, true
	default:
		return nil, false
	}
}

// Truth is a truth value of Kleene's strong three-valued logic. The zero Truth is False. The constants are
// ordered so that "and" is the least and "or" the greatest of its operands.
type Truth uint8

const (
	// False is known not to hold.
	False Truth = iota
	// Unknown is the truth of a condition on a fact that the host did not report.
	Unknown
	// True is known to hold.
	True
)

// Of returns True if b holds, else False.
func Of(b bool) Truth {
	if b {
		return True
	}
	return False
}

// And returns False if either is False, True if both are True, and Unknown otherwise.
func (t Truth) And(u Truth) Truth { return min(t, u) }

// Or returns True if either is True, False if both are False, and Unknown otherwise.
func (t Truth) Or(u Truth) Truth { return max(t, u) }

// Not returns False for True, True for False, and Unknown for Unknown.
func (t Truth) Not() Truth { return True - t }

// String returns "false", "unknown" or "true".
func (t Truth) String() string { return [...]string{"false", "unknown", "true"}[t] }
