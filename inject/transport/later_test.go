package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

// held is an Options.Later that saves nothing until it is told to.
type held struct {
	mu   sync.Mutex
	left []func() error
}

func (h *held) later(save func() error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = append(h.left, save)
}

func (h *held) save() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.left {
		_ = f()
	}
	h.left = nil
}

// TestLater: an answer is at the client before it is saved. The run's next request does not wait for that,
// and is decided by the answer all the same.
func TestLater(t *testing.T) {
	t.Parallel()
	script := func(*modelapi.Prompt) modelapi.Reply {
		return modelapi.Reply{Parts: []modelapi.Part{{Text: "done"}}, Output: 777}
	}
	for _, c := range []struct {
		name  string
		named bool
	}{{"a run with a name", true}, {"a conversation", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var h held
			w := newWorld(t, rules(t, "out: last_response_tokens == 777", "a: turn_count == 1"), setting{
				fake:    modelapi.Options{Script: script},
				Options: transport.Options{Delivery: wire.Tail, Later: h.later},
			})
			if c.named {
				w.header.Set(transport.RunHeader, "r")
			}
			first := chat{}.user("do it")
			w.post(messages, first.of(plainly))
			if len(w.reports) != 1 || len(h.left) != 1 {
				t.Fatalf("%d reports, %d to be saved, want one of each", len(w.reports), len(h.left))
			}
			w.post(messages, first.of(plainly))
			if diff := cmp.Diff([]string{"A"}, w.texts()); diff != "" {
				t.Errorf("a retry (-want +got):\n%s", diff)
			}
			w.post(messages, chat{}.user("another thing").of(plainly), func(r *http.Request) {
				r.Header.Set(transport.RunHeader, "other")
			})
			if diff := cmp.Diff([]string{"A"}, w.texts()); diff != "" {
				t.Errorf("another run (-want +got):\n%s", diff)
			}
			w.post(messages, first.says("done").user("more").of(plainly))
			if diff := cmp.Diff([]string{"OUT"}, w.texts()); diff != "" { // and not A, which was answered
				t.Errorf("(-want +got):\n%s", diff)
			}
			h.save()
			var turns []int
			run := ""
			for _, r := range w.reports {
				if turns, run = append(turns, r.Turn), r.Run; r.Passed != "" {
					t.Errorf("%s: %s", r.Passed, r.Why)
				}
			}
			if diff := cmp.Diff([]int{1, 1, 1, 2}, turns); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
			notes, _, err := w.ev.Notes(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			if raw, err := notes.MarshalJSON(); err != nil || !strings.Contains(string(raw), `"response":777`) {
				t.Errorf("the answer to turn 2 is not saved: %s, %v", raw, err)
			}
		})
	}
}

// TestSavedMeanwhile: an answer that is saved while the run's next request reads the notes is not lost to it.
func TestSavedMeanwhile(t *testing.T) {
	t.Parallel()
	script := func(*modelapi.Prompt) modelapi.Reply {
		return modelapi.Reply{Parts: []modelapi.Part{{Text: "done"}}, Output: 777}
	}
	var h held
	store := &meanwhile{Store: state.NewMemory()}
	w := newWorld(t, rules(t, "out: last_response_tokens == 777"), setting{
		fake: modelapi.Options{Script: script}, store: store, Options: transport.Options{Later: h.later},
	})
	w.header.Set(transport.RunHeader, "r")
	c := chat{}.user("do it")
	w.post(messages, c.of(plainly))
	store.loaded = h.save
	w.post(messages, c.says("done").user("more").of(plainly))
	if diff := cmp.Diff([]string{"OUT"}, w.texts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSavedTogether: the next turn saves the answer before it, so the run is written to once a turn; the last
// answer of all is saved by itself.
func TestSavedTogether(t *testing.T) {
	t.Parallel()
	var h held
	store := state.NewMemory()
	w := newWorld(t, rules(t, "a: turn_count == 1"), setting{
		store: store, Options: transport.Options{Later: h.later},
	})
	w.header.Set(transport.RunHeader, "r")
	revision := func() state.Revision {
		_, rev, err := store.Load(t.Context(), "r")
		if err != nil {
			t.Fatal(err)
		}
		return rev
	}
	c := chat{}.user("do it")
	for _, more := range []string{"two", "three"} {
		w.post(messages, c.of(plainly))
		c = c.says("done").user(more)
	}
	last := h.left[len(h.left)-1]
	h.left = h.left[:len(h.left)-1]
	before := revision()
	if h.save(); revision() != before {
		t.Error("an answer was saved again that the next turn had saved")
	}
	if err := last(); err != nil || revision() == before {
		t.Errorf("the last answer was not saved: %v", err)
	}
}

// TestSavedBehindTurn: an answer that is saved when the next turn has just been committed is that of the run
// that has gone on from it, and begins no other one: a retry of that turn advances nothing.
func TestSavedBehindTurn(t *testing.T) {
	t.Parallel()
	answers := 0
	var h held
	store := &meanwhile{Store: state.NewMemory()}
	w := newWorld(t, rules(t, "a: always"), setting{store: store, Options: transport.Options{Later: h.later},
		fake: modelapi.Options{Script: func(*modelapi.Prompt) modelapi.Reply {
			answers++
			return modelapi.Reply{Parts: []modelapi.Part{{Text: fmt.Sprint("answer ", answers)}}, Output: 7}
		}}})
	c := chat{}.user("one")
	w.post(messages, c.of(plainly))
	h.save()
	c = c.says("answer 1").user("two")
	w.post(messages, c.of(plainly))
	c = c.says("answer 2").user("three")
	store.saved = h.save
	w.post(messages, c.of(plainly))
	w.post(messages, c.of(plainly))
	if first, again := w.reports[2], w.reports[3]; !again.Again || again.Run != first.Run || again.Turn != 3 {
		t.Errorf("run %s turn %d, and then run %s turn %d, again %t", first.Run, first.Turn, again.Run, again.Turn,
			again.Again)
	}
}

// meanwhile is a store in which something happens behind the next Load, or the next Save.
type meanwhile struct {
	state.Store
	loaded, saved func()
}

func (m *meanwhile) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	rev, err := m.Store.Save(ctx, run, prev, next)
	if then := m.saved; then != nil {
		m.saved = nil
		then()
	}
	return rev, err
}

func (m *meanwhile) Load(ctx context.Context, run string) (*state.Snapshot, state.Revision, error) {
	s, rev, err := m.Store.Load(ctx, run)
	if then := m.loaded; then != nil {
		m.loaded = nil
		then()
	}
	return s, rev, err
}

// TestSavedBeforeEnd: as soon as the client has all that an answer says, another process that shares the
// store knows it, though the response has not come to its end, and saving it failed twice.
func TestSavedBeforeEnd(t *testing.T) {
	t.Parallel()
	set := rules(t, "out: last_response_tokens == 777")
	store := state.NewMemory()
	fake := modelapi.Options{Script: func(*modelapi.Prompt) modelapi.Reply {
		return modelapi.Reply{Parts: []modelapi.Part{{Text: "done"}}, Output: 777}
	}}
	for _, run := range []string{"r", ""} {
		one := newWorld(t, set, setting{store: &cut{Store: store}, fake: fake, base: unended})
		other := newWorld(t, set, setting{store: store, fake: fake})
		for _, w := range []*world{one, other} {
			w.header.Set(transport.RunHeader, run)
		}
		c := chat{}.user("do it " + run)
		r, err := http.NewRequest(http.MethodPost, "http://api.test"+messages,
			strings.NewReader(strings.Replace(c.of(plainly), "{", `{"stream":true,`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = one.header
		resp, err := one.rt.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		said := make([]byte, 1)
		var got strings.Builder
		for !strings.Contains(got.String(), `"message_stop"`) || !strings.HasSuffix(got.String(), "\n\n") {
			n, err := resp.Body.Read(said)
			if got.Write(said[:n]); err != nil {
				t.Fatal(err, got.String())
			}
		}
		other.post(messages, c.says("done").user("more").of(plainly))
		if diff := cmp.Diff([]string{"OUT"}, other.texts()); diff != "" {
			t.Errorf("run %q (-want +got):\n%s", run, diff)
		}
		resp.Body.Close()
	}
}

// cut is a store to which the connection breaks at the second save and the third: the first ones of an
// answer.
type cut struct {
	state.Store

	saves atomic.Int32
}

func (c *cut) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	if n := c.saves.Add(1); n == 2 || n == 3 {
		return 0, state.ErrIndeterminate
	}
	return c.Store.Save(ctx, run, prev, next)
}

// unended has the bodies of responses come without their end.
func unended(base http.RoundTripper) http.RoundTripper {
	return client.Trip(func(r *http.Request) (*http.Response, error) {
		resp, err := base.RoundTrip(r)
		if err == nil {
			never, _ := io.Pipe()
			resp.ContentLength = -1
			resp.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(resp.Body, never), resp.Body}
		}
		return resp, err
	})
}

// TestUpgrade: a connection that changes its protocol comes back as it is, to be written to.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, rules(t, "a: always"), setting{base: func(http.RoundTripper) http.RoundTripper {
		return client.Trip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusSwitchingProtocols, Header: http.Header{},
				Body: duplex{}}, nil
		})
	}})
	r, err := http.NewRequest(http.MethodGet, "http://api.test/v1/realtime", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.rt.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := resp.Body.(duplex); !ok || len(w.reports) != 1 {
		t.Errorf("%T, %+v", resp.Body, w.reports)
	}
}

// duplex is a connection as the body of a response.
type duplex struct{ net.Conn }

// TestLaterFails: an answer is reported before it is saved, and that it cannot be saved is told to whoever
// saves it; without Later the Report says it.
func TestLaterFails(t *testing.T) {
	t.Parallel()
	for _, later := range []bool{true, false} {
		store := &full{Store: state.NewMemory()}
		var h held
		opts := transport.Options{}
		if later {
			opts.Later = h.later
		}
		w := newWorld(t, rules(t, "a: always"), setting{store: store, Options: opts})
		w.header.Set(transport.RunHeader, "r")
		store.room = 1 // for the decision
		w.post(messages, chat{}.user("do it").of(plainly))
		if len(w.reports) != 1 || w.reports[0].Passed != "" || len(w.reports[0].Fired) != 1 {
			t.Fatalf("reported: %+v", w.reports)
		}
		const why = "the disk is full"
		if !later {
			if !strings.Contains(w.reports[0].Why, why) {
				t.Errorf("reported: %+v", w.reports[0])
			}
			if store.room != -1 { // a full disk is as full a moment later, and the client waits
				t.Errorf("%d saves of the answer", -store.room)
			}
			continue
		}
		if err := h.left[0](); err == nil || !strings.Contains(err.Error(), why) || w.reports[0].Why != "" {
			t.Errorf("saved with %v, reported: %+v", err, w.reports[0])
		}
	}
}

// TestUnsavedEnd: whoever has the end of an answer may go on by another process. With FailClosed nobody gets
// it where the answer could not be saved.
func TestUnsavedEnd(t *testing.T) {
	t.Parallel()
	const answer = `{"type":"message","content":[{"type":"text","text":"b"}],"usage":{"output_tokens":9}}`
	for _, closed := range []bool{true, false} {
		for _, length := range []int64{-1, int64(len(answer))} {
			tr := transport.New(eval.New(rules(t, "a: always"), eval.Options{
				Store: &full{state.NewMemory(), 1}, // for the decision
			}), transport.Options{FailClosed: closed, Base: client.Trip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, ContentLength: length,
					Body: io.NopCloser(strings.NewReader(answer))}, nil
			})})
			r, err := http.NewRequest(http.MethodPost, "http://api.test/v1/messages",
				strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"a"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set(transport.RunHeader, "r")
			res, err := tr.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(res.Body)
			res.Body.Close()
			if errors.Is(err, transport.ErrState) != closed || (string(b) == answer) == closed {
				t.Errorf("closed %t, length %d: %q, %v", closed, length, b, err)
			}
		}
	}
}

// full is a store with room for so many saves.
type full struct {
	state.Store
	room int
}

func (f *full) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	if f.room--; f.room < 0 {
		return 0, &fs.PathError{Op: "write", Path: "run", Err: errors.New("the disk is full")}
	}
	return f.Store.Save(ctx, run, prev, next)
}
