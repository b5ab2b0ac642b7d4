package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// recorded writes sessions of Claude Code of about size bytes in all below dir, the first a quarter of that,
// and returns how many files and turns they are.
func recorded(t *testing.T, dir string, size int) (files, turns int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// about 20 KB, as the results of tools are
	output := strings.Repeat(`func main() {\n\tfmt.Println(\"hello\")\n}\n`, 500)
	written := 0
	for file := 0; written < size; file++ {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("s%05d.jsonl", file)))
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriterSize(f, 1<<20)
		most := size / 4
		if file > 0 {
			most = 4 << 20
		}
		here := 0
		for i := 0; here < most; i++ {
			head := fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"sessionId":"s%d","timestamp":"2026-01-01T%02d:%02d:%02dZ",`, file, i/3600%24, i/60%60, i%60)
			n, err := fmt.Fprintf(w, `%s"type":"assistant","message":{"id":"m%d","model":"claude-opus-4-6","role":"assistant","content":[{"type":"tool_use","id":"c%d","name":"Bash","input":{"command":"go run ."}}],"stop_reason":"tool_use","usage":{"input_tokens":%d,"output_tokens":50}}}`+"\n"+
				`%s"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","is_error":%v,"content":"%s"}]}}`+"\n",
				head, i, i, 1000+i%190_000, head, i, i%9 == 0, output)
			if err != nil {
				t.Fatal(err)
			}
			here += n
			turns++
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		written += here
		files++
	}
	return files, turns
}

// manyRules writes n rules.
func manyRules(t *testing.T, dir string, n int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("reminders:\n")
	for i := range n {
		trigger := fmt.Sprintf([]string{"context_usage > %d%%", "turn_gt:%d", "failures_in_row >= %d",
			"after_tool:Bash and tool_calls > %d", "turns_since_tool(\\\"Edit\\\") > %d"}[i%5], i%97+1)
		fmt.Fprintf(&b, "  - {id: r%04d, when: \"%s\", content: think of it}\n", i, trigger)
	}
	process.Put(t, dir, "rules.yaml", b.String())
}

// TestReplayLarge: many sessions, a quarter of them one file, with many rules. The memory does not grow
// with the input.
func TestReplayLarge(t *testing.T) {
	size, most := 32<<20, int64(128<<20)
	if testkit.Long() {
		size = 1 << 30
	} else {
		t.Parallel()
	}
	dir := t.TempDir()
	rules := testkit.Repeat(100, 1000)
	manyRules(t, dir, rules)
	files, turns := recorded(t, filepath.Join(dir, "sessions"), size)
	r := exe.Invoke(t, dir, nil, "replay", "--rules", "rules.yaml", "sessions")
	lines := strings.Split(strings.TrimRight(r.Out, "\n"), "\n")
	if want := fmt.Sprintf("%d turns in %d runs;", turns, files); r.Code != 0 || !strings.Contains(r.Out, want) {
		t.Errorf("exit code %d, %d lines, no %q: %s", r.Code, len(lines), want, r.Err)
	}
	if r.Peak > most && !race {
		t.Errorf("%d MB of memory at its peak, at most %d are allowed", r.Peak>>20, most>>20)
	}
	t.Logf("%d MB in %d files, %d turns, %d rules: %.1f s of processor time, %d MB at the peak", size>>20,
		files, turns, rules, r.CPU.Seconds(), r.Peak>>20)
}
