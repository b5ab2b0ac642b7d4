package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestEditLeft: a person who leaves at the question about a mistake has been told where the text lies, also
// where an interrupt lets the program say nothing more.
func TestEditLeft(t *testing.T) {
	t.Parallel()
	const asked = "? [E/k/l] "
	for name, c := range map[string]struct {
		answer string
		code   int
	}{
		"interrupt": {"\x03", command.ExitInterrupted},
		"end":       {"\x04", command.ExitNo},
		"leave":     {"l\n", command.ExitNo},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			process.Put(t, home, "tmp/draft", "---\nwhile: alwys\n---\nx\n")
			cmd := exec.Command("aside", "add", "mine")
			cmd.Dir = home
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "EDITOR=cp tmp/draft",
				"TMPDIR=" + filepath.Join(home, "tmp"), "TERM=xterm", "GORACE=atexit_sleep_ms=0"}
			code, shown := converse(t, cmd, 80, reply{asked, "x\n"}, reply{asked, c.answer})
			path := regexp.MustCompile(`leave it in (\S+)\?`).FindStringSubmatch(shown)
			if code != c.code || path == nil {
				t.Fatalf("exit code %d\n%s", code, shown)
			}
			if b, err := os.ReadFile(path[1]); err != nil || !strings.Contains(string(b), "alwys") {
				t.Errorf("%q, %v", b, err)
			}
			if _, err := os.Stat(filepath.Join(home, ".aside")); err == nil {
				t.Error("a rule was written")
			}
		})
	}
}

// TestSentenceTaken: one key takes a rule that was found for a sentence; any other key takes none.
func TestSentenceTaken(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"1": "when: after_tool:@shell(git commit*)", "2": "# Why:", "x": "", "\x03": "",
	} {
		home := t.TempDir()
		cmd := exec.Command("aside", "add", "after a commit, remind me to push")
		cmd.Dir = home
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm"}
		code, shown := converse(t, cmd, 80, reply{"takes none. ", key})
		var rules string
		files, _ := filepath.Glob(filepath.Join(home, ".aside", "reminders", "*"))
		for _, f := range files {
			b, _ := os.ReadFile(f)
			rules += string(b)
		}
		if (code == 0) != (want != "") || (rules == "") != (want == "") || !strings.Contains(rules, want) {
			t.Errorf("%q: exit code %d, %q\n%s", key, code, rules, shown)
		}
	}
}
