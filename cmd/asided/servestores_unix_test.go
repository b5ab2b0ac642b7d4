//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
)

// fleet is processes of serve before an API that binds thinking. A request goes to any of them.
type fleet struct {
	t    *testing.T
	fake *modelapi.Fake
	args []string
	dir  string

	mu      sync.Mutex // guards what follows
	rng     *rand.Rand
	all     []*process.Server
	disturb func(n int) // is called before request n
	asked   int
	sticky  bool // the requests of a conversation go to one process
	closed  bool // requests may be refused with status 503, and are sent again
}

// newFleet starts processes with args. Each turn has a text of its own where args name these rules.
func newFleet(t *testing.T, processes int, dir string, args ...string) *fleet {
	t.Helper()
	answers := 0
	f := &fleet{t: t, dir: dir, rng: rand.New(rand.NewPCG(5, 6)), disturb: func(int) {}}
	f.fake = modelapi.New(modelapi.Options{Script: func(*modelapi.Prompt) modelapi.Reply {
		answers++
		return modelapi.Reply{Parts: []modelapi.Part{{Thinking: fmt.Sprint("thought ", answers)},
			modelapi.Use(fmt.Sprintf("toolu_%020d", answers), "Read", `{"path":"a.go"}`)},
			Output: []int{long, 0, 0}[answers%3]}
	}})
	api := httptest.NewServer(f.fake)
	t.Cleanup(api.Close)
	process.Put(t, dir, "rules/each.md", "---\nid: each\nwhile: always\n---\nIt is turn {{.turn_count}}.\n")
	f.args = append([]string{"--upstream", api.URL, "--log-level", "error"}, args...)
	for range processes {
		f.all = append(f.all, exe.Serve(t, dir, nil, f.args...))
	}
	return f
}

// one returns a process for a request of conversation n.
func (f *fleet) one(n int) *process.Server {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	f.disturb(f.asked)
	if f.sticky {
		return f.all[n%len(f.all)]
	}
	return f.all[f.rng.IntN(len(f.all))]
}

// kill kills a process, and starts another in its place.
func (f *fleet) kill() {
	i := f.rng.IntN(len(f.all))
	f.all[i].Signal(os.Kill)
	f.all[i].End()
	f.all[i] = exe.Serve(f.t, f.dir, nil, f.args...)
}

// talk is a conversation.
type talk struct {
	*fleet
	n        int
	messages []any
	texts    []string // that the last request held
}

// talks returns conversations that do not say whose they are. They begin alike, unless the prompt has a verb
// %d.
func (f *fleet) talks(n int, prompt string) []*talk {
	all := make([]*talk, n)
	for i := range all {
		own := strings.ReplaceAll(prompt, "%d", fmt.Sprint(i))
		all[i] = &talk{fleet: f, n: i, messages: []any{map[string]any{"role": "user", "content": own}}}
	}
	return all
}

// take takes conversations over turns, beside each other.
func take(turns int, all []*talk) {
	var wg sync.WaitGroup
	for _, c := range all {
		wg.Go(func() {
			for range turns {
				c.turn()
			}
		})
	}
	wg.Wait()
}

var ids = regexp.MustCompile(`toolu_[0-9]+`)

// turn sends the next request, once more where a process was killed meanwhile.
func (c *talk) turn() {
	body, err := json.Marshal(map[string]any{"model": "claude-opus-5-5", "max_tokens": 2000,
		"messages": c.messages, "thinking": map[string]any{"type": "enabled", "budget_tokens": 1024},
		"tools": []any{map[string]any{"name": "Read", "input_schema": map[string]any{"type": "object"}}}})
	if err != nil {
		c.t.Error(err)
		return
	}
	for range 200 {
		res, err := http.Post(c.one(c.n).URL+"/v1/messages", "application/json", bytes.NewReader(body))
		if err != nil {
			continue
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		var answer struct{ Content json.RawMessage }
		switch {
		case err != nil, res.StatusCode == http.StatusServiceUnavailable && c.closed: // killed, or without state
			continue
		case res.StatusCode != http.StatusOK, json.Unmarshal(b, &answer) != nil:
			c.t.Errorf("%d %s", res.StatusCode, b)
			return
		}
		id := ids.FindString(string(answer.Content))
		c.messages = append(c.messages, map[string]any{"role": "assistant", "content": answer.Content},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
				"tool_use_id": id, "content": "text"}}})
		return
	}
	c.t.Error("a request was never answered")
}

var turnTexts = regexp.MustCompile(`It is (?:now )?turn [0-9]+\.`)

// check holds all requests so far to the laws: none was refused (I3), what was put into one stays (I4), and
// nothing stands there twice (S1). It sets the texts of each conversation.
func (f *fleet) check(all []*talk) {
	f.t.Helper()
	if refused := f.fake.Refused(); len(refused) > 0 {
		f.t.Fatalf("refused: %v", refused[0].Answer.Refusal)
	}
	records := f.fake.Records()
	if err := (modelapi.Stable{}).Check(records); err != nil {
		f.t.Error(err)
	}
	latest := map[string][]string{} // by the last call whose result a request holds
	for _, r := range records {
		texts := turnTexts.FindAllString(string(r.Request.Body), -1)
		if twice := slices.Clone(texts); len(twice) != len(slices.Compact(slices.Sorted(slices.Values(twice)))) {
			f.t.Fatalf("request %d holds %q", r.N, texts)
		}
		if calls := ids.FindAllString(string(r.Request.Body), -1); len(calls) > 0 {
			latest[calls[len(calls)-1]] = texts
		}
	}
	for _, c := range all {
		before, _ := json.Marshal(c.messages[:len(c.messages)-2])
		calls := ids.FindAllString(string(before), -1)
		if len(calls) == 0 {
			continue
		}
		c.texts = latest[calls[len(calls)-1]]
	}
}

// TestServeSiblings: conversations that begin alike, through three processes over one database, which are
// killed at random: each request holds the texts of its own turns, each once (S7).
func TestServeSiblings(t *testing.T) {
	t.Parallel()
	for name, state := range testkit.Few(map[string]func(t *testing.T) string{
		"postgres": func(t *testing.T) string { return servers.Postgres(t) },
		"redis":    func(t *testing.T) string { return "redis://" + servers.NewRedis(t, "--save", "").Addr },
	}, 1) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const turns = 5
			f := newFleet(t, 3, t.TempDir(), "--rules", "rules", "--state", state(t))
			f.disturb = func(n int) {
				if n%15 == 0 {
					f.kill()
				}
			}
			all := f.talks(8, "Solve it.")
			take(turns, all)
			f.check(all)
			var want []string
			for i := range turns {
				want = append(want, fmt.Sprintf("It is turn %d.", i+1))
			}
			for _, c := range all {
				if !slices.Equal(c.texts, want) {
					t.Errorf("%q, want %q", c.texts, want)
				}
			}
		})
	}
}

// TestServeRows: conversations without names through three processes leave at most two rows each.
func TestServeRows(t *testing.T) {
	t.Parallel()
	for name, state := range testkit.Few(map[string]func(t *testing.T) (url string, rows func() int){
		"postgres": func(t *testing.T) (string, func() int) {
			url := servers.Postgres(t)
			return url, func() (n int) {
				c, err := pgx.Connect(t.Context(), url)
				if err == nil {
					defer c.Close(t.Context())
					err = c.QueryRow(t.Context(), "SELECT count(*) FROM aside_run").Scan(&n)
				}
				if err != nil {
					t.Error(err)
				}
				return n
			}
		},
		"redis": func(t *testing.T) (string, func() int) {
			redis := servers.NewRedis(t, "--save", "")
			return "redis://" + redis.Addr, func() (n int) {
				_, _ = fmt.Sscan(redis.Do(t, "dbsize"), &n)
				return n
			}
		},
	}, 1) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, rows := state(t)
			f := newFleet(t, 3, t.TempDir(), "--rules", "rules", "--state", url)
			all := f.talks(10, "Solve task %d.")
			take(20, all)
			f.check(all)
			if n := rows(); n < len(all) || n > 2*len(all) {
				t.Errorf("%d conversations left %d rows", len(all), n)
			}
		})
	}
}

// TestServeFaults: the connections to the database are cut, its server is killed, and it takes no writes, as
// where its disk is full, in the middle of conversations with a model that binds its thinking. All the while
// each request is answered and repeats what those before it held, and afterwards new texts go out (S13, I11).
func TestServeFaults(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		pg := servers.NewPostgres(t, "fsync=off")
		url := pg.Database(t)
		faults(t, pg, "closed", func(addr string) string { return strings.Replace(url, pg.Addr, addr, 1) },
			func(full bool) {
				c, err := pgx.Connect(t.Context(), url+"?default_transaction_read_only=off")
				if err == nil {
					defer c.Close(t.Context())
					_, err = c.Exec(t.Context(), fmt.Sprint("ALTER SYSTEM SET default_transaction_read_only = ", full))
				}
				if err == nil {
					_, err = c.Exec(t.Context(), "SELECT pg_reload_conf()")
				}
				if err != nil {
					t.Error(err)
				}
			})
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		redis := servers.NewRedis(t, "--save", "", "--appendonly", "yes", "--appendfsync", "always")
		faults(t, redis, "open", func(addr string) string { return "redis://" + addr }, func(full bool) {
			redis.Do(t, "config", "set", "maxmemory", map[bool]string{true: "1", false: "0"}[full])
		})
	})
}

// faults plays the faults of a server. url is that of its database at another address, and full says whether
// the server takes writes. Requests may go to any process where they are refused while there is no state, and
// are then sent again; else a conversation stays with its process, as no other knows what it held.
//
// Without -long the way fail alone is played.
func faults(t *testing.T, database *servers.Server, fail string, url func(addr string) string,
	full func(bool)) {
	between := servers.NewProxy(t, database.Addr)
	fails := []string{fail}
	if testkit.Long() {
		fails = []string{"open", "closed"}
	}
	for _, fail := range fails {
		f := newFleet(t, 2, t.TempDir(), "--rules", "rules", "--state", url(between.Addr), "--fail", fail)
		f.sticky, f.closed = fail == "open", fail == "closed"
		all := f.talks(4, "Solve "+fail+".")
		take(2, all)
		// during takes all conversations over turns while disturb is called, and heals; then each must have a
		// new text within three turns: a process that is slow to see that the state is back passes requests on.
		during := func(fault string, turns int, disturb func(n int), heal func()) {
			t.Helper()
			f.mu.Lock()
			f.asked, f.disturb = 0, disturb
			f.mu.Unlock()
			take(turns, all)
			f.mu.Lock()
			f.disturb = func(int) {}
			heal()
			f.mu.Unlock()
			f.check(all)
			had := map[*talk]int{}
			for _, c := range all {
				had[c] = len(c.texts)
			}
			without := func(c *talk) bool { return len(c.texts) <= had[c] }
			for try := 0; try < 3 && slices.ContainsFunc(all, without); try++ {
				take(1, all)
				f.check(all)
			}
			for _, c := range all {
				if without(c) {
					t.Errorf("%s, %s: no new text after %q", fail, fault, c.texts)
				}
			}
		}
		during("cuts", 5, func(n int) {
			if n%2 == 0 || n > 40 { // so that all are answered in the end
				return
			}
			d := servers.Direction(f.rng.IntN(2))
			between.CutAfter(f.rng.IntN([]int{servers.Out: 4000, servers.In: 200}[d]), d)
		}, between.Cut)
		start := func() {
			if err := database.Start(); err != nil {
				t.Error(err)
			}
		}
		during("kill", 3, func(n int) { // in the middle of the requests of others
			switch n {
			case 3:
				database.Kill()
			case 9:
				start()
			}
		}, func() {})
		during("full disk", 3, func(n int) {
			if n == 3 || n == 9 {
				full(n == 3)
			}
		}, func() {})
	}
	if between.Cuts() < 5 {
		t.Errorf("%d connections were cut", between.Cuts())
	}
}

// TestServeRollOut: the share of the runs that have new rules grows and goes back in the middle of
// conversations with a model that binds its thinking, through processes over one database: nothing is
// refused, what was put in stays, and each run has the text of its rules on each turn (T9).
func TestServeRollOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	on := &shelf{}
	srv := httptest.NewServer(on)
	defer srv.Close()
	process.Put(t, dir, "token", "secret\n")
	process.Put(t, dir, "new/each.md", "---\nid: each\nwhile: always\n---\nIt is now turn {{.turn_count}}.\n")
	process.Put(t, dir, "rules/each.md", "---\nid: each\nwhile: always\n---\nIt is turn {{.turn_count}}.\n")
	do := func(args ...string) {
		t.Helper()
		if r := exe.Invoke(t, dir, nil, append([]string{"bundle"}, args...)...); r.Code != 0 {
			t.Fatalf("%q: %s", args, r.Out+r.Err)
		}
	}
	publish := func(rules, revision string, more ...string) {
		t.Helper()
		file := "team-" + revision + ".tar.gz"
		do(append([]string{"build", rules, "--name", "team", "--revision", revision}, more...)...)
		do("sign", file, "--key", "team.key")
		b, err := os.ReadFile(dir + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		on.set(func() { on.file, on.n = b, on.n+1 })
	}
	do("keygen", "team")
	publish("rules", "1")
	f := newFleet(t, 2, dir, "--bundle", srv.URL, "--bundle-key", "team.pub", "--bundle-token-file", "token",
		"--bundle-interval", "1h", "--bundle-stale", "2h", "--log-level", "info", "--state",
		"redis://"+servers.NewRedis(t, "--save", "").Addr)
	all := f.talks(12, "Solve %d.")
	take(2, all)
	f.check(all)
	news := map[*talk]int{} // turns of each conversation with the new text, so far
	for i, share := range []string{"0%", "50%", "100%", "30%", "0%"} {
		more := []string{"--rollout", share, "--base", "team-1.tar.gz"}
		if share == "100%" {
			more = nil
		}
		publish("new", fmt.Sprint(2+i), more...)
		for _, s := range f.all {
			s.Signal(syscall.SIGHUP)
			s.Await("rules of a bundle are in use")
		}
		take(1, all)
		f.check(all)
		with := 0
		for _, c := range all {
			got := strings.Count(strings.Join(c.texts, " "), "now")
			with += got - news[c]
			if news[c] = got; len(c.texts) != 3+i {
				t.Errorf("%s: %q", share, c.texts)
			}
		}
		if least := map[string]int{"50%": 1, "100%": 12, "30%": 0}[share]; with < least ||
			share == "0%" && with > 0 || share == "30%" && with == 12 {
			t.Errorf("%s: %d of 12 have the new text", share, with)
		}
	}
}
