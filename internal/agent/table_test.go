package agent_test

import (
	"os"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestTable: the table of what agents can do, in HOOKS.md and in the page of "aside help agents", is that of
// the code. -update writes it.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"HOOKS.md", "../../cmd/internal/manual/agents.md"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, found := strings.Cut(string(b), "| agent | texts go out with |")
		_, after, ends := strings.Cut(rest, "|\n\n")
		if !found || !ends {
			t.Errorf("%s has no table of what agents can do", path)
			continue
		}
		want := before + agent.Table() + "\n" + after
		if testkit.Update() {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want != string(b) {
			t.Errorf("%s does not have the table of the code, which go test -run TestTable -update writes:\n%s", path,
				agent.Table())
		}
	}
}
