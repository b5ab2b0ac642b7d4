package sdktest_test

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	aside "github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestRetries: SDKs call for each attempt, and every attempt of a turn carries the same bytes and fires
// nothing anew.
func TestRetries(t *testing.T) {
	t.Parallel()
	for _, d := range []aside.Delivery{aside.Auto, aside.Anchored} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			each(t, sdks, func(t *testing.T, s sdk, m mode) {
				m.retries = 2
				w, told := serve(t, modelapi.Options{Script: modelapi.Turns(replies...), Faults: s.troubled()}).through(t,
					transport.Options{Delivery: d})
				a := s.open(t, w, m)
				got := play(t, a)
				held(t, s, m, d, w, got, a)
				sameAttempts(t, w.fake.Records())
				reported(t, told, len(replies), due(s, m, d))
				again := 0
				for _, r := range told.all {
					if r.Again {
						again++
					}
				}
				if again != len(s.troubled()) {
					t.Errorf("%d requests were told to be repeated, want %d", again, len(s.troubled()))
				}
			})
		})
	}
}

// TestMiddleware: as middleware of the SDKs that have it, a Transport does what it does as a RoundTripper.
func TestMiddleware(t *testing.T) {
	t.Parallel()
	hooked := slices.DeleteFunc(slices.Clone(sdks), func(s sdk) bool {
		return s.api == aside.Gemini ||
			s.api == aside.Converse
	})
	each(t, hooked, func(t *testing.T, s sdk, m mode) {
		m.retries = 2
		w := serve(t, modelapi.Options{Script: modelapi.Turns(replies...), Faults: s.troubled()})
		told := &reports{}
		tr := transport.New(eval.New(set(t), eval.Options{}), transport.Options{Report: told.add})
		m.hook = tr.Middleware
		a := s.open(t, w, m)
		got := play(t, a)
		held(t, s, m, aside.Auto, w, got, a)
		sameAttempts(t, w.fake.Records())
		reported(t, told, len(replies), due(s, m, aside.Auto))
	})
}

// TestLeft: a client that leaves in the middle of a stream and asks again gets the same bytes, and nothing
// fires anew.
func TestLeft(t *testing.T) {
	t.Parallel()
	streams := func(m mode) bool { return m.stream } // no other response has a middle
	eachOf(t, sdks, streams, func(t *testing.T, s sdk, m mode) {
		w, told := serve(t, modelapi.Options{Script: modelapi.Turns(replies...),
			Faults: map[int]modelapi.Fault{2: {After: 2, Stall: true}}}).through(t, transport.Options{})
		leave, cancel := context.WithCancel(t.Context())
		defer cancel()
		w.wire.seen = func(n int) {
			if n == 2 {
				cancel()
			}
		}
		play(t, &impatient{agent: s.open(t, w, m), t: t, leave: leave})
		rs := w.fake.Records()
		if len(rs) != len(replies)+1 || !bytes.Equal(rs[1].Request.Body, rs[2].Request.Body) {
			t.Fatalf("%d requests", len(rs))
		}
		if err := (modelapi.Stable{}).Check(rs); err != nil || len(w.fake.Refused()) > 0 {
			t.Errorf("I4: %v; %d refusals", err, len(w.fake.Refused()))
		}
		told.wait(len(rs))
		reported(t, told, len(replies), due(s, m, aside.Auto))
	})
}

// impatient leaves its second question before it is answered, and asks it again.
type impatient struct {
	agent
	t     *testing.T
	leave context.Context
	asked int
}

func (i *impatient) Ask(ctx context.Context) (answer, error) {
	if i.asked++; i.asked == 2 {
		if got, err := i.agent.Ask(i.leave); err == nil {
			i.t.Errorf("an answer that was left: %+v", got)
		}
	}
	return i.agent.Ask(ctx)
}

// TestCount: counting tokens tells of the request that would be sent, and advances nothing.
func TestCount(t *testing.T) {
	t.Parallel()
	w, told := serve(t, modelapi.Options{Script: modelapi.Turns(replies...)}).through(t, transport.Options{})
	a := newClaude(w, mode{model: "claude-opus-5-5"})
	a.User(prompts[0])
	p := a.params()
	count := anthropic.MessageCountTokensParams{Model: p.Model, Messages: p.Messages, Thinking: p.Thinking}
	count.System.OfTextBlockArray = p.System
	for _, x := range p.Tools {
		count.Tools = append(count.Tools, anthropic.MessageCountTokensToolUnionParam{OfTool: x.OfTool})
	}
	n, err := a.client.Messages.CountTokens(t.Context(), count)
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n.InputTokens != got.Prompt {
		t.Errorf("%d tokens were counted, %d were sent", n.InputTokens, got.Prompt)
	}
	if f := told.fired(); f["hello"] != 1 || f["asked"] != 1 {
		t.Errorf("fired %v", f)
	}
	if rs := w.fake.Records(); len(rs) != 2 || len(rs[0].Prompt.Reminders()) != 2 ||
		len(rs[1].Prompt.Reminders()) != 2 {
		t.Errorf("%d requests", len(rs))
	}
}

// TestRefused: an API that does not take the texts where they are put gets the request as it came, and then
// the texts at another place; the SDK sees no error.
func TestRefused(t *testing.T) {
	t.Parallel()
	models := slices.DeleteFunc(modelapi.Models(),
		func(m modelapi.Model) bool { return m.Prefix == "claude-opus-5" })
	models = append(models, modelapi.Model{Prefix: "claude-opus-5"}) // takes no system messages
	for _, stream := range []bool{false, true} {
		t.Run(strconv.FormatBool(stream), func(t *testing.T) {
			t.Parallel()
			w, rep := serve(t, modelapi.Options{Script: modelapi.Turns(replies...), Models: models}).through(t,
				transport.Options{})
			sameAnswers(t, play(t, newClaude(w, mode{model: "claude-opus-5", stream: stream})), told(true),
				accepted(w.fake.Records()))
			no := w.fake.Refused()
			for _, r := range no {
				if r.Answer.Refusal.Rule != modelapi.SystemUnsupported {
					t.Error(r.Answer.Refusal)
				}
			}
			if len(no) == 0 || rep.all[0].Passed != transport.PassedRefused {
				t.Errorf("%d refusals, passed %q", len(no), rep.all[0].Passed)
			}
			last := accepted(w.fake.Records())
			if len(last[len(last)-1].Prompt.Reminders()) == 0 {
				t.Error("no text has found a place that the API takes it at")
			}
		})
	}
}

// TestTogether: one Transport under all SDKs at once keeps their runs apart.
func TestTogether(t *testing.T) {
	t.Parallel()
	told := &reports{}
	first := serve(t, modelapi.Options{})
	tr := transport.New(eval.New(set(t), eval.Options{}), transport.Options{Base: first.client.Transport,
		Report: told.add,
		Run:    func(r *http.Request) string { return r.URL.Host }})
	var wg sync.WaitGroup
	for _, s := range sdks {
		for _, stream := range []bool{false, true} {
			w := serve(t, modelapi.Options{Script: modelapi.Turns(replies...)})
			w.client = &http.Client{Transport: untouched{t, tr}}
			m := mode{model: s.models[0], stream: stream}
			a := s.open(t, w, m)
			wg.Go(func() {
				got := play(t, a)
				held(t, s, m, aside.Auto, w, got, a)
			})
		}
	}
	wg.Wait()
	runs := map[string]int{}
	for _, r := range told.all {
		runs[r.Run]++
	}
	if len(runs) != 2*len(sdks) {
		t.Errorf("%d runs: %v", len(runs), runs)
	}
}

// TestNothingDue: without rules requests go out to the byte.
func TestNothingDue(t *testing.T) {
	t.Parallel()
	each(t, sdks, func(t *testing.T, s sdk, m mode) {
		bare, idle := serve(t, modelapi.Options{Script: modelapi.Turns(replies...)}), serve(t,
			modelapi.Options{Script: modelapi.Turns(replies...)})
		idle.client = &http.Client{Transport: transport.New(eval.New(nil, eval.Options{}),
			transport.Options{Base: idle.client.Transport})}
		play(t, s.open(t, bare, m))
		play(t, s.open(t, idle, m))
		for i, r := range bare.fake.Records() {
			if x := idle.fake.Records()[i]; !bytes.Equal(r.Request.Body, x.Request.Body) {
				t.Errorf("request %d:\n%s\n%s", i+1, r.Request.Body, x.Request.Body)
			}
		}
	})
}
