package grammar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/vocabulary"
	"github.com/aside-go/aside/internal/words"
)

// explain reports a slip of the operand ts, other than two conditions side by side.
func (r *repairer) explain(ts []token, s slip) {
	for _, t := range ts {
		if t.reported && s.what != slipUnclosed {
			return // the mistake reported already may be the cause of the slip
		}
	}
	switch s.what {
	case slipSide:
		r.explainSide(ts, s)
	case slipNoValue:
		r.explainNoValue(ts, s.at)
	case slipComma:
		r.explainComma(ts, s.at)
	case slipStray:
		run := ts[s.at]
		for i := s.at + 1; i < len(ts) && ts[i].kind == run.kind; i++ {
			run.end = ts[i].end
		}
		p := r.mistake(run, code.StrayBracket, r.quoted(ts[s.at])+" closes nothing", "delete it")
		p.Fix = r.replace(run, "")
	case slipUnclosed:
		r.explainUnclosed(ts, s)
	case slipChain:
		r.explainChain(ts, s.at)
	case slipComment:
		r.explainComment(ts[s.at])
	default:
		if ts[0].kind == tokShorthand {
			r.mistake(ts[s.at], code.ShorthandForm, quoted(r.text(ts[0])+r.text(ts[1]))+" is a whole condition",
				"join it with others by and / or; quote an argument that has other characters")
		} else if !r.otherBrackets(ts) {
			r.problems = append(r.problems, *r.unexpected(ts, s.at))
		}
	}
}

// explainComment is for a comment, which goes to the end of its line or to */.
func (r *repairer) explainComment(sign token) {
	closing := "\n"
	if r.text(sign) == "/*" {
		closing = "*/"
	}
	end := len(r.src)
	if n := strings.Index(r.src[sign.end:], closing); n >= 0 {
		end = sign.end + n + len(strings.TrimSpace(closing))
	}
	fix := r.edit(sign.start, end, "")
	fix.Unsafe = true // it drops words of the author
	r.mistake(sign, code.CommentInTrigger, "a trigger has no comments", "put it into the description").Fix = fix
}

// explainSide is for values side by side where no two conditions can be meant.
func (r *repairer) explainSide(ts []token, s slip) {
	t := ts[s.at]
	if s.inner >= 0 && ts[s.inner].kind == tokOpenList && t.kind == tokWord && ts[s.at-1].kind == tokWord {
		text := token{start: ts[s.at-1].start, end: t.end}
		items := r.text(ts[s.at-1])
		i := s.at
		for ; i < len(ts) && ts[i].kind == tokWord; i++ {
			text.end = ts[i].end
			items += ", " + r.text(ts[i])
		}
		if s.inner == s.at-2 && i < len(ts) && ts[i].kind == tokCloseList { // [plan explore]
			r.instead(text, code.ListForm, "a comma is missing in the list", items)
		} else {
			r.instead(text, code.UnquotedText, "text with blanks is quoted", quote(r.text(text)))
		}
		return
	}
	r.mistake(t, code.MissingOperator, "an operator or a comma is missing before "+r.quoted(t),
		"write what joins it with the value before it")
}

// explainNoValue is for a value that is missing before ts[at], or at the end.
func (r *repairer) explainNoValue(ts []token, at int) {
	if at == 0 {
		p := Diagnostic{Code: code.MissingValue, Message: "a value is missing before " + r.quoted(ts[0]),
			Hint: "write a fact before it, as in turn_count > 10"}
		if fact := r.continued(ts[0]); fact != "" { // FACT > A and < B
			p.Hint = "write " + fact + " " + r.text(token{start: ts[0].start, end: ts[len(ts)-1].end})
			p.Fix = r.insert(ts[0].start, fact+" ")
		}
		r.report(ts[0], p)
		return
	}
	before := ts[at-1]
	switch {
	case r.explainNoArgument(ts, at), r.explainLoosePercent(ts, at),
		at < len(ts) && r.explainWildcard(ts, at):
	case at < len(ts) && before.kind == tokComma && ts[at].kind == tokCloseList:
		r.mistake(before, code.ListForm, "nothing follows the comma", "delete it").Fix = r.replace(before, "")
	case at < len(ts):
		p := Diagnostic{Code: code.MissingValue,
			Message: fmt.Sprintf("a value is missing between %s and %s", r.quoted(before), r.quoted(ts[at]))}
		p.Hint = "write one, or delete one of the two"
		if before.kind == tokComma && ts[at].kind == tokComma {
			p.Hint, p.Fix = "delete one of the two, or write a value", r.replace(ts[at], "")
		}
		r.report(ts[at], p)
	default:
		example := "turn_count > 10"
		if before.kind == tokSign && before.joins(r.src) {
			example = "prompt " + r.text(before) + ` "deploy"`
		}
		r.mistake(before, code.MissingValue, "a value is missing after "+r.quoted(before),
			"write what is compared, as in "+example)
	}
}

// continued returns the fact of the comparison before t, which begins as if that one went on; "" where it
// does not.
func (r *repairer) continued(t token) string {
	i, _ := slices.BinarySearchFunc(r.in, t.start, func(t token, at int) int { return t.start - at })
	if t.kind == tokWord && !slices.Contains(wordSigns, r.text(t)) {
		return ""
	}
	fact, _ := r.comparisonBefore(i)
	return fact
}

// explainNoArgument is for a shorthand that lacks an argument before ts[at]. It reports whether it is one.
func (r *repairer) explainNoArgument(ts []token, at int) bool {
	before := ts[at-1]
	awaited := before.kind == tokShorthand || before.kind == tokComma && shorthandBefore(ts[:at-1])
	if ts[0].kind != tokShorthand || !awaited {
		return false
	}
	p := Diagnostic{Code: code.ShorthandForm, Message: "an argument is missing after " + r.quoted(before)}
	p.Hint = "write it behind the colon, as in after_tool:Edit or turn_gt:20"
	if before.kind == tokComma {
		p.Hint, p.Fix = "delete the comma, or write another argument", r.dropCommas(ts, at-1)
	}
	r.report(before, p)
	return true
}

// explainLoosePercent is for 75 %, where the % is an operator. It reports whether that
// stands before ts[at].
func (r *repairer) explainLoosePercent(ts []token, at int) bool {
	if at < 2 || r.text(ts[at-1]) != "%" {
		return false
	}
	number, percent := ts[at-2], ts[at-1]
	if number.kind != tokWhole && number.kind != tokDecimal || number.end == percent.start {
		return false
	}
	blank := token{start: number.end, end: percent.start}
	r.mistake(percent, code.MissingValue, "a value is missing after \"%\"",
		"a percentage is written without a blank").Fix = r.replace(blank, "")
	return true
}

// explainWildcard is for a name that begins with *, which has to be quoted. It reports whether one begins at
// ts[at].
func (r *repairer) explainWildcard(ts []token, at int) bool {
	switch ts[at-1].kind {
	case tokOp, tokOpenList, tokComma:
	default:
		return false
	}
	if r.text(ts[at]) != "*" {
		return false
	}
	name := ts[at]
	for i := at + 1; i < len(ts) && ts[i].start == name.end && (ts[i].kind == tokWord ||
		r.text(ts[i]) == "*"); i++ {
		name.end = ts[i].end
	}
	r.instead(name, code.UnquotedText, "a name that begins with * is quoted", quote(r.text(name)))
	return true
}

// dropCommas deletes the commas of a shorthand from ts[at] on that have no argument after them.
func (r *repairer) dropCommas(ts []token, at int) *Edit {
	end := at
	for end < len(ts) && ts[end].kind == tokComma {
		end++
	}
	if end < len(ts) && ts[end].kind == tokArg {
		end--
	}
	return r.edit(ts[at].start, ts[end-1].end, "")
}

// explainComma is for a comma outside brackets.
func (r *repairer) explainComma(ts []token, at int) {
	p := Diagnostic{Code: code.ListForm, Message: "only lists and calls have commas",
		Hint: "write in [a, b] for one of several; conditions are joined with and, or"}
	whole := at == 3 && ts[1].kind == tokOp && isLiteral(ts[0].kind)
	for i := 2; i < len(ts); i++ {
		whole = whole && (i%2 == 0 && isLiteral(ts[i].kind) || i%2 == 1 && ts[i].kind == tokComma)
	}
	if whole && len(ts)%2 == 1 && !ts[1].op.ordering() {
		values := r.src[ts[2].start:ts[len(ts)-1].end]
		p.Hint = fmt.Sprintf("write in [%s]", values)
		p.Fix = r.edit(ts[1].start, ts[len(ts)-1].end, fmt.Sprintf("in [%s]", values))
	}
	if p.Fix == nil && at >= 2 && ts[at-2].op.ordering() && at+1 < len(ts) &&
		r.explainDigits(ts[at-1:]) {
		return
	}
	if at >= 2 && ts[at-2].op.ordering() && at+1 < len(ts) && ts[at+1].kind.isNumber() {
		p.Hint = "compare one value; each other one is a reminder of its own"
	}
	r.report(ts[at], p)
}

// explainDigits is for the comma in 0,75 and those in 1,000,000 and $1,000.50: before three digits one groups
// them, unless nothing but 0 stands before it. ts begins with the number. It reports whether it is one of the
// two.
func (r *repairer) explainDigits(ts []token) bool {
	whole, plain, n := r.text(ts[0]), r.text(ts[0]), 1
	for n+1 < len(ts) && ts[n-1].end+1 == ts[n+1].start && ts[n].kind == tokComma &&
		digitsOf(r.text(ts[n+1])) == 3 && whole != "0" {
		plain += r.text(ts[n+1])
		n += 2
	}
	if n == 1 {
		if len(ts) < 3 || ts[0].end+1 != ts[2].start || strings.Contains(r.text(ts[2]), ".") {
			return false
		}
		plain, n = whole+"."+r.text(ts[2]), 3
	}
	number := token{start: ts[0].start, end: ts[n-1].end}
	if !isDigits(strings.TrimPrefix(whole, "$")) || !ts[n-1].kind.isNumber() {
		return false
	}
	if _, wrong := readNumber(plain); wrong != nil {
		return false
	}
	r.instead(number, code.ListForm, "a number has no comma", plain)
	return true
}

// explainUnclosed is for brackets that are open where ts[s.at] closes another one, or at the end.
func (r *repairer) explainUnclosed(ts []token, s slip) {
	var closing strings.Builder
	for i := len(s.open) - 1; i >= 0; i-- {
		closing.WriteString(ts[s.open[i]].kind.closer())
	}
	t := ts[s.open[0]]
	r.mistake(t, code.UnclosedBracket, r.quoted(t)+" is not closed",
		fmt.Sprintf("put %s where it ends", t.kind.closer())).Fix = r.insert(ts[s.at-1].end, closing.String())
}

func (r *repairer) explainChain(ts []token, at int) {
	p := Diagnostic{Code: code.ChainedComparison, Message: "comparisons cannot be chained",
		Hint: "join two comparisons with and"}
	if at+1 < len(ts) && ts[at+1].kind == tokBool { // turn_count > 3 == true
		first := token{start: ts[0].start, end: ts[at-1].end}
		p.Hint, p.Fix = "put the first in parentheses", r.replace(first, "("+r.text(first)+")")
	} else if middle := ts[at-1]; middle.kind.isValue() && middle.end-ts[0].start < 40 {
		again := middle // the operand of both comparisons
		if at == 3 && ts[0].kind == tokWord && middle.kind != tokWord {
			again = ts[0]
		}
		p.Hint = fmt.Sprintf("write %s and %s %s …", r.src[ts[0].start:middle.end], r.text(again), r.text(ts[at]))
		if at == 3 && len(ts) == 5 {
			p.Hint = strings.Replace(p.Hint, "…", r.text(ts[4]), 1)
		}
		p.Fix = r.insert(middle.end, " and "+r.text(again))
	}
	r.report(ts[at], p)
}

func (r *repairer) missingOperator(word token, right []token) {
	t := right[0]
	if fact := r.continued(word); fact != "" && t.kind == tokText { // FACT contains A or contains B
		r.mistake(word, code.MissingValue, "a value is missing before "+r.quoted(word),
			"write "+fact+" "+r.text(token{start: word.start, end: t.end})).Fix = r.insert(word.start, fact+" ")
		return
	}
	if strings.EqualFold(r.text(t), "between") {
		r.mistake(t, code.MissingOperator, r.quoted(t)+" is not an operator",
			fmt.Sprintf("join two comparisons with and, as in %s >= 3 and %s <= 5", r.text(word), r.text(word)))
		return
	}
	p := Diagnostic{Code: code.MissingOperator,
		Message: fmt.Sprintf("an operator is missing between %s and %s", r.quoted(word), r.quoted(t))}
	if len(right) == 1 && vocabulary.Find(vocabulary.Shorthands(), r.text(word)) != nil {
		p.Code, p.Message = code.ShorthandForm, "a colon is missing behind "+r.quoted(word)
		p.Hint, p.Fix = fmt.Sprintf("write %s:%s", r.text(word),
			r.text(t)), r.edit(word.end, t.start, ":")
		r.report(token{start: word.start, end: t.end}, p)
		return
	}
	fn := vocabulary.Find(vocabulary.Functions(), r.text(word))
	if len(right) == 1 && t.kind == tokText && fn != nil && fn.Texts == 1 {
		call := r.text(word) + "(" + r.text(t) + ")"
		p.Message = "the parentheses of a call are missing"
		p.Hint, p.Fix = "write "+call, r.edit(word.start, t.end, call)
		r.report(token{start: word.start, end: t.end}, p)
		return
	}
	sign := nearSign(r.text(t))
	if len(right) > 2 {
		if two := words.Of(words.Operator, r.text(t)+" "+r.text(right[1])); two != "" {
			sign, t.end = two, right[1].end
		}
	}
	switch {
	case len(right) == 1:
		p.Hint, p.Fix = fmt.Sprintf("write %s == %s", r.text(word), r.text(t)), r.insert(t.start, "== ")
	case sign != "":
		p.Message = r.quoted(t) + " is not an operator"
		p.Hint, p.Fix = fmt.Sprintf("did you mean %s?", sign), r.replace(t, sign)
	default:
		p.Hint = "write one of == != < <= > >= in, not in; quote text that has blanks"
	}
	r.report(t, p)
}

// nearSign is the operator that the word text was meant to be.
func nearSign(text string) string {
	if sign := words.Of(words.Operator, text); sign != "" {
		return sign
	}
	if near := near.Names(text, append([]string{"in", "and", "or"}, wordSigns...)); len(near) > 0 {
		return near[0]
	}
	return ""
}

// refused are the signs that people write, and this language does not have.
var refused = map[string][2]string{
	"?":  {"a choice with ? or if", "write it with and, or, not"},
	"??": {"??", "an unknown fact makes the whole expression unknown"},
	"?.": {"?.", "a fact is a plain word"}, "..": {"a range, x..y,", "use in with a list, or two comparisons"},
	"**": {"a power", "write the multiplication out"},
	"^":  {"a power", "write the multiplication out"},
	"[":  {"an index", "use len, in, any or all"},
	"{":  {"a map", "write parentheses, ( and ), around a condition"},
}

// unexpected says what is wrong with the token at i, where an expression cannot go on with it.
func (r *reading) unexpected(ts []token, i int) *Diagnostic {
	t := ts[i]
	text := r.text(t)
	p := &Diagnostic{Code: code.UnreadableExpression, Range: r.between(t.start, t.end),
		Message: quoted(text) + " was not expected here", Hint: "write a condition, such as turn_count > 10"}
	refusal, isRefused := refused[text]
	switch {
	case t.kind == tokEnd:
		p.Message = "the expression ends too early"
	case isRefused:
		p.Code, p.Message, p.Hint = code.NotAllowed, refusal[0]+" is not allowed in a trigger", refusal[1]
		colon := func(t token) bool { return r.text(t) == ":" }
		if text == "[" && slices.ContainsFunc(ts[i:min(i+4, len(ts))], colon) { // prompt[0:3]
			p.Message, p.Hint = "a part of a text is not allowed in a trigger", "use startsWith or endsWith"
		}
	case t.kind == tokOp && !t.op.Membership():
		p.Code, p.Message = code.NotAllowed, "a chained comparison is not allowed in a trigger"
		p.Hint = "write both comparisons, joined with and"
	case t.kind == tokNot && ts[i+1].joins(r.src): // prompt !contains "x"
		p.Hint, p.Fix = "write not "+r.text(ts[i+1]), r.replace(t, "not ")
	case text == ":" && i > 0 && ts[i-1].kind.isNumber():
		p.Message, p.Hint = "a time of the day is not written in a trigger",
			"compare the hour, as in hour >= 22; a length of time is written 2h30m"
	case text == ":":
		p.Hint = "a shorthand has no blank before its colon: write after_tool:Edit"
	case text == "." && i > 0 && ts[i-1].kind.endsValue():
		p.Code, p.Message = code.NotAllowed, "a field is not allowed in a trigger"
		p.Hint = "the only names with a dot are those of declared facts, vars.NAME"
	case text == ".":
		p.Hint = "a field stands inside any, all, none, one or count: any(calls, .tool == \"Bash\")"
	case text == "}":
		p.Hint = "write parentheses, ( and ), around a condition"
	case text == "contains" || text == "startsWith" || text == "endsWith" || text == "matches":
		p.Hint = fmt.Sprintf("it stands between its two sides: write prompt %s \"deploy\"", text)
	case text == ")":
		p.Message = `a condition is missing before ")"`
	}
	return p
}
