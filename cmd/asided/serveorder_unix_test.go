//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
)

// long is the output in tokens from which on an answer is long to the rules of TestServeOrder.
const long = 900

// TestServeOrder: conversations through three processes over one database, which are killed at random as the
// database is, and their connections to it cut, or over one directory, each request to any of them and many
// twice, a moment apart, without a pause between two turns: all copies of one request are equal, each text
// stands once and at its turn, and a text that is due by what an answer told stands in the very next request.
func TestServeOrder(t *testing.T) {
	t.Parallel()
	for name, state := range testkit.Few(map[string]func(t *testing.T) (*servers.Server, string){
		"postgres": func(t *testing.T) (*servers.Server, string) {
			pg := servers.NewPostgres(t, "fsync=off")
			return pg, pg.Database(t)
		},
		"redis": func(t *testing.T) (*servers.Server, string) {
			redis := servers.NewRedis(t, "--save", "", "--appendonly", "yes", "--appendfsync", "always")
			return redis, "redis://" + redis.Addr
		},
		"files": func(t *testing.T) (*servers.Server, string) { return nil, t.TempDir() },
	}, 1) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rounds := 1
			if testkit.Long() { // 20,000 requests
				rounds = 48
			}
			database, at := state(t)
			var between *servers.Proxy
			if database != nil {
				between = servers.NewProxy(t, database.Addr)
				at = strings.Replace(at, database.Addr, between.Addr, 1)
			}
			for round := range rounds {
				order(t, database, between, at, round)
			}
		})
	}
}

// order plays a round of conversations. database is nil where the state is in files.
func order(t *testing.T, database *servers.Server, between *servers.Proxy, state string, round int) {
	t.Helper()
	dir := t.TempDir()
	process.Put(t, dir, "rules/long.md", fmt.Sprintf("---\nwhen: last_response_tokens == %d\n"+
		"---\nThe answer before turn {{.turn_count}} was long.\n", long))
	f := newFleet(t, 3, dir, "--rules", "rules", "--state", state, "--fail", "closed")
	f.rng = rand.New(rand.NewPCG(8, uint64(round)))
	f.disturb = func(n int) {
		switch k := n % 100; {
		case k == 99:
			f.kill()
		case database == nil:
		case k == 25, k == 75:
			d := servers.Direction(f.rng.IntN(2))
			between.CutAfter(f.rng.IntN([]int{servers.Out: 4000, servers.In: 200}[d]), d)
		case k == 50:
			database.Kill()
			if err := database.Start(); err != nil {
				t.Error(err)
			}
		}
	}
	var wg sync.WaitGroup
	all := make([]*ordered, 8)
	for i := range all {
		all[i] = &ordered{talk: f.talks(1, fmt.Sprint("Solve task ", round, "-", i))[0],
			rng: rand.New(rand.NewPCG(uint64(i), uint64(round)))}
		if i%2 == 0 {
			all[i].run = fmt.Sprint("run-", round, "-", i)
		}
		wg.Go(func() {
			for range testkit.Repeat(12, 18) {
				all[i].turn()
			}
		})
	}
	wg.Wait()
	if !slices.ContainsFunc(all, func(c *ordered) bool { return slices.Contains(c.long, true) }) {
		t.Error("no answer was long")
	}
	if refused := f.fake.Refused(); len(refused) > 0 {
		t.Fatalf("refused: %v", refused[0].Answer.Refusal)
	}
	sent := map[string]string{} // a request, by the call whose result it holds last
	for _, r := range f.fake.Records() {
		calls := ids.FindAllString(string(r.Request.Body), -1)
		if len(calls) == 0 {
			continue
		}
		last, body := calls[len(calls)-1], string(r.Request.Body)
		if was, again := sent[last]; again && was != body {
			t.Errorf("two copies of one request:\n%s\n%s", was, body)
		}
		sent[last] = body
	}
	for i, c := range all {
		want := []string{"It is turn 1."}
		for k, id := range c.calls[:len(c.calls)-1] {
			want = append(want, fmt.Sprintf("It is turn %d.", k+2))
			if c.long[k] && (k == 0 || !c.long[k-1]) {
				want = append(want, fmt.Sprintf("The answer before turn %d was long.", k+2))
			}
			got := orderTexts.FindAllString(sent[id], -1)
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Fatalf("round %d, conversation %d, turn %d (-want +got):\n%s", round, i, k+2, cmp.Diff(want, got))
			}
		}
	}
	for _, s := range f.all {
		s.Signal(os.Interrupt)
		s.End()
	}
}

var orderTexts = regexp.MustCompile(`It is turn [0-9]+\.|The answer before turn [0-9]+ was long\.`)

// ordered is a conversation whose requests come twice at times, and which may have a name.
type ordered struct {
	*talk
	run   string // "": it has none
	rng   *rand.Rand
	calls []string // of the answers
	long  []bool   // whether they were long
}

// turn sends the next request, maybe twice, and goes on from either of the answers.
func (c *ordered) turn() {
	body, err := json.Marshal(map[string]any{"model": "claude-opus-5-5", "max_tokens": 2000,
		"messages": c.messages, "thinking": map[string]any{"type": "enabled", "budget_tokens": 1024},
		"tools": []any{map[string]any{"name": "Read", "input_schema": map[string]any{"type": "object"}}}})
	if err != nil {
		c.t.Error(err)
		return
	}
	type answer struct {
		Content json.RawMessage
		Usage   struct {
			Tokens int `json:"output_tokens"`
		}
	}
	answers := make([]*answer, 1+c.rng.IntN(2))
	gap := time.Duration(c.rng.IntN(50)) * time.Millisecond
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			if i > 0 {
				<-time.After(gap)
			}
			var last any
			for range 200 { // where a process was killed meanwhile
				r, _ := http.NewRequest("POST", c.one(c.n).URL+"/v1/messages", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set(transport.RunHeader, c.run)
				res, err := http.DefaultClient.Do(r)
				if last = err; err != nil {
					continue
				}
				b, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				last = fmt.Sprint(res.StatusCode, err, string(b))
				a := new(answer)
				if err == nil && res.StatusCode == http.StatusOK && json.Unmarshal(b, a) == nil {
					answers[i] = a
					return
				}
			}
			c.t.Errorf("run %q: a request was never answered: %v", c.run, last)
		})
	}
	wg.Wait()
	a := answers[c.rng.IntN(len(answers))]
	if a == nil {
		return
	}
	id := ids.FindString(string(a.Content))
	c.calls, c.long = append(c.calls, id), append(c.long, a.Usage.Tokens == long)
	c.messages = append(c.messages, map[string]any{"role": "assistant", "content": a.Content},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
			"tool_use_id": id, "content": "text"}}})
}
