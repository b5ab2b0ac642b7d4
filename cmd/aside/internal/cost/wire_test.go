package cost_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/cost"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/promptcache"
	"github.com/aside-go/aside/internal/testkit"
	"github.com/aside-go/aside/internal/wiretest"
	"github.com/aside-go/aside/internal/wiretest/client"
)

// run50 is the run of WIRE.md §3.3: 50 calls, a reminder of 120 tokens with the tag around it.
var run50 = client.Steady{Tools: 12_000, System: 8_000, First: 2_000, Answer: 600, Result: 2_400}

const length = 120

func costlyText() string {
	s := strings.Repeat("Most of the context is used. ", 20)
	return s[:4*length-len(`<system-reminder mark="01234567">`+"\n\n</system-reminder>")-1] + "."
}

// inText is the naive way: the reminder is added to the last text, and in the next request it is not there.
func inText(body []byte) []byte {
	all := lastCue.FindAllIndex(body, -1)
	at := all[len(all)-1][1]
	tag := " <system-reminder> " + costlyText() + strings.Repeat(" ", len(` mark="01234567"`)-1) +
		" </system-reminder>"
	return bytes.Join([][]byte{body[:at], []byte(tag), body[at:]}, nil)
}

var lastCue = regexp.MustCompile(`\[cue [^\]]*\]`)

type naive struct {
	http.RoundTripper
	on func(call int) bool
}

func (n naive) RoundTrip(r *http.Request) (*http.Response, error) {
	s := client.From(r)
	if !n.on(s.Call + 1) {
		return n.RoundTripper.RoundTrip(r)
	}
	c := r.Clone(r.Context())
	body := inText(s.Body)
	c.Body, c.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return n.RoundTripper.RoundTrip(c)
}

// records plays the run against the fake and returns what the fake has counted.
func records(t *testing.T, o client.Options,
	through func(http.RoundTripper) http.RoundTripper) []wiretest.Record {
	t.Helper()
	o.Steady = &run50
	f := wiretest.New(wiretest.Options{Script: client.Script()})
	if err := client.New(through(client.Direct(f)), o).Run(context.Background(), 50); err != nil {
		t.Fatal(err)
	}
	rs := f.Records()
	for _, r := range rs {
		if r.Answer.Refusal != nil {
			t.Fatal(r.Answer.Refusal)
		}
	}
	return rs
}

// positions counts those of a prompt.
func positions(p *wiretest.Prompt) (n int) {
	last := wiretest.Other
	for _, m := range p.Messages {
		for _, b := range m.Blocks {
			if b.Kind != last || b.Kind != wiretest.ToolUse && b.Kind != wiretest.ToolResult {
				n++
			}
			last = b.Kind
		}
	}
	return n
}

// system returns the tokens of tools and system prompt.
func system(p *wiretest.Prompt) int {
	bytes := 0
	for _, b := range append(slices.Clone(p.Tools), p.System...) {
		bytes += b.Bytes
	}
	return reminder.Tokens(bytes)
}

// calls makes of the run without reminders what a recording of it would show, with reminders on the calls
// that on names.
func calls(rs []wiretest.Record, on func(call int) bool) (out []cost.Call) {
	before := 0
	for i, r := range rs {
		u := r.Answer.Usage
		n := positions(r.Prompt)
		c := cost.Call{
			Model: r.Prompt.Model, System: system(r.Prompt), Blocks: n - before,
			Recorded: cost.Recorded{Usage: u.Usage, Cached: true, Output: u.Output, Spoke: true},
		}
		if before = n; on(i + 1) {
			c.Fired = []cost.Text{{ID: "r", Tokens: length}}
			c.Due = c.Fired
		}
		out = append(out, c)
	}
	return out
}

// TestSameAsTheFakes: what is worked out from the recorded usage alone is what the fakes of the APIs count
// when the reminders really are in the requests, to the token. Without -long one model is asked, or under CI
// two, with reminders from the 30th call on.
func TestSameAsTheFakes(t *testing.T) {
	t.Parallel()
	schedules := []struct {
		name, trigger string
		mode          reminder.Mode
		on            func(call int) bool
	}{
		{"6 fires", "turn_count == 8 or turn_count == 16 or turn_count == 24 or turn_count == 32 or " +
			"turn_count == " +
			"40 or turn_count == 48", reminder.When, func(n int) bool { return n%8 == 0 }},
		{"turns 30 to 50", "turn_count >= 30", reminder.While, func(n int) bool { return n >= 30 }},
		{"every turn", "always", reminder.While, func(int) bool { return true }},
	}
	deliveries := map[cost.Way]wire.Delivery{cost.Native: wire.Native, cost.Anchored: wire.Anchored,
		cost.Tail: wire.Tail}
	bills := []struct {
		agent client.Options
		ways  []cost.Way
	}{
		{client.Options{API: wiretest.Anthropic, Model: "claude-opus-5"}, []cost.Way{cost.Native, cost.Anchored,
			cost.Tail, cost.Naive}},
		{client.Options{API: wiretest.Chat, Model: "gpt-5.6"}, []cost.Way{cost.Anchored, cost.Tail}},
		{client.Options{API: wiretest.Anthropic, Model: "claude-opus-5-5"}, []cost.Way{cost.Native, cost.Anchored}},
		{client.Options{API: wiretest.Anthropic, Model: "claude-sonnet-4-6"}, []cost.Way{cost.Anchored, cost.Tail,
			cost.Naive}},
		{client.Options{API: wiretest.Responses, Model: "gpt-5.5"}, []cost.Way{cost.Anchored, cost.Tail,
			cost.Naive}},
		{client.Options{API: wiretest.Gemini, Model: "gemini-3.8-flash"}, []cost.Way{cost.Anchored, cost.Tail,
			cost.Naive}},
		{client.Options{API: wiretest.Chat, Model: "qwen3-coder"}, []cost.Way{cost.Anchored, cost.Tail}},
	}
	if !testkit.Long() {
		bills = bills[:testkit.Repeat(1, 2)]
	}
	for _, b := range bills {
		t.Run(b.agent.Model, func(t *testing.T) {
			t.Parallel()
			none := records(t, b.agent, func(rt http.RoundTripper) http.RoundTripper { return rt })
			for i, s := range schedules {
				if i != 1 && !testkit.Long() {
					continue
				}
				var a cost.Account
				a.Play(calls(none, s.on), cost.Prices{})
				if got, want := a.Base().Usage, sum(none); got != want {
					t.Errorf("without reminders %+v, want %+v", got, want)
				}
				for _, w := range b.ways {
					want := sum(records(t, b.agent, func(rt http.RoundTripper) http.RoundTripper {
						if w == cost.Naive {
							return naive{rt, s.on}
						}
						set, diags := compile.New([]reminder.Reminder{{ID: "r", Mode: s.mode, Trigger: s.trigger,
							Text: costlyText(), Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 1}}}, compile.Options{})
						if diags.HasErrors() {
							t.Fatal(diags)
						}
						return transport.New(eval.New(set, eval.Options{}), transport.Options{Base: rt,
							Delivery: deliveries[w]})
					}))
					x, _, ok := a.Added(w)
					if got := x.Total.Usage; !ok || got != want {
						t.Errorf("%s, %v: %s, the fake counts %s", s.name, w, show(got), show(want))
					}
				}
			}
		})
	}
}

func sum(rs []wiretest.Record) (u promptcache.Usage) {
	for _, r := range rs {
		u = u.Plus(r.Answer.Usage.Usage)
	}
	return u
}

func show(u promptcache.Usage) string {
	return fmt.Sprintf("%d read, %d written, %d plain", u.Read, u.Write, u.Plain())
}
