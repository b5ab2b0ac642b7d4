package ruletest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/cmd/internal/test/schemas"
)

// TestForms holds which ways of saying a thing count, and that each can still fail.
func TestForms(t *testing.T) {
	t.Parallel()
	schema, err := schemas.Compile("test")
	if err != nil {
		t.Fatal(err)
	}
	const shared = "reminders: [{id: r, when: turn_count >= 3, content: R}]\n"
	const wrong = "reminders: [{id: r, when: turn_cuont >= 3, content: R}]\n"
	one := func(test string) string { return "tests:\n  - {name: n, " + test + "}\n" }
	for _, c := range []struct {
		name, src string
		ok        bool
	}{
		{"any error will do", one("trigger: alwas, error: '.*'"), true},
		{"any error will do, and there is none", one("trigger: always, error: '.*'"), false},
		{"a trigger alone must not compile", one("trigger: alwas"), true},
		{"a trigger alone that compiles", one("trigger: always"), false},
		{"an error of the file's reminders", wrong + one("error: turn_count"), true},
		{"an error that the file's reminders do not have", shared + one("error: turn_count"), false},
		{"an error beside options",
			one("reminders: [{id: r, when: alwas, content: R}], options: {order: tier}, error: always"), true},
		{"a series on which nothing fires", shared + one("series: {turn_count: [1, 2]}"), true},
		{"a series on which something fires", shared + one("series: {turn_count: [1, 2, 3]}"), false},
		{"a refused turn fires nothing",
			shared + one("steps: [{key: a}, {key: b}, {key: a, refused: true, fires: []}]"), true},
		{"a turn that is not refused",
			shared + one("steps: [{key: a}, {key: b}, {key: c, refused: true, fires: []}]"), false},
		{"tools, and unknown whether one failed",
			one("reminders: [{id: r, while: not last_tool_call_failed, content: R}], steps: [{facts: {tools: [A], " +
				"last_tool_call_failed: unknown}}]"), true},
		{"numbers with an exponent and with a unit",
			one("reminders: [{id: r, while: context_usage == 0.5 and context_tokens == 2000, content: R}], steps: " +
				"[{facts: {context_usage: 5e-1, context_tokens: 2k}, fires: [r]}]"), true},
		{"a null, which is unknown",
			one("reminders: [{id: r, while: model == m, content: R}], steps: [{facts: {model: ~}}]"), true},
		{"a text with the end of its last line",
			"tests:\n  - name: n\n    reminders:\n      - id: r\n        while: always\n        content: " +
				"|\n          " +
				"one\n          two\n" +
				"    steps:\n      - fires: [r]\n        text:\n          r: |\n            one\n            " +
				"two\n", true},
		{"a blank more at the end of a text", one("reminders: [{id: r, while: always, content: one}], steps: " +
			"[{fires: [r], text: {r: 'one '}}]"), false},
		{"a line more at the end of a text",
			"tests:\n  - name: n\n    reminders: [{id: r, while: always, content: " +
				"one}]\n    steps:\n      - fires: [r]\n        text:\n          r: |+\n            one\n\n", false},
		{"another text", one("reminders: [{id: r, while: always, content: one}], steps: [{fires: [r], " +
			"text: {r: ' " +
			"one'}}]"), false},
		{"a megabyte of parentheses", one("trigger: '" + strings.Repeat("(", 1<<20) +
			"', error: '^1:4097: .*4096'"), true},
		{"a megabyte of not", one("trigger: '" + strings.Repeat("not ", 1<<18) + "', error: '^1:4097: .*4096'"),
			true},
		{"a type by its long name", "vars: {l: set of string}\n" +
			one("reminders: [{id: r, while: vars.l == x, content: R}], steps: [{facts: {vars: {l: [x]}}, fires: "+
				"[r]}]"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "f_test.yaml")
			if err := os.WriteFile(file, []byte(c.src), 0o600); err != nil {
				t.Fatal(err)
			}
			rep, text := run(t, file)
			if rep.OK() != c.ok {
				t.Errorf("fine: %v, want %v\n%.2000s", rep.OK(), c.ok, text)
			}
			if err := schemas.Check(schema, file, []byte(c.src)); err != nil &&
				rep.Files[0].Tests[0].Status != ruletest.Mistaken {
				t.Errorf("the schema does not take it: %v", err)
			}
		})
	}
}
