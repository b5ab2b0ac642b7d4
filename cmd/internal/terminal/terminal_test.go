package terminal_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/terminal"
)

func TestObeys(t *testing.T) {
	t.Parallel()
	for _, r := range "\x00\a\b\t\n\r\x1b\x7f\u0085\u009b\u00ad\u061c" +
		"\u200b\u200d\u200e\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u206f\ufeff\ufff9\U000e0041" {
		if !terminal.Obeys(r) {
			t.Errorf("%U is shown", r)
		}
	}
	for _, r := range "a é あ 🪟 ✓\u00a0\u0301\ufe0f\ufffd" {
		if terminal.Obeys(r) {
			t.Errorf("%U is not shown", r)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"ID", "WHEN", "ABOUT"}, {"漢字", "x", "a long description of it"}, {"a", "longer", ""}}
	for width, want := range map[int]string{
		0:  "ID    WHEN    ABOUT\n漢字  x       a long description of it\na     longer\n",
		30: "ID    WHEN    ABOUT\n漢字  x       a long descript…\na     longer\n",
		24: "ID    WHEN    ABOUT\n漢字  x\n    a long description\n    of it\na  " +
			"   longer\n", // too little beside the others
	} {
		var b strings.Builder
		if err := terminal.Table(&b, rows, width); err != nil || b.String() != want {
			t.Errorf("width %d:\n%swant\n%s%v", width, b.String(), want, err)
		}
	}
}

// TestPrintable: a text of others cannot move the cursor.
func TestPrintable(t *testing.T) {
	t.Parallel()
	if got := terminal.Line("a\x1b[2J\nb\t c\u009b31m"); got != "a [2J b c 31m" {
		t.Errorf("%q", got)
	}
	if got := terminal.Printable("a\x1b[2J\tb"); got != "a [2J\tb" {
		t.Errorf("%q", got)
	}
}

// TestShown: each character has its place, and none of them is obeyed.
func TestShown(t *testing.T) {
	t.Parallel()
	if got := terminal.Shown("a\x1b\t\x7f\u202eé"); got != "a␛␉␡\ufffdé" {
		t.Errorf("%q", got)
	}
	if got := terminal.Visible(
		"a\x1b\t\u202e\ufffd\xff\u2800é"); got != "a<U+001B>\t<U+202E>\ufffd<FF><U+2800>é" {
		t.Errorf("%q", got)
	}
}

// TestStyles: a style has no width.
func TestStyles(t *testing.T) {
	t.Parallel()
	const bold = "\x1b[1;31mword\x1b[0m"
	if n := terminal.Width(bold + "é世"); n != 7 {
		t.Errorf("%d columns", n)
	}
	if got := terminal.Cut(bold+" of", 5); got != bold+"…" {
		t.Errorf("%q", got)
	}
	if got := terminal.Fold(bold+" and", 8); got != bold+" and" {
		t.Errorf("%q", got)
	}
}

// TestFold: what is wider than the terminal goes on below its beginning; what people copy stays as it is.
func TestFold(t *testing.T) {
	t.Parallel()
	const text = "a line of words\n- an item of a list\n  in and on and on\n    an example of a command\n" +
		"short\nlast of words"
	want := "a line of\nwords\n- an\n  item of\n  a list\n  in and\n  on and\n  on\n    an example of " +
		"a command\n" +
		"short\nlast of\nwords"
	if got := terminal.Fold(text, 10); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := terminal.Fold(text, 0); got != text {
		t.Errorf("%q", got)
	}
	const row = "  4   name    what it is for  and more\n"
	if got := terminal.Fold(row, 30); got != "  4   name    what it is for\n              and more\n" {
		t.Errorf("%q", got)
	}
}

// TestMarkdown: a paragraph is wrapped once, a table shares the room or becomes a list, and code stays.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	const page = "# A page\n\nWords that stand\non two lines.\n- an item that\n  goes on\n\n```sh\n" +
		"a command that is long and stays as it is\n```\n\n| what | and what it is for |\n|---|---|\n" +
		"| `a\\|b` | a cell of many words |\n"
	bold := func(s string) string { return "*" + s + "*" }
	for n, want := range map[int]string{
		0: page,
		28: "*A page*\n\nWords that stand on two\nlines.\n- an item that goes on\n\n" +
			"    a command that is long and stays as it is\n\n" +
			"*what *  *and what it is for  *\n`a|b`  a cell of many words\n",
		25: "*A page*\n\nWords that stand on two\nlines.\n- an item that goes on\n\n" +
			"    a command that is long and stays as it is\n\n" +
			"*what *  *and what it is for*\n`a|b`  a cell of many\n       words\n",
		16: "*A page*\n\nWords that stand\non two lines.\n- an item that\n  goes on\n\n" +
			"    a command that is long and stays as it is\n\n" +
			"*`a|b`*\n  and what it\n    is for: a\n    cell of many\n    words\n",
	} {
		if got := terminal.Markdown(page, n, bold); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", n, got, want)
		}
	}
}
