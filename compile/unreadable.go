package compile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/file"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/near"
)

// unreadable reports that expr-lang cannot parse the text.
func (a *allower) unreadable(err error) {
	fe, ok := err.(*file.Error)
	if !ok {
		a.report(code.UnreadableExpression, a.span(file.Location{To: len(a.text)}), "the expression cannot be read", "")
		return
	}
	at := a.span(fe.Location)
	if n := len(a.text) - (at.Start.Offset - a.at.Offset); at.Start == at.End && n > 0 {
		at.End = advance(at.Start, a.text[len(a.text)-n:], 1)
	}
	tok := a.text[min(at.Start.Offset-a.at.Offset, len(a.text)):min(at.End.Offset-a.at.Offset, len(a.text))]
	switch {
	case tok == "" || strings.Contains(fe.Message, "EOF") || strings.Contains(fe.Message, "unexpected end"):
		a.report(code.UnreadableExpression, at, "the expression ends too early", "")
	case tok == "=":
		a.mend(code.UnreadableExpression, at, "= is not a comparison", "did you mean ==?", "==")
	case strings.Contains(fe.Message, "literal not terminated"):
		a.report(code.UnreadableExpression, at, "the text is not closed", "write the closing quote")
	case tok[0] == '#' && a.misspeltPredicate():
	case strings.Contains(fe.Message, "unexpected token"):
		a.report(code.UnreadableExpression, at, fmt.Sprintf("%q was not expected here", tok), unexpectedHint(tok))
	case tok == ")" && predicateCall.MatchString(a.text):
		a.report(code.UnreadableExpression, at, "a condition is missing before \")\"", `write one for the members, as in any(tool_used, # == "Bash")`)
	case strings.Contains(fe.Message, "unrecognized character"):
		a.report(code.UnreadableExpression, at, fmt.Sprintf("%q means nothing here", tok), "")
	default:
		a.report(code.UnreadableExpression, at, fmt.Sprintf("the expression cannot be read at %q", tok), "")
	}
}

// unexpectedHint says what was probably meant where expr-lang did not expect tok.
func unexpectedHint(tok string) string {
	switch tok {
	case ":":
		return "a shorthand has no blank before its colon: write after_tool:Edit"
	case "contains", "startsWith", "endsWith", "matches":
		return fmt.Sprintf("it stands between its two sides: write prompt %s \"deploy\"", tok)
	case "}":
		return "write parentheses, ( and ), around a condition"
	default:
		return ""
	}
}

// predicateCall is a question about the members of a set.
var predicateCall = regexp.MustCompile(`\b(any|all|none|one)\s*\(`)

// called are the names in front of an opening parenthesis.
var called = regexp.MustCompile(`[A-Za-z_]\w*\s*\(`)

// misspeltPredicate reports Any(tool_used, # == "Bash"), of which expr-lang says only that # means nothing there.
func (a *allower) misspeltPredicate() bool {
	predicates := conditionBuiltins()
	for _, at := range called.FindAllStringIndex(a.text, -1) {
		name := strings.TrimRight(a.text[at[0]:at[1]-1], " \t\r\n")
		if slices.Contains(predicates, name) {
			continue
		}
		if near := near.Names(name, predicates); len(near) > 0 {
			r := grammar.Range{Start: advance(a.at, a.text, utf8.RuneCountInString(a.text[:at[0]]))}
			r.End = advance(r.Start, name, len(name))
			a.mend(code.UnknownFunction, r, fmt.Sprintf("there is no function %q", name), "did you mean "+near[0]+"?", near[0])
			return true
		}
	}
	return false
}
