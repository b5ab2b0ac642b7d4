package install

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRecognise(t *testing.T) {
	t.Parallel()
	for line, ours := range map[string]bool{
		"aside hook --agent codex":                              true,
		"/usr/bin/aside hook --agent=codex":                     true,
		"~/go/bin/aside-hook --agent codex --mode x":            true,
		`'/a b/aside' hook --agent codex`:                       true,
		`"C:\Program Files\aside\aside-hook.exe" --agent codex`: true,
		`C:\bin\aside.EXE hook --agent codex`:                   true,
		`& "C:\x y\aside.exe" hook --agent codex`:               true,
		"${ROOT}/bin/aside hook --agent codex":                  true,
		"aside  hook\t--agent   codex":                          true,
		`/a\ b/aside hook --agent codex`:                        true,
		"/tmp/aside_linux_amd64 hook --agent codex":             true,
		`C:\x\aside-2.1.exe hook --agent codex`:                 true,
		"aside-hook_darwin_arm64 --agent codex":                 true,
		"asided hook --agent codex":                             false,
		"asidebar hook --agent codex":                           false,
		"aside hook --agent cursor":                             false,
		"aside hook":                                            false,
		"aside check --agent codex":                             false,
		"aside":                                                 false,
		"":                                                      false,
		"bside hook --agent codex":                              false,
		"my-aside hook --agent codex":                           false,
		"aside-hooks --agent codex":                             false,
		"echo aside hook --agent codex":                         false,
		"aside hook --agent codex || exit 0":                    false,
		"aside hook --agent codex; rm x":                        false,
		"aside hook --agent codex > log":                        false,
		"aside hook --agent 'codex":                             false,
		"aside hook --agent":                                    false,
		"exec aside hook --agent codex":                         false,
	} {
		if _, got := recognise(words(line), "codex"); got != ours {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// TestShellAndBack: what is quoted is read back as it was, and so is a status line that was wrapped.
func TestShellAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringMatching(`[a-z '"$|;&\\\n\tä/.-]{0,8}`), 1, 4).Draw(t, "words")
		if list[0] == "&" || list[0] == "" {
			list[0] = "x"
		}
		if d := cmp.Diff(list, words(shell(list, false))); d != "" {
			t.Fatalf("%s\n%s", shell(list, false), d)
		}
		s := statusLine{program: Program{Aside: "/opt/a b/aside"}}
		command := rapid.StringMatching(`[a-z '"$|;&\\/.-]{1,20}`).Draw(t, "former")
		if got, ours := former(s.command(command)); got != command || !ours {
			t.Fatalf("%s: %q, %v", s.command(command), got, ours)
		}
	})
}
