//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestServeKillsOutcomes: processes of serve over one state are killed while they record outcomes, and a turn
// that was not answered is sent again to any of them. The record says of each firing once what became of it.
func TestServeKillsOutcomes(t *testing.T) {
	t.Parallel()
	const rule = "---\nwhen: after_tool:Edit\nexpect: after_tool:Bash\nwithin: 2 turns\n---\nRun the tests.\n"
	for name, state := range testkit.Few(map[string]func(t *testing.T, dir string) string{
		"files":    func(_ *testing.T, dir string) string { return filepath.Join(dir, "state") },
		"postgres": func(t *testing.T, _ string) string { return servers.Postgres(t) },
		"redis": func(t *testing.T, _ string) string {
			return "redis://" + servers.NewRedis(t, "--save", "").Addr
		},
	}, 1) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			process.Put(t, dir, "rules/run-tests.md", rule)
			url := state(t, dir)
			f := newFleet(t, 2, dir, "--rules", "rules", "--state", url)
			kills := 0
			f.disturb = func(n int) {
				if n%25 == 0 && kills < 4 {
					kills++
					f.kill()
				}
			}
			const lanes, rounds = 4, 3
			var wg sync.WaitGroup
			for lane := range lanes {
				wg.Go(func() {
					tools := []string{"Edit", "Bash", "Read", "Edit", "Read", "Read"} // one is heeded, one ignored
					for n := range rounds * len(tools) {
						f.decide(lane, n, tools[n%len(tools)])
					}
				})
			}
			wg.Wait()
			r := exe.Invoke(t, dir, nil, "effect", "run-tests", "--state", url, "--json")
			type group struct{ Runs, Firings, Heeded, Ignored, Open, Waiting int }
			var report []struct{ Sent group }
			if err := json.Unmarshal([]byte(r.Out), &report); err != nil || len(report) != 1 {
				t.Fatalf("%v\n%s%s", err, r.Out, r.Err)
			}
			const each = lanes * rounds
			want := group{Runs: lanes, Firings: 2 * each, Heeded: each, Ignored: each}
			if got := report[0].Sent; got != want || kills == 0 {
				t.Errorf("after %d kills %+v, want %+v", kills, got, want)
			}
			if name != "files" {
				return
			}
			b, err := os.ReadFile(filepath.Join(url, "outcomes"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(b) {
				// A line that a kill has torn is ended by who comes next. One that is still being written looks torn,
				// too: an empty line stands behind it then.
				if len(bytes.TrimSpace(line)) > 0 && !json.Valid(line) {
					t.Errorf("torn: %q", line)
				}
			}
		})
	}
}

// decide has turn n of a run decided, by one process after the other until one answers.
func (f *fleet) decide(run, n int, tool string) {
	body := fmt.Sprintf(`{"key":"k%d","facts":{"tool_used":[%q]}}`, n, tool)
	for range 200 {
		res, err := http.Post(fmt.Sprintf("%s/v1/runs/r%d/turns", f.one(run).URL, run), "application/json",
			strings.NewReader(body))
		if err != nil {
			continue
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			f.t.Errorf("turn %d of run %d: %s", n, run, res.Status)
		}
		return
	}
	f.t.Error("a turn was never answered")
}
