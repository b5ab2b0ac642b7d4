package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestPurgeLeavesNothing: after setup for all agents, hooks that ran, trust and a doctor, one command brings
// a home and a project back to what they were, to the byte, empty directories included.
func TestPurgeLeavesNothing(t *testing.T) {
	t.Parallel()
	var names []string
	for _, a := range agent.All() {
		// These two are set up at their own places.
		if a.Config.Why == "" && (testkit.Thorough() || a.Name == "claude-code" || a.Name == "codex") {
			names = append(names, a.Name)
		}
	}
	for name, fill := range map[string]func(t *testing.T, root string){
		"empty": func(t *testing.T, root string) { process.Put(t, root, "project/.git/HEAD", "") },
		"empty directories": func(t *testing.T, root string) {
			for _, dir := range []string{".local/state", ".cache", ".config/crush",
				".config/opencode/plugins", ".codex",
				".claude/commands", ".cursor", ".gemini", ".qwen", ".factory", ".copilot/hooks", ".kimi-code",
				"Documents/Cline/Hooks", ".agents/plugins"} {
				if err := os.MkdirAll(filepath.Join(root, "home", filepath.FromSlash(dir)), 0o750); err != nil {
					t.Fatal(err)
				}
			}
		},
		"configurations": configurations,
	} {
		if name != "configurations" && !testkit.Thorough() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			process.Put(t, root, "home/.profile", "x")
			process.Put(t, root, "project/go.mod", "x")
			fill(t, root)
			was := tree(t, root)
			run := func(code int, stdin string, args ...string) {
				t.Helper()
				cmd := exec.Command("aside", args...)
				cmd.Dir, cmd.Stdin = filepath.Join(root, "project"), strings.NewReader(stdin)
				cmd.Env = []string{"HOME=" + filepath.Join(root, "home"), "PATH=" + os.Getenv("PATH"),
					"TMPDIR=" + os.TempDir(), "GORACE=atexit_sleep_ms=0"}
				if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != code {
					t.Fatalf("aside %q: %d\n%s", args, cmd.ProcessState.ExitCode(), out)
				}
			}
			run(0, "", "setup", "--yes", "--agent", strings.Join(names, ","), "--rules",
				"run-tests,secret-files,long-silence")
			run(0, "", "setup", "--yes", "--agent", "claude-code,codex", "--rules", "stale-todos",
				"--scope", "project")
			run(0, `{"session_id":"s1","cwd":"/","hook_event_name":"UserPromptSubmit","prompt_id":"p1","prompt":"x"}`,
				"hook", "--agent", "claude-code")
			run(0, "{", "hook", "--agent", "codex")
			run(0, "", "install", "claude-code", "--statusline")
			run(1, "", "doctor") // events reach it twice
			run(0, "", "uninstall", "--all", "--purge")
			run(0, "", "uninstall", "--all", "--purge", "--scope", "project")
			same(t, tree(t, root), was)
		})
	}
}

// TestProgramOfAnotherName: a hook is found again where the name of its program goes on behind aside, as that
// of a file of a release; a program of another name writes none.
func TestProgramOfAnotherName(t *testing.T) {
	t.Parallel()
	whole, err := exec.LookPath("aside")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	hooks := filepath.Join(root, ".config", "crush", "crush.json")
	for _, tt := range []struct {
		name, command string
		code, hooks   int
	}{
		{"aside_linux_amd64", "install", 0, 1}, {"aside-2", "install", 0, 1}, {"mine", "install", 2, 1},
		{"mine", "uninstall", 0, 0},
	} {
		path := filepath.Join(root, tt.name)
		_ = os.Remove(path)
		if err := os.Link(whole, path); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path, tt.command, "crush")
		cmd.Env = []string{"HOME=" + root, "GORACE=atexit_sleep_ms=0"}
		out, _ := cmd.CombinedOutput()
		written, _ := os.ReadFile(hooks)
		if n := strings.Count(string(written), "hook --agent crush"); n != tt.hooks ||
			cmd.ProcessState.ExitCode() != tt.code {
			t.Errorf("%s %s: exit code %d, %d hooks\n%s", tt.name, tt.command, cmd.ProcessState.ExitCode(), n, out)
		}
	}
}

// TestPurgeWithoutInstallation: the directories above the state go with it, whoever has made it.
func TestPurgeWithoutInstallation(t *testing.T) {
	t.Parallel()
	for _, install := range []bool{false, true} {
		root := t.TempDir()
		process.Put(t, root, "home/.profile", "x")
		process.Put(t, root, "project/.aside/reminders/a.md", "A.\n")
		was := tree(t, root)
		steps := [][]string{{"trust", "--yes"}, {"uninstall", "--all", "--purge"}}
		if install {
			steps = slices.Insert(steps, 1, []string{"install", "claude-code"})
		}
		for _, args := range steps {
			cmd := exec.Command("aside", args...)
			cmd.Dir = filepath.Join(root, "project")
			cmd.Env = []string{"HOME=" + filepath.Join(root, "home"), "PATH=" + os.Getenv("PATH"),
				"TMPDIR=" + os.TempDir(), "GORACE=atexit_sleep_ms=0"}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("aside %q: %v\n%s", args, err, out)
			}
		}
		same(t, tree(t, root), was)
	}
}

// configurations writes configurations as people have them.
func configurations(t *testing.T, root string) {
	t.Helper()
	goldens, err := filepath.Glob("internal/install/testdata/*.txtar")
	if err != nil || len(goldens) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, name := range goldens {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			path, before := strings.CutPrefix(f.Name, "before/")
			if before && !strings.Contains(string(f.Data), "aside") {
				process.Put(t, root, path, string(f.Data))
			}
		}
	}
	process.Put(t, root, "home/.cursor/hooks.json", "{\r\n\t\"version\": 1,\r\n\t\"hooks\": {}\r\n}")
	process.Put(t, root, "home/.qwen/settings.json", "")
	process.Put(t, root, "dotfiles/crush.json", "{ \"lsp\": {}, }")
	if err := os.MkdirAll(filepath.Join(root, "home", ".config", "crush"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../../dotfiles/crush.json", filepath.Join(root,
		"home/.config/crush/crush.json")); err != nil {
		t.Fatal(err)
	}
}

// tree returns all that is in a directory: files with their bytes, directories, links.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		b := []byte{}
		if d.Type().IsRegular() {
			b, err = os.ReadFile(path)
		}
		info, ierr := d.Info()
		if ierr != nil {
			return ierr
		}
		all[path] = info.Mode().String() + " " + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same holds that two trees are the same.
func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for path, b := range got {
		if was, is := want[path]; !is || was != b {
			t.Errorf("%s is new or was changed: %q, before %q", path, b, was)
		}
	}
	for path := range want {
		if _, is := got[path]; !is {
			t.Errorf("%s is gone", path)
		}
	}
}
