package document_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
)

const (
	maxFile  = 256 << 10
	maxFront = 16 << 10
)

func TestDocumentLimits(t *testing.T) {
	t.Parallel()
	front := func(n int) string { // a front matter of n bytes
		return "---\n" + "# " + strings.Repeat("x", n-3) + "\n---\ntext\n"
	}
	body := func(n int) string { return "---\n---\n" + strings.Repeat("x", n-8) }
	deep := func(n int) string { // n levels below the mapping
		return "content: x\nschedule: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "\n"
	}
	items := func(n int) string { // n entries
		return "reminders:\n" + strings.Repeat("- {}\n", n-1)
	}
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "k%d: 1\n", i)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, file, src, code string
	}{
		{"front matter at its limit", "a.md", front(maxFront), ""},
		{"front matter past its limit", "a.md", front(maxFront + 1), "R0401"},
		{"front matter far past its limit", "a.md", front(10 * maxFront), "R0401"},
		{"file at its limit", "a.md", body(maxFile), ""},
		{"file past its limit", "a.md", body(maxFile + 1), "R0401"},
		{"file far past its limit", "a.yaml", body(100 * maxFile), "R0401"},
		{"nesting at its limit", "a.yaml", deep(63), "R0407"},
		{"nesting past its limit", "a.yaml", deep(64), "R0406"},
		{"nesting far past its limit", "a.yaml", deep(100_000), "R0406"},
		{"brackets in a text", "a.yaml", "content: |\n" + strings.Repeat("  [ - a: {\n", 2000) +
			"when: compacted\n", ""},
		{"brackets in a folded text of a list", "a.yaml", "reminders:\n- id: a\n  content: >-\n" +
			strings.Repeat("    - [ a: {\n", 2000) + "  when: compacted\n", ""},
		{"brackets in quotes", "a.yaml", "content: \"" + strings.Repeat("[ - a: {\n  ", 2000) + "\"\nwhen: '" +
			strings.Repeat("[", 100) + "'\n", ""},
		{"keys at their limit", "a.yaml", keys(1000), "R0410"},
		{"keys past their limit", "a.yaml", keys(1001), "R0406"},
		{"keys far past their limit", "a.yaml", keys(20_000), "R0406"},
		{"entries at their limit", "a.yaml", items(40_000), "R0420"},
		{"entries past their limit", "a.yaml", items(40_001), "R0406"},
		{"entries far past their limit", "a.yaml", items(52_000), "R0406"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rs, ds := document.Read(c.file, []byte(c.src))
			if c.code == "" {
				if len(ds) > 0 || len(rs) != 1 {
					t.Fatal(ds)
				}
				return
			}
			if slices.ContainsFunc(rs, func(r compile.Source) bool { return !r.Faulty }) ||
				countCode(ds, c.code) == 0 {
				t.Fatalf("%d reminders, %d diagnostics, first %v", len(rs), len(ds), ds[:min(1, len(ds))])
			}
			if c.code == "R0406" && len(ds) > 1 {
				t.Errorf("the guard is not alone: %d diagnostics", len(ds))
			}
		})
	}
}

// hostile are inputs that take a YAML library long, much, or down.
func hostile() map[string]string {
	laughs := "a: &a [x]\n"
	for i := 'b'; i <= 'z'; i++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ",
			i-1), 9), ", "))
	}
	keys := strings.Builder{}
	for i := range 100_000 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	full := func(s string) string { return strings.Repeat(s, maxFile/len(s)) }
	m := map[string]string{
		"100,000 keys":           keys.String(),
		"keys to the limit":      keys.String()[:maxFile],
		"billion laughs":         laughs,
		"a megabyte on one line": "content: " + strings.Repeat("x ", 1<<19),
		"a long line":            "content: " + full("x "),
		"a long list on a line":  "reminders: [" + full("{id: a, content: x}, "),
		"wide list on a line":    "reminders: [" + full("{id: é, x: '日本'}, ")[:maxFile-400] + "]",
		"wrong values":           "reminders:\n" + full("- {id: é, tier: x}\n")[:maxFile-200],
	}
	for _, s := range []string{
		"[", "{", "- ", "? ", "a:\n", "#\n", "- #a\n", "a: #c\n\n#d\n", "'", "\"", "\\",
		"!", "&a ", "*a ", "[a,", "{a:", "a: |\n", "-\n #\n", "a: b #\n #\n", "\t", "\n", "%", "!<",
		"- - ", "? a\n", "when: !a\n", "when: [\n", "when: '\n", "- {a: !b}\n", "a: *b\n"} {
		m[fmt.Sprintf("%q repeated", s)] = full(s)
		m[fmt.Sprintf("%q repeated past the limit", s)] = strings.Repeat(s, (1<<20)/len(s))
	}
	return m
}

// TestL3DocumentIsBounded gives hostile input as YAML and as a front matter: an answer comes soon and with
// little memory.
func TestL3DocumentIsBounded(t *testing.T) { // alone: it measures
	if race {
		t.Skip("too long, and too large, under the race detector to measure anything")
	}
	const (
		long  = 10 * time.Second // a busy machine takes one
		bytes = 100 * maxFile    // nine bytes can be two mistakes, each with what it says
	)
	for name, src := range hostile() {
		for file, src := range map[string]string{"a.yaml": src, "a.md": "---\n" + src + "\n---\nx\n"} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, ds := document.Read(file, []byte(src))
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if took > long {
				t.Errorf("%s in %s: %v", name, file, took)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > bytes {
				t.Errorf("%s in %s: %d MB", name, file, got>>20)
			}
			for i, d := range ds {
				if i%100 == 0 {
					inText(t, src, d.Range)
				}
			}
		}
	}
}

// TestManyRemindersInAFile: what a set may hold fits into a few files, as short as reminders can be.
func TestManyRemindersInAFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("reminders:\n")
	n := 0
	for ; b.Len() < maxFile-64; n++ {
		fmt.Fprintf(&b, "- id: r%04d\n  when: always\n  content: x\n", n)
	}
	rs, ds := document.Read("a.yaml", []byte(b.String()))
	if len(ds) > 0 || len(rs) != n {
		t.Fatalf("%d of %d reminders, %v", len(rs), n, ds[:min(1, len(ds))])
	}
}
