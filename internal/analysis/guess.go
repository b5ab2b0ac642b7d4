package analysis

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	compiled "github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
)

// maxGuesses bounds the turns that are tried for conditions that are not looked into.
const maxGuesses = 400

// guess tries values for the facts that only such conditions read: what they are compared with, and what lies
// beside it.
func (m *model) guess(ex Example, f *form, p *compiled.Predicate) (Example, bool) {
	var ids []fact.ID
	var numbers []float64
	var texts []string
	for i := range m.leaves {
		if l := &m.leaves[i]; l.free {
			literals(l.expr, &numbers, &texts)
			for _, id := range l.Reads {
				if !slices.Contains(ids, id) && !ex.Frame.Known(id) {
					ids = append(ids, id)
				}
			}
		}
	}
	if len(ids) == 0 || len(ids) > 3 {
		return Example{}, false
	}
	left := maxGuesses
	var try func(i int, words []string) (Example, bool)
	try = func(i int, words []string) (Example, bool) {
		if i == len(ids) {
			left--
			return Example{Frame: ex.Frame, Text: list(words)}, p.Eval(ex.Frame) == fact.True
		}
		v := variable{key: m.keyOf(ids[i])}
		for _, x := range m.guesses(v.key, numbers, texts) {
			if left <= 0 {
				break
			}
			m.put(ex.Frame, &v, &x)
			if found, ok := try(i+1, append(words[:len(words):len(words)], m.say(&v, &x)...)); ok {
				return found, true
			}
		}
		return Example{}, false
	}
	var words []string
	if ex.Text != "" {
		words = append(words, ex.Text)
	}
	return try(0, words)
}

// keyOf is the variable that a fact would be.
func (m *model) keyOf(id fact.ID) key {
	switch ft := m.schema.Fact(id); {
	case id == fact.ToolUsed || ft.Type == fact.Calls:
		return key{kind: varCalls}
	case ft.Type == fact.Set:
		return key{kind: varSet, id: id}
	case ft.Type == fact.String:
		return key{kind: varText, id: id}
	}
	return key{kind: varFact, id: id}
}

// literals collects the numbers and texts in an expression; of a regular expression what it may match.
func literals(x grammar.Expr, numbers *[]float64, texts *[]string) {
	switch x := x.(type) {
	case *grammar.General:
		literals(x.X, numbers, texts)
	case *grammar.Literal:
		if x.Kind != grammar.String {
			*numbers = append(*numbers, x.Number, float64(x.Duration))
			break
		}
		for s := range strings.SplitSeq(patternSigns.Replace(x.Text), "|") {
			*texts = append(*texts, strings.TrimSpace(s))
		}
		*texts = append(*texts, x.Text)
	}
	for _, k := range grammar.Operands(x) {
		literals(k, numbers, texts)
	}
}

// patternSigns leaves out the signs of a regular expression.
var patternSigns = strings.NewReplacer("(?i)", "", `\b`, "", `\s+`, " ", `\s*`, " ", `\s`, " ", "(", "", ")", "",
	"^", "", "$", "", "?", "", "+", "", "*", "", "[", "", "]", "", `\`, "")

// guesses are values of a fact that expressions with these literals may be looking for.
func (m *model) guesses(k key, numbers []float64, texts []string) (out []value) {
	texts = append(slices.Clone(texts), "x", "")
	for _, n := range numbers {
		if n > 0 && n < 10_000 {
			texts = append(texts, strings.Repeat("x", int(n)+1))
		}
	}
	switch k.kind {
	case varText:
		for _, s := range texts {
			out = append(out, value{texts: []string{s}})
		}
	case varSet:
		for _, s := range texts {
			for _, list := range [][]string{{s}, {s, s}, {"x" + s + "x"}} {
				out = append(out, value{texts: list})
			}
		}
		out = append(out, value{texts: texts}, value{})
	case varCalls:
		for _, failed := range []fact.Truth{fact.True, fact.False} {
			for _, tool := range append(slices.Clone(texts), "Bash") {
				for _, s := range texts {
					c := fact.Call{Tool: tool, Command: s, Paths: []string{s}, Subject: s, Told: true,
						Written: []string{s}, WrittenTold: true, Output: s,
						OutputTold: true, Failed: failed}
					out = append(out, value{batch: []fact.Call{c}}, value{batch: []fact.Call{c, c}})
				}
			}
		}
		out = append(out, value{})
	default:
		var planes []linear
		for _, n := range append(slices.Clone(numbers), 0, 100) {
			for _, c := range []float64{n + 1, n, n - 1, 2 * n, 1 - n, -n} {
				planes = append(planes, versus(len(m.vars), c, grammar.Equal))
			}
		}
		m.vars = append(m.vars, variable{key: k, bounds: m.boundsOf(k)})
		out = m.samples(len(m.vars)-1, planes)
		m.vars = m.vars[:len(m.vars)-1]
	}
	return out[:min(len(out), 60)]
}
