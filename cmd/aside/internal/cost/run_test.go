package cost_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/cost"
	"github.com/aside-go/aside/internal/promptcache"
)

// measured is a call whose length alone was recorded.
func measured(model string, tokens int, at time.Duration) cost.Call {
	return cost.Call{Model: model, Blocks: 3, At: time.Unix(1_700_000_000, 0).Add(at),
		Recorded: cost.Recorded{Usage: promptcache.Usage{Prompt: tokens}}}
}

// stepped is a call of a model whose cache tells of reads alone.
func stepped(tokens, read int) cost.Call {
	return cost.Call{Model: "gpt-4o", Blocks: 3, Recorded: cost.Recorded{Usage: promptcache.Usage{Prompt: tokens,
		Read: read}, Cached: true}}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	text := []cost.Text{{ID: "r", Tokens: 50}}
	fire := func(c cost.Call) cost.Call {
		c.Fired = append(slices.Clip(c.Fired), text...)
		return c
	}
	compacted := func(c cost.Call) cost.Call {
		c.Rewritten = true
		return c
	}
	const opus, other = "claude-opus-4-6", "claude-opus-4-5"
	for name, x := range map[string]struct {
		calls      []cost.Call
		base, sent promptcache.Usage
	}{
		"entries live five minutes": {
			[]cost.Call{measured(opus, 10_000, 0), measured(opus, 11_000, time.Minute), measured(opus, 12_000,
				7*time.Minute)},
			promptcache.Usage{Prompt: 33_000, Read: 10_000, Write: 23_000},
			promptcache.Usage{Prompt: 33_000, Read: 10_000, Write: 23_000},
		},
		"a read lets them live on": {
			[]cost.Call{measured(opus, 10_000, 0), measured(opus, 11_000, 4*time.Minute), measured(opus, 12_000,
				8*time.Minute)},
			promptcache.Usage{Prompt: 33_000, Read: 21_000, Write: 12_000},
			promptcache.Usage{Prompt: 33_000, Read: 21_000, Write: 12_000},
		},
		"a text is sent, then written, then read": {
			[]cost.Call{fire(measured(opus, 10_000, 0)), measured(opus, 11_000, 0), measured(opus, 12_000, 0)},
			promptcache.Usage{Prompt: 33_000, Read: 21_000, Write: 12_000},
			promptcache.Usage{Prompt: 33_150, Read: 21_050, Write: 12_050},
		},
		"a compaction ends it": {
			[]cost.Call{fire(measured(opus, 10_000, 0)), compacted(measured(opus, 11_000, 0)),
				measured(opus, 12_000, 0)},
			promptcache.Usage{Prompt: 33_000, Read: 21_000,
				Write: 12_000}, // of the first request nobody knows what was system prompt
			promptcache.Usage{Prompt: 33_050, Read: 21_000, Write: 12_000},
		},
		"steps of 128 tokens": {
			[]cost.Call{stepped(2_000, 0), fire(fire(stepped(3_000, 1_920))), stepped(4_000, 2_944)},
			promptcache.Usage{Prompt: 9_000, Read: 4_864},
			promptcache.Usage{Prompt: 9_200, Read: 4_992}, // the texts fill up a step
		},
		"models share no cache, but texts": {
			[]cost.Call{fire(measured(opus, 10_000, 0)), measured(other, 11_000, 0), measured(opus, 12_000, 0)},
			promptcache.Usage{Prompt: 33_000, Read: 10_000, Write: 23_000},
			promptcache.Usage{Prompt: 33_150, Read: 10_000, Write: 23_100},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var a cost.Account
			a.Play(x.calls, cost.Prices{})
			if got := a.Base().Usage; got != x.base {
				t.Errorf("without reminders %s, want %s", show(got), show(x.base))
			}
			if got := a.Added().Total.Usage; got != x.sent {
				t.Errorf("with them %s, want %s", show(got), show(x.sent))
			}
		})
	}
}

// TestSent: a text lapses with its turn where the model takes such texts, else it stays.
func TestSent(t *testing.T) {
	t.Parallel()
	for model, stays := range map[string]bool{"claude-opus-5": false, "claude-opus-5-5": false,
		"claude-opus-4-6": true, "gpt-5.6": true, "nobody-1": true} {
		c := measured(model, 10_000, 0)
		c.Fired = []cost.Text{{ID: "r", Tokens: 50}}
		var a cost.Account
		a.Play([]cost.Call{c, measured(model, 11_000, 0)}, cost.Prices{})
		want := 50
		if stays {
			want = 100
		}
		if got := a.Added().More.Prompt; got != want {
			t.Errorf("%s: %d tokens more, want %d", model, got, want)
		}
	}
}
