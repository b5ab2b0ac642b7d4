package grammar

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The codes of this package. A code is never given a new meaning.
const (
	codeEmpty      = "R0101" // no condition at all
	codeLong       = "R0102" // more than MaxTrigger bytes
	codeDeep       = "R0103" // more than MaxNesting levels
	codeEncoding   = "R0104" // bytes that are no text: not UTF-8, NUL, control characters
	codeLookalike  = "R0105" // a character that only looks like one of the language
	codeCharacter  = "R0106" // a character the language has no use for
	codeUnclosed   = "R0107" // a quoted text without its closing quote
	codeEscape     = "R0108" // a backslash followed by something it does not go with
	codeNumber     = "R0109" // a number written in a way the language does not know
	codeOperator   = "R0110" // an operator written as in some other language
	codeCase       = "R0111" // a keyword in the wrong case
	codeCondition  = "R0112" // and, or, not or a parenthesis without a condition
	codeValue      = "R0113" // an operator or a comma without a value
	codeCompare    = "R0114" // two values side by side, no operator between them
	codeJoin       = "R0115" // two conditions side by side, no and/or between them
	codeUnquoted   = "R0116" // a text with blanks, not quoted
	codeOpen       = "R0117" // a parenthesis or bracket that is not closed
	codeStray      = "R0118" // a parenthesis or bracket that closes nothing
	codeConstant   = "R0119" // a value where a condition is wanted, or a comparison that reads no fact
	codeChain      = "R0120" // 1 < x < 5
	codeNegative   = "R0121" // a cadence that counts from below zero
	codeShorthand  = "R0122" // NAME: without an argument, or with more than arguments behind it
	codeCadence    = "R0123" // every without a count or a unit
	codeList       = "R0124" // a list without values, or a comma outside one
	codeLeaf       = "R0125" // a general expression of more than MaxGeneral bytes
	codeNotation   = "R0126" // 75%, 10k or 5m in a general expression
	codeComment    = "R0127" // a comment
	codeNotIn      = "R0128" // not in, with bare words
	codeStatement  = "R0129" // let, if
	codeUnreadable = "R0199" // a bug: participle refused what the operand pass had repaired
)

// problem is a diagnostic before it has lines and columns.
type problem struct {
	code       string
	start, end int
	message    string
	hint       string
	fix        *patch
}

// at returns p with its range set.
func (p problem) at(start, end int) problem {
	p.start, p.end = start, end
	return p
}

// patch is an edit before it has lines and columns.
type patch struct {
	start, end int
	text       string
}

// replace is the patch that puts text in place of t.
func replace(t token, text string) *patch { return &patch{start: t.start, end: t.end, text: text} }

// insert is the patch that puts text at an offset.
func insert(at int, text string) *patch { return &patch{start: at, end: at, text: text} }

func diagnostics(problems []problem, at *places) Diagnostics {
	if len(problems) == 0 {
		return nil
	}
	ds := make(Diagnostics, len(problems))
	for i, p := range problems {
		ds[i] = Diagnostic{Code: p.code, Severity: Error, Range: at.between(p.start, p.end), Message: p.message, Hint: oneLine(p.hint)}
		if p.fix != nil {
			ds[i].Fix = &Edit{Range: at.between(p.fix.start, p.fix.end), Text: p.fix.text}
		}
	}
	ds.Sort()
	return ds
}

// oneLine makes a hint safe to print: it may have pieces of the source in it. Line ends become blanks, and other characters
// that cannot be printed become U+FFFD.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ':
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		default:
			return r
		}
	}, s)
}

// quoted puts a piece of source into a message: in quotes, on one line, and not too long.
func quoted(s string) string {
	const most = 40
	if len(s) > most {
		cut := most
		for cut > most-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strconv.Quote(s)
}
