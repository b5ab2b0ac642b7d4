package siblings

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/evidence"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state"
)

// Share holds siblings over processes that share a store and are killed, each of which opens it anew.
func Share(t *testing.T, processes int, open func() state.Store) {
	t.Helper()
	s := &Siblings{Set: Rules(t), Script: Counters(Differing(1)), Store: open, Processes: processes, Seed: 8,
		Kills: 8}
	o := Kinds()[0]
	o.Seed, o.Habits = 12, client.Habits{Think: 60, Fail: 15, Parallel: true}
	s.Hold(t, 5, o, 8)
}

// Hold plays n agents beside each other, and holds each to the bytes that its conversation gets alone: no
// request is refused, and each text is there once, says the turn of its own count, and stays where it was.
func (s *Siblings) Hold(t rapid.TB, n int, o client.Options, calls int) {
	t.Helper()
	s.fake, s.rng = modelapi.New(modelapi.Options{Script: s.Script}), rand.New(rand.NewPCG(s.Seed, 3))
	s.running = make([]*transport.Transport, s.Processes)
	o.Unnamed = true
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			if err := client.New(s, o).Run(context.Background(), calls); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, r := range s.fake.Refused() {
		if r.Answer.Refusal.Rule != "" {
			t.Errorf("request %d: %v", r.N, r.Answer.Refusal)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = slices.DeleteFunc(s.turns, func(x *turn) bool {
		return x.Kind != client.Turn || x.Status != http.StatusOK || x.Err != nil
	})
	further := map[string]bool{} // what a later request goes on from
	for _, x := range s.turns {
		e := api.EndpointOf(x.Path)
		x.steps, x.asked = Steps(t, e.API, x.Path, x.Body)
		x.key, x.id = Heard(t, e.API, x.answer, 1<<20)
		var b struct {
			Previous string `json:"previous_response_id"`
		}
		if json.Unmarshal(x.Body, &b) == nil && b.Previous != "" {
			x.previous = b.Previous
			further[b.Previous] = true
		}
		for _, step := range x.steps {
			further[x.Thread+step.Before+step.Answer] = true
		}
	}
	for _, x := range s.turns {
		if !further[x.Thread+x.asked+x.key] && !further[x.id] {
			s.alone(t, x)
		}
	}
}

// alone sends the requests of a conversation up to x, which is not locked, one after another, with nobody
// else there.
func (s *Siblings) alone(t rapid.TB, x *turn) {
	t.Helper()
	var is *turn
	var out []byte
	opts := s.Options
	opts.Commands = true
	opts.Base = client.Trip(func(r *http.Request) (resp *http.Response, err error) {
		out, err = io.ReadAll(r.Body)
		return &http.Response{StatusCode: http.StatusOK, Header: is.header.Clone(), ContentLength: -1,
			Body: io.NopCloser(bytes.NewReader(is.answer))}, err
	})
	rt := transport.New(eval.New(s.Set, eval.Options{}), opts)
	for _, is = range append(s.before(t, x), x) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://api.test"+is.Path,
			bytes.NewReader(is.Body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = is.Header.Clone()
		resp, err := rt.RoundTrip(r)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
		}
		if err != nil {
			t.Fatal(err)
		}
		if want, got := Unmarked(string(out)), Unmarked(string(is.out)); want != got {
			t.Fatalf("with %d answers, of %d requests\n%s", len(is.steps), len(s.turns), testkit.Difference(want, got))
		}
	}
}

// before returns the turns of a conversation before x, oldest first.
func (s *Siblings) before(t rapid.TB, x *turn) (all []*turn) {
	t.Helper()
	if i := slices.IndexFunc(s.turns, func(y *turn) bool { return y.id == x.previous }); x.previous != "" {
		if i < 0 {
			t.Fatalf("nobody has got the response %s", x.previous)
		}
		all = append(s.before(t, s.turns[i]), s.turns[i])
	}
	for _, step := range x.steps {
		i := slices.IndexFunc(s.turns, func(y *turn) bool { return y.asked == step.Before && y.key == step.Answer })
		if i < 0 {
			t.Fatalf("nobody has got the answer %s to %s", step.Answer, step.Before)
		}
		all = append(all, s.turns[i])
	}
	return all
}

// Step is an answer that a conversation goes on from.
type Step struct {
	Before string // body.Step.Before
	Answer string // by which id of a call, or else by which words, it is told from others
}

// Steps reads the steps of a request, and the head of its answer.
func Steps(t rapid.TB, name api.Name, path string, b []byte) (steps []Step, asked string) {
	t.Helper()
	_, c, err := request.Read(request.Incoming{API: name, Path: path, Body: b},
		body.Options{Takes: api.Takes(nil)})
	if err != nil || c == nil {
		t.Fatalf("%v: %s", err, b)
	}
	all, asked := c.Steps()
	for _, s := range all {
		steps = append(steps, Step{s.Head(), told(c.Said(s))})
	}
	return steps, asked
}

// told writes what tells an answer from others.
func told(s evidence.Said) string {
	if len(s.IDs) > 0 {
		return fmt.Sprintf("id %x", s.IDs[0])
	}
	return fmt.Sprintf("words %x", s.Words)
}

// Heard returns what tells an answer in a response of an API from others, which comes in pieces, and the
// response's id.
func Heard(t rapid.TB, name api.Name, b []byte, piece int) (key, id string) {
	t.Helper()
	tap := api.NewAnswerTap(name)
	for len(b) > 0 {
		n := min(piece, len(b))
		_, _ = tap.Write(b[:n])
		b = b[n:]
	}
	if tap.End(true); !tap.Certain() {
		t.Fatal("the response is not whole")
	}
	return told(tap.Answer().Said()), tap.Usage().ID
}

var marks = regexp.MustCompile(`mark=\\"[^\\"]*\\"`)

// Unmarked leaves the marks out of a body: each run draws its own.
func Unmarked(body string) string { return marks.ReplaceAllString(body, "mark") }
