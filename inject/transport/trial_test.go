package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

func compiled(t testing.TB, rs ...reminder.Reminder) *compile.Set {
	t.Helper()
	set, diags := compile.New(rs, compile.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return set
}

// trial is a Transport between simulated agents and a fake. It is a RoundTripper itself, so that another
// Transport can take over.
type trial struct {
	fake  *modelapi.Fake
	set   *compile.Set
	opts  transport.Options
	store state.Store
	rt    *transport.Transport

	left sync.WaitGroup // what is to be done beside

	mu      sync.Mutex
	out     map[*client.Sent][][]byte // what reached the fake of each request
	reports []transport.Report
}

func newTrial(set *compile.Set, opts transport.Options) *trial {
	w := &trial{fake: modelapi.New(modelapi.Options{Script: client.Script()}), set: set, opts: opts,
		store: onDisk{state.NewMemory()}, out: map[*client.Sent][][]byte{}}
	w.opts.Base = keeper{w, client.Direct(w.fake)}
	w.opts.Commands = true
	w.opts.Report = func(_ context.Context, r transport.Report) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reports = append(w.reports, r)
	}
	w.restart()
	return w
}

// beside has answers noted beside, one after another, as late as it likes.
func (w *trial) beside() {
	before := make(chan struct{})
	close(before)
	w.opts.Later = func(save func() error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		earlier, done := before, make(chan struct{})
		before = done
		w.left.Go(func() {
			defer close(done)
			<-earlier
			for range 20 {
				runtime.Gosched()
			}
			_ = save()
		})
	}
	w.restart()
}

// onDisk is a store that gives back what was written, as one on a disk does: a run is its bytes and nothing
// else.
type onDisk struct{ state.Store }

func (s onDisk) Save(ctx context.Context, run string, prev state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	written, err := state.Decode(next.Encode())
	if err != nil {
		return 0, err
	}
	return s.Store.Save(ctx, run, prev, written)
}

// restart puts a new Transport in the place of the old one, as a process does that is started again: all it
// has is the store.
func (w *trial) restart() {
	w.left.Wait()
	w.rt = transport.New(eval.New(w.set, eval.Options{Store: w.store}), w.opts)
}

// RoundTrip implements http.RoundTripper.
func (w *trial) RoundTrip(r *http.Request) (*http.Response, error) { return w.rt.RoundTrip(r) }

// keeper keeps what goes out.
type keeper struct {
	w    *trial
	next http.RoundTripper
}

func (k keeper) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s := client.From(r)
	k.w.mu.Lock()
	k.w.out[s] = append(k.w.out[s], b)
	k.w.mu.Unlock()
	c := r.Clone(r.Context())
	c.Body = io.NopCloser(bytes.NewReader(b))
	return k.next.RoundTrip(c)
}

// pass is a request, and what became of it.
type pass struct {
	*client.Sent
	out    []byte
	report transport.Report
	own    []json.RawMessage // the client's messages
	is     []json.RawMessage // those that went out
	texts  []string          // of ours in it, in order
	system int               // how many of them stand with the system prompt
	mark   string            // that they wear
}

// thread is whose conversation the request goes on, forks of it included.
func (p pass) thread() string {
	run, _, _ := strings.Cut(p.Run, "-fork-")
	return run + "/" + p.Thread
}

// forked reports whether the conversation began as another one.
func (p pass) forked() bool { return strings.Contains(p.Run, "-fork-") }

// delivered reports whether the API has taken it.
func (p pass) delivered() bool { return p.Status == http.StatusOK }

// frame returns what stands before the messages in the prompt that a request makes: tools and system prompt.
func frame(body []byte) string {
	var v struct {
		Tools             json.RawMessage
		ToolConfig        json.RawMessage
		System            json.RawMessage
		Instructions      json.RawMessage
		SystemInstruction json.RawMessage
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %s %s %s %s", v.Tools, v.ToolConfig, v.System, v.Instructions, v.SystemInstruction)
}

// run plays an agent through the trial, with a restart before each but the first number of calls, and returns
// all that it sent.
func (w *trial) run(t *testing.T, o client.Options, calls ...int) []pass {
	t.Helper()
	a := client.New(w, o)
	for i, n := range calls {
		if i > 0 {
			w.restart()
		}
		if err := a.Run(context.Background(), n); err != nil {
			t.Error(err)
		}
	}
	return w.passes(t, a)
}

// passes returns all that an agent has sent, which is all that was sent through the trial.
func (w *trial) passes(t rapid.TB, a *client.Agent) []pass {
	t.Helper()
	w.left.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.reports) != len(a.Sent()) {
		t.Fatalf("%d reports of %d requests", len(w.reports), len(a.Sent()))
	}
	var out []pass
	for i, s := range a.Sent() {
		if n := len(w.out[s]); n != 1 {
			t.Fatalf("request %d went out %d times", i, n)
		}
		p := pass{Sent: s, out: w.out[s][0], report: w.reports[i]}
		p.own, p.is = client.Messages(p.Body), client.Messages(p.out)
		p.texts, p.mark = oursIn(t, p.out)
		p.system = len(p.texts)
		for _, m := range p.is {
			p.system -= len(tags.FindAll(m, -1))
		}
		out = append(out, p)
	}
	return out
}

// tags is a reminder of ours, as it stands in JSON.
var tags = regexp.MustCompile(`(?s)<system-reminder mark=\\"([^\\"]*)\\">\\n(.*?)\\n</system-reminder>`)

func oursIn(t rapid.TB, body []byte) (texts []string, mark string) {
	t.Helper()
	for _, m := range tags.FindAllSubmatch(body, -1) {
		if mark != "" && mark != string(m[1]) {
			t.Errorf("marks %s and %s in one request", mark, m[1])
		}
		mark = string(m[1])
		texts = append(texts, string(m[2]))
	}
	return texts, mark
}

// idOf reads a text of siblings.Rules.
func idOf(text string) string { return strings.Fields(text)[1] }

// course is an agent and how texts are delivered to its model.
type course struct {
	client.Options
	delivery wire.Delivery
}

// courses are all runs of the laws, by name.
func courses() map[string]course {
	all := map[string]course{}
	add := func(o client.Options, deliveries ...wire.Delivery) {
		for _, d := range deliveries {
			name := o.API.String() + " " + o.Model
			for _, what := range []struct {
				name string
				is   bool
			}{{" stateful", o.Stateful}, {" unnamed", o.Unnamed}, {" marked by the API", o.Auto}, {" that forks",
				o.Habits.Fork > 0}, {" then " + o.Next, o.Next != ""}} {
				if what.is {
					name += what.name
				}
			}
			all[name+", "+d.String()] = course{o, d}
		}
	}
	claude := func(model string) client.Options { return client.Options{API: modelapi.Anthropic, Model: model} }
	add(claude("claude-opus-5-5"), wire.Auto, wire.Native, wire.Anchored, wire.Tail)
	add(claude("claude-fable-5-1"), wire.Auto)
	forks := claude("claude-opus-5-5")
	forks.Habits.Fork = 40
	add(forks, wire.Auto)
	add(claude("claude-opus-5"), wire.Native, wire.Anchored, wire.Tail)
	add(claude("claude-sonnet-5-5"), wire.Auto)
	add(claude("claude-sonnet-4-5"), wire.Anchored)
	add(claude("claude-sonnet-4-6"), wire.Tail)
	add(claude("claude-haiku-4-5"), wire.Auto)
	add(client.Options{Model: "claude-sonnet-4-5", Next: "claude-opus-5-5"}, wire.Auto)
	add(client.Options{Model: "claude-opus-5-5", Auto: true}, wire.Native, wire.Anchored)
	add(client.Options{Model: "claude-opus-5-5", Unnamed: true}, wire.Auto)
	chat := client.Options{API: modelapi.Chat, Model: "gpt-5.6"}
	add(chat, wire.Auto, wire.Tail)
	chat.Unnamed = true
	add(chat, wire.Auto)
	add(client.Options{API: modelapi.Chat, Model: "qwen3-coder"}, wire.Auto, wire.Tail)
	codex := client.Options{API: modelapi.Responses, Model: "gpt-5.6-codex"}
	add(codex, wire.Auto, wire.Tail)
	codex.Unnamed = true
	add(codex, wire.Auto)
	codex.Stateful = true
	add(codex, wire.Auto)
	codex.Unnamed = false
	add(codex, wire.Auto)
	add(client.Options{API: modelapi.Gemini, Model: "gemini-3.8-flash"}, wire.Auto, wire.Tail)
	add(client.Options{API: modelapi.Gemini, Model: "gemini-3.5-flash"}, wire.Auto)
	aws := client.Options{API: modelapi.Converse, Model: "us.anthropic.claude-sonnet-4-6",
		RunHeader: transport.RunHeader}
	add(aws, wire.Auto, wire.Tail)
	aws.Model, aws.RunHeader = "us.anthropic.claude-opus-5-5", ""
	add(aws, wire.Auto)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		fork := c.Habits.Fork
		c.Seed, c.Window, c.Habits = uint64(1000*(i+1)), 5000, client.Lively()
		c.Habits.Fork = fork
		c.Habits.Command, c.Habits.Name = 5, "hand"
		all[name] = c
	}
	return all
}

// wire returns how package wire would read the agent's requests.
func (c course) wire(mark string) wire.Options {
	apis := map[modelapi.API]wire.API{
		modelapi.Anthropic: wire.Anthropic, modelapi.Chat: wire.Chat, modelapi.Responses: wire.Responses,
		modelapi.Gemini: wire.Gemini, modelapi.Converse: wire.Converse,
	}
	return wire.Options{Options: inject.Options{Mark: mark}, API: apis[c.API], Model: c.Model}
}
