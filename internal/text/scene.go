package text

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/mark"
)

// scene is the turn for which a text is rendered: the value of $ and of the outermost dot.
type scene struct {
	f  *fact.Frame
	at time.Time
}

// caseless is a text fact that is compared whatever the case of letters.
type caseless string

// list is a set fact in a text; printed, its members stand with commas between them.
type list []string

// String implements fmt.Stringer.
func (l list) String() string { return strings.Join(l, ", ") }

// fact is the value of a fact; it is an error if it is unknown.
func (s *scene) fact(name string) (any, error) {
	v := s.perhaps(name)
	if v == nil {
		return nil, failf("%s is unknown", name)
	}
	return v, nil
}

// perhaps is the value of a fact, nil if it is unknown. Texts of it are neutralised, since others write them.
func (s *scene) perhaps(name string) any {
	ft, ok := s.f.Schema().Lookup(name)
	if !ok {
		return nil
	}
	switch v := s.f.Value(ft.ID).(type) {
	case string:
		if v = mark.Neutralise(v); ft.ID.IgnoresCase() {
			return caseless(v)
		}
		return v
	case []string:
		l := make(list, len(v))
		for i, m := range v {
			l[i] = mark.Neutralise(m)
		}
		return l
	case float64:
		if ft.Type == fact.Dollars { // a sum of small amounts, without the last digits' noise
			return math.Round(v*1e6) / 1e6
		}
		return v
	default:
		return v
	}
}

// members returns the members of a set fact for a range over as many bytes of actions.
func (s *scene) members(name string, bytes int) (list, error) {
	v, err := s.fact(name)
	if err != nil {
		return nil, err
	}
	l, _ := v.(list)
	if len(l) > maxWork/max(bytes, 1) {
		return nil, failf("%s has %d members, which is too many to go through", name, len(l))
	}
	return l, nil
}

func (s *scene) known(name string) bool { return s.perhaps(name) != nil }

// now is the time of the turn, RFC 3339 unless a layout of package time is given.
func (s *scene) now(layout ...string) string { return s.at.Format(append(layout, time.RFC3339)[0]) }

// templateError is why a text could not be rendered, in the words of the language.
type templateError struct{ message string }

// Error implements error.
func (e *templateError) Error() string { return e.message }

func failf(format string, args ...any) error { return &templateError{fmt.Sprintf(format, args...)} }
