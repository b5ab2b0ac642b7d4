package hook_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/internal/test/testkit"
)

// BenchmarkAimHook runs whole processes, warm: the hook with 20 rules and a transcript of 50 MB, and in the
// same run an empty Go program built the same way and, if there is one, node with nothing to do. DESIGN.md
// §6 has the aims. What is compared are medians.
func BenchmarkAimHook(b *testing.B) {
	m := newMachine(b)
	m.program = installed(b, testkit.Built(b, "aside-hook"), m.path("aside-hook"))
	empty := emptyProgram(b, m)
	node, _ := exec.LookPath("node")
	for i := range 20 {
		when := [...]string{"context_usage > 0.9%d", "turn_count >= %d00000 and not compacted",
			"after_tool:Edit,Tool%d", "tool_used == tool%d or failures_in_row > 2", "every %d00000 turns"}[i%5]
		m.rule(fmt.Sprintf("rule-%02d", i), "description: rule number x\nwhen: "+fmt.Sprintf(when,
			i%10+1)+"\ncooldown: 5 turns\npriority: 3",
			"The tests of this package were not run since the last edit.\nRun them before you go on.")
	}
	transcript := bigTranscript(b, m, 50<<20)
	n := 0
	call := func(session string) string {
		n++
		return strings.Replace(event("session_id", session, "prompt_id", "p1", "hook_event_name", "PostToolBatch",
			"tool_calls", []any{map[string]any{"tool_name": "Read", "tool_use_id": fmt.Sprint("t", n),
				"tool_response": strings.Repeat("x", 2000)}}), "/nonexistent", transcript, 1)
	}
	m.run(call("s1"), claude...) // "every" is true at first

	var hooks, empties, nodes, eights, emptyEights []time.Duration
	for b.Loop() {
		hooks = append(hooks, m.exec(m.env, []byte(call("s1")), claude...).took)
		empties = append(empties, m.spawn(empty))
		if node != "" {
			nodes = append(nodes, m.spawn(node, "-e", "0"))
		}
		calls := make([]string, 8)
		for i := range calls {
			calls[i] = call("s2")
		}
		together := func(do func(i int)) time.Duration {
			var wg sync.WaitGroup
			began := time.Now()
			for i := range calls {
				wg.Go(func() { do(i) })
			}
			wg.Wait()
			return time.Since(began)
		}
		eights = append(eights, together(func(i int) { m.exec(m.env, []byte(calls[i]), claude...) }))
		emptyEights = append(emptyEights, together(func(int) { m.spawn(empty) }))
	}
	if log := m.log(); len(log) > 0 {
		b.Errorf("the log: %q", log)
	}
	median := func(ds []time.Duration) float64 {
		slices.Sort(ds)
		return float64(ds[len(ds)/2]) / 1e6
	}
	b.ReportMetric(median(hooks), "ms/hook")
	b.ReportMetric(median(empties), "ms/empty")
	b.ReportMetric(median(hooks)/median(empties), "x/empty")
	if node != "" {
		b.ReportMetric(median(hooks)/median(nodes), "x/node")
	}
	b.ReportMetric(median(eights), "ms/8-at-once")
	b.ReportMetric(median(emptyEights), "ms/8-empty-at-once")
	info, err := os.Stat(m.program)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/(1<<20), "MB")
}

// spawn runs a program that does nothing, and returns how long that took.
func (m *machine) spawn(program string, args ...string) time.Duration {
	m.t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = m.env, m.path("home"), strings.NewReader(
		"{}"), io.Discard, io.Discard
	began := time.Now()
	if err := cmd.Run(); err != nil {
		m.t.Fatal(err)
	}
	return time.Since(began)
}

// installed copies a program, as an installation does: one that the linker has just written is mapped in
// smaller pieces.
func installed(b *testing.B, from, to string) string {
	b.Helper()
	bytes, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, bytes, 0o700)
	}
	if err != nil {
		b.Fatal(err)
	}
	return to
}

// emptyProgram builds a program that does nothing.
func emptyProgram(b *testing.B, m *machine) string {
	b.Helper()
	src := m.write("package main\n\nfunc main() {}\n", "empty.go")
	if out, err := exec.Command("go", "build", "-o", m.path("linked"), src).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return installed(b, m.path("linked"), m.path("empty"))
}

// bigTranscript writes a session of Claude Code that is at least that long.
func bigTranscript(b *testing.B, m *machine, size int) string {
	b.Helper()
	f, err := os.Create(filepath.Join(m.dir, "transcript.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	for i, n := 0, 0; n < size; i++ {
		line := fmt.Sprintf(`{"type":"assistant","uuid":"a%d","isSidechain":false,"message":{"model":"claude-opus-5","id":"msg_%d","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"a.go"}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"cache_creation_input_tokens":1225,"cache_read_input_tokens":60000,"output_tokens":410}}}`+"\n"+
			`{"type":"user","uuid":"u%d","isSidechain":false,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}}`+"\n",
			i, i, i, i, i, strings.Repeat("a line of a file\n", 120))
		w, err := f.WriteString(line)
		if err != nil {
			b.Fatal(err)
		}
		n += w
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return f.Name()
}
