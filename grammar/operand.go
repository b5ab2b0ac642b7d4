package grammar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/words"
)

// repairer turns tokens that are no trigger into some that are one. It finds the beginning and the end of
// each operand, has each parsed by itself, and writes a problem and a Bad token where one is missing or
// cannot be parsed.
type repairer struct {
	*reading
	in []token
	layout
	out  []token
	open []int // parentheses around operands, by index in in
}

// repair makes the tokens such that participle takes them.
func (s *reading) repair() {
	r := &repairer{reading: s, in: s.tokens, layout: layOut(s.tokens), out: make([]token, 0, len(s.tokens)+8)}
	r.run()
	s.tokens = r.out
}

// run alternates between a place where an operand is wanted and the place behind one.
func (r *repairer) run() {
	i, wanted := 0, true
	for {
		t := r.in[i]
		switch {
		case wanted && (t.kind == tokNot || r.isGroup(i)):
			if t.kind == tokOpen {
				r.open = append(r.open, i)
			}
			r.emit(t.kind, t)
			i++
		case wanted && (t.kind == tokEnd || t.kind == tokAnd || t.kind == tokOr || t.kind == tokClose &&
			len(r.open) > 0):
			r.missingCondition(i)
			wanted = false
		case t.kind == tokClose && len(r.open) > 0:
			r.open = r.open[:len(r.open)-1]
			r.emit(tokClose, t)
			i++
		case t.kind == tokClose:
			i = r.stray(i)
		case wanted:
			i = r.operand(i)
			wanted = false
		case t.kind == tokAnd || t.kind == tokOr:
			r.emit(t.kind, t)
			i++
			wanted = true
		case t.kind == tokEnd:
			r.close()
			r.emit(tokEnd, t)
			return
		default:
			i = r.missingJoin(i)
			wanted = true
		}
	}
}

// isGroup reports whether the parenthesis at i encloses whole operands and is not the beginning of one. A
// parenthesis that is never closed counts as a group.
func (r *repairer) isGroup(i int) bool {
	if r.in[i].kind != tokOpen {
		return false
	}
	if r.match[i] < 0 {
		return true
	}
	switch next := r.match[i] + 1; r.in[next].kind {
	case tokOp, tokSign, tokOpenList, tokComma:
		return false
	default:
		return true
	}
}

func (r *repairer) emit(k kind, t token) {
	t.kind = k
	r.out = append(r.out, t)
}

// insert puts a token into the stream that is not in the source.
func (r *repairer) put(k kind, at int) {
	r.out = append(r.out, token{kind: k, start: at, end: at})
}

// missingCondition puts a Bad token before the token at i, where an operand should be.
func (r *repairer) missingCondition(i int) {
	t := r.in[i]
	p := Diagnostic{Code: code.MissingCondition, Hint: "write a condition, such as turn_count > 10"}
	switch {
	case i == 0 && t.kind == tokEnd:
		p.Code, p.Message, p.Hint = code.EmptyTrigger, "the trigger is empty", "write a condition, such as "+
			"turn_count > 10, or always"
		t.start, t.end = 0, len(r.src)
	case i > 0 && r.in[i-1].kind == tokOpen && t.kind == tokClose:
		p.Message = "there is nothing between the parentheses"
		t.start = r.in[i-1].start
	case i > 0 && (t.kind == tokEnd || t.kind == tokClose):
		t = r.in[i-1]
		p.Message = "a condition is missing after " + r.quoted(t)
	case i > 0:
		p.Message = fmt.Sprintf("a condition is missing between %s and %s", r.quoted(r.in[i-1]), r.quoted(t))
		if t.kind == r.in[i-1].kind && (t.kind == tokAnd || t.kind == tokOr) {
			p.Hint, p.Fix = "delete one of the two, or write a condition", r.edit(r.in[i-1].end, t.end, "")
		}
	default:
		p.Message = "a condition is missing before " + r.quoted(t)
	}
	r.report(t, p)
	at := r.in[i].start
	if i > 0 && r.in[i].kind == tokEnd {
		at = r.in[i-1].end
	}
	r.put(tokBad, at)
}

// missingJoin puts an And before the token at i, which begins a second operand right behind the first, or in
// its place where it is a word for one. It returns where the second operand begins.
func (r *repairer) missingJoin(i int) int {
	t := r.in[i]
	switch join := r.joinOf(t); {
	case join != "":
		r.instead(t, code.MissingAnd, r.quoted(t)+" does not join conditions", join)
		i++
	case t.kind != tokUnknown:
		r.mistake(t, code.MissingAnd, fmt.Sprintf(`"and" or "or" is missing before %s`, r.quoted(t)),
			"join conditions with and / or; quote text that has blanks")
	}
	r.put(tokAnd, t.start)
	return i
}

// joinOf is the and or or that a word is meant to be; "" if it is none, or more than that, as unless is.
func (r *repairer) joinOf(t token) string {
	if t.kind != tokWord || words.Of(words.Unseen, r.text(t)) != "" {
		return ""
	}
	return words.Of(words.Join, r.text(t))
}

// stray drops the closing parentheses at i that close nothing, and returns the index after them.
func (r *repairer) stray(i int) int {
	run := r.in[i]
	for i++; r.in[i].kind == tokClose; i++ {
		run.end = r.in[i].end
	}
	r.mistake(run, code.StrayBracket, "this parenthesis closes nothing", "delete it").Fix = r.replace(run, "")
	return i
}

// close closes the parentheses that are still open at the end.
func (r *repairer) close() {
	n := len(r.open)
	if n == 0 {
		return
	}
	at := r.in[len(r.in)-2].end
	p := Diagnostic{Code: code.UnclosedBracket, Message: "the parenthesis is not closed",
		Hint: "put ) where it ends"}
	if n > 1 {
		p.Message = fmt.Sprintf("%d parentheses are not closed, this is the first", n)
		p.Hint = "put a ) where each of them ends"
	}
	// Behind a text that is not closed a parenthesis would be part of it, behind another bracket that one's.
	if r.in[len(r.in)-2].kind != tokUnknown && r.unclosed == n {
		p.Fix = r.insert(at, strings.Repeat(")", n))
	}
	r.report(r.in[r.open[0]], p)
	for range n {
		r.put(tokClose, at)
	}
	r.open = nil
}

// operand reads the operand that begins at i, and returns where it ends.
func (r *repairer) operand(i int) int {
	end := r.ends[i]
	if end == i { // a closing parenthesis that is nobody's: run drops it
		end++
	}
	for _, t := range r.in[i:end] {
		if t.kind == tokUnknown {
			r.statement(i, end)
			return r.bad(i, end)
		}
	}
	if r.in[i].kind == tokEvery {
		return r.every(i, end)
	}
	if ts := r.in[i:end]; r.statement(i, end) || r.barePattern(ts) {
		return r.bad(i, end)
	}
	return r.alone(i, end)
}

// alone parses the operand in[i:end] by itself, and returns where it ends, which may be before end.
func (r *repairer) alone(i, end int) int {
	ts := r.in[i:end]
	readable := r.in[i:min(r.beside(i+1, end)+1, end)] // no more: that would take quadratic time
	last := token{kind: tokEnd, start: ts[len(ts)-1].end, end: ts[len(ts)-1].end}
	_, at, err := parse(r.src, append(readable[:len(readable):len(readable)], last))
	if err == nil {
		r.out = append(r.out, ts...)
		return end
	}
	s := slipOf(ts, at, r.src)
	if s.what == slipSide && s.inner < 0 {
		if next, ok := r.split(i, i+s.at, end); ok {
			return next
		}
		return r.bad(i, end)
	}
	r.explain(ts, s)
	if s.what == slipOther && s.inner < 0 { // what stands behind the next value may be a condition
		end = r.beside(i+at+1, end)
	}
	return r.bad(i, end)
}

// beside returns the first place from j on where a value stands right behind another, outside brackets; end
// where none does.
func (r *repairer) beside(j, end int) int {
	for j < end && !(r.in[j].kind.isValue() && r.in[j-1].kind.endsValue()) {
		j = max(j, r.match[j]) + 1
	}
	return min(j, end)
}

// openers are words with which people begin a condition, and which say nothing that the key before it does
// not.
var openers = []string{"if", "on", "once", "upon", "when", "whenever", "while"}

// statement reports let and if, which begin what a trigger cannot be, and other
// words that begin none.
func (r *repairer) statement(i, end int) bool {
	word := r.in[i]
	if word.kind != tokWord || i+1 >= end {
		return false
	}
	next := r.in[i+1].kind
	block := next == tokOpen && r.match[i+1] > 0 && r.in[r.match[i+1]+1].kind == tokOpenMap
	opens := next == tokWord || next == tokNot || next == tokShorthand || next == tokEvery
	switch name := strings.ToLower(r.text(word)); {
	case name == "let":
		if next != tokWord {
			return false
		}
		r.mistake(word, code.StatementWord, "let is not allowed in a trigger", "write the expression out")
	case name == "if" && (block || slices.ContainsFunc(r.in[i:end],
		func(t token) bool { return t.kind == tokOpenMap })):
		r.mistake(word, code.StatementWord, "if is not allowed in a trigger", "write it with and, or, not")
	case name == "unless" && opens:
		r.instead(word, code.StatementWord, r.quoted(word)+" is not part of a condition", "not")
	case slices.Contains(openers, name) && opens:
		r.mistake(word, code.StatementWord, r.quoted(word)+" is not part of a condition", "leave it out").Fix =
			r.edit(word.start, r.in[i+1].start, "")
	default:
		return false
	}
	return true
}

// bad puts one Bad token in place of the operand in[i:end].
func (r *repairer) bad(i, end int) int {
	r.out = append(r.out, token{kind: tokBad, start: r.in[i].start, end: r.in[end-1].end})
	return end
}

// split is called where in[j] begins a value directly behind another, both of the operand in[i:end]. If two
// conditions stand side by side it reads the first, and returns j. If it is one condition written wrongly, it
// says so.
func (r *repairer) split(i, j, end int) (int, bool) {
	left, right := r.in[i:j], r.in[j:end]
	second := right[0]
	switch {
	case left[len(left)-1].kind == tokArg && second.kind == tokOpen && left[len(left)-1].end == second.start:
		r.argument(second)
		return 0, false
	case left[len(left)-1].kind == tokArg && second.kind == tokOpen && r.looseSubject(left, second):
		return 0, false
	case len(left) == 1 && left[0].kind == tokWord && r.missesOperator(left[0], right):
		r.missingOperator(left[0], right)
		return 0, false
	case r.spelledUnit(left, right):
		return 0, false
	case r.isUnquoted(left, right):
		text := token{start: left[2].start, end: right[len(right)-1].end}
		r.instead(text, code.UnquotedText, "text with blanks is quoted", quote(r.text(text)))
		return 0, false
	default:
		return r.alone(i, j), true
	}
}

// looseSubject reports a blank before the parenthesis of a call pattern, after_tool:Bash (git push*), and
// whether it is one: what stands in the parentheses is not a condition.
func (r *repairer) looseSubject(left []token, open token) bool {
	name := strings.TrimSuffix(r.text(left[0]), ":")
	n := parenthesised(r.src[open.start:])
	if n == 0 || name != "after_tool" && name != "before_tool" && name != "tool_failed" {
		return false
	}
	if _, wrong := Parse(r.src[open.start+1 : open.start+n-1]); !wrong.HasErrors() {
		return false
	}
	blank := token{start: left[len(left)-1].end, end: open.start}
	r.mistake(token{start: blank.start, end: open.start + n}, code.ShorthandForm,
		"no blank stands before the parenthesis of a call pattern", "delete it").Fix = r.replace(blank, "")
	return true
}

// argument reports an argument of a shorthand that goes on with a parenthesis and is not a call pattern.
func (r *repairer) argument(open token) {
	if n := parenthesised(r.src[open.start:]); n > 0 {
		rest := token{start: open.start + n, end: open.start + n}
		rest.end += rawArg(r.src[rest.start:])
		r.mistake(rest, code.ShorthandForm, "a call pattern ends with its closing parenthesis",
			"write a comma before the next one, or a blank and and, or or")
		return
	}
	r.mistake(open, code.UnclosedBracket, "the parenthesis of the call pattern is not closed",
		"put ) where it ends, as in after_tool:Bash(git push*)")
}

// missesOperator reports whether the word before right is one side of a comparison rather than a condition.
func (r *repairer) missesOperator(word token, right []token) bool {
	if isConstant(r.text(word)) || r.joinOf(right[0]) != "" || right[0].kind == tokNot ||
		right[0].kind == tokOpen || right[0].kind == tokShorthand {
		return false
	}
	return len(right) == 1 || right[1].kind != tokOp || nearSign(r.text(right[0])) != ""
}

// isUnquoted reports whether left and right together are FACT == SEVERAL BARE WORDS.
func (r *repairer) isUnquoted(left, right []token) bool {
	if len(left) != 3 || left[0].kind != tokWord || left[1].kind != tokOp || left[2].kind != tokWord {
		return false
	}
	if left[1].op.ordering() {
		return false
	}
	counts := false
	for _, t := range right {
		counts = counts || t.kind.isNumber()
		if t.kind != tokWord && !t.kind.isNumber() {
			return false
		}
	}
	tail := counts && words.Of(words.Unseen, r.text(right[0])) != "" // FACT == WORD for 3 turns
	return !tail && r.joinOf(right[0]) == ""
}
