package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// clients are the agents that the tests run, by name.
func clients() map[string]client.Options {
	out := map[string]client.Options{
		"responses stateful": {API: modelapi.Responses, Stateful: true},
		"interactions kept":  {API: modelapi.Interactions, Stateful: true},
		"anthropic auto":     {API: modelapi.Anthropic, Auto: true},
		"anthropic change":   {API: modelapi.Anthropic, Model: "claude-sonnet-4-5", Next: "claude-opus-5-5"},
		"chat qwen":          {API: modelapi.Chat, Model: "qwen3-coder"},
	}
	for _, api := range []modelapi.API{modelapi.Anthropic, modelapi.Chat, modelapi.Responses, modelapi.Gemini,
		modelapi.Converse, modelapi.Interactions} {
		out[api.String()] = client.Options{API: api}
	}
	for _, model := range []string{"claude-fable-5-1", "claude-sonnet-5-5",
		"claude-haiku-4-5"}[:testkit.Repeat(0, 3)] {
		out["anthropic "+model] = client.Options{API: modelapi.Anthropic, Model: model}
	}
	for i, name := range slices.Sorted(maps.Keys(out)) {
		o := out[name]
		o.Seed, o.Window, o.Habits = uint64(100*i), 5000, client.Lively()
		o.Habits.Fork = 5
		out[name] = o
	}
	return out
}

const calls = 200

// play runs an agent against a fake of its own, for so many model calls.
func play(t *testing.T, o client.Options, calls int) (*client.Agent, *modelapi.Fake) {
	t.Helper()
	f := modelapi.New(modelapi.Options{Script: client.Script()})
	a := client.New(client.Direct(f), o)
	if err := a.Run(context.Background(), calls); err != nil {
		t.Error(err)
	}
	return a, f
}

// each calls do for each client and seed.
func each(t *testing.T, seeds int, do func(t *testing.T, o client.Options)) {
	if testkit.Long() {
		seeds *= 10
	}
	for name, o := range testkit.Few(clients(), 3) {
		for range seeds {
			o.Seed++
			o := o
			t.Run(fmt.Sprint(name, " ", o.Seed), func(t *testing.T) {
				t.Parallel()
				do(t, o)
			})
		}
	}
}

// TestI6Client: the strict fakes refuse nothing of what agents send of themselves, and thinking comes back
// behind the prompt it was made for.
func TestI6Client(t *testing.T) {
	t.Parallel()
	var all tally
	t.Cleanup(func() { all.lively(t) })
	each(t, 1, func(t *testing.T, o client.Options) {
		a, f := play(t, o, calls)
		for _, r := range f.Refused() {
			if r.Answer.Refusal.Rule != "" {
				t.Fatalf("%v\n%s", r.Answer.Refusal, r.Request.Body)
			}
		}
		thoughts := 0
		for _, r := range f.Records() {
			if len(r.Answer.Transformations) > 0 {
				t.Errorf("request %d: %v", r.N, r.Answer.Transformations)
			}
			if r.Prompt != nil {
				thoughts = max(thoughts, count(r.Prompt, modelapi.Thinking))
			}
		}
		if o.API != modelapi.Chat && o.API != modelapi.Gemini && thoughts < 5 {
			t.Errorf("only %d thoughts came back", thoughts)
		}
		all.add(o, happened(a))
	})
}

func count(p *modelapi.Prompt, k modelapi.Kind) int {
	n := 0
	for _, m := range p.Messages {
		for _, b := range m.Blocks {
			if b.Kind == k {
				n++
			}
		}
	}
	return n
}

// happened counts what an agent has done.
func happened(a *client.Agent) map[string]int {
	got := map[string]int{}
	runs := map[string]bool{}
	var before []json.RawMessage
	for _, s := range a.Sent() {
		got[s.Kind.String()]++
		runs[s.Run] = true
		for name, is := range map[string]bool{"retry": s.Attempt > 0, "lost": s.Lost && s.Attempt > 0,
			"subagent": s.Thread != "", "resumed": s.Resumed > 0} {
			if is {
				got[name]++
			}
		}
		if s.Thread != "" || s.Kind != client.Turn || s.Attempt > 0 {
			continue
		}
		now := client.Messages(s.Body)
		if before != nil {
			switch {
			case !client.Prefix(before, now, client.Spelling):
				got["broken"]++
			case !client.Prefix(before, now, client.Markers):
				got["spelt anew"]++
			default:
				got["prefix"]++
			}
		}
		before = now
	}
	got["runs"] = len(runs)
	return got
}

// tally is what agents have done, by what they are but for the seed.
type tally struct {
	mu   sync.Mutex
	runs map[client.Options]int
	did  map[client.Options]map[string]int
}

func (y *tally) add(o client.Options, did map[string]int) {
	o.Seed = 0
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.did == nil {
		y.runs, y.did = map[client.Options]int{}, map[client.Options]map[string]int{}
	}
	if y.runs[o]++; y.did[o] == nil {
		y.did[o] = map[string]int{}
	}
	for name, n := range did {
		y.did[o][name] += n
	}
}

// lively holds that enough has happened for the laws to mean something.
func (y *tally) lively(t *testing.T) {
	for o, did := range y.did {
		least := map[string]int{"turn": calls, "retry": 5, "subagent": 10, "resumed": 10}
		if !o.Stateful {
			least["prefix"], least["compaction"], least["broken"] = calls/2, 1, 3
		}
		for name, n := range least {
			if did[name] < n*y.runs[o] {
				t.Errorf("%s %s: %d times %q in %d runs: %v", o.API, o.Model, did[name], name, y.runs[o], did)
			}
		}
	}
}

// TestSpelling: agents write earlier messages anew, in ways that a blind comparison does not see and one of
// bytes does.
func TestSpelling(t *testing.T) {
	t.Parallel()
	for _, api := range []modelapi.API{modelapi.Anthropic, modelapi.Chat, modelapi.Gemini} {
		anew := 0
		for seed := range uint64(testkit.Repeat(2, 3)) {
			a, _ := play(t, client.Options{API: api, Seed: seed, Habits: client.Habits{Resume: 20, Note: 50,
				Think: 30}}, 60)
			anew += happened(a)["spelt anew"]
			var was []json.RawMessage
			for _, s := range a.Sent() {
				is := client.Messages(s.Body)
				if api == modelapi.Anthropic && client.Prefix(was, is, client.Markers) {
					for i := range was {
						if !bytes.Equal(was[i], is[i]) {
							anew++
						}
					}
				}
				was = is
			}
		}
		if anew < testkit.Repeat(2, 3) {
			t.Errorf("%s: %d messages were spelt anew", api, anew)
		}
	}
}

// TestDeterministic: the same seed sends the same bytes, retries too.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	for name, o := range clients() {
		a, _ := play(t, o, testkit.Repeat(10, 50))
		b, _ := play(t, o, testkit.Repeat(10, 50))
		if len(a.Sent()) != len(b.Sent()) {
			t.Fatalf("%s: %d requests, then %d", name, len(a.Sent()), len(b.Sent()))
		}
		for i, s := range a.Sent() {
			u := b.Sent()[i]
			if !bytes.Equal(s.Body, u.Body) || s.Path != u.Path || fmt.Sprint(s.Header) != fmt.Sprint(u.Header) {
				t.Fatalf("%s: request %d differs:\n%s\n%s", name, i, s.Body, u.Body)
			}
			if s.Attempt > 0 && !bytes.Equal(s.Body, a.Sent()[i-1].Body) {
				t.Errorf("%s: request %d is a retry with other bytes", name, i)
			}
		}
		if o.Seed++; o.API == modelapi.Chat {
			if c, _ := play(t, o, 1); bytes.Equal(c.Sent()[0].Body, a.Sent()[0].Body) {
				t.Errorf("%s: another seed sends the same", name)
			}
		}
	}
}

// forgetful puts a text into each request, and forgets it.
type forgetful struct{ http.RoundTripper }

func (f forgetful) RoundTrip(r *http.Request) (*http.Response, error) {
	s := client.From(r)
	body := strings.Replace(string(s.Body), "[cue ", fmt.Sprintf("text %d [cue ", s.N), 1)
	c := r.Clone(r.Context())
	c.Body, c.ContentLength = http.NoBody, int64(len(body))
	c.Body = readCloser{strings.NewReader(body)}
	return f.RoundTripper.RoundTrip(c)
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// TestForgetful: what is put into one request and not into the next is refused where thinking is bound, so
// that the runs of the other tests mean something.
func TestForgetful(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"claude-opus-5-5", "claude-fable-5-1"} {
		f := modelapi.New(modelapi.Options{Script: client.Script()})
		a := client.New(forgetful{client.Direct(f)}, client.Options{Model: model, Habits: client.Habits{Think: 50}})
		if err := a.Run(context.Background(), 20); err == nil || !strings.Contains(err.Error(),
			"bound to a different conversation") {
			t.Errorf("%s: %v", model, err)
		}
		if s := a.Sent()[len(a.Sent())-1]; !s.Lost || s.Status != 400 {
			t.Errorf("%s: the last request has status %d", model, s.Status)
		}
	}
}
