package callpattern_test

import (
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

var _ fact.Pattern = (*callpattern.Pattern)(nil)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Edit": "Edit", " Edit ": "Edit", "mcp__**": "mcp__*", "*": "*", "@shell": "@shell",
		"@shell( x)": "@shell( x)", "Bash (git push*)": "Bash(git push*)", "Bash(echo (a))": "Bash(echo (a))",
	} {
		p, m := callpattern.Parse(text)
		if m != nil {
			t.Errorf("Parse(%q): %v", text, m)
		} else if p.String() != want {
			t.Errorf("Parse(%q) = %v, want %s", text, p, want)
		}
	}
}
