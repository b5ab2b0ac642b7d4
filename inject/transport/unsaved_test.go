package transport_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/wiretest"
)

// held is an Options.Later that does nothing until it is let.
type held struct {
	mu   sync.Mutex
	left []func()
}

func (h *held) later(_ *http.Request, f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = append(h.left, f)
}

// let does all that is left, and returns how much that was.
func (h *held) let() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.left {
		f()
	}
	n := len(h.left)
	h.left = nil
	return n
}

// TestLater: an answer is there before it is noted. The run's next request waits for that, and is judged by it; others do not wait.
func TestLater(t *testing.T) {
	t.Parallel()
	script := func(*wiretest.Prompt) wiretest.Reply {
		return wiretest.Reply{Parts: []wiretest.Part{{Text: "done"}}, Output: 777}
	}
	for _, c := range []struct {
		name  string
		named bool
	}{{"a run with a name", true}, {"a conversation", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var h held
			w := newWorld(t, rules(t, "out: last_response_tokens == 777", "a: turn_count == 1"),
				setting{fake: wiretest.Options{Script: script}, Options: transport.Options{Delivery: wire.Tail, Later: h.later}})
			if c.named {
				w.header.Set(transport.RunHeader, "r")
			}
			first := chat{}.user("do it")
			w.post(messages, first.of(plainly))
			if len(w.reports) != 0 || len(h.left) != 1 {
				t.Fatal("it was noted at once")
			}
			next := first.says("done").user("more").of(plainly)
			gone, cancel := context.WithCancel(context.Background())
			cancel()
			for _, body := range []string{first.of(plainly), next} { // a retry, or the next turn: who does not wait goes out as it came
				var passed []byte
				r, _ := http.NewRequestWithContext(gone, http.MethodPost, "http://api.test"+messages, strings.NewReader(body))
				r.Header = w.header.Clone()
				_, err := w.rt.Middleware(r, func(r *http.Request) (*http.Response, error) {
					var b bytes.Buffer
					_, _ = b.ReadFrom(r.Body)
					passed = b.Bytes()
					return nil, context.Canceled
				})
				if err == nil || string(passed) != body {
					t.Errorf("%v: %s", err, passed)
				}
			}
			other := w.header
			if c.named {
				other = http.Header{transport.RunHeader: {"other"}}
			}
			w.post(messages, chat{}.user("another thing").of(plainly), func(r *http.Request) { r.Header = other })
			if diff := cmp.Diff([]string{"A"}, w.texts()); diff != "" {
				t.Errorf("another run (-want +got):\n%s", diff)
			}
			answered := make(chan struct{})
			go func() {
				defer close(answered)
				w.post(messages, next)
			}()
			for range 3 { // the two that did not wait, one that is over, and one that waits
				h.let()
			}
			<-answered
			if diff := cmp.Diff([]string{"OUT"}, w.texts()); diff != "" { // and not A, which was answered
				t.Errorf("(-want +got):\n%s", diff)
			}
			h.let()
			var all []int
			for _, r := range w.reports {
				if r.Passed == "" {
					all = append(all, r.Turn)
				} else if r.Passed != transport.PassedState {
					t.Errorf("%s: %s", r.Passed, r.Why)
				}
			}
			if diff := cmp.Diff([]int{1, 1, 2}, all); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
		})
	}
}
