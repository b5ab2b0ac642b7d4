package agent_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/agent"
)

// TestTools: each tool has a name of its own, and a subject where its class has one.
func TestTools(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		seen := map[string]bool{}
		for _, kind := range a.Tools {
			names := strings.Fields(kind.Names)
			if len(names) == 0 {
				t.Errorf("%s: a row of class %q without names", a.Name, kind.Class)
			}
			for _, name := range names {
				if seen[name] {
					t.Errorf("%s: %s stands twice", a.Name, name)
				}
				seen[name] = true
			}
			if none := kind.Class == agent.NoClass || kind.Class == agent.Todo; none != (kind.Subject == "") {
				t.Errorf("%s: %s of class %q has the subject %q", a.Name, names, kind.Class, kind.Subject)
			}
		}
	}
}
