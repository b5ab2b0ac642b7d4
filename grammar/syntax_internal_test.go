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
NotSyntax = <not>* ((<shorthand> <arg> (<comma> <arg>)*) | (<every> <value> ("user"? ("turns" | "turn"))?) | <bad> | (SumSyntax (<compare> SumSyntax)?)) .
SumSyntax = ProductSyntax (<add> ProductSyntax)* .
ProductSyntax = TermSyntax (<multiply> TermSyntax)* .
TermSyntax = (<add> | <not>)* ((<open> OrSyntax <close>) | (<openlist> (OrSyntax (<comma> OrSyntax)*)? <closelist>) | (<value> (<open> (ArgumentSyntax (<comma> ArgumentSyntax)*)? <close>)?)) .
ArgumentSyntax = (<openmap> OrSyntax <closemap>) | OrSyntax .`
	if d := cmp.Diff(want, strings.TrimSpace(parser().String())); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// What is left of any source when its operands were read one by one is a trigger.
func TestParticipleNeverRefuses(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", "a and", "((", "))", "a b c", "every", "x:", "[", "= = =", "not not",
		"turn_count > 10 or manual", "\xff", "a,", "{", "every 5 5"} {
		_, ds := Parse(src)
		for _, d := range ds {
			if d.Code == code.UnreadableTrigger {
				t.Errorf("%q: %v", src, d)
			}
		}
	}
}

// Our lexer is one for participle too.
func TestLexerDefinition(t *testing.T) {
	t.Parallel()
	if _, err := parser().Parse("", strings.NewReader("turn_count > 10 or manual")); err != nil {
		t.Error(err)
	}
}
