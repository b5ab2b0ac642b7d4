package cost_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/cost"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/promptcache"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// run50 is the run of WIRE.md §3.3: 50 calls, a reminder of 120 tokens with the tag around it.
var run50 = client.Steady{Tools: 12_000, System: 8_000, First: 2_000, Answer: 600, Result: 2_400}

const length = 120

func costlyText() string {
	s := strings.Repeat("Most of the context is used. ", 20)
	return s[:4*length-len(`<system-reminder mark="01234567">`+"\n\n</system-reminder>")-1] + "."
}

// records plays the run against the fake and returns what the fake has counted.
func records(t *testing.T, o client.Options,
	through func(http.RoundTripper) http.RoundTripper) []modelapi.Record {
	t.Helper()
	o.Steady = &run50
	f := modelapi.New(modelapi.Options{Script: client.Script()})
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
func positions(p *modelapi.Prompt) (n int) {
	last := modelapi.Other
	for _, m := range p.Messages {
		for _, b := range m.Blocks {
			if b.Kind != last || b.Kind != modelapi.ToolUse && b.Kind != modelapi.ToolResult {
				n++
			}
			last = b.Kind
		}
	}
	return n
}

// system returns the tokens of tools and system prompt.
func system(p *modelapi.Prompt) int {
	bytes := 0
	for _, b := range append(slices.Clone(p.Tools), p.System...) {
		bytes += b.Bytes
	}
	return reminder.Tokens(bytes)
}

// calls makes of the run without reminders what a recording of it would show, with reminders on the calls
// that on names.
func calls(rs []modelapi.Record, on func(call int) bool) (out []cost.Call) {
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
	agents := []client.Options{
		{API: modelapi.Anthropic, Model: "claude-opus-5"},
		{API: modelapi.Chat, Model: "gpt-5.6"},
		{API: modelapi.Anthropic, Model: "claude-opus-5-5"},
		{API: modelapi.Anthropic, Model: "claude-sonnet-4-6"},
		{API: modelapi.Responses, Model: "gpt-5.5"},
		{API: modelapi.Gemini, Model: "gemini-3.8-flash"},
		{API: modelapi.Chat, Model: "qwen3-coder"},
	}
	if !testkit.Long() {
		agents = agents[:testkit.Repeat(1, 2)]
	}
	for _, agent := range agents {
		t.Run(agent.Model, func(t *testing.T) {
			t.Parallel()
			none := records(t, agent, func(rt http.RoundTripper) http.RoundTripper { return rt })
			for i, s := range schedules {
				if i != 1 && !testkit.Long() {
					continue
				}
				var a cost.Account
				a.Play(calls(none, s.on), cost.Prices{})
				if got, want := a.Base().Usage, sum(none); got != want {
					t.Errorf("without reminders %+v, want %+v", got, want)
				}
				want := sum(records(t, agent, func(rt http.RoundTripper) http.RoundTripper {
					set, diags := compile.New([]reminder.Reminder{{ID: "r", Mode: s.mode, Trigger: s.trigger,
						Text: costlyText(), Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 1}}}, compile.Options{})
					if diags.HasErrors() {
						t.Fatal(diags)
					}
					return transport.New(eval.New(set, eval.Options{}), transport.Options{Base: rt})
				}))
				if got := a.Added().Total.Usage; got != want {
					t.Errorf("%s: %s, the fake counts %s", s.name, show(got), show(want))
				}
			}
		})
	}
}

func sum(rs []modelapi.Record) (u promptcache.Usage) {
	for _, r := range rs {
		u = u.Plus(r.Answer.Usage.Usage)
	}
	return u
}

func show(u promptcache.Usage) string {
	return fmt.Sprintf("%d read, %d written, %d plain", u.Read, u.Write, u.Plain())
}
