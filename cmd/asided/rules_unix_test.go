//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestRulesOf: an id that no rule of --rules has is not switched, and a name like it is asked for; without
// --rules it is said that nobody has looked.
func TestRulesOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/run-tests.md", "---\nwhile: always\n---\nRun the tests.\n")
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"off run-test --rules rules", command.ExitNo, "run-tests"},
		{"shadow nothing --rules rules", command.ExitNo, `there is no reminder "nothing"`},
		{"off run-tests --rules gone", command.ExitMachine, "gone"},
		{"off run/tests", command.ExitUsage, "is not an id of a rule"},
		{"off run-tests --rules rules", 0, "run-tests is off"},
		{"on run-tests", 0, "run-tests is on"},
		{"off run-test", 0, "--rules PATH has it looked up"},
	} {
		r := exe.Invoke(t, dir, nil, append(strings.Fields("rules "+c.args), "--state=state")...)
		if r.Code != c.code || !strings.Contains(r.Err, c.says) {
			t.Errorf("%s: exit %d: %s", c.args, r.Code, r.Err)
		}
		if on := exe.Invoke(t, dir, nil, "rules", "--state=state"); c.code != 0 && strings.Contains(on.Out, "off") {
			t.Errorf("%s: %s", c.args, on.Out)
		}
	}
}

// TestRules: a rule is switched off, into shadow and on again in three processes over one database, each time
// within five seconds in the last of them; each process says who asked for it; nothing of the others changes,
// and a process that starts later does the same.
func TestRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/kind.md", "---\nwhile: always\n---\nBe kind.\n")
	process.Put(t, dir, "rules/brief.md", "---\nwhile: always\n---\nBe brief.\n")
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		modelapi.New(modelapi.Options{}).ServeHTTP(w, r)
	}))
	defer api.Close()
	at := "redis://" + servers.NewRedis(t, "--save", "").Addr
	serve := func() *process.Server {
		return exe.Serve(t, dir, nil, "--rules", "rules", "--state", at, "--upstream", api.URL)
	}
	all := []*process.Server{serve(), serve(), serve()}
	n := 0
	decided := func(s *process.Server) string {
		n++
		return s.Ask("POST", fmt.Sprintf("/v1/runs/r%d/turns", n), "{}")
	}
	decided(all[0]) // so that there is a run to explain
	var took []time.Duration
	was := map[string]string{} // the digest, by what the rule was switched to
	rounds := testkit.Repeat(1, 3)
	if testkit.Long() {
		rounds = 34
	}
	for range rounds {
		for _, to := range []string{"off", "shadow", "on"} {
			r := exe.Invoke(t, dir, nil, "rules", to, "kind", "--state", at, "--by", "anna", "--why", "too loud")
			begun := time.Now()
			if r.Code != 0 || !strings.Contains(r.Err, "kind is "+to) {
				t.Fatalf("exit %d: %s", r.Code, r.Err)
			}
			var wg sync.WaitGroup
			for _, s := range all {
				wg.Go(func() {
					line := s.Await("rule is switched")
					if !strings.Contains(line, "to="+to) || to != "on" && !strings.Contains(line, `by=anna`) {
						t.Error(line)
					}
				})
			}
			wg.Wait()
			took = append(took, time.Since(begun))
			why := exe.Invoke(t, dir, nil, "why", "kind", "--rules", "rules", "--state", at)
			if strings.Contains(why.Err, "kind is "+to+" since ") != (to != "on") || why.Code != 0 {
				t.Errorf("%s: exit %d: %s", to, why.Code, why.Err)
			}
			digests := map[string]bool{}
			for i, s := range all {
				page, ready := s.Ask("GET", "/metrics", ""), s.Ask("GET", "/readyz", "")
				_, digest, _ := strings.Cut(page, "\naside_rules_digest ")
				digest, _, _ = strings.Cut(digest, "\n")
				digests[digest] = true
				for _, of := range []string{"off", "shadow"} {
					n := map[bool]string{true: "1", false: "0"}[to == of]
					if !strings.Contains(page, `aside_rules_switched{to="`+of+`"} `+n) ||
						!strings.Contains(ready, `"`+of+`":`+n) {
						t.Errorf("process %d of %s: %s", i, to, ready)
					}
				}
			}
			if len(digests) != 1 || digests[""] || was[to] != "" && !digests[was[to]] {
				t.Errorf("%s: the digests are %v, before %s", to, digests, was[to])
			}
			for digest := range digests {
				was[to] = digest
			}
			for _, s := range all {
				if got := decided(s); !strings.Contains(got, "Be brief.") ||
					strings.Contains(got, "Be kind.") != (to == "on") {
					t.Errorf("%s: %s", to, got)
				}
			}
			if to == "off" {
				late := serve()
				if got := decided(late); strings.Contains(got, "Be kind.") ||
					!strings.Contains(late.Said.String(), "rule is switched") {
					t.Error(got, late.Said.String())
				}
				if r := exe.Invoke(t, dir, nil, "rules", "--state", at); !strings.Contains(r.Out, "anna") {
					t.Error(r.Out, r.Err)
				}
			}
		}
	}
	for _, d := range took {
		if d > 5*time.Second {
			t.Errorf("it took %s until the last process had it", d)
		}
	}
	slices.Sort(took)
	t.Logf("until the last of %d processes had it, of %d switches: median %s, p99 %s", len(all), len(took),
		took[len(took)/2], took[len(took)*99/100])
}
