package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAgentsSetup runs real agents: in an empty home one command, "aside setup --yes", brings a reminder
// into the next request, and one takes all of it back. Which agents: ASIDE_AGENTS, as for TestAgents.
func TestAgentsSetup(t *testing.T) {
	sh, bin, asked := realAgents(t)
	for _, name := range []string{"claude-code", "gemini", "qwen", "copilot", "codex"} {
		if !asked(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			for _, d := range []string{"home", "project"} {
				if err := os.Mkdir(filepath.Join(work, d), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			aside := func(args ...string) {
				t.Helper()
				cmd := exec.Command(filepath.Join(bin, "aside"), args...)
				cmd.Dir = filepath.Join(work, "project")
				cmd.Env = []string{"HOME=" + filepath.Join(work, "home"), "PATH=" + bin + ":" + os.Getenv("PATH")}
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("aside %q: %v\n%s", args, err, out)
				}
			}
			aside("setup", "--yes", "--agent", name)
			ss := session{prompt: "/remind run-tests", script: script{Turns: [][]item{{say("all done")}}}}
			o := ss.run(t, sh, name, work, address{}, []string{"--env", "PATH=" + bin + ":" + os.Getenv("PATH")})
			found := slices.ContainsFunc(o.got, func(h hop) bool {
				return bytes.Contains(h.body, []byte("no tests ran since. Run the tests that cover the change"))
			})
			if !found || o.code != 0 {
				t.Errorf("exit code %d, %d requests, none with the reminder\n%s", o.code, len(o.got), o.stderr)
			}
			aside("uninstall", "--all", "--purge")
			for path, b := range tree(t, work) {
				in, _ := filepath.Rel(work, path)
				if strings.HasPrefix(in, "home") && (strings.Contains(in, "aside") || !strings.HasSuffix(in, ".jsonl") &&
					strings.Contains(b, "aside-hook")) {
					t.Errorf("%s is left", in)
				}
			}
		})
	}
}
