package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

const completions = "/v1/chat/completions"

// dialog is a conversation of Chat Completions, as messages in JSON.
type dialog []string

func (c dialog) and(role, content string, more ...any) dialog {
	m := map[string]any{"role": role, "content": content}
	for i := 0; i < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return append(slices.Clone(c), string(b))
}

// uses is the conversation after a call of a tool, reasoned about, and its result.
func (c dialog) uses(id, result string) dialog {
	reasoning := id + ": " + strings.Repeat("This follows from the one before. ", 12)
	c = c.and("assistant", "", "reasoning_content", reasoning, "tool_calls", []any{map[string]any{"id": id,
		"type": "function", "function": map[string]any{"name": "ls", "arguments": "{}"}}})
	return c.and("tool", result, "tool_call_id", id)
}

func (c dialog) of(model string) string {
	return fmt.Sprintf(`{"model":%q,"messages":[%s]}`, model, strings.Join(c, ","))
}

// agentic are the requests of two user turns with ten calls each.
func agentic(model string) (bodies []string) {
	c := dialog{}.and("system", strings.Repeat("You help with what is asked. ", 200))
	for turn := range 2 {
		c = c.and("user", fmt.Sprintf("task %d: find the bug", turn))
		bodies = append(bodies, c.of(model))
		for step := range 10 {
			c = c.uses(fmt.Sprintf("call_%04d_%04d", turn, step), strings.Repeat("a line of a file\n", 60))
			bodies = append(bodies, c.of(model))
		}
		c = c.and("assistant", "It is fixed.")
	}
	return bodies
}

// read is what the models read of a run: of each request the sentences of reasoning; of all the share that
// came from the cache.
type read struct {
	Reasoning []int
	cached    float64
}

func play(t *testing.T, f *modelapi.Fake, rt http.RoundTripper, bodies []string) (r read) {
	t.Helper()
	for _, body := range bodies {
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://api.test"+completions,
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(transport.RunHeader, "run")
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	prompt, cached := 0, 0
	for _, x := range f.Records() {
		if x.Answer.Refusal != nil {
			continue
		}
		n := 0
		for _, m := range modelOf(x.Prompt.Model).Template.Render(x.Prompt).Messages {
			for _, b := range m.Blocks {
				if b.Kind == modelapi.Thinking {
					n += strings.Count(b.Text, ".")
				}
			}
		}
		r.Reasoning = append(r.Reasoning, n)
		prompt += x.Answer.Usage.Prompt
		cached += x.Answer.Usage.Read
	}
	r.cached = float64(cached) / float64(prompt)
	return r
}

func modelOf(id string) (m modelapi.Model) {
	for _, row := range served() {
		if strings.HasPrefix(id, row.Prefix) && len(row.Prefix) > len(m.Prefix) {
			m = row
		}
	}
	return m
}

// served are the models of servers, with the cache of vLLM.
func served() []modelapi.Model {
	all := modelapi.Models()
	for i := range all {
		if all[i].Template != nil {
			all[i].Cache = model.Of("qwen3").Cache
		}
	}
	return all
}

func sixFires(t *testing.T) *compile.Set {
	t.Helper()
	on := make([]string, 0, 6)
	for _, n := range []int{3, 6, 9, 14, 17, 20} {
		on = append(on, fmt.Sprintf("turn_count == %d", n))
	}
	return compiled(t,
		reminder.Reminder{ID: "step", Trigger: strings.Join(on, " or "), Text: lintNote("03")},
		reminder.Reminder{ID: "person", Mode: reminder.While, Trigger: "user_message", Text: "Be brief."})
}

// TestTemplates: what a chat template refuses it refuses of no request, the model reads the same reasoning of
// its own, and the same share of the prompt comes from the cache as without reminders, to within 1 %.
func TestTemplates(t *testing.T) {
	t.Parallel()
	for prefix, template := range modelapi.Templates() {
		t.Run(prefix, func(t *testing.T) {
			t.Parallel()
			bodies := agentic(prefix + "1")
			through := func(rt func(http.RoundTripper) http.RoundTripper) (read, *modelapi.Fake) {
				f := modelapi.New(modelapi.Options{Models: served()})
				return play(t, f, rt(client.Direct(f)), bodies), f
			}
			none, _ := through(func(rt http.RoundTripper) http.RoundTripper { return rt })
			got, f := through(func(rt http.RoundTripper) http.RoundTripper {
				return transport.New(eval.New(sixFires(t), eval.Options{}), transport.Options{Base: rt})
			})
			for _, no := range f.Refused() {
				t.Error(no.Answer.Refusal)
			}
			if diff := cmp.Diff(none, got, cmp.AllowUnexported(read{}), cmp.Comparer(func(a, b float64) bool {
				return a-b < 0.01 && b-a < 0.01
			})); diff != "" {
				t.Errorf("%s (-without reminders +with):\n%s", template.Source, diff)
			}
			last := f.Records()[len(f.Records())-1]
			if n := strings.Count(string(last.Request.Body), "</system-reminder>"); n != 8 {
				t.Errorf("%d texts in the last request, want 8\n%s", n, last.Request.Body)
			}
			if template.Forgets == nil && !template.Alternates || prefix == "kimi-" || prefix == "gpt-oss" {
				return // it takes a user message anywhere
			}
			for i, body := range bodies {
				bodies[i] = string(asUser([]byte(body), bare(3)))
			}
			f = modelapi.New(modelapi.Options{Models: served()})
			naive := play(t, f, client.Direct(f), bodies)
			if len(f.Refused()) == 0 && slices.Max(naive.Reasoning) > 0 {
				t.Error("the fake holds no law: a user message of ours at the end costs nothing")
			}
		})
	}
}

// refuses is an API that refuses requests whose body says something.
func refuses(says func(body string) bool) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return client.Trip(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			r = r.Clone(r.Context())
			r.Body = io.NopCloser(bytes.NewReader(body))
			if says(string(body)) {
				return &http.Response{StatusCode: 422, Header: http.Header{},
					Body: io.NopCloser(strings.NewReader("not like that"))}, nil
			}
			return next.RoundTrip(r)
		})
	}
}

// step is a turn of a run, and what becomes of it.
type step struct {
	c       dialog
	sent    int // requests
	put     string
	passed  string
	held    string // a part of the reason
	repeats int
}

func (w *world) steps(t *testing.T, model string, steps ...step) {
	t.Helper()
	for i, s := range steps {
		before, body := len(w.bodies), s.c.of(model)
		if status, got := w.post(completions, body); status != 200 {
			t.Fatalf("step %d: %d %s", i, status, got)
		}
		_, r := w.last()
		held := ""
		for _, h := range r.Held {
			held += h.Why
		}
		if put := strings.Join(r.Put, " "); r.Turn != i+1 || put != s.put || r.Passed != s.passed ||
			(held == "") != (s.held == "") || !strings.Contains(held, s.held) || r.Repeat != s.repeats {
			t.Errorf("step %d: turn %d, put %q, passed %q, held %q, %d repeated, want %+v\n%s", i, r.Turn, put,
				r.Passed, held, r.Repeat, s, r.Why)
		}
		if w.mu.Lock(); s.sent > 0 && len(w.bodies)-before != s.sent {
			t.Errorf("step %d: %d requests have come, want %d", i, len(w.bodies)-before, s.sent)
		}
		w.mu.Unlock()
	}
}

// TestRefusedPlace: a refusal teaches one place, behind tools or behind a person: the text is due again, goes
// to the next place on the next turn that has something to say, and is held where none is left. Turns go on,
// and texts that were taken stay, in the request that is sent again too.
func TestRefusedPlace(t *testing.T) {
	t.Parallel()
	set := compiled(t, reminder.Reminder{ID: "p", Trigger: "user_message", Mode: reminder.While, Text: "P"},
		reminder.Reminder{ID: "t", Trigger: "after_tool:ls", Mode: reminder.While, Text: "T"})
	one := dialog{}.and("user", "list")
	two := one.uses("call_0000000001", "a b")
	three := two.uses("call_0000000002", "c d")
	four := three.and("assistant", "done").and("user", "again")
	five := four.uses("call_0000000003", "e f")

	t.Run("behind a tool", func(t *testing.T) {
		t.Parallel()
		inTool := regexp.MustCompile(`"role":"tool","[^}]*reminder|reminder[^}]*,"role":"tool"`)
		w := newWorld(t, set, setting{base: refuses(inTool.MatchString)})
		w.header.Set(transport.RunHeader, "run")
		w.steps(t, "some-model",
			step{c: one, put: "p"},
			step{c: two, held: "refused", repeats: 1},
			step{c: three, held: "at each place", repeats: 1, sent: 1},
			step{c: four, put: "p t", repeats: 1, sent: 1},
			step{c: five, held: "at each place", repeats: 3, sent: 1})
	})
	t.Run("a message of its own", func(t *testing.T) {
		t.Parallel()
		own := func(body string) bool { return strings.Contains(body, `"role":"developer"`) }
		w := newWorld(t, set, setting{base: refuses(own)})
		w.header.Set(transport.RunHeader, "run")
		w.steps(t, "gpt-5.6",
			step{c: one, passed: transport.PassedRefused, held: "refused", sent: 1},
			step{c: two, passed: transport.PassedRefused, held: "refused", sent: 1},
			step{c: three, put: "p t", sent: 1},
			step{c: four, put: "p", repeats: 2, sent: 1},
			step{c: five, put: "t", repeats: 3, sent: 1})
	})
	t.Run("by another model", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, set, setting{base: refuses(func(body string) bool {
			return strings.Contains(body, `"mine"`) && strings.Contains(body, "reminder")
		})})
		w.header.Set(transport.RunHeader, "run")
		w.post(completions, one.of("some-model"))
		w.post(completions, two.of("mine"))
		if _, r := w.last(); r.Turn != 2 || r.Passed != transport.PassedRefused || len(r.Stands) != 0 ||
			r.Out != r.In || r.Why != "status 422 with reminders, 200 without" {
			t.Errorf("%+v", r)
		}
		before := len(w.bodies)
		w.post(completions, three.of("mine"))
		if _, r := w.last(); r.Turn != 3 || r.Passed == "" && len(r.Stands) != 0 || len(w.bodies) != before+1 {
			t.Errorf("%d requests, %+v", len(w.bodies)-before, r)
		}
		w.post(completions, four.of("some-model"))
		if _, r := w.last(); r.Turn != 4 || r.Repeat != 1 || len(r.Put) != 2 {
			t.Errorf("%+v", r)
		}
	})
}

// TestOffered: a text is offered until an API has taken a request with it, and its expectation waits as long.
func TestOffered(t *testing.T) {
	t.Parallel()
	store := state.NewMemory()
	set := compiled(t, reminder.Reminder{ID: "t", Trigger: "after_tool:ls", Text: "T", Expect: "after_tool:make",
		Within: 1})
	refused := true
	w := newWorld(t, set, setting{store: store, base: refuses(func(body string) bool {
		return refused && strings.Contains(body, "reminder")
	})})
	w.header.Set(transport.RunHeader, "run")
	offered := func(step, want string, until int) {
		t.Helper()
		snap, _, err := store.Load(t.Context(), "run")
		if err != nil {
			t.Fatal(err)
		}
		ex, err := w.ev.Explain(t.Context(), "run")
		if err != nil || len(ex) != 1 {
			t.Fatal(ex, err)
		}
		got := strings.Join(transport.Offered(snap.Notes()), " ")
		if ex[0].Offered {
			got += " waits"
		}
		if strings.TrimSpace(got) != want || ex[0].Until != until {
			t.Errorf("%s: offered %q, until %d, want %q, %d", step, got, ex[0].Until, want, until)
		}
	}
	one := dialog{}.and("user", "list")
	two := one.uses("call_0000000001", "a b")
	three := two.and("assistant", "done").and("user", "again")
	four := three.and("assistant", "done").and("user", "and again")
	w.post(completions, one.of("m"))
	w.post(completions, two.of("m"))
	offered("refused", "waits", 3)
	refused = false
	w.fake = modelapi.New(modelapi.Options{Faults: map[int]modelapi.Fault{1: {Status: 500}}})
	w.post(completions, three.of("m"))
	if _, r := w.last(); r.Status != 500 || !slices.Equal(r.Put, []string{"t"}) {
		t.Errorf("%+v", r)
	}
	offered("failed", "t", 4)
	w.post(completions, three.of("m"))
	offered("taken", "", 4)
	w.post(completions, four.of("m"))
	if _, r := w.last(); len(r.Outcomes) != 1 || r.Outcomes[0].Outcome != reminder.Ignored ||
		r.Outcomes[0].After != 1 {
		t.Errorf("%+v", r.Outcomes)
	}
}
