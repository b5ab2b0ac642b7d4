package sdktest_test

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	aside "github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// rules are the reminders of the scene, as a file. heavy needs the tokens of the response before.
const rules = `reminders:
  - {id: asked, while: user_message, content: Answer in one paragraph.}
  - {id: bash, when: 'after_tool:Bash', content: A command was run. Look at how it ended.}
  - {id: failed, when: last_tool_call_failed, content: A call failed. Say so.}
  - {id: heavy, when: context_tokens > 8000, content: The context is filling up.}
  - {id: hello, when: always, keep: conversation, content: "This project is indented by tabs. <b>Always</b>."}
`

func set(t *testing.T) *compile.Set {
	t.Helper()
	rs, ds := document.Read("rules.yaml", []byte(rules))
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	out, ds := compile.FromFiles(rs, compile.Options{})
	if ds.HasErrors() {
		t.Fatal(ds)
	}
	return out
}

// ids are those of the rules, by text.
func ids(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	rs, _ := document.Read("rules.yaml", []byte(rules))
	for _, r := range rs {
		out[r.Text] = r.ID
	}
	return out
}

// reports are what a Transport has told.
type reports struct {
	mu  sync.Mutex
	all []transport.Report
	got sync.Cond
}

func (r *reports) add(_ context.Context, x transport.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, x)
	if r.got.L != nil {
		r.got.Broadcast()
	}
}

// wait waits for so many reports: that of a request whose client has left may come late.
func (r *reports) wait(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.got.L = &r.mu; len(r.all) < n; {
		r.got.Wait()
	}
}

// fired counts the firings of each reminder.
func (r *reports) fired() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]int{}
	for _, x := range r.all {
		if x.Again {
			continue
		}
		for _, f := range x.Fired {
			out[f.ID]++
		}
	}
	return out
}

// through puts a Transport between an SDK and the fake.
func (w way) through(t *testing.T, opts transport.Options) (way, *reports) {
	t.Helper()
	told := &reports{}
	opts.Base, opts.Report = w.client.Transport, told.add
	w.client = &http.Client{Transport: untouched{t, transport.New(eval.New(set(t), eval.Options{}), opts)}}
	return w, told
}

// untouched sees to it that a RoundTripper leaves the request as it is, as http.RoundTripper demands.
type untouched struct {
	t    *testing.T
	next http.RoundTripper
}

func (u untouched) RoundTrip(r *http.Request) (*http.Response, error) {
	header, length, url := r.Header.Clone(), r.ContentLength, r.URL.String()
	body := r.Body
	res, err := u.next.RoundTrip(r)
	if !maps.EqualFunc(header, r.Header, slices.Equal) || length != r.ContentLength || url != r.URL.String() ||
		body != r.Body {
		u.t.Errorf("the request was changed: %v, %d bytes, to %s; it was %v, %d bytes, to %s", r.Header,
			r.ContentLength, r.URL, header, length, url)
	}
	return res, err
}

// due are the ids that the requests of the scene hold, in the order of the prompt.
func due(s sdk, m mode, d aside.Delivery) [][]string {
	second, heavy := []string{"bash"}, []string{"heavy"}
	if s.failed == fact.True {
		second = []string{"bash", "failed"}
	}
	first := []string{"asked", "hello"}
	if d == aside.Tail {
		kept := slices.Concat(second, []string{"hello"})
		if inside(s, m) { // what stands in a result stays there
			return [][]string{first, kept, slices.Concat(kept, heavy), slices.Concat(kept, heavy, []string{"asked"})}
		}
		return [][]string{first, kept, slices.Concat(second, heavy, []string{"hello"}), first}
	}
	out := [][]string{first}
	for _, more := range [][]string{second, heavy, {"asked"}} {
		out = append(out, slices.Concat(out[len(out)-1], more))
	}
	return out
}

// TestThrough: what is due is in the requests, once and at its place, and the SDK sees nothing of it.
func TestThrough(t *testing.T) {
	t.Parallel()
	for _, d := range []aside.Delivery{aside.Auto, aside.Anchored, aside.Tail} {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			// a model that binds its thinking takes no texts that are gone from the next request
			takes := func(m mode) bool { return d != aside.Tail || !model.Of(m.model).Delivery.Binds }
			eachOf(t, sdks, takes, func(t *testing.T, s sdk, m mode) {
				w, told := serve(t, modelapi.Options{Script: modelapi.Turns(replies...)}).through(t,
					transport.Options{Delivery: d})
				a := s.open(t, w, m)
				got := play(t, a)
				held(t, s, m, d, w, got, a)
				reported(t, told, len(replies), due(s, m, d))
			})
		})
	}
}

// inside reports whether texts go into the results of tools: where anything else makes the API forget what
// was thought.
func inside(s sdk, m mode) bool {
	return (s.api == aside.Anthropic || s.api == aside.Converse) &&
		slices.Index(model.Of(m.model).Delivery.Places, model.Result) == 0
}

// stays reports whether all texts of a request stay: in what the server keeps, or in strings of the client's.
func stays(s sdk, m mode) bool {
	inString := s.api == aside.Chat && !slices.Contains(model.Of(m.model).Delivery.Places, model.Message)
	return inString || chained(s)
}

func chained(s sdk) bool { return strings.HasSuffix(s.name, "chained") }

// held checks all that must hold of a scene with reminders.
func held(t *testing.T, s sdk, m mode, d aside.Delivery, w way, got []answer, a agent) {
	t.Helper()
	for _, r := range w.fake.Refused() {
		if r.Answer.Refusal.Rule != "" {
			t.Errorf("%v\n%s", r.Answer.Refusal, r.Request.Body)
		}
	}
	rs := accepted(w.fake.Records())
	sameAnswers(t, got, told(s.thinking), rs)
	if d == aside.Tail && stays(s, m) {
		d = aside.Auto
	}
	if err := (modelapi.Stable{Tail: d == aside.Tail}).Check(rs); err != nil {
		t.Errorf("I4: %v", err)
	}
	want := due(s, m, d)
	known := ids(t)
	for i, r := range rs {
		var got []string
		for _, f := range r.Prompt.Reminders() {
			if f.Text != posed { // a tag without our mark is somebody else's, and goes out as it came
				got = append(got, cmp.Or(known[f.Text], f.Text))
			}
		}
		if !slices.Equal(got, want[i]) {
			t.Errorf("request %d holds %q, want %q:\n%s", i+1, got, want[i],
				strings.Join(shortened(r.Prompt.Conversation()), "\n"))
		}
		if len(r.Answer.Transformations) > 0 {
			t.Errorf("request %d: %v", i+1, r.Answer.Transformations)
		}
	}
	atTheEnd(t, rs, want, d == aside.Tail && !inside(s, m))
	h := a.History()
	for text, id := range known {
		if strings.Contains(h, text[:12]) {
			t.Errorf("the SDK's own history holds %s: %s", id, h)
		}
	}
}

// atTheEnd: what a request is the first to hold, or all of it, stands in its last message, or behind it.
func atTheEnd(t *testing.T, rs []modelapi.Record, want [][]string, all bool) {
	t.Helper()
	for i, r := range rs {
		last := 0 // message of the client's own
		for k, m := range r.Prompt.Messages {
			for _, b := range m.Blocks {
				if !strings.HasPrefix(strings.TrimSpace(b.Text), "<system-reminder") {
					last = k
				}
			}
		}
		fresh := len(want[i])
		for k := 0; i > 0 && !all && k < len(want[i-1]) && want[i-1][k] == want[i][k]; k++ {
			fresh--
		}
		found := r.Prompt.Reminders()
		for _, f := range found[max(0, len(found)-fresh):] {
			if f.Message < last {
				t.Errorf("request %d: %q stands in message %d, and the client's last is %d", i+1, f.Text, f.Message, last)
			}
		}
	}
}

// firings are how often each reminder fires in a scene whose requests hold ids: once, but for the one that
// does with each prompt.
func firings(ids [][]string) map[string]int {
	out := map[string]int{}
	for _, of := range ids {
		for _, id := range of {
			out[id] = 1
		}
	}
	out["asked"] = len(prompts)
	return out
}

// reported: the reports say of each request what is in it, and no firing is told twice.
func reported(t *testing.T, told *reports, turns int, want [][]string) {
	t.Helper()
	if got, want := told.fired(), firings(want); !maps.Equal(got, want) {
		t.Errorf("fired %v, want %v", got, want)
	}
	run, last := "", 0 // conversations without a name share the run of their first turn
	for _, r := range told.all {
		if r.Passed != "" || r.Why != "" || len(r.Gone) > 0 || len(r.Held) > 0 {
			t.Errorf("turn %d: passed %q, why %q, gone %v, held %v", r.Turn, r.Passed, r.Why, r.Gone, r.Held)
		}
		if run != "" && r.Run != run && last != 1 {
			t.Errorf("turn %d is of run %q, the one before of %q", r.Turn, r.Run, run)
		}
		run, last = r.Run, max(last, r.Turn)
	}
	if last != turns {
		t.Errorf("%d turns, want %d", last, turns)
	}
}

// shortened cuts long lines for messages.
func shortened(lines []string) []string {
	out := slices.Clone(lines)
	for i, l := range out {
		if len(l) > 200 {
			out[i] = l[:100] + " … " + l[len(l)-100:]
		}
	}
	return out
}
