package manual

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
)

// TestTriggers holds the page about the language to the language: its examples compile, its keys are read,
// and no line of it is wider than 120 columns.
func TestTriggers(t *testing.T) {
	t.Parallel()
	for _, f := range triggerForms {
		if _, ds := compile.Compile(f[0], nil); len(ds) > 0 {
			t.Errorf("%s: %v", f[0], ds)
		}
	}
	for _, k := range fileKeys {
		key := strings.Replace(k[0], "TRIGGER", "turn_count > 3", 1)
		if !strings.HasPrefix(key, "when:") && !strings.HasPrefix(key, "while:") {
			key = "when: always\n" + key
		}
		if _, ds := document.Read("a.md", []byte("---\n"+key+"\n---\nx\n")); len(ds) > 0 {
			t.Errorf("%s: %v", k[0], ds)
		}
	}
	var b strings.Builder
	if err := triggers(&b, func(s string) string { return s }); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(b.String()) {
		if n := terminal.Width(strings.TrimRight(l, "\n")); n > 120 {
			t.Errorf("%d columns: %s", n, l)
		}
	}
}
