package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

const mega = 1 << 20

// bombs are files that make careless readers slow, large or dead. Each must be refused with a diagnostic,
// exit code 1, within a second of computing and 200 MB.
func bombs() map[string]string {
	front := func(trigger string) string { return "---\nwhen: " + trigger + "\n---\nx\n" }
	list := func(trigger string) string { return "id: x\ncontent: x\nwhen: " + trigger + "\n" }
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "key%d: 1\n", i)
		}
		return b.String()
	}
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1,
			i-1, i-1, i-1, i-1, i-1, i-1, i-1)
	}
	var many strings.Builder
	many.WriteString("reminders:\n")
	for i := range 20_000 {
		fmt.Fprintf(&many, "- {id: r%d}\n", i)
	}
	rep := strings.Repeat
	return map[string]string{
		"parens.md":         front("'" + rep("(", mega) + "'"),
		"parens.yaml":       list("'" + rep("(", mega) + "'"),
		"parens-small.md":   front("'" + rep("(", 4000) + "'"),
		"nots.md":           front(rep("not ", mega/4) + "user_message"),
		"bangs.yaml":        list("'" + rep("!", 4000) + "user_message'"),
		"quotes.yaml":       list("'" + rep(`"`, mega) + "'"),
		"ands.yaml":         list(rep("user_message and ", mega/17) + "user_message"),
		"and.yaml":          list(rep("user_message and ", 200)),
		"brackets.yaml":     list(rep("[", mega)),
		"braces.yaml":       rep("{", mega),
		"braces-small.yaml": rep("{a: ", 60_000),
		"dashes.yaml":       rep("- ", 120_000),
		"indent.yaml":       deep(1000),
		"keys.yaml":         keys(100_000),
		"keys-front.md":     "---\n" + keys(100_000) + "---\nx\n",
		"keys-small.yaml":   keys(20_000),
		"keys-front2.md":    "---\n" + keys(1200) + "---\nx\n",
		"laughs.yaml":       laughs.String(),
		"laughs.md":         "---\n" + laughs.String() + "---\nx\n",
		"anchors.yaml":      rep("&a ", 80_000) + "x",
		"tags.yaml":         rep("!!str ", 40_000) + "x",
		"many.yaml":         many.String(),
		"open.md":           "---\nwhen: always\n" + rep("x\n", 100_000),
		"long-id.yaml":      "id: " + rep("a", 200_000) + "\nwhen: turn_cuont > 1\ncontent: x\n",
		"reduce.md":         front("'reduce(1..1000000000, #acc + #, 0) > 1'"),
		"repeat.md":         front("'len(1..1000000000) > 1'"),
		"regexp.md":         front(`'prompt matches "` + rep("(a{1000}){1000}", 16) + `"'`),
		"template.md":       "---\nwhen: always\n---\n" + rep("{{", 100_000),
		"template-if.md":    "---\nwhen: always\n---\n" + rep("{{if true}}", 10_000),
		"template-def.md":   "---\nwhen: always\n---\n{{define \"x\"}}{{template \"x\"}}{{end}}{{template \"x\"}}",
		"nul.md":            front(rep("\x00", 3000)),
		"utf16.md":          "\xff\xfe" + rep("a\x00", 1000),
		"utf8.md":           front(rep("\xff", 3000)),
		"random.yaml":       rep("\x01\x02\x80\xfe\n\t:", 20_000),
		"body.md":           "---\nwhen: always\n---\n" + rep("x", mega),
		"lines.md":          "---\nwhen: turn_cuont > 1\n---\n" + rep("\n", 250_000) + "x",
		"wide.md":           front("'" + rep("漢", 1200) + "'"),
	}
}

// deep is a mapping in a mapping in a mapping.
func deep(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()[:min(b.Len(), 250_000)]
}

// TestL3Bombs is about whole files as a user would meet them, and about all commands that read them.
func TestL3Bombs(t *testing.T) {
	t.Parallel()
	if race {
		t.Skip("too long, and too large, under the race detector to measure anything")
	}
	dir := t.TempDir()
	for name, text := range testkit.Few(bombs(), 12) {
		process.Put(t, dir, name, text)
		t.Run(name, func(t *testing.T) {
			for _, args := range [][]string{{"check", name}, {"check", "--json", name},
				{"fmt", name}}[:testkit.Repeat(1, 3)] {
				r := exe.Invoke(t, dir, nil, args...)
				if r.Code != 1 && !(args[0] == "fmt" && r.Code == 0) { // the meaning of a trigger is no matter of form
					t.Errorf("%q: exit code %d, want 1; stderr %.300q", args, r.Code, r.Err)
				}
				if r.CPU > time.Second {
					t.Errorf("%q: took %v of computing", args, r.CPU)
				}
				if r.Peak > 200*mega {
					t.Errorf("%q: took %d MB", args, r.Peak>>20)
				}
				if len(r.Out) > 4*mega || len(r.Err) > 4*mega {
					t.Errorf("%q: printed %d and %d bytes", args, len(r.Out), len(r.Err))
				}
			}
		})
	}
}

// TestHugeFile is about a file that does not fit: a gigabyte, most of which is never read.
func TestHugeFile(t *testing.T) {
	t.Parallel()
	if race {
		t.Skip("too long, and too large, under the race detector to measure anything")
	}
	dir := t.TempDir()
	process.Put(t, dir, "huge.md", "")
	if err := os.Truncate(filepath.Join(dir, "huge.md"), 1<<30); err != nil {
		t.Skipf("integration with a file system that holds a large file: %v", err)
	}
	for _, args := range [][]string{{"check", "huge.md"}, {"fmt", "huge.md"}, {"list", "--rules", "huge.md"},
		{"test", "huge.md"}} {
		r := exe.Invoke(t, dir, nil, args...)
		if r.Code != 1 || r.CPU > time.Second || r.Peak > 200*mega {
			t.Errorf("%q: exit code %d, %v of computing, %d MB, stderr %.300q", args, r.Code, r.CPU, r.Peak>>20, r.Err)
		}
	}
}
