package transport_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/siblings"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// inMemory has processes share a store in memory.
func inMemory() func() state.Store {
	memory := onDisk{state.NewMemory()}
	return func() state.Store { return memory }
}

// TestS7Siblings: conversations that begin alike, beside each other, get what each of them gets alone,
// whichever process takes a request, and whenever one is killed.
func TestS7Siblings(t *testing.T) {
	t.Parallel()
	differing := siblings.Differing
	short := func(from int) modelapi.Script { return siblings.Counters(siblings.Differing(from)) }
	for i, o := range siblings.Kinds() {
		o.Habits = client.Habits{Think: 60, Fail: 15, Note: 50, Parallel: true, Fault: 10}
		for _, tt := range []struct {
			name      string
			script    func(from int) modelapi.Script
			from      int
			n         int
			processes []int
			kills     int
			rewind    int
			window    int64
		}{
			{name: "five", script: differing, n: 5, processes: []int{1, 2}, window: 1200},
			{name: "fifty", script: differing, n: 50, processes: []int{2}, kills: 3},
			{name: "killed", script: differing, n: 5, processes: []int{2}, kills: 8},
			{name: "short ids", script: short, n: 5, processes: []int{2}, kills: 8},
			{name: "alike for long", script: differing, from: 3, n: 5, processes: []int{2}, window: 1200},
			{name: "many alike", script: differing, from: 3, n: 24, processes: []int{1}, window: 1200},
			{name: "alike, killed", script: short, from: 2, n: 5, processes: []int{2}, kills: 8},
			{name: "going back", script: differing, n: 3, processes: []int{2}, rewind: 40, window: 1200},
			{name: "back and killed", script: short, from: 1, n: 3, processes: []int{2}, rewind: 40, kills: 8},
		} {
			switch {
			case !testkit.Thorough() && (i%3 > 0 || tt.name != "alike, killed" && (i > 0 || tt.name != "going back")),
				(tt.name == "fifty" || tt.name == "many alike") && i > 1 && !testkit.Long():
				continue
			}
			t.Run(fmt.Sprint(o.API, " ", o.Model, " ", tt.name), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { // else a busy machine has a request give its state up
					for _, processes := range tt.processes {
						s := &siblings.Siblings{Set: siblings.Rules(t), Script: tt.script(tt.from), Store: inMemory(),
							Processes: processes, Seed: 7, Kills: tt.kills}
						if tt.window > 0 {
							s.Options.Windows = wire.Windows{"": tt.window}
						}
						o := o
						o.Seed, o.Habits.Rewind = 11, tt.rewind
						s.Hold(t, tt.n, o, 10)
					}
				})
			})
		}
	}
}

// TestS7Files: the same over a directory, which two processes share, and which each new one finds as the
// killed one has left it.
func TestS7Files(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	siblings.Share(t, 2, func() state.Store {
		store, err := filestore.Open(dir, filestore.Options{})
		if err != nil {
			t.Error(err)
		}
		return store
	})
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
	set := siblings.Rules(t)
	rapid.Check(t, func(t *rapid.T) {
		percent := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		o := rapid.SampledFrom(siblings.Kinds()).Draw(t, "kind")
		o.Seed = rapid.Uint64().Draw(t, "seed")
		o.Habits = client.Habits{Think: percent("think", 80), Fail: percent("fail", 30), Note: percent("note", 60),
			Parallel: true, Fault: percent("fault", 15), Rewind: percent("rewind", 40)}
		script := siblings.Differing(percent("alike", 4))
		if rapid.Bool().Draw(t, "short ids") {
			script = siblings.Counters(script)
		}
		s := &siblings.Siblings{Set: set, Script: script, Store: inMemory(), Processes: 1 + percent("processes", 2),
			Seed: rapid.Uint64().Draw(t, "schedule"), Kills: percent("kills", 12)}
		if s.Kills == 0 {
			s.Options.Windows = wire.Windows{"": 1200}
		}
		s.Hold(t, 1+percent("agents", testkit.Repeat(3, 7)), o, 3+percent("calls", 7))
	})
}
