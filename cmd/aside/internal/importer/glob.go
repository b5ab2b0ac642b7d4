package importer

import (
	"regexp/syntax"
	"slices"
	"strings"
)

const (
	begin = "\x02" // the beginning of the text
	end   = "\x03"

	mostGlobs = 24
)

// globs returns patterns with * that together match the texts that a regular expression finds; wider says
// that they match more. ok is false where there are none of use: the expression cannot be read, or nothing
// but * is left of it.
func globs(re string) (list []string, wider, ok bool) {
	tree, err := syntax.Parse(re, syntax.Perl)
	if err != nil {
		return nil, false, false
	}
	var x expansion
	all := x.expand(tree)
	if len(all) > mostGlobs {
		return nil, false, false
	}
	for _, s := range all {
		if !strings.HasPrefix(s, begin) {
			s = "*" + s
		}
		if !strings.HasSuffix(s, end) {
			s += "*"
		}
		s = strings.NewReplacer(begin, "", end, "").Replace(s)
		for strings.Contains(s, "**") || strings.Contains(s, "  ") {
			s = strings.NewReplacer("**", "*", "  ", " ").Replace(s)
		}
		if strings.Trim(s, "* ") == "" {
			return nil, false, false
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, x.wider, len(list) > 0
}

// expansion makes patterns of an expression.
type expansion struct{ wider bool }

// expand returns patterns for an expression, more than mostGlobs where there are too many.
func (x *expansion) expand(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpEmptyMatch:
		return []string{""}
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		x.wider = true
		return []string{""}
	case syntax.OpBeginLine, syntax.OpBeginText:
		return []string{begin}
	case syntax.OpEndLine, syntax.OpEndText:
		return []string{end}
	case syntax.OpCapture:
		return x.expand(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, x.expand(sub)...)
		}
		return all
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			var next []string
			for _, a := range all {
				for _, b := range x.expand(sub) {
					if next = append(next, a+b); len(next) > mostGlobs {
						return next
					}
				}
			}
			all = next
		}
		return all
	case syntax.OpCharClass:
		if blank(re) {
			return []string{" "}
		}
		var all []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] > 3 || len(all) > 3 {
				x.wider = true
				return []string{"*"}
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				all = append(all, string(r))
			}
		}
		return all
	case syntax.OpQuest:
		return append([]string{""}, x.expand(re.Sub[0])...)
	case syntax.OpPlus:
		if blank(re.Sub[0]) {
			return []string{" "}
		}
	case syntax.OpStar:
		if blank(re.Sub[0]) {
			return []string{"", " "}
		}
		if op := re.Sub[0].Op; op == syntax.OpAnyChar || op == syntax.OpAnyCharNotNL {
			return []string{"*"}
		}
	}
	x.wider = true
	return []string{"*"}
}

// blank reports whether an expression is a class of blanks.
func blank(re *syntax.Regexp) bool {
	return re.Op == syntax.OpCharClass && len(re.Rune) > 0 &&
		!slices.ContainsFunc(re.Rune, func(r rune) bool { return !strings.ContainsRune(" \t\n\v\f\r", r) })
}
