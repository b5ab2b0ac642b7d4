package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/aside-go/aside/cmd/internal/report"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
)

// attacks are texts that a recording or a rule file may hold; each would run, or hide something, where it is
// taken for markup or shown as it is.
var attacks = []string{
	`</script><script>window.hacked = 1</script>`,
	`<!--<script>`, `]]><img src=x onerror="window.hacked = 2">`, `</style><svg onload=window.hacked=3>`, `"><iframe src="javascript:parent.hacked=4">`,
	"\u202egnp.exe\u202c \u2066isolated\u2069", "zero\u200bwidth \u2060joiner " +
		"\ufeffmark", "\x1b[31mred\x1b[0m \x07 \x00nul", "line\u2028and paragraph\u2029ends",
	`{{constructor}} ${7*7} javascript:alert(1)`, "\xff\xfe broken \xc3", "tag \U000e0041\U000e0042 letters",
}

// hostile is a page of a recording and rules in which every text attacks.
func hostile(t testing.TB) string {
	t.Helper()
	all := strings.Join(attacks, " ")
	valid := strings.NewReplacer("{{", "{ {", "}}", "} }").Replace(strings.ToValidUTF8(all, "?"))
	s := newSession(`<img src=x onerror=window.hacked=5>` + "\u202e")
	for i, text := range attacks {
		s.says(text + " " + all)
		s.calls(20_000+5000*i, "Bash", `<img src=x onerror=window.hacked=6>`+text)
	}
	s.calls(90_000)
	name := "<script>window.hacked=7<.jsonl"
	set, diags := compile.FromFiles([]compile.Source{
		{File: all, Reminder: reminder.Reminder{ID: "echo", Mode: reminder.While,
			Trigger:     `user_message and prompt != "</script>"`,
			Description: valid, Text: `{{.prompt}} </script><img src=x onerror=window.hacked=8>`}},
		{File: "<b>\u202e", Reminder: reminder.Reminder{ID: "never", Trigger: `prompt == "</script><b>"`,
			Text: valid}},
	}, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	page := report.New(set)
	note := []terminal.Block{{Heading: all}, {Text: all},
		{Head: []string{"a", "<!--<script>", "b", "c"}, Rows: [][]string{attacks[4:8]}},
		{Head: []string{"a", "b"}, Rows: [][]string{{all, all}}, Words: true}}
	page.Note(all, note)
	return written(t, played(t, page, set, fstest.MapFS{name: {Data: []byte(s.b.String())}}, name))
}

// TestHostileTexts holds that no text gets out of the data, and none is in the page with characters that
// cannot be seen.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	page := hostile(t)
	if n := strings.Count(strings.ToLower(page), "</script"); n != 2 {
		t.Errorf("%d ends of scripts, want 2", n)
	}
	_, rest, _ := strings.Cut(page, `id="data">`)
	raw, _, _ := strings.Cut(rest, "</script>")
	if i := strings.IndexAny(raw, "<>&"); i >= 0 {
		t.Errorf("in the data stands %q", raw[max(0, i-20):min(len(raw), i+20)])
	}
	title, _, _ := strings.Cut(page[strings.Index(page, "<title>")+7:], "</title>")
	if strings.ContainsAny(title, "<>") {
		t.Errorf("title %q", title)
	}
	for i, r := range page {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029') {
			t.Fatalf("%U stands in the page, after %q", r, page[max(0, i-40):i])
		}
	}
	if notes := between(t, page, `<section class="note"`, `</section>`); strings.Contains(notes, "<img") ||
		strings.Contains(notes, "<svg") || !strings.Contains(notes, "data-head=\"&lt;!--&lt;script&gt;\"") {
		t.Errorf("the notes: %s", notes)
	}
	d := decode(t, page)
	found := 0
	for _, s := range d.Strings {
		for _, r := range s {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("%U in %q", r, s)
			}
		}
		if strings.Contains(s, "</script><script>window.hacked = 1</script>") &&
			strings.Contains(s, "[U+202E]gnp.exe[U+202C]") {
			found++
		}
	}
	if found == 0 {
		t.Error("the texts are not there as they were recorded")
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                      "",
		"plain\ttext\nof lines": "plain\ttext\nof lines",
		"dos\r\nlines\r":        "dos\nlines[U+000D]",
		"a\u202eb":              "a[U+202E]b",
		"\x1b[2J\x00":           "[U+001B][2J[U+0000]",
		"zero\u200bwidth":       "zero[U+200B]width",
		"soft\u00adhyphen":      "soft[U+00AD]hyphen",
		"Latin\u200djoined":     "Latin[U+200D]joined",
		"می\u200cخواهم":         "می\u200cخواهم",
		"👩\u200d💻 👍🏽 ❤️":        "👩\u200d💻 👍🏽 ❤️",
		"👩\u200d":               "👩[U+200D]",
		"a\u2028b":              "a[U+2028]b",
		"\ue000private":         "[U+E000]private",
		"bad \xff byte":         "bad \ufffd byte",
		"\U000e0041":            "[U+E0041]",
		"שלום and Ελλάδα, 日本 and e\u0301": "שלום and Ελλάδα, 日本 and e\u0301",
	} {
		if got := report.Visible(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc … (1 more characters)"}, {"äöü", 3, "äöü"}, {"äöüß", 3,
			"äöü … (1 more characters)"},
		{strings.Repeat("x", 900), 600, strings.Repeat("x", 600) + " … (300 more characters)"},
	} {
		if got := report.Cut(c.in, c.n); got != c.want {
			t.Errorf("Cut(%q, %d) is %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

// TestPolicy holds that the page's own policy names its one script and its one style sheet and lets it load
// nothing, and that nothing in it needs more: no address, no handler or style in an attribute.
func TestPolicy(t *testing.T) {
	t.Parallel()
	page := samplePage(t)
	policy := between(t, page, `http-equiv="Content-Security-Policy" content="`, `"`)
	for _, want := range []string{"default-src 'none'", "script-src " + sum(between(t, page, "\n<script>",
		"</script>")) + ";", "style-src " + sum(between(t, page, "<style>", "</style>")) + ";",
		"base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("%s\nlacks %s", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") || strings.Contains(policy, "*") {
		t.Error(policy)
	}
	own := strings.Replace(page, between(t, page, `id="data">`, "</script>"), "", 1)
	for _, m := range regexp.MustCompile(`(?i)[a-z]+://[^\s'"]+|url\([^)]*\)|@import[^;]*`).FindAllString(own,
		-1) {
		if m != "http://www.w3.org/2000/svg" {
			t.Errorf("the page names %s", m)
		}
	}
	if m := regexp.MustCompile(`<[a-z][^>]*\s(on[a-z]+|style)=`).FindString(strings.Split(own,
		"<script")[0]); m != "" {
		t.Errorf("%s would be forbidden", m)
	}
	for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
		"fetch(", "XMLHttpRequest", "WebSocket", "import("} {
		if strings.Contains(own, word) {
			t.Errorf("the script says %s", word)
		}
	}
}

func between(t testing.TB, s, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(s, from)
	in, _, ended := strings.Cut(rest, to)
	if !ok || !ended {
		t.Fatalf("nothing stands between %s and %s", from, to)
	}
	return in
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return fmt.Sprintf("'sha256-%s'", base64.StdEncoding.EncodeToString(h[:]))
}
