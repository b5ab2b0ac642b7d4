package analysis

import (
	"strings"

	"github.com/aside-go/aside/grammar"
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
	const blank = " \t\r\n"
	before := strings.TrimRight(src[:at.Start.Offset], blank)
	behind := strings.TrimLeft(src[at.End.Offset:], blank)
	for strings.HasSuffix(before, "(") && strings.HasPrefix(behind, ")") {
		before, behind = strings.TrimRight(before[:len(before)-1], blank), strings.TrimLeft(behind[1:], blank)
	}
	words := []string{","}
	switch in.(type) {
	case *grammar.And:
		words = []string{"and", "&&"}
	case *grammar.Or:
		words = []string{"or", "||"}
	}
	from, to := len(before), len(src)-len(behind)
	for _, word := range words {
		if left, ok := strings.CutSuffix(before, word); ok {
			to -= len(src[:to]) - len(strings.TrimRight(src[:to], blank))
			return &grammar.Edit{Range: between(src, len(strings.TrimRight(left, blank)), to)}
		}
	}
	for _, word := range words {
		if right, ok := strings.CutPrefix(behind, word); ok {
			from += len(src[from:]) - len(strings.TrimLeft(src[from:], blank))
			to = len(src) - len(strings.TrimLeft(right, blank))
		}
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
