package setup_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/aside/internal/setup"
	"github.com/aside-go/aside/cmd/internal/command"
)

// TestWarnProgram: hooks that would run a program from a cache are warned of, others are not.
func TestWarnProgram(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/tmp/go-build12/b001/exe/aside":                                       "go install ",
		"/home/u/.npm/_npx/0f/node_modules/@aside/cli-linux-x64/bin/aside":     "npm install -g ",
		"/home/u/.cache/uv/archive-v0/Zx/bin/aside":                            "uv tool install ",
		"/home/u/.local/pipx/.cache/9a/bin/aside":                              "pipx install ",
		"/home/u/.cache/pipx/9a/bin/aside":                                     "pipx install ",
		"/home/u/.local/pipx/venvs/aside-cli/bin/aside":                        "",
		"/home/u/.local/share/uv/tools/aside-cli/bin/aside":                    "",
		"/usr/lib/node_modules/@aside/cli/node_modules/@aside/cli-x/bin/aside": "",
		"/usr/bin/aside": "",
	} {
		var said bytes.Buffer
		setup.WarnProgram(&command.Env{Err: &said}, install.Program{Aside: path})
		if got := said.String(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
