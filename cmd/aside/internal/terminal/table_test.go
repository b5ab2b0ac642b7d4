package terminal_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
)

func TestTable(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"ID", "WHEN", "ABOUT"}, {"漢字", "x", "a long description of it"}, {"a", "longer", ""}}
	for width, want := range map[int]string{
		0:  "ID    WHEN    ABOUT\n漢字  x       a long description of it\na     longer\n",
		24: "ID    WHEN    ABOUT\n漢字  x       a long de…\na     longer\n",
		5:  "ID    WHEN    ABOUT\n漢字  x       a long…\na     longer\n", // never less than eight columns
	} {
		var b strings.Builder
		if err := terminal.Table(&b, rows, width); err != nil || b.String() != want {
			t.Errorf("width %d:\n%swant\n%s%v", width, b.String(), want, err)
		}
	}
}

// TestPrintable: what others wrote cannot move the cursor.
func TestPrintable(t *testing.T) {
	t.Parallel()
	if got := terminal.Line("a\x1b[2J\nb\t c\u009b31m"); got != "a [2J b c 31m" {
		t.Errorf("%q", got)
	}
	if got := terminal.Printable("a\x1b[2J\tb"); got != "a [2J\tb" {
		t.Errorf("%q", got)
	}
}
