package lsp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestNothingFromOutside: no answer holds a name or a text of a file to which a link or a rule test leads out
// of the directory.
func TestNothingFromOutside(t *testing.T) {
	t.Parallel()
	e := open(t)
	e.write("outside/s.md", "---\nid: TOPSECRET\nwhen: turn_count > 5\n---\nTOPSECRET\n")
	e.write("p/.aside/reminders/real.md", "---\nid: seen\nwhen: turn_count > 5\n---\nx\n")
	if err := os.Symlink("../../../outside/s.md", e.path("p/.aside/reminders/link.md")); err != nil {
		t.Fatal(err)
	}
	const test = "reminders: [../reminders/real.md, ../reminders/link.md, ../../../outside/s.md]\n" +
		"tests:\n  - {name: n, steps: [{fires: [s]}]}\n"
	at := strings.Split(test, "\n")[2]
	u := e.show("p/.aside/tests/x_test.yaml", test)
	told, err := json.Marshal(e.wrong(u, 1))
	if err != nil {
		t.Fatal(err)
	}
	var items json.RawMessage
	e.ask("textDocument/completion", m{"textDocument": m{"uri": u},
		"position": m{"line": 2, "character": strings.Index(at, "[s]") + 2}}, &items)
	if said := string(told) + string(items); strings.Contains(said, "TOPSECRET") {
		t.Error(said)
	}
	if !strings.Contains(string(items), `"seen"`) {
		t.Errorf("nothing from inside: %s", items)
	}
}
