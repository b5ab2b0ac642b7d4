package setup_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestVersions: the version of an agent is read from the files that it was installed with. The programs are
// scripts that would leave a file.
func TestVersions(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(root, "bin"))
	t.Setenv("STARTED", filepath.Join(root, "started"))
	for _, tt := range []struct{ binary, program, file, text, want string }{
		{"claude", "share/claude/versions/2.1.329", "", "", "2.1.329"},
		{"codex", "lib/node_modules/@openai/codex/bin/codex.js", "lib/node_modules/@openai/codex/package.json",
			`{"name":"@openai/codex","version":"0.169.0","bin":{"codex":"bin/codex.js"}}`, "0.169.0"},
		{"qwen", "node/v22.1.0/lib/node_modules/qwen/dist/cli.js",
			"node/v22.1.0/lib/node_modules/qwen/package.json", `{"name":"@x/qwen","version":"0.24.4-rc.1","bin":"dist/cli.js"}`, "0.24.4-rc.1"},
		{"gemini", "Cellar/gemini-cli/0.61.0/bin/gemini", "", "", "0.61.0"},
		{"copilot", "node/v22.1.0/bin/copilot.js", "", "", ""},
		{"kimi", "project/bin/kimi.sh", "project/package.json", `{"name":"mine","version":"1.0.0","bin":{"a":"b"}}`,
			""},
		{"cline", "other/bin/cline.sh", "other/package.json", `{"name":"cline","version":1}`, ""},
		{"opencode", "plain/opencode.sh", "", "", ""},
	} {
		process.Put(t, root, tt.program, "#!/bin/sh\n: >\"$STARTED\"\n")
		if tt.file != "" {
			process.Put(t, root, tt.file, tt.text)
		}
		program, link := filepath.Join(root, tt.program), filepath.Join(root, "bin", tt.binary)
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(program, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, link); err != nil {
			t.Fatal(err)
		}
		m, err := setup.Machine(&command.Env{Home: root, Dir: root})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Version(tt.binary); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.binary, got, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "started")); err == nil {
		t.Error("a program was started")
	}
}
