package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/wiretest"
	"github.com/aside-go/aside/internal/wiretest/client"
	"github.com/aside-go/aside/state"
)

// outage is a store that fails from one operation on, for some operations, in one way.
type outage struct {
	state.Store
	from, until int
	how         string

	mu sync.Mutex
	n  int // operations so far
}

var errDisk = errors.New("the disk is gone")

// ways are the ways in which an outage fails.
var ways = []string{"read", "write", "both", "not known whether written", "written, and then unreadable"}

func (s *outage) down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	return s.n > s.from && s.n <= s.until
}

func (s *outage) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	down := s.down()
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
	const calls = 7
	for _, length := range []int{1, 2, 9} {
		for from := 0; ; from += max(1, length/2) {
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
	w := newTrial(every(t), transport.Options{})
	w.store = s
	w.rt = transport.New(eval.New(w.set, eval.Options{Store: s}), w.opts)
	habits := client.Lively()
	habits.Rewind, habits.Resume = 0, 0 // the history only grows
	a := client.New(w, client.Options{API: wiretest.Anthropic, Model: "claude-opus-5-5", Seed: 7, Window: 500000,
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
