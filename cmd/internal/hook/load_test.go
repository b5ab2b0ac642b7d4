package hook_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

// batch is a PostToolBatch of Claude Code with one call.
func batch(session, id string) string {
	return event("session_id", session, "hook_event_name", "PostToolBatch", "prompt_id", "p1", "tool_calls",
		[]any{map[string]any{"tool_name": "Read", "tool_use_id": id}})
}

// TestH2Load: eight hooks at a time of one session beside busy processes, with the limit that agents are
// told: each text goes out once, whether its hook was in time or not. -long is 2,000 events beside 32
// processes.
func TestH2Load(t *testing.T) {
	if !testkit.Long() {
		t.Parallel()
	}
	runs, busy, turns := 1, testkit.Repeat(2, 4), testkit.Repeat(16, 40)
	if testkit.Long() {
		runs, busy, turns = 20, 32, 100
	}
	m := newMachine(t)
	const ends = 40 // events at most that take in what is left
	for n := range turns + ends {
		m.rule(fmt.Sprintf("r%03d", n+1), fmt.Sprintf("when: turn_count == %d", n+1),
			fmt.Sprintf("Text %03d.", n+1))
	}
	for range busy {
		cmd := exec.CommandContext(t.Context(), testkit.Program(t, "sh"), "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	}
	text := regexp.MustCompile(`Text \d+\.`)
	late := 0
	for run := range runs {
		session := fmt.Sprint("s", run)
		var mu sync.Mutex
		var all []string
		for n := 0; n < turns; n += 8 {
			var wg sync.WaitGroup
			for i := n; i < min(n+8, turns); i++ {
				wg.Go(func() {
					r := m.exec(m.env, []byte(batch(session, fmt.Sprint("c", i))), claude...)
					mu.Lock()
					defer mu.Unlock()
					if all = append(all, text.FindAllString(r.stdout, -1)...); r.code != 0 || r.stderr != "" {
						t.Errorf("it ended with %d, stderr %q", r.code, r.stderr)
					}
				})
			}
			wg.Wait()
		}
		events := turns
		for n := 0; len(all) < events || n < 2; n++ { // the first may have no time for itself
			if n == ends {
				break
			}
			events++
			all = append(all, text.FindAllString(m.run(batch(session, fmt.Sprint("end", n)), claude...).stdout, -1)...)
		}
		late += events - turns
		slices.Sort(all)
		once := slices.Compact(slices.Clone(all))
		if len(all) != events || len(once) != len(all) {
			t.Errorf("session %d: %d texts, %d of them different, of %d events: %q", run, len(all), len(once),
				events, all)
		}
	}
	t.Logf("%d events, and %d to take in what waited; %d lines in the log", runs*turns, late, len(m.log()))
}
