package analysis

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/condition"
)

// maxGuesses bounds the turns that are tried for expressions that cannot be looked into.
const maxGuesses = 400

// guess tries values for the facts that only expressions read: the literals in them, and slightly larger
// and smaller values.
func (s *system) guess(ex Example, p *compile.Predicate, n *condition.Node) (Example, bool) {
	var ids []fact.ID
	var text strings.Builder
	n.Walk(func(n *condition.Node) {
		if n.Leaf == nil || !opaque(n.Leaf) {
			return
		}
		text.WriteString(format(n.Expr) + "\n")
		for _, id := range n.Leaf.Reads {
			if !slices.Contains(ids, id) && !ex.Frame.Known(id) {
				ids = append(ids, id)
			}
		}
	})
	if len(ids) == 0 || len(ids) > 3 {
		return Example{}, false
	}
	values := make([][]any, len(ids))
	for i, id := range ids {
		if values[i] = guesses(s.schema.Fact(id), text.String()); id == fact.CallList {
			values[i] = guessedCalls(ex.Frame)
		}
	}
	left := maxGuesses
	var try func(i int, words []string) (Example, bool)
	try = func(i int, words []string) (Example, bool) {
		if i == len(ids) {
			left--
			if p.Eval(ex.Frame) != fact.True {
				return Example{}, false
			}
			if ex.Text != "" {
				words = append([]string{ex.Text}, words...)
			}
			return Example{Frame: ex.Frame, Text: list(words)}, true
		}
		ft := s.schema.Fact(ids[i])
		for _, v := range values[i] {
			if left <= 0 {
				break
			}
			if ex.Frame.SetValue(ft.Name, v) != nil {
				continue
			}
			if found, ok := try(i+1, append(words[:len(words):len(words)], ft.Name+" is "+say(v))); ok {
				return found, true
			}
		}
		return Example{}, false
	}
	return try(0, nil)
}

// guessedCalls are the calls that expressions may be looking for: those of the tools that a frame has, or one
// of any tool, all of which failed, or none.
func guessedCalls(f *fact.Frame) []any {
	tools, _ := f.Set(fact.ToolUsed)
	if len(tools) == 0 {
		tools = []string{"Other"}
	}
	var out []any
	for _, failed := range []fact.Truth{fact.True, fact.False} {
		calls := make([]fact.Call, len(tools))
		for i, tool := range tools {
			calls[i] = fact.Call{Tool: tool, Class: commonTools[tool], Told: true, OutputTold: true, Failed: failed}
		}
		out = append(out, calls)
	}
	return append(out, []fact.Call{})
}

// say is a value as people write it.
func say(v any) string {
	switch v := v.(type) {
	case []fact.Call:
		words := make([]string, len(v))
		for i, c := range v {
			if words[i] = c.Tool; c.Failed == fact.True {
				words[i] += ", failed"
			}
		}
		return say(words)
	case string:
		return strconv.Quote(v)
	case []string:
		if len(v) == 0 {
			return "empty"
		}
		return "[" + strings.Join(v, ", ") + "]"
	case float64: // of the facts those that are a ratio
		return fact.Percent(v)
	default:
		return fmt.Sprint(v)
	}
}

// opaque reports whether a condition comes out in any way, as far as a system knows.
func opaque(o *condition.Leaf) bool {
	return o.Kind == condition.General || o.Kind == condition.Tally || o.Kind == condition.MemberOf
}

var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|[0-9]+(?:\.[0-9]+)?`)

// guesses are values of a fact that expressions of this text may be looking for.
func guesses(ft fact.Fact, text string) []any {
	var words []string
	var numbers []float64
	for _, l := range literal.FindAllString(text, -1) {
		if x, err := strconv.ParseFloat(l, 64); err == nil {
			numbers = append(numbers, x)
			continue
		}
		w, err := strconv.Unquote(l)
		if err != nil {
			w = strings.Trim(l, "'\"")
		}
		for alternative := range strings.SplitSeq(plainPattern(w), "|") {
			if alternative != w {
				words = append(words, strings.TrimSpace(alternative))
			}
		}
		words = append(words, w)
	}
	var out []any
	switch ft.Type {
	case fact.Bool:
		return []any{true, false}
	case fact.Int:
		for _, x := range append(numbers, 1, 0, 100) {
			for _, y := range []float64{x + 1, x, x - 1, 2 * x, 1 - x, -x, -x - 1} {
				out = append(out, float64(int64(y)))
			}
		}
	case fact.Ratio:
		for _, x := range append(numbers, 0.5) {
			out = append(out, min(max(x+0.01, 0), 1), min(max(x-0.01, 0), 1), min(max(x, 0), 1))
		}
		out = append(out, 1.0, 0.0)
	case fact.String:
		for _, w := range append(words, "", "x", "a longer text") {
			out = append(out, w)
		}
	case fact.Set:
		for _, w := range append(words, "x") {
			out = append(out, []string{w}, []string{w + "x"}, []string{"x" + w})
		}
		out = append(out, []string{}, []string{"a", "b", "c", "d"}, slices.Clone(words))
		if len(words) > 0 {
			out = append(out, []string{words[0], words[0]})
		}
	}
	if len(out) > 40 {
		out = out[:40]
	}
	return out
}

var (
	patternSigns = strings.NewReplacer("(?i)", "", `\b`, "", `\s+`, " ", `\s*`, " ", `\s`, " ",
		"(", "", ")", "", "^", "", "$", "", "?", "", "+", "", "*", "", `\`, "")
	letterSet = regexp.MustCompile(`\[(.?)[^\]]*\]`)
)

// plainPattern returns a regular expression without its signs, and the first letter of each set of letters.
func plainPattern(p string) string {
	return letterSet.ReplaceAllString(patternSigns.Replace(p), "$1")
}
