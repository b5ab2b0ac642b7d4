package transport_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/compile/reminder"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/siblings"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestI4Runs: all laws over runs of 200 model calls, for each API and delivery.
func TestI4Runs(t *testing.T) {
	t.Parallel()
	seeds, calls := 1, testkit.Repeat(15, 40)
	if testkit.Long() {
		seeds, calls = 3, 200
	}
	total := &tally{fired: map[string]int{}}
	t.Cleanup(func() { total.enough(t) })
	for name, c := range testkit.Few(courses(), 8) {
		// in a smaller one compactions follow upon each other, and "compacted" is true once
		c.Window = 40 * max(calls, 40)
		for range seeds {
			c.Seed++
			c := c
			t.Run(fmt.Sprint(name, " ", c.Seed), func(t *testing.T) {
				t.Parallel()
				w := newTrial(siblings.Rules(t), transport.Options{Delivery: c.delivery,
					Windows: wire.Windows{"": int64(3 * c.Window / 2)}})
				if c.Seed/1000%2 == 0 {
					w.beside()
				}
				all := w.run(t, c.Options, calls)
				w.hold(t, c, all)
				total.add(all)
			})
		}
	}
}

// TestI4Restart: the laws hold where the process is started again in the middle of runs whose clients name
// them.
func TestI4Restart(t *testing.T) {
	t.Parallel()
	n := testkit.Repeat(2, 6)
	for name, c := range testkit.Few(courses(), 12) {
		// a fork is known by what this process has seen
		if !named(c) || c.Habits.Fork > 0 || c.delivery == wire.Tail || c.Next != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.Window = 1200
			w := newTrial(siblings.Rules(t), transport.Options{Delivery: c.delivery, Windows: wire.Windows{"": 1800}})
			w.beside()
			w.hold(t, c, w.run(t, c.Options, n, n, n))
		})
	}
}

// tally is what happened in all runs together.
type tally struct {
	mu       sync.Mutex
	runs     int
	fired    map[string]int
	repeated int
}

func (y *tally) add(all []pass) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.runs++
	for _, p := range all {
		y.repeated += p.report.Repeat
		if !p.report.Again {
			for _, f := range p.report.Fired {
				y.fired[f.ID]++
			}
		}
	}
}

// enough: the reminders have fired often enough for the laws to mean something, if all runs were there.
func (y *tally) enough(t *testing.T) {
	if y.runs < len(courses()) {
		return
	}
	for _, id := range strings.Fields("half tool seven full always user start later failed kept safety " +
		"compacted hand") {
		if y.fired[id] < 3 {
			t.Errorf("%s fired only %d times", id, y.fired[id])
		}
	}
	t.Logf("%v, repeated %d", y.fired, y.repeated)
}

// TestI3Never: where nothing ever fires, all arrives as it was sent.
func TestI3Never(t *testing.T) {
	t.Parallel()
	for _, api := range []modelapi.API{modelapi.Anthropic, modelapi.Chat, modelapi.Responses, modelapi.Gemini,
		modelapi.Converse, modelapi.Interactions} {
		t.Run(api.String(), func(t *testing.T) {
			t.Parallel()
			w := newTrial(compiled(t, reminder.Reminder{ID: "no", Trigger: "never", Text: "It is quiet."}),
				transport.Options{})
			o := client.Options{API: api, Seed: 77, Window: 4000, Habits: client.Lively()}
			o.Habits.Hostile, o.Habits.Fork = 20, 10
			for _, p := range w.run(t, o, testkit.Repeat(12, 40)) {
				if !bytes.Equal(p.out, p.Body) {
					t.Fatalf("request %d\n%s", p.N, testkit.Difference(p.Body, p.out))
				}
			}
		})
	}
}

// TestS7Beside: agents that run at the same time through one Transport get what each of them gets alone.
func TestS7Beside(t *testing.T) {
	t.Parallel()
	var os []client.Options
	for i, api := range []modelapi.API{modelapi.Anthropic, modelapi.Anthropic, modelapi.Chat, modelapi.Responses,
		modelapi.Gemini, modelapi.Converse, modelapi.Interactions} {
		os = append(os, client.Options{API: api, Seed: uint64(i), Window: 4000, Habits: client.Lively()})
	}
	play := func(w *trial, o client.Options) []string {
		a := client.New(w, o)
		if err := a.Run(t.Context(), testkit.Repeat(10, 60)); err != nil {
			t.Error(err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		var out []string
		for _, s := range a.Sent() {
			out = append(out, unsigned(string(bytes.Join(w.out[s], nil))))
		}
		return out
	}
	beside := make([][]string, len(os))
	w := newTrial(siblings.Rules(t), transport.Options{})
	var group sync.WaitGroup
	for i, o := range os {
		group.Go(func() { beside[i] = play(w, o) })
	}
	group.Wait()
	for i, o := range os {
		alone := play(newTrial(siblings.Rules(t), transport.Options{}), o)
		if len(alone) != len(beside[i]) {
			t.Fatalf("%s: %d requests alone, %d beside others", o.API, len(alone), len(beside[i]))
		}
		for k := range alone {
			if alone[k] != beside[i][k] {
				t.Fatalf("%s: request %d\n%s", o.API, k, testkit.Difference(alone[k], beside[i][k]))
			}
		}
	}
}

var (
	signatures = regexp.MustCompile(`"(signature|encrypted_content)":"[^"]*"`)
	ids        = regexp.MustCompile(`"(msg|fc|rs|resp)_[0-9_]*"`)
)

// unsigned leaves out what is drawn anew for each run, and what a fake numbers or signs.
func unsigned(s string) string {
	s = signatures.ReplaceAllString(siblings.Unmarked(s), "signature")
	return ids.ReplaceAllString(s, "id")
}
