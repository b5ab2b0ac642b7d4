package text

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/duration"
)

// kind is the type of a value in a text.
type kind uint8

const (
	anything kind = iota // of a variable, as far as it is known when the text is loaded
	unknown              // an unknown fact, when the text is rendered
	truth
	number
	span
	word
	set
)

func (k kind) String() string {
	return [...]string{"anything", "an unknown fact", "true or false", "a number", "a duration", "a string",
		"a set"}[k]
}

// kinds are the types of facts in a text.
var kinds = [...]kind{fact.Bool: truth, fact.Int: number, fact.Number: number, fact.Ratio: number,
	fact.Dollars: number, fact.Duration: span, fact.String: word, fact.Set: set, fact.Calls: anything}

// kindOf is the type of a value.
func kindOf(v any) kind {
	switch v.(type) {
	case nil:
		return unknown
	case bool:
		return truth
	case string, caseless:
		return word
	case list:
		return set
	case time.Duration:
		return span
	default:
		return number
	}
}

// function is a function that a text may call.
type function struct {
	name       string
	least, max int      // arguments; max -1 is any number
	takes      []string // the types of the first arguments; nil for any
	result     kind
	example    string
	call       func(args []any) (any, error) // nil for one of text/template, or of scene
}

// functions are those of LANGUAGE.md §6, sorted.
var functions = [...]function{
	{"and", 1, -1, nil, anything, `and (known "idle") .resumed`, nil},
	{"default", 2, 2, nil, anything, `.thread_type | default "root"`, fallback},
	{"eq", 2, -1, nil, truth, `eq .thread_type "plan"`, compared(func(c int) bool { return c == 0 })},
	{"ge", 2, 2, nil, truth, "ge .turn_count 10", compared(func(c int) bool { return c >= 0 })},
	{"gt", 2, 2, nil, truth, "gt .turn_count 10", compared(func(c int) bool { return c > 0 })},
	{"index", 2, 2, []string{"a set", "a number"}, word, "index .tool_used 0", index},
	{"join", 1, 2, []string{"a set and a string", "a set and a string"}, word, `join ", " .tool_used`, join},
	{"known", 1, 1, nil, truth, `known "context_usage"`, nil},
	{"le", 2, 2, nil, truth, "le .turn_count 10", compared(func(c int) bool { return c <= 0 })},
	{"len", 1, 1, []string{"a string or a set"}, number, "len .tool_used", length},
	{"lower", 1, 1, []string{"a string"}, word, "lower .model",
		func(args []any) (any, error) { return strings.ToLower(args[0].(string)), nil }},
	{"lt", 2, 2, nil, truth, "lt .turn_count 10", compared(func(c int) bool { return c < 0 })},
	{"ne", 2, 2, nil, truth, `ne .thread_type "plan"`, compared(func(c int) bool { return c != 0 })},
	{"not", 1, 1, nil, truth, "not .resumed", nil},
	{"now", 0, 1, []string{"a string"}, word, `now "15:04"`, nil},
	{"or", 1, -1, nil, anything, "or .resumed .compacted", nil},
	{"percent", 1, 1, []string{"a number"}, word, ".context_usage | percent", percent},
	{"printf", 1, -1, []string{"a string"}, word, `printf "%d turns" .turn_count`, printf},
	{"upper", 1, 1, []string{"a string"}, word, "upper .model",
		func(args []any) (any, error) { return strings.ToUpper(args[0].(string)), nil }},
}

func functionNames() []string {
	names := make([]string, len(functions))
	for i := range functions {
		names[i] = functions[i].name
	}
	return names
}

// calls are functions as text/template takes them, and three that checker writes in place of facts: fact,
// perhaps and members, which nobody can call by name. The scene that some of them take is written by checker,
// too. The types of arguments are checked again: those of variables were not known before.
func calls() texttemplate.FuncMap {
	m := texttemplate.FuncMap{"fact": (*scene).fact, "perhaps": (*scene).perhaps, "members": (*scene).members,
		"known": (*scene).known, "now": (*scene).now}
	for i := range functions {
		fn := &functions[i]
		if fn.call == nil {
			continue
		}
		m[fn.name] = func(args ...any) (any, error) {
			given := make([]kind, len(args))
			for i, a := range args {
				given[i] = kindOf(a)
				if s, is := a.(caseless); is && i < len(fn.takes) {
					args[i] = string(s)
				}
			}
			var err error
			fn.misfits(given, func(_ int, wants string) { err = cmp.Or(err, failf("%s takes %s", fn.name, wants)) })
			if err != nil {
				return nil, err
			}
			return fn.call(args)
		}
	}
	return m
}

// misfits calls wrong for each argument of a type that fn does not take, with the types that it takes.
func (fn *function) misfits(args []kind, wrong func(i int, wants string)) {
	for i, k := range args[:min(len(args), len(fn.takes))] {
		if wants := fn.takes[i]; k != anything && !strings.Contains(wants, k.String()) {
			wrong(i, wants)
		}
	}
	if fn.name == "join" && !slices.Contains(args, set) && !slices.Contains(args, anything) {
		wrong(len(args)-1, "a set")
	}
}

func percent(args []any) (any, error) {
	n, _ := asNumber(args[0])
	// as written: 0.285*100 would be less than 28.5
	shifted, err := strconv.ParseFloat(strconv.FormatFloat(n, 'f', -1, 64)+"e2", 64)
	if err != nil {
		return nil, failf("percent cannot write %v", n)
	}
	return strconv.FormatFloat(math.Round(shifted), 'f', -1, 64) + "%", nil
}

// fallback is the second value, or the first where the second is unknown or empty.
func fallback(args []any) (any, error) {
	v := args[1]
	if l, is := v.(list); v == nil || v == "" || v == caseless("") || is && len(l) == 0 {
		return args[0], nil
	}
	return v, nil
}

// join takes a set and a separator, in either order. The default separator is a comma and a blank.
func join(args []any) (any, error) {
	sep, size := ", ", 0
	var l list
	for _, a := range args {
		switch a := a.(type) {
		case string:
			sep = a
		case list:
			l = a
		}
	}
	for _, m := range l {
		size += len(m) + len(sep)
	}
	if size > 2*maxRendered {
		return nil, failf("what join makes is too long")
	}
	return strings.Join(l, sep), nil
}

// printf is fmt.Sprintf within bounds: it estimates the greatest possible length of the result first.
func printf(args []any) (any, error) {
	format := args[0].(string)
	if err := checkFormat(format); err != nil {
		return nil, err
	}
	longest := 0
	for _, a := range args[1:] {
		longest = max(longest, len(fmt.Sprint(a)))
	}
	const growth = 8 // %q and %x make this much of a byte, at most
	if len(format)+strings.Count(format, "%")*(longest*growth+maxWidth) > 64*maxRendered {
		return nil, failf("what printf makes is too long")
	}
	return fmt.Sprintf(format, args[1:]...), nil
}

// maxWidth is the greatest width or precision in a format.
const maxWidth = 1000

// checkFormat refuses formats for printf that could make a long text of a short one.
func checkFormat(format string) error {
	for _, verb := range strings.Split(format, "%")[1:] {
		flags := verb[:len(verb)-len(strings.TrimLeft(verb, "+-# .[]*0123456789"))]
		if strings.Contains(flags, "*") {
			return failf("printf takes no * in its format")
		}
		for width := range strings.FieldsFuncSeq(flags, func(r rune) bool { return r < '0' || r > '9' }) {
			if n, err := strconv.Atoi(width); err != nil || n > maxWidth {
				return failf("printf takes no width above %d", maxWidth)
			}
		}
	}
	return nil
}

func length(args []any) (any, error) {
	if l, is := args[0].(list); is {
		return len(l), nil
	}
	return len(args[0].(string)), nil
}

func index(args []any) (any, error) {
	l := args[0].(list)
	n, _ := asNumber(args[1])
	switch {
	case n != math.Trunc(n):
		return nil, failf("index takes a set and a whole number")
	case n < 0 || n >= float64(len(l)):
		return nil, failf("index %v is beyond the %d members of the set", n, len(l))
	}
	return l[int(n)], nil
}

// compared reports whether holds is true of the order of the first value and any of the others.
func compared(holds func(int) bool) func([]any) (any, error) {
	return func(args []any) (any, error) {
		for _, b := range args[1:] {
			c, ok := order(args[0], b)
			x, is := args[0].(bool)
			if y, both := b.(bool); is && both && holds(-1) == holds(1) { // eq and ne
				c, ok = 1, true
				if x == y {
					c = 0
				}
			}
			if !ok {
				return nil, failf("%s and %s cannot be compared", kindOf(args[0]), kindOf(b))
			}
			if holds(c) {
				return true, nil
			}
		}
		return false, nil
	}
}

// order compares numbers with numbers, texts with texts, and durations with durations or texts that are some.
func order(a, b any) (c int, ok bool) {
	da, isA := asDuration(a, b)
	db, isB := asDuration(b, a)
	if isA && isB {
		return cmp.Compare(da, db), true
	}
	na, isA := asNumber(a)
	nb, isB := asNumber(b)
	if isA && isB {
		return cmp.Compare(na, nb), true
	}
	sa, foldA, isA := asText(a)
	sb, foldB, isB := asText(b)
	if foldA || foldB {
		sa, sb = strings.ToLower(sa), strings.ToLower(sb)
	}
	return strings.Compare(sa, sb), isA && isB
}

// asText reads v as a text, and whether the case of its letters does not count.
func asText(v any) (s string, fold, is bool) {
	if c, is := v.(caseless); is {
		return string(c), true, true
	}
	s, is = v.(string)
	return s, false, is
}

// asDuration reads v as a duration: one, or a text that is one beside a duration.
func asDuration(v, beside any) (time.Duration, bool) {
	d, is := v.(time.Duration)
	if _, other := beside.(time.Duration); is || !other {
		return d, is
	}
	s, _ := v.(string)
	d, err := duration.Parse(s)
	return d, err == nil
}

func asNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, true
	default:
		return 0, false
	}
}
