package agent_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/test/testkit"
)

// ampDriver is as much of Amp as its plugin sees: events of one thread, whose answers it prints.
const ampDriver = `
const handlers = {}
const { default: plugin } = await import(process.argv[1])
plugin({ on: (event, handler) => { handlers[event] = handler } })
const answers = []
for (const [event, members] of JSON.parse(process.argv[2]))
  answers.push(await handlers[event]({ thread: { id: "T-1" }, ...members }) ?? null)
console.log(JSON.stringify(answers))
`

// TestAmp: aside's plugin tells Amp's events to the hook, and puts what is due beside the prompt; with a hook
// that is gone it adds nothing.
func TestAmp(t *testing.T) {
	t.Parallel()
	a, _ := agent.Named("amp")
	p := a.Config.Files[0].Plugin
	events, err := json.Marshal([]any{
		[]any{"agent.start", map[string]any{"id": 1, "message": "go on"}},
		[]any{"tool.result", map[string]any{"tool": "Bash", "toolUseID": "t1", "status": "error", "output": "no"}},
		[]any{"agent.start", map[string]any{"id": 2, "message": "deploy it"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		testkit.Built(t, "aside-hook"): `[{"message":{"content":"Person 1."}},null,` +
			`{"message":{"content":"Person 2.\n\nIt failed."}}]`,
		"/nonexistent/aside-hook": `[{},null,{}]`,
	} {
		o := newOpencode(t)
		o.rule("failed", "when: tool_failed:Bash\npriority: 2", "It failed.")
		o.rule("person", "while: user_message", "Person {{.user_turn_count}}.")
		words, err := json.Marshal([]string{program, "--agent", "amp", "--timeout", "60s"})
		if err != nil {
			t.Fatal(err)
		}
		path := o.write("aside.mjs", strings.Replace(p.Source, p.Command, string(words), 1))
		cmd := exec.Command(node(t), "--input-type=module", "-e", ampDriver, path, string(events))
		cmd.Dir = o.dir
		cmd.Env = []string{"HOME=" + filepath.Join(o.dir, "home"), "PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", filepath.Base(program), err, got, want)
		}
	}
}
