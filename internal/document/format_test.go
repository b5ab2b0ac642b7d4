package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

func TestFormatSource(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, src, want string }{ // of a front matter or of YAML alike
		{"nothing to do", "# why\nwhen: compacted   # yes\n", "# why\nwhen: compacted   # yes\n"},
		{"no trigger", "tier:   safety\n", "tier:   safety\n"},
		{"plain", "when:   turn_count>3&&!compacted # note\n", "when:   turn_count > 3 and not compacted # note\n"},
		{"all triggers", "when: turn_count>3\nrearm: turn_count<2\n",
			"when: turn_count > 3\nrearm: turn_count < 2\n"},
		{"a condition", "schedule: {kind: condition, condition: turn_count>3}\n",
			"schedule: {kind: condition, condition: turn_count > 3}\n"},
		{"sugar stays", "schedule: {kind: turn, turn_interval: 3}\n", "schedule: {kind: turn, turn_interval: 3}\n"},
		{"quotes stay", "when: 'turn_count>3'\n", "when: 'turn_count > 3'\n"},
		{"double quotes stay", "when: \"turn_count>3\"\n", "when: \"turn_count > 3\"\n"},
		{"quotes inside quotes", "when: 'prompt==\"it''s\"'\n", "when: 'prompt == \"it''s\"'\n"},
		{"escapes", "when: \"prompt==\\\"a\\\\\\\\b\\u00e9\\\"\"\n", "when: \"prompt == \\\"a\\\\\\\\bé\\\"\"\n"},
		{"the sign becomes a word", "when: '!compacted'\n", "when: 'not compacted'\n"},
		{"a block", "when: |  # why\n  turn_count>3\ntier: safety\n",
			"when: |  # why\n  turn_count > 3\ntier: safety\n"},
		{"a block of lines", "when: >-\n    turn_count>3\n    or compacted\n\ntier: safety\n",
			"when: >-\n    turn_count > 3 or compacted\n\ntier: safety\n"},
		{"lines of a canonical trigger stay", "when: |\n  turn_count > 3\n  or compacted\n",
			"when: |\n  turn_count > 3\n  or compacted\n"},
		{"lines of a plain trigger", "when: turn_count>3\n  or compacted\n", "when: turn_count > 3 or compacted\n"},
		{"CRLF", "when: turn_count>3\r\ntier: safety\r\n", "when: turn_count > 3\r\ntier: safety\r\n"},
		{"a flow mapping", "{when: turn_count>3, tier: safety}\n", "{when: turn_count > 3, tier: safety}\n"},
		{"needless parentheses", "when: ((turn_count > 3)) or (compacted)\n",
			"when: turn_count > 3 or compacted\n"},
		{"turns", "for: 2 turn\ncooldown: 1 turns # why\nkeep: '03turn'\nwhile: every 1 turns\n",
			"for: 2 turns\ncooldown: 1 turn # why\nkeep: '3 turns'\nwhile: every 1 turn\n"},
		{"turns in a schedule", "schedule: {kind: condition, condition: every 2 user turn}\ncooldown: \"+2  " +
			"turns\"\n", "schedule: {kind: condition, condition: every 2 user turns}\ncooldown: \"2 turns\"\n"},
		{"no turns", "for: 0 turn\ncooldown: 0\nkeep: 1 user turns\n", "for: 0\ncooldown: 0\nkeep: user turn\n"},
		{"turns in a block", "for: |\n  2 turn\ncooldown: >-\n  2\n  turns\n",
			"for: |\n  2 turns\ncooldown: >-\n  2\n  turns\n"},
		{"turns in a flow mapping", "{for: 2 turn, keep: 1 turns, when: compacted}\n",
			"{for: 2 turns, keep: 1 turn, when: compacted}\n"},
		{"times stay", "for: 90s\ncooldown: 60m\nschedule: {kind: timer, interval: 90s}\n",
			"for: 90s\ncooldown: 60m\nschedule: {kind: timer, interval: 90s}\n"},
		{"wide characters before", "{description: 日本, when: turn_count>3}\n",
			"{description: 日本, when: turn_count > 3}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for file, wrap := range map[string]func(string) string{
				"a.md":   func(s string) string { return "\ufeff---\n" + s + "---\n\nturn_count>3  \n" },
				"a.yaml": func(s string) string { return yamlWithText(s) },
			} {
				got, ds := document.Format(file, []byte(wrap(c.src)))
				if ds.HasErrors() {
					t.Fatal(ds)
				}
				if diff := cmp.Diff(wrap(c.want), string(got)); diff != "" {
					t.Errorf("%s: %s", file, diff)
				}
				again, _ := document.Format(file, got)
				if diff := cmp.Diff(string(got), string(again)); diff != "" {
					t.Errorf("twice: %s", diff)
				}
			}
		})
	}
}

// yamlWithText gives a YAML file a text, in the style it is in.
func yamlWithText(s string) string {
	if s[0] == '{' {
		return "{content: 'turn_count>3', " + s[1:]
	}
	return s + "content: turn_count>3\n"
}

func TestFormatList(t *testing.T) {
	t.Parallel()
	const src = "# rules\nreminders:\n  - id: a # one\n    when: turn_count>3\n    content: |\n      x>3\n  - " +
		"{id: b, while: 'prompt==\"a, b\"', content: B}\n  - {id: c, while: turn_count>3&&compacted, rearm: !!x, " +
		"content: C}\n"
	got, ds := document.Format("a.yaml", []byte(src))
	if !ds.HasErrors() || string(got) != src {
		t.Errorf("with an error: %v %q", ds, got)
	}
	const fine = "# rules\nreminders:\n  - id: a # one\n    when: turn_count>3\n    content: |\n    " +
		"  x>3\n  - " +
		"{id: b, while: 'prompt==\"a, b\"', content: B}\n"
	const want = "# rules\nreminders:\n  - id: a # one\n    when: turn_count > 3\n    content: |\n    " +
		"  x>3\n  - " +
		"{id: b, while: 'prompt == \"a, b\"', content: B}\n"
	got, ds = document.Format("a.yaml", []byte(fine))
	if diff := cmp.Diff(want, string(got)); diff != "" || len(ds) > 0 {
		t.Error(diff, ds)
	}
}

func TestFormatLeavesErrors(t *testing.T) {
	t.Parallel()
	const src = "---\nwhen: 'turn_count>3 or'\nrearm: turn_count>3\n---\nx\n"
	got, ds := document.Format("a.md", []byte(src))
	if string(got) != src || !ds.HasErrors() {
		t.Fatalf("%q %v", got, ds)
	}
	inText(t, src, ds[0].Range)
	if ds[0].Range.Start.Line != 2 || ds[0].File != "a.md" {
		t.Errorf("misplaced: %v", ds[0])
	}
	for _, c := range allBadFiles() {
		got, ds := document.Format(c.file, []byte(c.src))
		if ds.HasErrors() && string(got) != c.src {
			t.Errorf("%s: changed to %q", c.name, got)
		}
	}
}

// TestL2FormatSource: what is formatted means what it meant, and formatting it again changes nothing.
func TestL2FormatSource(t *testing.T) {
	t.Parallel()
	for _, style := range []string{"when: %\n", "when: '%'\n", "when: \"%\"\n", "when: |\n  %\n",
		"when: >\n  %\n", "{when: %}\n", "{when: '%'}\n", "when:\n  %\n"} {
		for _, trigger := range []string{"turn_count>3", "!compacted", "thread_type in [a,b]", "prompt=='x: y # z'",
			`prompt == "x: \"y\" # z"`, "prompt matches \"a{2}\"", "(compacted)", "after_tool: Edit , Write",
			"[a] == [b]", `prompt == "\t"`, "prompt == 'it''s'", "every 3 turns", "'a' in tool_used",
			`"a" in tool_used`, "# x", "- x", "? x", "a:", "x # y", "null", "~"} {
			src := ""
			for i := range style {
				if style[i] == '%' {
					src = "---\n" + style[:i] + trigger + style[i+1:] + "---\nx\n"
				}
			}
			before, ds := document.Read("a.md", []byte(src))
			out, more := document.Format("a.md", []byte(src))
			if ds.HasErrors() || more.HasErrors() {
				if string(out) != src {
					t.Errorf("%q: wrong, and changed to %q", src, out)
				}
				continue
			}
			after, ds := document.Read("a.md", out)
			if ds.HasErrors() || len(after) != 1 {
				t.Errorf("%q became %q: %v", src, out, ds)
				continue
			}
			a, _ := grammar.Parse(before[0].Trigger)
			b, _ := grammar.Parse(after[0].Trigger)
			if grammar.Format(a) != grammar.Format(b) {
				t.Errorf("%q became %q", src, out)
			}
			if again, _ := document.Format("a.md", out); string(again) != string(out) {
				t.Errorf("%q, %q, then %q", src, out, again)
			}
		}
	}
}
