package analysis

import (
	"regexp"

	"github.com/aside-go/aside/grammar"
)

// What joins the parts of a list, of an "and" and of an "or", before a part and behind it.
var (
	ofList = joiner(`,`)
	ofAnd  = joiner(`\band\b|&&`)
	ofOr   = joiner(`\bor\b|\|\|`)
)

type joint struct{ before, behind *regexp.Regexp }

func joiner(words string) joint {
	return joint{regexp.MustCompile(`\s*(?:` + words + `)\s*$`), regexp.MustCompile(`^\s*(?:` + words + `)\s*`)}
}

var (
	opening = regexp.MustCompile(`\(\s*$`)
	closing = regexp.MustCompile(`^\s*\)`)
)

// without is the edit that leaves the part at a place out of a trigger: it, with the parentheses and the nots
// around it, and the word that joins it to the others. It is nil where nothing would be left.
func without(src string, root grammar.Expr, at grammar.Range) *grammar.Edit {
	in := around(root, at)
	for not, is := in.(*grammar.Not); is; not, is = in.(*grammar.Not) {
		at = not.Range
		in = around(root, at)
	}
	if at == root.Span() {
		return nil
	}
	from, to := at.Start.Offset, at.End.Offset
	for {
		open, shut := opening.FindStringIndex(src[:from]), closing.FindStringIndex(src[to:])
		if open == nil || shut == nil {
			break
		}
		from, to = open[0], to+shut[1]
	}
	by := ofList
	switch in.(type) {
	case *grammar.And:
		by = ofAnd
	case *grammar.Or:
		by = ofOr
	}
	if before := by.before.FindStringIndex(src[:from]); before != nil {
		from = before[0]
	} else if behind := by.behind.FindStringIndex(src[to:]); behind != nil {
		to += behind[1]
	}
	return &grammar.Edit{Range: between(src, from, to)}
}

// around is the part of x that joins the part at a place to others; nil where none does.
func around(x grammar.Expr, at grammar.Range) grammar.Expr {
	for _, k := range grammar.Operands(x) {
		if k.Span() == at {
			return x
		}
		if in := around(k, at); in != nil {
			return in
		}
	}
	return nil
}

func between(src string, from, to int) grammar.Range {
	first := grammar.Position{Line: 1, Column: 1}
	return grammar.Range{Start: first.After(src[:from]), End: first.After(src[:to])}
}
