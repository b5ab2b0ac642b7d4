package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/wiretest"
	"github.com/aside-go/aside/internal/wiretest/client"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// siblings are agents that nobody names and that begin alike, in front of processes that share one store.
type siblings struct {
	set   *compile.Set
	fake  *wiretest.Fake
	store func() state.Store // that of a new process

	mu        sync.Mutex
	rng       *rand.Rand
	kills     int // of 100 requests: before how many a process is killed
	processes []*transport.Transport
	out       map[*client.Sent][]byte
}

// newSiblings returns siblings with a number of processes. differ is how the answers differ.
func newSiblings(set *compile.Set, processes int, seed uint64, differ wiretest.Script) *siblings {
	memory := state.NewMemory()
	s := &siblings{set: set, fake: wiretest.New(wiretest.Options{Script: differ}),
		store: func() state.Store { return onDisk{memory} }, rng: rand.New(rand.NewPCG(seed, 3)),
		processes: make([]*transport.Transport, processes), out: map[*client.Sent][]byte{}}
	return s
}

// onFiles has the processes share a directory.
func (s *siblings) onFiles(t *testing.T) *siblings {
	dir := t.TempDir()
	s.store = func() state.Store {
		store, err := filestore.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	return s
}

// errKilled is the client's view of a process that was killed.
var errKilled = errors.New("the proxy was killed")

// process is one process. A killed one saves nothing more.
func (s *siblings) process() *transport.Transport {
	var mu sync.Mutex
	dead := false
	base := client.Direct(s.fake)
	opts := transport.Options{Commands: true, Base: trip(func(r *http.Request) (*http.Response, error) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if s.chance(s.kills / 2) { // the turn is saved, and the request is not sent
			s.replace(r)
			return nil, errKilled
		}
		s.mu.Lock()
		s.out[client.From(r)] = b
		s.mu.Unlock()
		c := r.Clone(r.Context())
		c.Body = io.NopCloser(bytes.NewReader(b))
		return base.RoundTrip(c)
	})}
	opts.Later = func(save func() error) {
		mu.Lock()
		defer mu.Unlock()
		if dead = dead || s.chance(s.kills); !dead { // the answer has passed, and is not saved
			_ = save()
		}
	}
	return transport.New(eval.New(s.set, eval.Options{Store: s.store()}), opts)
}

func (s *siblings) chance(percent int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(100) < percent
}

// replace starts the process anew that a request went to.
func (s *siblings) replace(r *http.Request) {
	if rt, ok := r.Context().Value(processKey{}).(int); ok {
		next := s.process()
		s.mu.Lock()
		s.processes[rt] = next
		s.mu.Unlock()
	}
}

type processKey struct{}

// RoundTrip implements http.RoundTripper: any of the processes takes the request.
func (s *siblings) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	i := s.rng.IntN(len(s.processes))
	kill := s.rng.IntN(100) < s.kills || s.processes[i] == nil
	s.mu.Unlock()
	r = r.WithContext(context.WithValue(r.Context(), processKey{}, i))
	if kill {
		s.replace(r)
	}
	s.mu.Lock()
	rt := s.processes[i]
	s.mu.Unlock()
	return rt.RoundTrip(r)
}

// play plays n agents beside each other, and returns what each has sent.
func (s *siblings) play(t *testing.T, n int, o client.Options, calls int) [][]*client.Sent {
	t.Helper()
	all := make([][]*client.Sent, n)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			a := client.New(s, o)
			if err := a.Run(t.Context(), calls); err != nil {
				t.Error(err)
			}
			all[i] = a.Sent()
		})
	}
	group.Wait()
	return all
}

// differing answers as the agents' script does, and no two first answers are the same: each has other words
// and other ids of calls. What differs stands in all later answers of the conversation, too.
func differing() wiretest.Script {
	inner, n := client.Script(), 0
	mark := regexp.MustCompile(`-of-(\d+)-`)
	return func(p *wiretest.Prompt) wiretest.Reply {
		r := inner(p)
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

// TestS7Siblings: agents that begin alike and that nobody names, beside each other, get what each of them
// gets alone, whichever process takes a request, and whenever one is killed: no request is refused, each text
// is there once and says the turn of its own count, and stays where it was.
func TestS7Siblings(t *testing.T) {
	t.Parallel()
	for _, o := range []client.Options{
		{API: wiretest.Anthropic, Model: "claude-opus-5-5"}, // binds thinking
		{API: wiretest.Anthropic, Model: "claude-sonnet-4-6"},
		{API: wiretest.Chat, Model: "gpt-5.6"},
		{API: wiretest.Responses, Model: "gpt-5.6-codex"},
		{API: wiretest.Gemini, Model: "gemini-3.8-flash"},
		{API: wiretest.Converse, Model: "us.anthropic.claude-opus-5-5"},
	} {
		for _, processes := range []int{1, 2} {
			t.Run(fmt.Sprint(o.API, " ", o.Model, " ", processes), func(t *testing.T) {
				t.Parallel()
				n := 5
				s := newSiblings(every(t), processes, 7, differing())
				s.kills = 10
				s.hold(t, n, o, 12)
			})
		}
	}
}

// hold plays siblings, and compares each with what it gets alone.
func (s *siblings) hold(t *testing.T, n int, o client.Options, calls int) {
	t.Helper()
	o.Unnamed, o.Seed = true, 11
	o.Habits = client.Habits{Think: 60, Fail: 15, Note: 50, Parallel: true}
	alone := newSiblings(s.set, 1, 7, differing())
	want := alone.texts(t, alone.play(t, 1, o, calls)[0])
	for i, sent := range s.play(t, n, o, calls) {
		got := s.texts(t, sent)
		if len(got) != len(want) {
			t.Errorf("agent %d made %d requests that were answered, %d alone", i, len(got), len(want))
			continue
		}
		for k := range got {
			if !slices.Equal(got[k], want[k]) {
				t.Errorf("agent %d, request %d holds\n%q, alone\n%q", i, k, got[k], want[k])
				break
			}
		}
	}
	for _, r := range s.fake.Refused() {
		if r.Answer.Refusal.Rule != "" {
			t.Errorf("request %d: %v", r.N, r.Answer.Refusal)
		}
	}
}

// texts returns our texts in each request of an agent that was answered.
func (s *siblings) texts(t *testing.T, sent []*client.Sent) (out [][]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range sent {
		if x.Status == http.StatusOK && x.Err == nil {
			texts, _ := oursIn(t, s.out[x])
			out = append(out, texts)
		}
	}
	return out
}
