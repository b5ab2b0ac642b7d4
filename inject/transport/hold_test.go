package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// hold holds all laws over a run.
func (w *trial) hold(t *testing.T, c course, all []pass) {
	t.Helper()
	for _, r := range w.fake.Refused() {
		if r.Answer.Refusal.Rule != "" {
			t.Fatalf("I6: request %d: %v", r.N, r.Answer.Refusal)
		}
	}
	for _, r := range w.fake.Records() { // also what the server keeps of a conversation holds a text once
		seen := map[string]bool{}
		if r.Prompt == nil {
			continue
		}
		for _, f := range r.Prompt.Reminders() {
			if seen[f.Text] && strings.HasPrefix(f.Text, "of ") {
				t.Errorf("the prompt of request %d holds %q twice", r.N, f.Text)
			}
			seen[f.Text] = true
		}
	}
	if forks := slices.ContainsFunc(all, pass.forked); forks != (c.Habits.Fork > 0) {
		t.Errorf("forked: %t", forks)
	}
	for _, law := range []func(rapid.TB, course, []pass){passedNothing, holdsI2, holdsI3, holdsI4,
		retriesAlike, onceEach, besideTurns, ownRuns,
		offeredAgain, compactions, asDelivered} {
		law(t, c, all)
	}
}

func passedNothing(t rapid.TB, _ course, all []pass) {
	for _, p := range all {
		if p.report.Passed != "" {
			t.Errorf("request %d passed: %s %s", p.N, p.report.Passed, p.report.Why)
		}
	}
}

// holdsI2: without our texts it is what the client sent, to the byte, tags of its own included.
func holdsI2(t rapid.TB, c course, all []pass) {
	for _, p := range all {
		got, err := wire.Strip(p.out, c.wire(p.mark))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, p.Body) {
			t.Fatalf("I2: request %d\n%s", p.N, testkit.Difference(p.Body, got))
		}
	}
}

// holdsI3: a request that carries nothing of ours is what the client sent.
func holdsI3(t rapid.TB, _ course, all []pass) {
	for _, p := range all {
		if len(p.texts) == 0 && !bytes.Equal(p.out, p.Body) {
			t.Errorf("I3: request %d\n%s", p.N, testkit.Difference(p.Body, p.out))
		}
	}
}

// inStrings reports whether texts stand in strings of the client, where they stay whatever the delivery.
func inStrings(c course) bool {
	return c.API == modelapi.Chat && !slices.Contains(model.Of(c.Model).Delivery.Places, model.Message)
}

// holdsI4: where what the client sent goes on from what it sent before, so does what went out, and ours is
// the same to the byte.
func holdsI4(t rapid.TB, c course, all []pass) {
	if c.Stateful { // nothing is ever sent twice
		return
	}
	for i, p := range all {
		if p.Kind != client.Turn && p.Kind != client.Compaction {
			continue
		}
		if c.delivery == wire.Tail && !inStrings(c) {
			atTheEnd(t, p)
			continue
		}
		for k := i - 1; k >= 0; k-- {
			q := all[k]
			if q.thread() != p.thread() || q.Kind != client.Turn || !q.delivered() || q.Lost || !client.Prefix(q.own,
				p.own, client.Spelling) || frame(q.Body) != frame(p.Body) {
				continue
			}
			if err := goesOn(q, p); err != nil {
				t.Fatalf("I4: request %d, a %s, turn %d of %s, after %d, turn %d of %s: %v", p.N, p.Kind, p.report.Turn,
					p.report.Run, q.N, q.report.Turn, q.report.Run, err)
			}
			break
		}
	}
}

// goesOn compares two requests of which the client's own messages go on from one another.
func goesOn(q, p pass) error {
	for _, b := range []client.Blindness{client.Markers, client.Spelling} {
		if !client.Prefix(q.own, p.own, b) {
			continue
		}
		if n := client.Common(q.is, p.is, b); n < len(q.is) {
			got := json.RawMessage("nothing")
			if n < len(p.is) {
				got = p.is[n]
			}
			return fmt.Errorf("message %d of %d\nwas %s\nis  %s", n, len(q.is), q.is[n], got)
		}
	}
	same := true
	for i := range q.own {
		same = same && bytes.Equal(q.own[i], p.own[i])
	}
	for i, was := range q.is {
		is := p.is[i]
		if same && !bytes.Equal(was, is) {
			return fmt.Errorf("message %d has other bytes\n%s", i, testkit.Difference(was, is))
		}
		if a, b := tags.FindAll(was, -1), tags.FindAll(is, -1); !slices.EqualFunc(a, b, bytes.Equal) {
			return fmt.Errorf("message %d holds %q, and then %q", i, a, b)
		}
	}
	if was, is := frame(q.out), frame(p.out); was != is {
		return fmt.Errorf("tools and system prompt\n%s", testkit.Difference(was, is))
	}
	return nil
}

var breakpoint = regexp.MustCompile(`"cache_control"|"cachePoint"`)

// atTheEnd: with delivery tail, nothing of ours stands in front of the last cache breakpoint or of the last
// message.
func atTheEnd(t rapid.TB, p pass) {
	t.Helper()
	if p.system > 0 {
		t.Fatalf("I4: request %d: %d tail texts stand with the system prompt", p.N, p.system)
	}
	for i, m := range p.is {
		first, marked := tags.FindIndex(m), breakpoint.FindAllIndex(m, -1)
		if first != nil && i < len(p.own)-1 {
			t.Fatalf("I4: request %d: a tail text in message %d of %d: %s", p.N, i, len(p.own), m)
		}
		if first != nil && marked != nil && marked[len(marked)-1][0] > first[0] {
			t.Fatalf("I4: request %d: a tail text in front of the breakpoint: %s", p.N, m)
		}
	}
}

// retriesAlike: a retry has the bytes of the first attempt and advances nothing.
func retriesAlike(t rapid.TB, _ course, all []pass) {
	for i, p := range all {
		if p.Attempt == 0 {
			continue
		}
		q := all[i-1]
		if !bytes.Equal(p.out, q.out) {
			t.Errorf("request %d is a retry with other bytes\n%s", p.N, testkit.Difference(q.out, p.out))
		}
		if p.Kind == client.Turn && (!p.report.Again || p.report.Turn != q.report.Turn) {
			t.Errorf("request %d is a retry: turn %d again %t, after turn %d", p.N, p.report.Turn, p.report.Again,
				q.report.Turn)
		}
	}
}

// onceEach: each firing has one text, which stands once in a request.
func onceEach(t rapid.TB, c course, all []pass) {
	texts, fired := map[string]map[string]bool{}, map[string]int{}
	for _, p := range all {
		for i, text := range p.texts {
			if slices.Contains(p.texts[:i], text) {
				t.Errorf("request %d holds %q twice", p.N, text)
			}
			if p.Kind == client.Count {
				continue
			}
			key := p.thread() + " " + idOf(text)
			if texts[key] == nil {
				texts[key] = map[string]bool{}
			}
			if !texts[key][text] && p.Kind != client.Turn {
				t.Errorf("request %d, a %s, is the first to hold %q", p.N, p.Kind, text)
			}
			texts[key][text] = true
		}
		if p.report.Again {
			continue
		}
		for _, f := range p.report.Fired {
			fired[p.thread()+" "+f.ID]++
			if text := fmt.Sprintf("of %s on turn %d.", f.ID, p.report.Turn); !slices.Contains(p.texts, text) &&
				len(p.report.Held) == 0 {
				t.Errorf("request %d fires %s and does not hold %q: %q %+v", p.N, f.ID, text, p.texts, p.report)
			}
		}
	}
	for key, n := range fired {
		if len(texts[key]) > n {
			t.Errorf("%s: %d texts of %d firings", key, len(texts[key]), n)
		}
	}
}

// besideTurns: what is not a turn advances nothing and gets nothing new; of those that count tokens the same
// holds but for the texts.
func besideTurns(t rapid.TB, c course, all []pass) {
	for _, p := range all {
		if p.Kind == client.Turn {
			if p.report.Turn == 0 || p.report.Kind != "turn" {
				t.Errorf("request %d is a turn: %+v", p.N, p.report)
			}
			byHand := slices.ContainsFunc(p.report.Fired, func(f transport.Fire) bool {
				return f.ID == "hand" &&
					f.Manual
			})
			if p.Command != byHand && !p.report.Again {
				t.Errorf("request %d, a command %t: %+v", p.N, p.Command, p.report)
			}
			continue
		}
		if p.report.Turn != 0 || len(p.report.Fired) > 0 || p.Kind != client.Count && len(p.report.Put) > 0 {
			t.Errorf("request %d is a %s: %+v", p.N, p.Kind, p.report)
		}
	}
	turns := map[string]int{}
	for _, p := range all {
		if n := p.report.Turn; n != 0 && !p.report.Again {
			// a run that begins as a fork goes on counting
			if had, ok := turns[p.report.Run]; ok && n != had+1 || !ok && n != 1 && named(c) && !p.forked() {
				t.Errorf("request %d is turn %d after turn %d", p.N, n, turns[p.report.Run])
			}
			turns[p.report.Run] = n
		}
	}
}

// ownRuns: a subagent is a run of its own, and a run of a named client stays the same.
func ownRuns(t rapid.TB, c course, all []pass) {
	runs, threads, marks := map[string]string{}, map[string]string{}, map[string]string{}
	for _, p := range all {
		if p.Kind != client.Turn {
			continue
		}
		if had, ok := threads[p.report.Run]; ok && had != p.thread() {
			t.Errorf("S7: request %d of %s is in the run %s, which is that of %s", p.N, p.thread(), p.report.Run, had)
		}
		threads[p.report.Run] = p.thread()
		who := p.Run + "/" + p.Thread
		if had, ok := runs[who]; ok && had != p.report.Run && named(c) {
			t.Errorf("request %d of %s is in the run %s, after %s", p.N, who, p.report.Run, had)
		}
		runs[who] = p.report.Run
		if p.mark != "" {
			if had, ok := marks[p.report.Run]; ok && had != p.mark {
				t.Errorf("request %d has the mark %s, after %s", p.N, p.mark, had)
			}
			marks[p.report.Run] = p.mark
		}
	}
	seen := map[string]string{}
	for run, mark := range marks {
		if other, ok := seen[mark]; ok && threads[other] != threads[run] { // forks of one conversation share it
			t.Errorf("S7: runs %s and %s have one mark", run, other)
		}
		seen[mark] = run
	}
}

// offeredAgain: the texts of a turn that never reached the model are in the next one, as they were.
func offeredAgain(t rapid.TB, c course, all []pass) {
	for i, p := range all {
		if p.Kind != client.Turn || !p.Lost || i+1 < len(all) && all[i+1].Call == p.Call {
			continue
		}
		reached := map[string]bool{}
		for _, q := range all[:i] {
			if q.thread() == p.thread() && q.delivered() {
				for _, text := range q.texts {
					reached[text] = true
				}
			}
		}
		for k := i; k >= 0 && all[k].Call == p.Call; k-- {
			if all[k].Status == http.StatusOK {
				reached = nil
			}
		}
		if reached == nil {
			continue
		}
		for _, q := range all[i+1:] {
			if q.thread() != p.thread() || q.Kind != client.Turn {
				continue
			}
			// nothing is left that could tell it from a new conversation
			if !named(c) && q.report.Run != p.report.Run {
				break
			}
			for _, text := range p.texts {
				again := fmt.Sprintf("of %s on turn %d.", idOf(text), q.report.Turn) // what fires anew takes its place
				if !reached[text] && !slices.Contains(q.texts, text) && !slices.Contains(q.texts, again) {
					t.Errorf("request %d failed for good, and %d, the next turn, does not hold its %q: %q %+v", p.N, q.N,
						text, q.texts, q.report)
				}
			}
			break
		}
	}
}

// compactions: compacted is true on the turn whose history is compacted, and on no other. A client that goes
// back to that turn has a compacted history again.
func compactions(t rapid.TB, c course, all []pass) {
	due, latest := map[string]bool{}, map[string]int{}
	for _, p := range all {
		if p.Kind == client.Compaction && p.delivered() && !p.Lost {
			due[p.thread()] = true
		}
		if p.Kind != client.Turn || p.report.Again {
			continue
		}
		fired := slices.ContainsFunc(p.report.Fired, func(f transport.Fire) bool { return f.ID == "compacted" })
		if due[p.thread()] {
			latest[p.thread()] = p.report.Turn
		}
		again := p.report.Turn <= latest[p.thread()]
		if fired && !again || !fired && due[p.thread()] && named(c) {
			t.Errorf("request %d: compacted is %t", p.N, fired)
		}
		due[p.thread()] = false
	}
}

// named reports whether the client says which run each request is of.
func named(c course) bool {
	return !c.Unnamed && !c.Stateful && c.API != modelapi.Gemini && (c.API != modelapi.Converse ||
		c.RunHeader != "")
}

// asDelivered: texts lapse by themselves where that was asked for or is the model's row, and nowhere else.
func asDelivered(t rapid.TB, c course, all []pass) {
	lapse := 0
	for _, p := range all {
		if bytes.Contains(p.out, []byte(`"clear_at":"next_user_message"`)) {
			lapse++
		}
	}
	native := c.delivery == wire.Native || c.delivery == wire.Auto && c.API == modelapi.Anthropic &&
		(c.Next != "" || !strings.Contains(c.Model, "sonnet") && !strings.Contains(c.Model, "haiku"))
	if native != (lapse > 0) {
		t.Errorf("%d requests of %d hold texts that lapse", lapse, len(all))
	}
}
