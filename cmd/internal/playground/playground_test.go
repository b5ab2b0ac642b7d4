package playground_test

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/playground"
	"github.com/aside-go/aside/cmd/internal/sample"
)

// TestPlay: findings with their places, firings with their reasons, and why there are none.
func TestPlay(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(sample.Sessions, "sample/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	session, err := fs.ReadFile(sample.Sessions, files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ rule, want string }{
		"fires": {"---\nwhen: failures_in_row >= 3\ncooldown: 5 turns\n---\nRead.\n",
			`{"id":"rule","why":"failures_in_row \u003e= 3","text":"Read."}`},
		"a list": {"reminders:\n" + "  - {id: a, when: compacted, content: A}\n" +
			"  - {id: b, when: after_tool:Edit, content: B}\n",
			`"id":"b","why":"after_tool:Edit"`},
		"never": {"---\nwhen: resumed\n---\nx\n", `"never":[{"id":"rule","why":"`},
		"mistake": {"---\nwhen: context_usage > 75\n---\nx\n",
			`"line":2,"column":23,"endLine":2,"endColumn":25,"severity":"error"`},
		"no file":  {"", `"code":"R0422"`},
		"a remark": {"---\nwhen: context_usage > 75%\n---\nx\n", `"severity":"info"`},
	} {
		b, err := json.Marshal(playground.Play(c.rule, "s.jsonl", session))
		if err != nil || !strings.Contains(string(b), c.want) || strings.Contains(string(b), ":null,\"") &&
			!strings.Contains(string(b), `"usage":null`) {
			t.Errorf("%s: %v\n%.600s", name, err, b)
		}
	}
	a := playground.Play("", "s.jsonl", []byte("no session"))
	if !strings.Contains(a.Note, "this is not a transcript") {
		t.Errorf("%+v", a)
	}
}
