package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/load"
)

// TestSlow: rules that leave a hook no time are named by what costs most, others are not.
func TestSlow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, when string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("---\nwhen: "+when+"\n---\nText.\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 20 {
		write(fmt.Sprintf("r%d.md", n), fmt.Sprintf("turn_count > %d", n))
	}
	sources := []load.Source{{Path: dir}}
	if got := slow(sources, load.Options{}, time.Hour); got != "" {
		t.Errorf("20 rules that may take an hour: %q", got)
	}
	const number = "it is their number, 20 reminders in 20 files"
	got := ""
	for range 20 { // the machine may stop at one of them
		if got = slow(sources, load.Options{}, 0); strings.HasSuffix(got, number) {
			break
		}
	}
	if !strings.HasSuffix(got, number) || !strings.HasPrefix(got, "hooks need ") {
		t.Errorf("20 rules that may take no time: %q", got)
	}
	write("regexp.md", `prompt matches "(x?){50}(x+){50}[yz]$"`)
	for range 20 {
		if got = slow(sources, load.Options{}, 0); strings.Contains(got, " alone takes ") {
			break
		}
	}
	if !strings.Contains(got, filepath.Join(dir, "regexp.md")+" alone takes ") {
		t.Errorf("one that is slow: %q", got)
	}
}
