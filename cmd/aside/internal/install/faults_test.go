package install_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/aside/internal/install"
)

const settings = "home/.claude/settings.json"

func backups(t testing.TB, w *world) (names []string) {
	t.Helper()
	for name := range w.files(t) {
		if strings.Contains(name, ".aside-backup-") {
			names = append(names, name)
		}
	}
	return names
}

// other is the program of a later version, at another place.
func (w *world) other() { w.Program = install.Program{Aside: "/new place/aside"} }

// TestUpgrade: an installation of another version brings ours up to date, once, and still gives back what was
// there before the first.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"claude-code", "kimi-code", "cline", "opencode", "cursor"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			before := map[string]string{settings: "{ }", "home/.kimi-code/config.toml": "a = 1",
				"home/.cursor/hooks.json": "{ \n}"}
			for name, text := range before {
				w.write(t, name, text)
			}
			r := request(t, agent, install.User)
			w.install(t, r)
			w.other()
			if res := w.install(t, r); !res.Changed() {
				t.Fatal("nothing has changed")
			}
			for name, text := range visible(w.files(t)) {
				if strings.Contains(text, "/opt/aside") {
					t.Errorf("%s still runs the old program:\n%s", name, text)
				}
			}
			if n := len(backups(t, w)); n > 1 {
				t.Errorf("%d backups", n)
			}
			if res := w.install(t, r); res.Changed() {
				t.Error("a second time changes something")
			}
			w.uninstall(t, r)
			if d := cmp.Diff(before, w.files(t)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestUpgradeOfEdited: what somebody changed before an upgrade is not lost to the backup.
func TestUpgradeOfEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, settings, "{\n  \"a\": 1\n}\n")
	r := request(t, "claude-code", install.User)
	w.install(t, r)
	w.write(t, settings, strings.Replace(w.files(t)[settings], `"a": 1`, `"a": 2`, 1))
	w.other()
	w.install(t, r)
	w.uninstall(t, r)
	if got := w.files(t)[settings]; got != "{\n  \"a\": 2\n}\n" {
		t.Errorf("left: %s", got)
	}
}

// TestEmptyOnesStay: what was empty before stays, also where the file is not what the installation left.
func TestEmptyOnesStay(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"{}", "{\"hooks\": {}}", "{\"hooks\": {\"Stop\": []}}"} {
		w := newWorld(t)
		w.write(t, settings, before)
		r := request(t, "claude-code", install.User)
		w.install(t, r)
		w.write(t, settings, w.files(t)[settings]+"\n")
		w.uninstall(t, r)
		if got := w.files(t)[settings]; words(got) != words(before) {
			t.Errorf("%s: left %q", before, got)
		}
	}
}

// TestTOMLWithoutBackup: marks and blank lines go, too.
func TestTOMLWithoutBackup(t *testing.T) {
	t.Parallel()
	before := "a = 1\n\n[b]\nc = 2\n"
	w := newWorld(t)
	path := "home/.kimi-code/config.toml"
	w.write(t, path, before)
	r := request(t, "kimi-code", install.User)
	w.install(t, r)
	if err := os.Remove(filepath.Join(w.root, backups(t, w)[0])); err != nil {
		t.Fatal(err)
	}
	w.uninstall(t, r)
	if got := w.files(t)[path]; got != before {
		t.Errorf("left %q", got)
	}
}

// TestFaults: what stands in the way is told, and nothing has changed.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(w *world) error
		says string
	}{
		"directory": {func(w *world) error {
			return os.MkdirAll(filepath.Join(w.root, settings),
				0o755)
		}, "is a directory"},
		"file for a directory": {func(w *world) error {
			return os.WriteFile(filepath.Join(w.Home, ".claude"), nil,
				0o644)
		}, "not a directory"},
		"read-only": {func(w *world) error {
			if err := os.Mkdir(filepath.Join(w.Home, ".claude"), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(w.root, settings), []byte("{}"), 0o444)
		}, "is read-only"},
		"loop": {func(w *world) error {
			if err := os.Mkdir(filepath.Join(w.Home, ".claude"), 0o755); err != nil {
				return err
			}
			return os.Symlink("settings.json", filepath.Join(w.root, settings))
		}, "too many"},
		"home is gone":    {func(w *world) error { w.Home = ""; return nil }, "HOME is not set"},
		"state in a file": {func(w *world) error { return os.WriteFile(w.State, nil, 0o644) }, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			home := w.Home
			if err := c.set(w); err != nil {
				t.Fatal(err)
			}
			_, err := w.Install(request(t, "claude-code", install.User))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want …%s…", err, c.says)
			}
			var s *install.SyntaxError
			if errors.As(err, &s) {
				t.Error("it is not a mistake in the file")
			}
			if _, err := os.Stat(filepath.Join(home, ".claude", "commands")); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// TestLinks: a link stays a link, and where it leads to is written, also where there is nothing yet.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{true, false} {
		w := newWorld(t)
		target := filepath.Join(w.root, "dotfiles", "claude.json")
		for _, dir := range []string{filepath.Dir(target), filepath.Join(w.Home, ".claude")} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if there {
			w.write(t, "dotfiles/claude.json", "{}\n")
		}
		link := filepath.Join(w.root, settings)
		if err := errors.Join(os.Symlink("../../dotfiles/between", link), os.Symlink("claude.json",
			filepath.Join(w.root, "dotfiles", "between"))); err != nil {
			t.Fatal(err)
		}
		r := request(t, "claude-code", install.User)
		res := w.install(t, r)
		if res.Files[0].Real != target {
			t.Errorf("it leads to %q", res.Files[0].Real)
		}
		if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			t.Error("the link is gone")
		}
		if b, err := os.ReadFile(target); err != nil || !strings.Contains(string(b), "--agent") {
			t.Errorf("%v: %s", err, b)
		}
		w.uninstall(t, r)
		b, err := os.ReadFile(target)
		if there && string(b) != "{}\n" || !there && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: %q", err, b)
		}
	}
}

// TestModeStays: a file keeps its mode, and so has the backup; what killed processes left is swept.
func TestModeStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, settings, "{}")
	w.write(t, "home/.claude/.settings.json.aside-tmp-1", "torn")
	path := filepath.Join(w.root, settings)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	r := request(t, "claude-code", install.User)
	res := w.install(t, r)
	for _, p := range []string{path, res.Files[0].Backup} {
		if fi, err := os.Stat(p); err != nil || fi.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v %v", p, fi.Mode(), err)
		}
	}
	if _, err := os.Stat(filepath.Join(w.Home, ".claude", ".settings.json.aside-tmp-1")); err == nil {
		t.Error("a temporary file is left")
	}
	w.uninstall(t, r)
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", fi.Mode(), err)
	}
	c := request(t, "cline", install.User)
	w.install(t, c)
	if fi, err := os.Stat(filepath.Join(w.Home, "Documents", "Cline", "Hooks", "PostToolUse")); err != nil ||
		fi.Mode().Perm()&0o100 == 0 {
		t.Errorf("a script must be executable: %v %v", fi.Mode(), err)
	}
}

// TestAtOnce: many at once end as one.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, settings, "{\n  \"a\": 1\n}")
	before := w.files(t)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			m := *w.Machine
			r := request(t, "claude-code", install.User)
			if _, err := m.Install(r); err != nil {
				t.Error(err)
			}
			if i%3 == 0 {
				if _, err := m.Uninstall(r); err != nil {
					t.Error(err)
				}
				if _, err := m.Install(r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(backups(t, w)); n != 1 {
		t.Errorf("%d backups", n)
	}
	r := request(t, "claude-code", install.User)
	if f := found(t, w, r); len(f.Missing)+len(f.Twice) > 0 {
		t.Errorf("%+v", f)
	}
	w.uninstall(t, r)
	if d := cmp.Diff(before, w.files(t)); d != "" {
		t.Error(d)
	}
}

// TestFilesOfOthers: a file that is not ours is never written, nor is one of ours that somebody changed.
func TestFilesOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	remind := "home/.claude/commands/remind.md"
	w.write(t, remind, "my own")
	r := request(t, "claude-code", install.User)
	res := w.install(t, r)
	if f := res.Files[1]; f.Did != install.Kept || f.Why == "" {
		t.Errorf("%+v", f)
	}
	w.uninstall(t, r)
	if d := cmp.Diff(map[string]string{remind: "my own"}, w.files(t)); d != "" {
		t.Error(d)
	}

	script := "home/Documents/Cline/Hooks/UserPromptSubmit"
	w.write(t, script, "#!/bin/sh\necho mine\n")
	r = request(t, "cline", install.User)
	if _, err := w.Install(r); !errors.Is(err, install.ErrForeign) || !strings.Contains(err.Error(),
		"UserPromptSubmit is not from aside") {
		t.Errorf("got %v", err)
	}
	if d := cmp.Diff(map[string]string{remind: "my own", script: "#!/bin/sh\necho mine\n"},
		w.files(t)); d != "" {
		t.Error(d)
	}
	if err := os.Remove(filepath.Join(w.root, script)); err != nil {
		t.Fatal(err)
	}
	w.install(t, r)
	w.write(t, script, w.files(t)[script]+"# and mine\n")
	w.other()
	if f := w.install(t, r).Files[1]; f.Did != install.Kept {
		t.Errorf("%+v", f)
	}
	w.uninstall(t, r)
	if got := w.files(t)[script]; !strings.HasSuffix(got, "# and mine\n") {
		t.Errorf("left %q", got)
	}
}

// TestUpgradeKeepsOrder: Codex knows approved hooks by their place, so an upgrade leaves those of others
// where they stand among all.
func TestUpgradeKeepsOrder(t *testing.T) {
	t.Parallel()
	theirs := "\n[[hooks.PostToolUse]]\n[[hooks.PostToolUse.hooks]]\ntype = \"command\"\ncommand = \"theirs\"\n"
	path := "home/.codex/config.toml"
	for _, first := range []bool{true, false} {
		w := newWorld(t)
		text := theirs
		if !first { // ours is first where theirs came later
			text = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"x\"\n"
		}
		w.write(t, path, text)
		r := request(t, "codex", install.User)
		w.install(t, r)
		if !first {
			w.write(t, path, w.files(t)[path]+theirs)
		}
		w.other()
		w.install(t, r)
		after := w.files(t)[path]
		if strings.Contains(after, "/opt/aside") || !strings.Contains(after, "new place") {
			t.Fatal(after)
		}
		if ours := strings.Index(after,
			"[[hooks.PostToolUse.hooks]]\ntype = \"command\"\ncommand = \"'/new place"); (ours > strings.Index(after,
			"theirs")) != first {
			t.Errorf("theirs first is %v:\n%s", first, after)
		}
	}
}
