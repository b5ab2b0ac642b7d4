//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/servers"
)

// TestServeDatabase: two processes over one database are one: of turns that come at once to both, exactly
// one fires on an edge, a turn that comes to both is one, and one commits what the other has prepared (S12).
func TestServeDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/full.md", "---\nwhen: context_usage > 75%\n---\nFull.\n")
	pg := servers.NewPostgres(t, "fsync=off")
	url := pg.Database(t)
	var both []*process.Server
	for range 2 {
		both = append(both, exe.Serve(t, dir, nil, "--rules", "rules", "--state", url))
	}
	const path = "/v1/runs/a%2Fb/turns"
	turn := func(n int, usage, members string) string {
		return both[n%2].Ask("POST", path, `{"facts":{"context_usage":`+usage+`}`+members+`}`)
	}
	fired := func(answer string) bool {
		t.Helper()
		if !strings.HasPrefix(answer, `{"fired":[`) {
			t.Fatal(answer)
		}
		return strings.Contains(answer, `"id":"full"`)
	}

	for n, usage := range []string{"0.2", "0.8", "0.8", "0.2", "0.8", "0.8"} { // one after the other
		if got := fired(turn(n, usage, "")); got != (n == 1 || n == 4) {
			t.Errorf("turn %d: %t", n, got)
		}
	}
	for round := range 10 { // at once
		turn(round, "0.2", "")
		key := ""
		if round%2 == 1 {
			key = fmt.Sprintf(`,"key":"k%d"`, round)
		}
		var wg sync.WaitGroup
		answers := make([]string, 8)
		for i := range answers {
			wg.Go(func() { answers[i] = turn(i, "0.8", key) })
		}
		wg.Wait()
		n := 0
		for _, a := range answers {
			if fired(a) {
				n++
			}
		}
		if want := map[bool]int{false: 1, true: len(answers)}[key != ""]; n != want {
			t.Errorf("round %d: %d of the answers have the text, want %d", round, n, want)
		}
	}
	var run struct{ Turn int }
	if err := json.Unmarshal([]byte(both[1].Ask("GET", "/v1/runs/a%2Fb", "")), &run); err != nil ||
		run.Turn != 6+5*(1+8)+5*(1+1) {
		t.Errorf("%d turns, %v", run.Turn, err)
	}

	turn(0, "0.2", "")
	var d struct{ Prepared string }
	if err := json.Unmarshal([]byte(turn(0, "0.8", `,"prepare":true`)), &d); err != nil {
		t.Fatal(err)
	}
	if !fired(turn(1, "0.8", `,"commit":"`+d.Prepared+`"`)) || fired(turn(0, "0.8", "")) {
		t.Error("not committed as it was prepared")
	}

	page := both[0].Ask("GET", "/metrics", "")
	for _, op := range []string{"read", "save"} {
		if strings.Contains(page, `aside_state_duration_seconds_count{op="`+op+`"} 0`) {
			t.Errorf("no %s was timed", op)
		}
	}

	// While the database is away nothing is decided, and what could not be stored is due when it is back.
	turn(0, "0.2", "")
	pg.Kill()
	if got := turn(0, "0.8", `,"key":"away"`); !strings.Contains(got, "urn:aside:problem:state-away") {
		t.Error(got)
	}
	if got := both[0].Ask("GET", "/readyz", ""); !strings.Contains(got, `"status":"degraded"`) ||
		!strings.Contains(got, `"state":{"ok":false`) {
		t.Error(got)
	}
	if err := pg.Start(); err != nil {
		t.Fatal(err)
	}
	again := func(n int, members string) (answer string) {
		process.Eventually(t, func() bool { // connections that broke are found out one after the other
			answer = turn(n, "0.8", members)
			return !strings.Contains(answer, "state-away")
		})
		return answer
	}
	if got := again(0, `,"key":"away"`); !fired(got) || again(1, `,"key":"away"`) != got || fired(again(1, "")) {
		t.Error("not one firing: ", got)
	}
	both[0].Await("state failed")
	both[0].Await("state is back")
}

// TestServeStartsAway: a process starts while its database is away, passes requests as they come or refuses
// them, says what is wrong, and has texts once the database is there; where the database refuses who asks, it
// does not start.
func TestServeStartsAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/kind.md", "---\nwhile: always\n---\nBe kind.\n")
	pg, redis := servers.NewPostgres(t, "fsync=off"), servers.NewRedis(t, "--save", "", "--appendonly", "yes")
	databases := map[string]struct {
		server *servers.Server
		url    string
	}{"postgres": {pg, pg.Database(t)}, "redis": {redis, "redis://" + redis.Addr}}
	for name, at := range databases {
		for _, fail := range []string{"open", "closed"} {
			fake := modelapi.New(modelapi.Options{})
			api := httptest.NewServer(fake)
			at.server.Kill()
			s := exe.Serve(t, dir, nil, "--rules", "rules", "--state", at.url, "--fail", fail, "--upstream", api.URL)
			ask := func() (ready, answer string) {
				return s.Ask("GET", "/readyz", ""), s.Ask("POST", "/v1/messages",
					`{"model":"claude-opus-5-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`)
			}
			ready, answer := ask()
			if closed := fail == "closed"; strings.Contains(ready, `"unready"`) != closed ||
				!strings.Contains(ready, "the state of runs cannot be read") ||
				strings.Contains(answer, "the state of the run cannot be read or written") != closed {
				t.Errorf("%s, %s: %s\n%s", name, fail, ready, answer)
			}
			if err := at.server.Start(); err != nil {
				t.Fatal(err)
			}
			process.Eventually(t, func() bool { // the store is asked again within a second
				ask()
				s.Await("msg=request")
				return slices.ContainsFunc(fake.Records(), func(r modelapi.Record) bool {
					return strings.Contains(string(r.Request.Body), "Be kind.")
				})
			})
			process.Eventually(t, func() bool { // each answer is good for a second
				ready, _ = ask()
				s.Await("msg=request")
				return strings.Contains(ready, `"status":"ready"`)
			})
			s.Signal(os.Interrupt)
			s.End()
			api.Close()
		}
	}
	process.Put(t, dir, "pg", strings.Replace(databases["postgres"].url, "/test", "/nobody", 1))
	process.Put(t, dir, "schema", databases["postgres"].url+"?search_path=nowhere")
	redis.Do(t, "config", "set", "requirepass", "zebra")
	process.Put(t, dir, "redis", databases["redis"].url)
	for name, why := range map[string]string{"pg": "does not exist", "schema": "no schema", "redis": "NOAUTH"} {
		if r := exe.Invoke(t, dir, nil, "serve", "--rules", "rules", "--state", "@"+name, "--listen",
			"127.0.0.1:0"); r.Code != command.ExitMachine || !strings.Contains(r.Err, why) {
			t.Errorf("%s: exit %d: %s", name, r.Code, r.Err)
		}
	}
}

// TestStateSecret: the password in the URL of a database comes from the environment or from a file, and is in
// nothing that commands and serve print, log or answer, whether the database is there or away (S14).
func TestStateSecret(t *testing.T) {
	t.Parallel()
	const secret = "zebra%2Fcross"
	dir := t.TempDir()
	process.Put(t, dir, "rules/kind.md", "---\nwhile: always\n---\nBe kind.\n")
	pg, redis := servers.NewPostgres(t, "fsync=off"), servers.NewRedis(t, "--save", "")
	redis.Do(t, "acl", "setuser", "aside", "on", ">zebra/cross", "~aside:*", "+@all")
	urls := []string{
		strings.Replace(pg.Database(t), "aside@", "aside:"+secret+"@", 1) + "?password=" + secret,
		"redis://aside:" + secret + "@" + redis.Addr,
	}
	var all strings.Builder
	say := func(s string) string { all.WriteString(s + "\n"); return s }
	command := func(state string, args ...string) string {
		c := exec.Command("asided", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir, "ASIDE_STATE="+state)
		out, err := c.CombinedOutput()
		return say(fmt.Sprintf("%q: %v: %s", args, err, out))
	}
	for i, url := range urls {
		process.Put(t, dir, "url", url+"\n")
		s := exe.Serve(t, dir, []string{"ASIDE_STATE=" + []string{url, "@url"}[i]}, "--rules", "rules",
			"--log-level", "debug", "--log-format", []string{"text", "json"}[i])
		ask := func(method, path, body string) string { return say(s.Ask(method, path, body)) }
		if got := ask("POST", "/v1/runs/r/turns", "{}"); !strings.Contains(got, "Be kind.") {
			t.Error(got)
		}
		if got := command(url, "runs", "--json"); !strings.Contains(got, `"run":"r"`) {
			t.Error(got)
		}
		command("@url", "why", "--rules", "rules")
		command("", "state", "copy", "@url", "copied")
		for _, path := range []string{"/readyz", "/metrics", "/v1/runs"} {
			ask("GET", path, "")
		}
		[]*servers.Server{pg, redis}[i].Kill()
		if got := ask("POST", "/v1/runs/r/turns", "{}"); !strings.Contains(got, "state-away") {
			t.Error(got)
		}
		if got := command(url, "runs"); !strings.Contains(got, "runs cannot be remembered in") {
			t.Error(got)
		}
		for _, path := range []string{"/readyz", "/metrics", "/v1/runs"} {
			ask("GET", path, "")
		}
		s.Signal(os.Interrupt)
		s.End()
		say(s.Said.String())
		// slips of those who write a URL
		for _, bad := range []string{strings.Replace(url, "://", "s://", 1) + "&x=\x7f", "mysql" + url,
			strings.Replace(url, secret, "zebra/cross", 1), strings.Replace(url, secret, "1?zebra", 1),
			strings.Replace(url, secret, "1#zebra", 1), strings.Replace(url, secret, "%zebra", 1),
			url + "&pool_max_conns=x"} {
			if got := command(bad, "serve", "--listen", "127.0.0.1:0"); !strings.Contains(got, "exit status") {
				t.Error(got)
			}
		}
	}
	for line := range strings.Lines(all.String()) {
		if strings.Contains(line, "zebra") {
			t.Error(line)
		}
	}
}
