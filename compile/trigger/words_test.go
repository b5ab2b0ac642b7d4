package trigger_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/internal/words"
)

// TestWords: what the file of words leads to exists: facts, functions, classes, and lines that compile.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, m := range words.All() {
		line := m.Text
		switch m.Kind {
		case words.Fact:
			if _, ok := fact.Builtin().Lookup(m.Name()); !ok && m.Name() != "stopping" {
				t.Errorf("there is no fact %q", m.Name())
			}
			if line == "calls" {
				continue
			}
		case words.Function:
			if _, ds := trigger.Compile(line+"()", nil); slices.ContainsFunc(ds, func(d grammar.Diagnostic) bool {
				return d.Code == code.UnknownFunction || d.Code == code.UnknownName
			}) {
				t.Errorf("there is no function %q", line)
			}
			continue
		case words.Class:
			line = "after_tool:@" + line
		case "call", words.Tool:
			line = "after_tool:" + line
		case "line", "recipe":
		default:
			continue
		}
		if _, ds := trigger.Compile(line, nil); ds.HasErrors() {
			t.Errorf("%s %v: %v", m.Kind, m.Words, ds)
		}
	}
}

// TestLinesCompile: a line that a hint shows compiles, whatever the trigger is.
func TestLinesCompile(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "before ", "after ", "no ", "every ", "many ", "not used ", "5 ",
		"over 80% "} {
		for i, m := range words.All() {
			for k, w := range m.Words {
				if !testkit.Thorough() && (i+k)%5 > 0 {
					continue
				}
				_, ds := trigger.Compile(before+w, nil)
				for _, d := range ds {
					before, given, ok := strings.Cut(d.Hint, "`")
					if !ok || before != "write one of " && before != "the nearest are " {
						continue
					}
					for line := range strings.SplitSeq(given[:strings.LastIndex(given, "`")], "`") {
						if line == ", " || line == " or " {
							continue
						}
						if _, wrong := trigger.Compile(line, nil); wrong.HasErrors() {
							t.Errorf("%q: %q: %v", before+w, line, wrong)
						}
					}
				}
			}
		}
	}
}
