package grammar_test

import (
	"strings"

	"github.com/aside-go/aside/grammar"
)

// walk calls f for x and everything in it.
func walk(x grammar.Expr, f func(grammar.Expr)) {
	f(x)
	var parts []grammar.Expr
	switch x := x.(type) {
	case *grammar.Or:
		parts = x.Terms
	case *grammar.And:
		parts = x.Terms
	case *grammar.Not:
		parts = []grammar.Expr{x.X}
	}
	for _, p := range parts {
		walk(p, f)
	}
}

// marked takes « and » out of src and returns where they stood.
func marked(src string) (start, end int, plain string) {
	before, rest, _ := strings.Cut(src, "«")
	middle, after, _ := strings.Cut(rest, "»")
	return len(before), len(before) + len(middle), before + middle + after
}

func trimmed(s string) string { return strings.TrimSpace(s) }
