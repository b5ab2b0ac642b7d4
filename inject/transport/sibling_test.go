package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// siblings are agents that begin alike and that nobody names, in front of processes that share one store.
type siblings struct {
	opts  transport.Options // of each process
	set   *compile.Set
	fake  *modelapi.Fake
	store func() state.Store // that of a new process
	kills int                // of 100 requests: before how many a process is killed, and after how many

	mu        sync.Mutex
	rng       *rand.Rand
	processes []*transport.Transport
	turns     []*turn
}

// turn is a request of a sibling that was answered.
type turn struct {
	*client.Sent
	out    []byte // as it went out
	answer []byte
	header http.Header // of the answer

	steps      []body.Step
	asked, key string
	// of OpenAI Responses: the ids of the response, and of the one before it where the server keeps that
	id, previous string
}

// newSiblings returns siblings with a number of processes.
func newSiblings(set *compile.Set, processes int, seed uint64, script modelapi.Script) *siblings {
	memory := state.NewMemory()
	return &siblings{set: set, fake: modelapi.New(modelapi.Options{Script: script}),
		store: func() state.Store { return onDisk{memory} }, rng: rand.New(rand.NewPCG(seed, 3)),
		processes: make([]*transport.Transport, processes)}
}

// onFiles has the processes share a directory.
func (s *siblings) onFiles(t *testing.T) *siblings {
	dir := t.TempDir()
	s.store = func() state.Store {
		store, err := filestore.Open(dir)
		if err != nil {
			t.Error(err)
		}
		return store
	}
	return s
}

// errKilled is the client's view of a process that was killed.
var errKilled = errors.New("the proxy was killed")

// process is one process. A killed one saves nothing more.
func (s *siblings) process() *transport.Transport {
	var dead atomic.Bool
	base := client.Direct(s.fake)
	opts := s.opts
	opts.Commands = true
	opts.Base = trip(func(r *http.Request) (*http.Response, error) {
		out, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if s.chance(s.kills) { // the turn is saved, and the request is not sent
			s.replace(r)
			return nil, errKilled
		}
		c := r.Clone(r.Context())
		c.Body = io.NopCloser(bytes.NewReader(out))
		resp, err := base.RoundTrip(c)
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(b), failing{err}))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.turns = append(s.turns, &turn{Sent: client.From(r), out: out, answer: b, header: resp.Header})
		return resp, nil
	})
	if s.kills > 0 {
		opts.Later = func(save func() error) {
			if s.chance(s.kills) { // the answer has passed, and is not saved
				dead.Store(true)
			}
			if !dead.Load() {
				_ = save()
			}
		}
	}
	return transport.New(eval.New(s.set, eval.Options{Store: s.store()}), opts)
}

// failing ends a body with an error, or as it should.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

func (s *siblings) chance(percent int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(100) < percent
}

type processKey struct{}

// replace starts the process anew that a request went to.
func (s *siblings) replace(r *http.Request) {
	if i, ok := r.Context().Value(processKey{}).(int); ok {
		next := s.process()
		s.mu.Lock()
		s.processes[i] = next
		s.mu.Unlock()
	}
}

// RoundTrip implements http.RoundTripper: any of the processes takes the request, and another one if that is
// killed.
func (s *siblings) RoundTrip(r *http.Request) (*http.Response, error) {
	for {
		resp, err := s.attempt(r)
		if !errors.Is(err, errKilled) {
			return resp, err
		}
	}
}

func (s *siblings) attempt(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	i := s.rng.IntN(len(s.processes))
	begin := s.rng.IntN(100) < s.kills || s.processes[i] == nil
	s.mu.Unlock()
	c := r.Clone(context.WithValue(r.Context(), processKey{}, i))
	c.Body = io.NopCloser(bytes.NewReader(client.From(r).Body))
	if begin {
		s.replace(c)
	}
	s.mu.Lock()
	rt := s.processes[i]
	s.mu.Unlock()
	return rt.RoundTrip(c)
}

// hold plays n agents beside each other, and holds each to the bytes that its conversation gets alone: no
// request is refused, and each text is there once, says the turn of its own count, and stays where it was.
func (s *siblings) hold(t rapid.TB, n int, o client.Options, calls int) {
	t.Helper()
	o.Unnamed = true
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			if err := client.New(s, o).Run(context.Background(), calls); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, r := range s.fake.Refused() {
		if r.Answer.Refusal.Rule != "" {
			t.Errorf("request %d: %v", r.N, r.Answer.Refusal)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = slices.DeleteFunc(s.turns, func(x *turn) bool {
		return x.Kind != client.Turn || x.Status != http.StatusOK || x.Err != nil
	})
	further := map[string]bool{} // what a later request goes on from
	for _, x := range s.turns {
		e := api.EndpointOf(x.Path)
		x.steps, x.asked = stepsOf(t, e.API, x.Path, x.Body)
		x.key, x.id = heard(t, e.API, x.answer, 1<<20)
		var b struct {
			Previous string `json:"previous_response_id"`
		}
		if json.Unmarshal(x.Body, &b) == nil && b.Previous != "" {
			x.previous = b.Previous
			further[b.Previous] = true
		}
		for _, step := range x.steps {
			further[x.Thread+step.Before+step.Answer] = true
		}
	}
	for _, x := range s.turns {
		if !further[x.Thread+x.asked+x.key] && !further[x.id] {
			s.alone(t, x)
		}
	}
}

// alone sends the requests of a conversation up to x, which is not locked, one after another, with nobody
// else there.
func (s *siblings) alone(t rapid.TB, x *turn) {
	t.Helper()
	var is *turn
	var out []byte
	opts := s.opts
	opts.Commands = true
	opts.Base = trip(func(r *http.Request) (resp *http.Response, err error) {
		out, err = io.ReadAll(r.Body)
		return &http.Response{StatusCode: http.StatusOK, Header: is.header.Clone(), ContentLength: -1,
			Body: io.NopCloser(bytes.NewReader(is.answer))}, err
	})
	rt := transport.New(eval.New(s.set, eval.Options{}), opts)
	for _, is = range append(s.before(t, x), x) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://api.test"+is.Path,
			bytes.NewReader(is.Body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = is.Header.Clone()
		resp, err := rt.RoundTrip(r)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
		}
		if err != nil {
			t.Fatal(err)
		}
		want, got := marks.ReplaceAllString(string(out), "mark"), marks.ReplaceAllString(string(is.out), "mark")
		if want != got {
			t.Fatalf("with %d answers, of %d requests\n%s", len(is.steps), len(s.turns),
				differ([]byte(want), []byte(got)))
		}
	}
}

// before returns the turns of a conversation before x, oldest first.
func (s *siblings) before(t rapid.TB, x *turn) (all []*turn) {
	t.Helper()
	if i := slices.IndexFunc(s.turns, func(y *turn) bool { return y.id == x.previous }); x.previous != "" {
		if i < 0 {
			t.Fatalf("nobody has got the response %s", x.previous)
		}
		all = append(s.before(t, s.turns[i]), s.turns[i])
	}
	for _, step := range x.steps {
		i := slices.IndexFunc(s.turns, func(y *turn) bool { return y.asked == step.Before && y.key == step.Answer })
		if i < 0 {
			t.Fatalf("nobody has got the answer %s to %s", step.Answer, step.Before)
		}
		all = append(all, s.turns[i])
	}
	return all
}

// differing answers as the agents' script does, but no two conversations alike: from the answer on behind
// so many others, each has words and ids of calls of its own.
func differing(from int) modelapi.Script {
	inner, n := client.Script(), 0
	mark := regexp.MustCompile(`-of-(\d+)-`)
	return func(p *modelapi.Prompt) modelapi.Reply {
		r := inner(p)
		if p.Answers() < from {
			return r
		}
		whose := ""
		for _, m := range p.Messages {
			for _, b := range m.Blocks {
				if found := mark.FindStringSubmatch(b.Raw); found != nil && whose == "" {
					whose = found[1]
				}
			}
		}
		if whose == "" {
			n++
			whose = fmt.Sprint(n)
		}
		r.Parts = slices.Clone(r.Parts)
		for i, x := range r.Parts {
			switch {
			case x.Call != nil:
				c := *x.Call
				if c.ID != "" {
					c.ID += "-of-" + whose + "-"
				}
				c.Args = strings.Replace(c.Args, `{"path": "`, `{"path": "-of-`+whose+`-`, 1)
				r.Parts[i].Call = &c
			case x.Text != "":
				r.Parts[i].Text += " -of-" + whose + "-"
			}
		}
		return r
	}
}

// kinds are agents of all APIs. The model of the first one and of the last one bind thinking.
func kinds() []client.Options {
	return []client.Options{
		{API: modelapi.Anthropic, Model: "claude-opus-5-5"},
		{API: modelapi.Anthropic, Model: "claude-sonnet-4-6"},
		{API: modelapi.Chat, Model: "gpt-5.6"},
		{API: modelapi.Responses, Model: "gpt-5.6-codex"},
		{API: modelapi.Responses, Model: "gpt-5.6", Stateful: true},
		{API: modelapi.Gemini, Model: "gemini-3.8-flash"},
		{API: modelapi.Converse, Model: "us.anthropic.claude-opus-5-5"},
	}
}

// TestS7Siblings: conversations that begin alike, beside each other, get what each of them gets alone,
// whichever process takes a request, and whenever one is killed.
func TestS7Siblings(t *testing.T) {
	t.Parallel()
	of := func(differ func(int) modelapi.Script, from int) func() modelapi.Script {
		return func() modelapi.Script { return differ(from) }
	}
	short := func(from int) modelapi.Script { return counters(differing(from)) }
	for i, o := range kinds() {
		o.Habits = client.Habits{Think: 60, Fail: 15, Note: 50, Parallel: true, Fault: 10}
		for _, tt := range []struct {
			name      string
			script    func() modelapi.Script
			n         int
			processes []int
			kills     int
			rewind    int
			window    int64
		}{
			{name: "five", script: of(differing, 0), n: 5, processes: []int{1, 2}, window: 1200},
			{name: "fifty", script: of(differing, 0), n: 50, processes: []int{2}, kills: 3},
			{name: "killed", script: of(differing, 0), n: 5, processes: []int{2}, kills: 8},
			{name: "short ids", script: of(short, 0), n: 5, processes: []int{2}, kills: 8},
			{name: "alike for long", script: of(differing, 3), n: 5, processes: []int{2}, window: 1200},
			{name: "alike, killed", script: of(short, 2), n: 5, processes: []int{2}, kills: 8},
			{name: "going back", script: of(differing, 0), n: 3, processes: []int{2}, rewind: 40, window: 1200},
			{name: "back and killed", script: of(short, 1), n: 3, processes: []int{2}, rewind: 40, kills: 8},
		} {
			switch {
			case testing.Short() && (tt.name == "fifty" || i > 0 && tt.name != "alike, killed"),
				tt.name == "fifty" && i > 1 && !testkit.Long():
				continue
			}
			t.Run(fmt.Sprint(o.API, " ", o.Model, " ", tt.name), func(t *testing.T) {
				t.Parallel()
				for _, processes := range tt.processes {
					s := newSiblings(every(t), processes, 7, tt.script())
					s.kills = tt.kills
					if tt.window > 0 {
						s.opts.Windows = wire.Windows{"": tt.window}
					}
					o := o
					o.Seed, o.Habits.Rewind = 11, tt.rewind
					s.hold(t, tt.n, o, 10)
				}
			})
		}
	}
}

// TestS7Files: the same over a directory, which two processes share, and which each new one finds as the
// killed one has left it.
func TestS7Files(t *testing.T) {
	t.Parallel()
	o := kinds()[0]
	o.Seed, o.Habits = 12, client.Habits{Think: 60, Fail: 15, Parallel: true}
	s := newSiblings(every(t), 2, 8, counters(differing(1))).onFiles(t)
	s.kills = 8
	s.hold(t, 5, o, 8)
}

// TestPastForgotten: a conversation that parts from another at a turn whose state is not kept any more is not
// refused by a model that binds thinking, and holds what it held, each text once.
func TestPastForgotten(t *testing.T) {
	t.Parallel()
	answers := 0
	w := newWorld(t, rules(t, "once: turn_count == 2", "late: turn_count == 9"),
		setting{store: onDisk{state.NewMemory()},
			fake: modelapi.Options{Script: func(*modelapi.Prompt) modelapi.Reply {
				answers++
				return modelapi.Reply{Parts: []modelapi.Part{{Thinking: fmt.Sprint("It is ", answers)},
					{Text: fmt.Sprint("answer ", answers)}}}
			}}})
	const binds = "claude-opus-5-5"
	var all []chat // the conversation after each turn
	ask := func(c chat) chat {
		t.Helper()
		c, status := w.thinking(c, binds)
		if status != http.StatusOK {
			t.Fatal(status)
		}
		return c
	}
	c := chat{}
	for i := range 30 {
		c = ask(c.user(fmt.Sprint("question ", i)))
		all = append(all, c)
	}
	for _, from := range []int{20, 4} {
		c := all[from]
		for i := range 3 {
			c = ask(c.user(fmt.Sprint("from ", from, " on ", i)))
			want := []string{"ONCE"}
			if from > 8 {
				want = []string{"ONCE", "LATE"}
			}
			if diff := cmp.Diff(want, w.texts()); diff != "" {
				t.Errorf("%d turns behind %d (-want +got):\n%s", i, from, diff)
			}
		}
		_, r := w.last()
		if exact := r.Turn == from+4; exact != (from == 20) {
			t.Errorf("three turns behind %d it is turn %d", from, r.Turn)
		}
	}
}

// TestS7Schedules: the same for any number of agents, processes and kills, whatever the agents do.
func TestS7Schedules(t *testing.T) {
	t.Parallel()
	set := every(t)
	rapid.Check(t, func(t *rapid.T) {
		percent := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		o := rapid.SampledFrom(kinds()).Draw(t, "kind")
		o.Seed = rapid.Uint64().Draw(t, "seed")
		o.Habits = client.Habits{Think: percent("think", 80), Fail: percent("fail", 30), Note: percent("note", 60),
			Parallel: true, Fault: percent("fault", 15), Rewind: percent("rewind", 40)}
		script := differing(percent("alike", 4))
		if rapid.Bool().Draw(t, "short ids") {
			script = counters(script)
		}
		s := newSiblings(set, 1+percent("processes", 2), rapid.Uint64().Draw(t, "schedule"), script)
		if s.kills = percent("kills", 12); s.kills == 0 {
			s.opts.Windows = wire.Windows{"": 1200}
		}
		s.hold(t, 1+percent("agents", 7), o, 3+percent("calls", 7))
	})
}
