package transport_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/siblings"
	"github.com/aside-go/aside/internal/test/testkit"
)

// minds are models that a client may go to in the middle of a conversation. Some take system messages there,
// some bind their thinking, some do both or neither.
var minds = map[modelapi.API][]string{
	modelapi.Anthropic: {"claude-opus-5-5", "claude-opus-5", "claude-fable-5-1", "claude-sonnet-5-5",
		"claude-sonnet-4-6", "claude-haiku-4-5"},
	modelapi.Chat:      {"gpt-5.6", "gpt-4o", "qwen3-coder"},
	modelapi.Responses: {"gpt-5.6-codex", "gpt-5.5"},
	modelapi.Gemini:    {"gemini-3.8-flash", "gemini-3.5-flash", "gemini-2.5-pro"},
	modelapi.Converse: {"us.anthropic.claude-opus-5-5", "us.anthropic.claude-sonnet-4-6",
		"amazon.nova-pro-v1:0"},
	modelapi.Interactions: {"gemini-3.8-flash", "gemini-2.5-pro"},
}

// TestI6Models: a client goes from one model to another and back, also to one of another API, and sends what
// each has thought to that one alone. Nothing is refused, each text is there once, and what a model was shown
// it is shown again, wherever the client has been in the meantime, and whenever the process is started anew.
func TestI6Models(t *testing.T) {
	t.Parallel()
	set := siblings.Rules(t)
	rapid.Check(t, func(t *rapid.T) {
		percent := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		apis := []modelapi.API{modelapi.Anthropic, modelapi.Chat, modelapi.Responses, modelapi.Gemini,
			modelapi.Converse, modelapi.Interactions}
		o := client.Options{API: rapid.SampledFrom(apis).Draw(t, "api"), Seed: rapid.Uint64().Draw(t, "seed"),
			RunHeader: transport.RunHeader,
			Habits: client.Habits{Think: percent("think", 80), Fail: percent("fail", 30), Note: percent("note", 60),
				Hostile: 3, Subagent: true, Parallel: true, Fault: percent("fault", 15), GiveUp: 25,
				Count: percent("count", 20), Rewind: percent("rewind", 30), Command: 5, Name: "hand"}}
		o.Model = rapid.SampledFrom(minds[o.API]).Draw(t, "model")
		opts := transport.Options{Windows: wire.Windows{"": 1800}, Delivery: rapid.SampledFrom(
			[]wire.Delivery{wire.Auto, wire.Auto, wire.Anchored, wire.Native}).Draw(t, "delivery")}
		var last func() error // the answer that is noted when the next one is there
		if rapid.Bool().Draw(t, "one API") {
			apis = []modelapi.API{o.API}
			o.Unnamed = rapid.Bool().Draw(t, "unnamed")
		}
		if rapid.Bool().Draw(t, "late") {
			opts.Later = func(save func() error) {
				if last != nil {
					_ = last()
				}
				last = save
			}
		}
		w := newTrial(set, opts)
		a := client.New(w, o)
		for range 2 + percent("parts", testkit.Repeat(3, 6)) {
			if err := a.Run(t.Context(), 1+percent("calls", 4)); err != nil {
				t.Error(err)
			}
			if percent("restart", 3) == 0 { // killed: the last answer is not noted
				last = nil
				w.restart()
			}
			if percent("stay", 3) > 0 {
				api := rapid.SampledFrom(apis).Draw(t, "api")
				a.Switch(api, rapid.SampledFrom(minds[api]).Draw(t, "model"))
			}
		}
		holdMinds(t, w, w.passes(t, a))
	})
}

// mind is whom a request asks.
func (p pass) mind() (wire.API, string) {
	name := api.EndpointOf(p.Path).API
	var b struct{ Model string }
	if json.Unmarshal(p.Body, &b) == nil && b.Model != "" {
		return name, b.Model
	}
	_, model, _ := strings.Cut(p.Path, "/model")
	model, _, _ = strings.Cut(strings.TrimLeft(model, "s/"), "/")
	model, _, _ = strings.Cut(model, ":")
	return name, model
}

func holdMinds(t *rapid.T, w *trial, all []pass) {
	t.Helper()
	for _, r := range w.fake.Refused() {
		if r.Answer.Refusal.Rule != "" {
			t.Fatalf("I6: request %d: %v\n%s", r.N, r.Answer.Refusal, r.Request.Body)
		}
	}
	passedNothing(t, course{}, all)
	retriesAlike(t, course{}, all)
	onceEach(t, course{}, all)
	for i, p := range all {
		name, model := p.mind()
		got, err := wire.Strip(p.out, wire.Options{Options: inject.Options{Mark: p.mark}, API: name, Model: model})
		if err != nil || !bytes.Equal(got, p.Body) {
			t.Fatalf("I2: request %d: %v\n%s", p.N, err, testkit.Difference(p.Body, got))
		}
		if p.Kind != client.Turn {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			q := all[k]
			if is, of := q.mind(); is != name || of != model || q.thread() != p.thread() || q.Kind != client.Turn ||
				!q.delivered() || q.Lost || !client.Prefix(q.own, p.own, client.Spelling) ||
				frame(q.Body) != frame(p.Body) {
				continue
			}
			if err := goesOn(q, p); err != nil {
				t.Fatalf("I4: request %d to %s, turn %d of %s, after %d, turn %d of %s: %v", p.N, model, p.report.Turn,
					p.report.Run, q.N, q.report.Turn, q.report.Run, err)
			}
			break
		}
	}
}
