package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/siblings"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// outage is a store that fails from one operation on, for some operations, in one way.
type outage struct {
	state.Store
	from, until int
	how         string

	mu sync.Mutex
	n  int // operations so far
	// of these, saves while it lasted; and whether the next load fails
	saves int
	blind bool
}

var errDisk = errors.New("the disk is gone")

// ways are the ways in which an outage fails.
var ways = []string{"read", "write", "both", "not known whether written", "written, and then unreadable",
	"written now and then, and then unreadable once"}

func (s *outage) down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return s.n > s.from && s.n <= s.until
}

func (s *outage) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	down := s.down()
	if s.blind {
		s.blind = false
		return nil, 0, errDisk
	}
	if down && (s.how == "read" || s.how == "both" || s.how == "written, and then unreadable") {
		return nil, 0, errDisk
	}
	return s.Store.Load(ctx, run)
}

func (s *outage) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	if !s.down() || s.how == "read" {
		return s.Store.Save(ctx, run, prev, next)
	}
	switch s.how {
	case "not known whether written":
		return 0, errors.Join(state.ErrIndeterminate, errDisk)
	case "written now and then, and then unreadable once":
		s.blind = true
		if s.saves++; s.saves%3 == 1 {
			_, _ = s.Store.Save(ctx, run, prev, next)
		}
		return 0, errors.Join(state.ErrIndeterminate, errDisk)
	case "written, and then unreadable":
		_, _ = s.Store.Save(ctx, run, prev, next)
		return 0, errors.Join(state.ErrIndeterminate, errDisk)
	default:
		return 0, errDisk
	}
}

// TestI11Outage: wherever the state fails in a conversation, for however long, and in whatever way, the API
// refuses no request, no text goes out twice, and each text that has gone out stays.
func TestI11Outage(t *testing.T) {
	t.Parallel()
	for _, how := range ways {
		t.Run(how, func(t *testing.T) { t.Parallel(); outages(t, how, false) })
		t.Run(how+", unnamed", func(t *testing.T) { t.Parallel(); outages(t, how, true) })
	}
}

func outages(t *testing.T, how string, unnamed bool) {
	const calls = 6
	for _, length := range []int{9, 2, 1}[:testkit.Repeat(1, 3)] {
		step := length
		if !testkit.Thorough() {
			step *= 4
		}
		for from := 0; ; from += step {
			s := &outage{Store: onDisk{state.NewMemory()}, from: from, until: from + length, how: how}
			name := fmt.Sprint(how, " from ", from, " for ", length)
			if conversed(t, s, name, unnamed, calls); s.n <= from {
				break
			}
			if t.Failed() {
				return
			}
		}
	}
}

// conversed plays an agent on a model that binds its thinking, and holds I11 over it.
func conversed(t *testing.T, s state.Store, name string, unnamed bool, calls int) {
	t.Helper()
	w := newTrial(siblings.Rules(t), transport.Options{})
	w.store = s
	w.rt = transport.New(eval.New(w.set, eval.Options{Store: s}), w.opts)
	habits := client.Lively()
	habits.Rewind, habits.Resume = 0, 0 // the history only grows
	a := client.New(w, client.Options{API: modelapi.Anthropic, Model: "claude-opus-5-5", Seed: 7, Window: 500000,
		Habits: habits, Unnamed: unnamed})
	if err := a.Run(t.Context(), calls); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, r := range w.fake.Refused() {
		if r.Answer.Refusal.Rule != "" {
			t.Errorf("%s: request %d: %v", name, r.N, r.Answer.Refusal)
		}
	}
	before := map[string][]string{} // by thread
	for _, sent := range a.Sent() {
		if sent.Kind != client.Turn || sent.Status != http.StatusOK {
			continue
		}
		texts, _ := oursIn(t, bytes.Join(append([][]byte{[]byte(frame(w.out[sent][0]))},
			rawsOf(client.Messages(w.out[sent][0]))...), nil))
		thread := sent.Run + "/" + sent.Thread
		if was := before[thread]; len(texts) < len(was) || !slices.Equal(texts[:len(was)], was) {
			t.Errorf("%s: request %d holds %q, and the one before held %q", name, sent.N, texts, was)
		}
		before[thread] = texts
	}
	for thread, texts := range before {
		times := map[string]int{}
		for _, text := range texts {
			if times[text]++; times[text] > 1 {
				t.Errorf("%s: %s holds %q twice", name, thread, text)
			}
			if id := idOf(text); text != id {
				times[id]++
			}
		}
		for _, once := range []string{"start", "later", "safety", "half"} {
			if times[once] > 1 {
				t.Errorf("%s: %s: %s fired twice: %q", name, thread, once, texts)
			}
		}
		if times["always"] == 0 && !strings.Contains(thread, "/sub") {
			t.Errorf("%s: %s holds no text: %q", name, thread, texts)
		}
	}
}

func rawsOf(messages []json.RawMessage) (raws [][]byte) {
	for _, m := range messages {
		raws = append(raws, m)
	}
	return raws
}

// hanging is a store that hangs while hangs is set.
type hanging struct {
	state.Store
	hangs bool
}

func (s *hanging) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	if s.hangs {
		<-ctx.Done()
		return nil, 0, ctx.Err()
	}
	return s.Store.Load(ctx, run)
}

// TestI11Hangs: while the state hangs, the first request waits five seconds, and the others for half a minute
// a quarter of a second each; then one waits five seconds again, as after an answer of the state.
func TestI11Hangs(t *testing.T) {
	t.Parallel()
	set := rules(t, "a! always")
	synctest.Test(t, func(t *testing.T) {
		s := &hanging{Store: state.NewMemory()}
		tr := transport.New(eval.New(set, eval.Options{Store: s}), transport.Options{})
		texts := 0
		var history []inject.Message
		for i, step := range []struct {
			after time.Duration // since the step before
			hangs bool
			waits time.Duration
		}{
			{0, false, 0},
			{0, true, 5 * time.Second},
			{0, true, time.Second / 4},
			{29 * time.Second, true, 5 * time.Second},
			{20 * time.Second, true, time.Second / 4},
			{0, false, 0},
			{0, true, 5 * time.Second},
			{0, true, time.Second / 4},
		} {
			history = append(history, inject.Message{Role: "user", Text: fmt.Sprint("question ", i)},
				inject.Message{Role: "assistant", Text: fmt.Sprint("answer ", i)})
			time.Sleep(step.after)
			s.hangs = step.hangs
			start := time.Now()
			c := tr.Copy(eval.WithRun(t.Context(), "run"), transport.Request{Messages: history[:len(history)-1]})
			if got := time.Since(start); got != step.waits {
				t.Errorf("request %d waits %s, want %s", i, got, step.waits)
			}
			if !step.hangs {
				texts++
			}
			if passed := c.Report.Passed == transport.PassedState; passed != step.hangs ||
				len(c.Report.Stands) != texts {
				t.Errorf("request %d holds %d texts, want %d: %+v", i, len(c.Report.Stands), texts, c.Report)
			}
			if s.hangs = false; !step.hangs {
				c.Done(transport.Response{Status: http.StatusOK})
			}
		}
	})
}

// lost is a store that saves turn 2, and then can say nothing more until away is false again.
type lost struct {
	state.Store
	once, away bool
}

func (s *lost) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	if s.away {
		return nil, 0, errDisk
	}
	return s.Store.Load(ctx, run)
}

func (s *lost) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	rev, err := s.Store.Save(ctx, run, prev, next)
	if next.Turn() == 2 && !s.once {
		s.once, s.away = true, true
	}
	if s.away {
		return 0, errors.Join(state.ErrIndeterminate, errDisk)
	}
	return rev, err
}

// TestI11Elsewhere: one process has refused a request whose turn was saved all the same, and another one has
// sent it with the turn's texts. The first one holds these, too, when the conversation comes back to it.
func TestI11Elsewhere(t *testing.T) {
	t.Parallel()
	store := &lost{Store: onDisk{state.NewMemory()}}
	var bodies []string
	opts := transport.Options{FailClosed: true, Base: client.Trip(func(r *http.Request) (*http.Response, error) {
		b, err := io.ReadAll(r.Body)
		bodies = append(bodies, string(b))
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(
			`{"type":"message","content":[{"type":"text","text":"b"}]}`))}, err
	})}
	set, _ := compile.New([]reminder.Reminder{{ID: "each", Mode: reminder.While, Trigger: "always",
		Text: "It is turn {{.turn_count}}."}}, compile.Options{})
	one := transport.New(eval.New(set, eval.Options{Store: store}), opts)
	other := transport.New(eval.New(set, eval.Options{Store: store}), opts)
	messages := `{"role":"user","content":"a"}`
	ask := func(tr *transport.Transport) error {
		r, err := http.NewRequest(http.MethodPost, "http://api.test/v1/messages",
			strings.NewReader(`{"model":"m","messages":[`+messages+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(transport.RunHeader, "r")
		res, err := tr.RoundTrip(r)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		messages += `,{"role":"assistant","content":"b"},{"role":"user","content":"a"}`
		return nil
	}
	if err := ask(one); err != nil {
		t.Fatal(err)
	}
	if err := ask(one); !errors.Is(err, transport.ErrState) {
		t.Fatal(err)
	}
	store.away = false
	if err := errors.Join(ask(other), ask(one)); err != nil {
		t.Fatal(err)
	}
	for i, b := range bodies {
		for n := range 3 {
			if want := fmt.Sprintf("It is turn %d.", n+1); strings.Count(b, want) != min(1, max(0, i+1-n)) {
				t.Errorf("request %d: %s", i+1, b)
			}
		}
	}
}

// TestI11OtherProcess: a conversation changes its process while the database is away. The new process cannot
// know its texts: no request shows them. The request goes out bare, which a model that binds thinking refuses
// and others take; with FailClosed no API gets it. In each case the next try is whole when the database is
// back, and nothing fires twice.
func TestI11OtherProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model  string
		closed bool
		status int // 0: no API gets the request
	}{
		{"claude-opus-5-5", false, http.StatusBadRequest},
		{"claude-sonnet-4-6", false, http.StatusOK},
		{"claude-opus-5-5", true, 0},
		{"claude-sonnet-4-6", true, 0},
	} {
		for _, run := range []string{"", "named"} {
			t.Run(fmt.Sprint(tt.model, tt.closed, run), func(t *testing.T) {
				t.Parallel()
				store := &lost{Store: onDisk{state.NewMemory()}, once: true}
				answers := 0
				w := newWorld(t, rules(t, "once: turn_count == 1", "late: turn_count == 3"),
					setting{store: store, Options: transport.Options{FailClosed: tt.closed},
						fake: modelapi.Options{Script: func(*modelapi.Prompt) modelapi.Reply {
							answers++
							return modelapi.Reply{Parts: []modelapi.Part{{Thinking: fmt.Sprint("It is ", answers)},
								{Text: fmt.Sprint("answer ", answers)}}}
						}}})
				if run != "" {
					w.header.Set(transport.RunHeader, run)
				}
				c, _ := w.thinking(chat{}.user("one"), tt.model)
				c, _ = w.thinking(c.user("two"), tt.model)
				w.restart(eval.New(w.ev.Set(), eval.Options{Store: store}))
				store.away = true
				c = c.user("three")
				if _, status := w.thinking(c, tt.model); status != tt.status {
					t.Errorf("%d while the state is away, want %d", status, tt.status)
				}
				store.away = false
				if _, status := w.thinking(c, tt.model); status != http.StatusOK {
					t.Errorf("%d when the state is back", status)
				}
				if got, fired := w.texts(), w.fired(); !slices.Equal(got, []string{"ONCE", "LATE"}) || len(fired) != 2 {
					t.Errorf("the request holds %q; fired: %q", got, fired)
				}
			})
		}
	}
}
