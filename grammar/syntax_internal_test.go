package grammar

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/code"

	"github.com/google/go-cmp/cmp"
)

// The struct tags are the grammar of LANGUAGE.md; this is what participle makes of them.
func TestSyntax(t *testing.T) {
	t.Parallel()
	const want = `OrSyntax = AndSyntax (<or> AndSyntax)* .
AndSyntax = NotSyntax (<and> NotSyntax)* .
NotSyntax = <not>* (ComparisonSyntax | (<shorthand> <arg> (<comma> <arg>)*) | (<every> (<time> | (<count> <user>? <turns>))) | (<open> OrSyntax <close>) | (<constant> | <general> | <bad>)) .
ComparisonSyntax = (<value> | (<openlist> <value> (<comma> <value>)* <closelist>)) (<op> (<value> | (<openlist> <value> (<comma> <value>)* <closelist>)))? .`
	if d := cmp.Diff(want, strings.TrimSpace(parser().String())); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Our lexer is one for participle too: what it lexes is repaired, and so is always accepted.
func TestParticipleNeverRefuses(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", "a and", "((", "))", "a b c", "every", "x:", "[", "= = =", "not not",
		"turn_count > 10 or manual", "\xff", "a,", "{", "every 5 5"} {
		if _, err := parser().ParseString("", src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
		if _, err := parser().Parse("", strings.NewReader(src)); err != nil {
			t.Errorf("%q from a reader: %v", src, err)
		}
	}
}

// A stream that the operand pass could never write is an error, not a crash.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	r := &reading{src: "a a", places: newPlaces("a a"), tokens: []token{{kind: tokOr, end: 1},
		{kind: tokEnd, start: 3, end: 3}}}
	if _, ok := r.tree().(*Bad); !ok || len(r.problems) != 1 || r.problems[0].code != code.UnreadableTrigger {
		t.Errorf("%v", r.problems)
	}
}
