package compile

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/aside-go/aside/grammar"
)

// setOperator compares a set with a text or a list by its members, as the grammar does outside expressions.
// It reports false if n does something else. l and r are the kinds of its sides.
func (a *exprChecker) setOperator(n *ast.BinaryNode, l, r kind) (k kind, is bool) {
	set, other := n.Left, n.Right
	op, ok := map[string]grammar.Op{"==": grammar.Equal, "!=": grammar.NotEqual}[n.Operator]
	switch {
	case ok && r == kindSet:
		set, other = other, set
	case ok && l == kindSet:
	case n.Operator == "in" && l == kindSet && r == kindStrings:
		op = grammar.In
	case n.Operator == "in" && r == kindSet:
		set, other, op = other, set, grammar.Equal
	case l == kindSet && slices.Contains([]string{"contains", "startsWith", "endsWith", "matches"}, n.Operator):
		text, quoted := other.(*ast.StringNode)
		ft, ok := a.listFact(set)
		if !ok || !quoted {
			return kindWrong, false
		}
		l, err := memberLike(ft.ID, n.Operator, text.Value)
		if err != nil {
			return kindWrong, false
		}
		t := leafTerm(n.String(), l)
		a.stand(n, input{key: t.Text, term: t})
		return kindTruth, true
	default:
		return kindWrong, false
	}
	ft, ok := a.listFact(set)
	operands, literal := a.operands(other)
	if !ok || !literal {
		return kindWrong, false
	}
	leaf := a.texts(ft, op, operands)
	if leaf == nil {
		return kindWrong, true
	}
	t := leafTerm(n.String(), leaf)
	a.stand(n, input{key: t.Text, term: t})
	return kindTruth, true
}

// operands returns the quoted texts that n is; ok is false if it is anything else.
func (a *exprChecker) operands(n ast.Node) (list []grammar.Operand, ok bool) {
	nodes := []ast.Node{n}
	if l, ok := n.(*ast.ArrayNode); ok {
		nodes = l.Nodes
	}
	for _, n := range nodes {
		s, ok := n.(*ast.StringNode)
		if !ok {
			return nil, false
		}
		list = append(list, grammar.Operand{Kind: grammar.String, Text: s.Value, Range: a.span(s.Location())})
	}
	return list, true
}

// maskPatterns returns an expression in which x stands for each character of the patterns behind matches,
// and these patterns by the place at which each stands, in characters. Their backslashes are their own, and
// expr-lang would take them for escapes.
func maskPatterns(text string) (masked string, patterns map[int]string) {
	if !strings.Contains(text, "matches") {
		return text, nil
	}
	var b strings.Builder
	behind := false // matches stands before
	for i := 0; i < len(text); {
		c, n := text[i], 1
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			b.WriteByte(c)
			i++
			continue
		case c == '"' || c == '\'':
			n = quotedLen(text[i:])
			if behind && n >= 2 {
				if patterns == nil {
					patterns = map[int]string{}
				}
				inner := text[i+1 : i+n-1]
				patterns[utf8.RuneCountInString(text[:i])] = patternOf(inner)
				b.WriteByte(c)
				b.WriteString(strings.Repeat("x", utf8.RuneCountInString(inner)))
				b.WriteByte(c)
				behind = false
				i += n
				continue
			}
		case c == '`':
			if end := strings.IndexByte(text[i+1:], '`'); end >= 0 {
				n = end + 2
			}
		default:
			for i+n < len(text) && isWordByte(c) && isWordByte(text[i+n]) {
				n++
			}
		}
		behind = text[i:i+n] == "matches"
		b.WriteString(text[i : i+n])
		i += n
	}
	return b.String(), patterns
}

// quotedLen returns how long the quoted text is that s begins with; 1 if it is not closed.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return 1
}

// patternOf returns the pattern that is written between quotes: a backslash before a backslash or a quote
// stands for these, every other one is the pattern's own.
func patternOf(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\\"'", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
