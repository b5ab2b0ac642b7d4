package reference

import (
	"regexp"
	"strings"

	"github.com/aside-go/aside/compile/fact"
)

// compared is a comparison. One with a set looks at its members.
func (e *expression) compared(op string, a, b node, text string) node {
	m := membership{op: op}
	if set, ok := a.(factName); ok && e.isSet(set) {
		m.set, m.of = string(set), b
	} else if set, ok := b.(factName); ok && e.isSet(set) {
		m.set, m.of = string(set), a
	} else if op != "matches" && (isCaseless(a) || isCaseless(b)) {
		return comparison{op, lowered{a}, lowered{b}}
	} else {
		return comparison{op, a, b}
	}
	r := e.remember(text, m)
	if r.read = reading(m); op == "!=" {
		return negated{recalled{r, m}}
	}
	return recalled{r, m}
}

// isCaseless reports whether a node is a fact that is compared whatever the case of letters.
func isCaseless(n node) bool { return n == factName("thread_type") || n == factName("mode") }

// lowered is a text, or a list of some, in small letters.
type lowered struct{ n node }

func (l lowered) eval(s *scope) any {
	switch v := l.n.eval(s).(type) {
	case string:
		return strings.ToLower(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = strings.ToLower(v[i].(string))
		}
		return out
	default:
		return v
	}
}

func (e *expression) isSet(n factName) bool {
	ft, _ := e.schema.Lookup(string(n))
	return ft.Type == fact.Set
}

// membership asks whether a member of a set compares so with a text, or with one of a list; with != whether
// one is equal.
type membership struct {
	op, set string
	of      node
}

func (m membership) eval(s *scope) any {
	wanted := m.of.eval(s)
	switch wanted.(type) {
	case nil:
		return nil
	case noText:
		return false // for != as well, which is its opposite
	}
	all, ok := wanted.([]any)
	if !ok {
		all = []any{wanted}
	}
	_, isFact := m.of.(factName)
	yes, unknown := false, false
	if m.set == "tool_used" && !isFact && (m.op == "==" || m.op == "!=" || m.op == "in") {
		switch s.o.someCall(func(o *Occasion, c *fact.Call) fact.Truth {
			out := fact.False
			for _, w := range all {
				out = max(out, readPattern(w.(string)).match(c, o.Place))
			}
			return out
		}) {
		case fact.True:
			yes = true
		case fact.Unknown:
			unknown = true
		}
	} else {
		members, complete, _ := s.o.members(m.set)
		unknown = !complete
		for _, x := range members {
			for _, w := range all {
				yes = yes || textHolds(m.op, x, w.(string)) || isCaseless(m.of) && strings.EqualFold(x, w.(string))
			}
		}
	}
	switch {
	case yes:
		return true
	case unknown:
		return nil
	default:
		return false
	}
}

func textHolds(op, x, y string) bool {
	switch op {
	case "contains":
		return strings.Contains(x, y)
	case "startsWith":
		return strings.HasPrefix(x, y)
	case "endsWith":
		return strings.HasSuffix(x, y)
	case "matches":
		return regexp.MustCompile(y).MatchString(x)
	default: // of a set also != and in
		return x == y
	}
}

type comparison struct {
	op   string
	a, b node
}

func (c comparison) eval(s *scope) any {
	x, y := c.a.eval(s), c.b.eval(s)
	if x == nil || y == nil {
		return nil
	}
	if x == (noText{}) || y == (noText{}) {
		return c.op == "!="
	}
	if l, ok := y.([]any); ok {
		for _, v := range l {
			if v == x {
				return true
			}
		}
		return false
	}
	switch x := x.(type) {
	case float64:
		y := y.(float64)
		switch c.op {
		case "==":
			return x == y
		case "!=":
			return x != y
		case "<":
			return x < y
		case "<=":
			return x <= y
		case ">":
			return x > y
		default:
			return x >= y
		}
	case string:
		if c.op == "!=" {
			return x != y.(string)
		}
		return textHolds(c.op, x, y.(string))
	case bool:
		return (x == y.(bool)) == (c.op == "==")
	}
	panic("values that cannot be compared")
}
