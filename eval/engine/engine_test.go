package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

// host is an agent with an engine, before a strict fake of the model API.
type host struct {
	t    *testing.T
	eng  *engine.Engine
	fake *modelapi.Fake
	url  string
	log  *lines
	dir  string
}

// lines are what a log has said. Each write wakes who waits for a part.
type lines struct {
	mu    sync.Mutex
	text  bytes.Buffer
	wrote *sync.Cond
}

func newLines() *lines {
	l := new(lines)
	l.wrote = sync.NewCond(&l.mu)
	return l
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wrote.Broadcast()
	return l.text.Write(p)
}

func (l *lines) has(part string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), part)
}

// newHost opens an engine over a directory with rules.
func newHost(t *testing.T, rules map[string]string, opts engine.Options) *host {
	t.Helper()
	h := &host{t: t, fake: modelapi.New(modelapi.Options{}), log: newLines(), dir: t.TempDir()}
	api := httptest.NewServer(h.fake)
	t.Cleanup(api.Close)
	h.url = api.URL
	for name, rule := range rules {
		h.put(name, rule)
	}
	opts.Dirs = append(opts.Dirs, h.dir)
	opts.Log = slog.New(slog.NewTextHandler(h.log, nil))
	eng, err := engine.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = eng.Close() })
	h.eng = eng
	return h
}

// put writes a rule whole, as an editor does.
func (h *host) put(name, rule string) {
	h.t.Helper()
	draft := filepath.Join(h.t.TempDir(), "draft")
	if err := os.WriteFile(draft, []byte(rule), 0o600); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Rename(draft, filepath.Join(h.dir, name+".md")); err != nil {
		h.t.Fatal(err)
	}
}

// read asks the model, and returns the reminders that it has read so far.
func (h *host) read(ctx context.Context, history ...message) []string {
	h.t.Helper()
	if _, err := ask(ctx, h.eng.Client(nil), h.url, history); err != nil {
		h.t.Fatal(err)
	}
	rs := h.fake.Records()
	var all []string
	for _, f := range rs[len(rs)-1].Prompt.Reminders() {
		all = append(all, strings.TrimSpace(f.Text))
	}
	return all
}

// talk is a conversation of so many messages of a person.
func talk(n int) (history []message) {
	for i := range n {
		if i > 0 {
			history = append(history, message{"assistant", "done"})
		}
		history = append(history, message{"user", fmt.Sprint("message ", i+1)})
	}
	return history
}

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := directory(map[string]string{"bad": "---\nwhen: turn_count > abc\n---\nBad.\n",
		"good": "---\nwhen: always\n---\nGood.\n"})
	t.Cleanup(func() { os.RemoveAll(dir) })
	missing := filepath.Join(dir, "ruels")
	file := filepath.Join(dir, "good.md")
	var diags grammar.Diagnostics
	for name, c := range map[string]struct {
		opts engine.Options
		is   func(error) bool
	}{
		"a directory that is not there": {engine.Options{Dirs: []string{missing}},
			func(err error) bool { return errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), "ruels") }},
		"a rule with an error": {engine.Options{Dirs: []string{dir}}, func(err error) bool {
			return errors.As(err, &diags) && filepath.Base(diags[0].File) == "bad.md" &&
				strings.Contains(err.Error(), "bad.md:2:")
		}},
		"a fact without a type": {engine.Options{Facts: []fact.Fact{{Name: "vars.x"}}},
			func(err error) bool { return strings.HasPrefix(err.Error(), "facts: ") }},
		"a state that is a file": {engine.Options{Dirs: []string{file}, State: file},
			func(err error) bool { return strings.HasPrefix(err.Error(), "state: ") }},
		"a state in two places": {engine.Options{State: dir, Eval: eval.Options{Store: state.NewMemory()}},
			func(err error) bool { return err != nil }},
	} {
		eng, err := engine.Open(t.Context(), c.opts)
		if eng != nil || err == nil || !c.is(err) {
			t.Errorf("%s: %v, %v", name, eng, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Open(ended, engine.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestLenient: what is wrong is logged, and all else is used.
func TestLenient(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "ruels")
	h := newHost(t, map[string]string{"bad": "---\nwhen: turn_count > abc\n---\nBad.\n",
		"good": "---\nwhen: always\n---\nGood.\n"}, engine.Options{Dirs: []string{missing}, Lenient: true})
	if got := h.read(t.Context(), talk(1)...); !slices.Equal(got, []string{"Good."}) {
		t.Errorf("the model has read %q", got)
	}
	for _, part := range []string{"bad.md:2:", "ruels"} {
		if !h.log.has(part) {
			t.Errorf("the log does not say %q", part)
		}
	}
}

// TestTap: one function sees each turn and then its request, and those of the parts see them, too.
func TestTap(t *testing.T) {
	t.Parallel()
	var seen []string
	see := func(what, run string, turn int) { seen = append(seen, fmt.Sprint(what, " ", run, " ", turn)) }
	h := newHost(t, map[string]string{"always": "---\nwhile: always\n---\nMind.\n"}, engine.Options{
		Tap: func(_ context.Context, e engine.Event) {
			switch {
			case e.Decision != nil && e.Report == nil:
				see("turn", e.Run, e.Decision.Turn)
			case e.Report != nil && e.Decision == nil:
				see("request", e.Run, e.Report.Turn)
			}
		},
		Eval: eval.Options{Decided: func(_ context.Context, run string, d *eval.Decision) {
			see("decided", run, d.Turn)
		}},
		Transport: transport.Options{Report: func(_ context.Context, r transport.Report) {
			see("report", r.Run, r.Turn)
		}}})
	h.read(h.eng.Run("r").Context(t.Context()), talk(1)...)
	if want := []string{"turn r 1", "decided r 1", "request r 1", "report r 1"}; !slices.Equal(seen, want) {
		t.Errorf("%q, want %q", seen, want)
	}
}

// TestReload: files that change count, and reminders from code survive that; a file goes before code.
func TestReload(t *testing.T) {
	t.Parallel()
	h := newHost(t, map[string]string{"file": "---\nwhile: always\n---\nFile.\n"}, engine.Options{})
	if err := h.eng.Register(reminder.Reminder{ID: "code", Mode: reminder.While, Text: "Code."}); err != nil {
		t.Fatal(err)
	}
	taken := h.eng.Register(reminder.Reminder{ID: "file", Text: "Mine."})
	if diags := (grammar.Diagnostics)(nil); !errors.As(taken, &diags) || !diags.HasErrors() {
		t.Errorf("the id of a file: %v", taken)
	}
	bad := h.eng.Register(reminder.Reminder{ID: "bad", Trigger: "vars.none", Text: "x"})
	if diags := (grammar.Diagnostics)(nil); !errors.As(bad, &diags) || !diags.HasErrors() {
		t.Errorf("a mistake: %v", bad)
	}
	if got := h.read(t.Context(), talk(1)...); !slices.Equal(got, []string{"Code.", "File."}) {
		t.Errorf("the model has read %q", got)
	}
	h.put("file", "---\nwhile: turn_count == abc\n---\nBroken.\n")
	h.await("file.md")
	if names := h.eng.Evaluator().Names(); !slices.Equal(names, []string{"code", "file"}) {
		t.Errorf("after a file got an error: %q", names)
	}
	h.put("file", "---\nwhile: always\n---\nNew file.\n")
	h.put("code", "---\nid: code\nwhile: always\n---\nOf a file.\n")
	h.put("note", "---\nwhen: turn_count > abc\n---\nx\n")
	h.await("note.md")
	h2 := talk(1)
	h2[0].Content = "another conversation"
	if got := h.read(t.Context(), h2...); !slices.Equal(got, []string{"Of a file.", "New file."}) {
		t.Errorf("after a reload the model has read %q", got)
	}
	h.put("code", "---\nid: code\nenabled: false\nwhile: always\n---\nOf a file.\n")
	h.put("more", "---\nwhen: turn_count > abc\n---\nx\n")
	h.await("more.md")
	if names := h.eng.Evaluator().Names(); !slices.Equal(names, []string{"file"}) {
		t.Errorf("a file has switched one off: %q", names)
	}
	if err := os.Remove(filepath.Join(h.dir, "code.md")); err != nil {
		t.Fatal(err)
	}
	h.put("last", "---\nwhen: turn_count > abc\n---\nx\n")
	h.await("last.md")
	if names := h.eng.Evaluator().Names(); !slices.Equal(names, []string{"code", "file"}) {
		t.Errorf("the file is gone: %q", names)
	}
	if err := h.eng.Unregister("code"); err != nil {
		t.Error(err)
	}
	var unknown *eval.UnknownError
	if err := h.eng.Unregister("code"); !errors.As(err, &unknown) {
		t.Errorf("a second time: %v", err)
	}
	if names := h.eng.Evaluator().Names(); !slices.Equal(names, []string{"file"}) {
		t.Errorf("after it was unregistered: %q", names)
	}
}

// await waits until the log has said a part.
func (h *host) await(part string) {
	h.t.Helper()
	late := false
	defer time.AfterFunc(time.Minute, func() {
		h.log.mu.Lock()
		defer h.log.mu.Unlock()
		late = true
		h.log.wrote.Broadcast()
	}).Stop()
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	for !strings.Contains(h.log.text.String(), part) {
		if h.log.wrote.Wait(); late {
			h.t.Fatalf("the log does not say %q", part)
		}
	}
	h.log.text.Reset()
}

// TestRegisterFunc: a function of Go fires once when it turns true, and again after it was false. It is given
// the run, and the context of the model call.
func TestRegisterFunc(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil, engine.Options{Facts: []fact.Fact{{Name: "vars.n", Type: fact.Int}}})
	type key struct{}
	var runs []string
	due := false
	err := h.eng.RegisterFunc(reminder.Reminder{ID: "a.b-c", Text: "Due in {{.vars.n}}."},
		func(ctx context.Context, run *engine.Run) bool {
			runs = append(runs, fmt.Sprint(run.Name(), ctx.Value(key{}), engine.From(ctx) == run))
			return due
		})
	if err != nil {
		t.Fatal(err)
	}
	run := h.eng.Run("r")
	if err := run.Set("n", 7); err != nil {
		t.Fatal(err)
	}
	ctx := run.Context(context.WithValue(t.Context(), key{}, "seen"))
	counts := []int{0, 1, 1, 1, 2}
	for i, now := range []bool{false, true, true, false, true} {
		due = now
		if got := h.read(ctx, talk(i+1)...); len(got) != counts[i] || counts[i] > 0 && got[0] != "Due in 7." {
			t.Errorf("turn %d: %q", i+1, got)
		}
	}
	if want := slices.Repeat([]string{"rseentrue"}, 5); !slices.Equal(runs, want) {
		t.Errorf("asked for %q", runs)
	}
	why, err := run.Why(t.Context())
	if err != nil || len(why) != 1 || why[0].Fires != 2 || !strings.Contains(why[0].Trigger.Text, "a.b-c") {
		t.Errorf("%+v, %v", why, err)
	}
	if err := h.eng.RegisterFunc(reminder.Reminder{ID: "x", Trigger: "always"}, nil); err == nil {
		t.Error("a trigger beside no function is taken")
	}
}

// TestRun: facts of one's own, types of threads, and firing by hand, by a Run that the context has.
func TestRun(t *testing.T) {
	t.Parallel()
	h := newHost(t, map[string]string{
		"red":  "---\nwhen: vars.green == false\n---\nRed.\n",
		"plan": "---\nwhen: thread:plan\n---\nPlan.\n",
		"hand": "---\nwhen: manual\n---\nBy hand.\n",
	}, engine.Options{Facts: []fact.Fact{{Name: "vars.green", Type: fact.Bool}},
		Transport: transport.Options{Commands: true}})
	run := h.eng.Run("r")
	ctx := run.Context(t.Context())
	if engine.From(ctx) != run || h.eng.Run("r") != run || engine.From(t.Context()) != nil {
		t.Error("the run is not found")
	}
	if _, err := run.Why(ctx); !errors.Is(err, eval.ErrNoTurn) {
		t.Errorf("why before the first turn: %v", err)
	}
	if got := h.read(ctx, talk(1)...); len(got) != 0 {
		t.Errorf("at first %q", got)
	}
	run.Thread("Plan")
	if err := engine.From(ctx).Set("vars.green", false); err != nil {
		t.Fatal(err)
	}
	var wrong *eval.FactError
	if err := run.Set("gren", false); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "vars.green") {
		t.Errorf("another name: %v", err)
	}
	if err := run.Set("green", "no"); !errors.As(err, &wrong) {
		t.Errorf("another type: %v", err)
	}
	if got := h.read(ctx, talk(2)...); !slices.Equal(got, []string{"Plan.", "Red."}) {
		t.Errorf("then %q", got)
	}
	var unknown *eval.UnknownError
	if err := run.Remind(ctx, "hnd"); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "hand") {
		t.Errorf("an unknown name: %v", err)
	}
	if err := run.Remind(ctx, "hand"); err != nil {
		t.Fatal(err)
	}
	if got := h.read(ctx, talk(3)...); !slices.Equal(got, []string{"Plan.", "Red.", "By hand."}) {
		t.Errorf("at last %q", got)
	}
	history := append(talk(3), message{"assistant", "done"}, message{"user", "/remind nobody"})
	h.read(ctx, history...)
	if !h.log.has("nobody") {
		t.Error("a command that names no reminder is silent")
	}
	if err := run.End(ctx); err != nil || h.eng.Run("r") == run {
		t.Errorf("a run that has ended is there: %v", err)
	}
}

// TestTwoEngines: two processes over one state directory go on with each other's runs, and show the same.
func TestTwoEngines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rules := map[string]string{"each": "---\nwhile: user_message\n---\nMessage {{.user_turn_count}}.\n"}
	a := newHost(t, rules, engine.Options{State: dir})
	b := newHost(t, rules, engine.Options{State: dir})
	for i, h := range []*host{a, b, a} {
		want := []string{"Message 1.", "Message 2.", "Message 3."}[:i+1]
		if got := h.read(h.eng.Run("r").Context(t.Context()), talk(i+1)...); !slices.Equal(got, want) {
			t.Errorf("turn %d: %q", i+1, got)
		}
	}
	if err := a.eng.Close(); err != nil {
		t.Error(err)
	}
	var history []inject.Message
	for _, m := range talk(3) {
		history = append(history, inject.Message{Role: m.Role, Text: m.Content})
	}
	segments, err := b.eng.Run("r").Transcript(t.Context(), history)
	if err != nil {
		t.Fatal(err)
	}
	var grey []string
	for _, s := range segments {
		if s.Reminder {
			grey = append(grey, fmt.Sprint(s.Message, " ", s.Body(), " ", s.Why, " ", filepath.Base(s.File)))
		}
	}
	want := []string{"0 Message 1. user_message each.md", "2 Message 2. user_message each.md",
		"4 Message 3. user_message each.md"}
	if !slices.Equal(grey, want) {
		t.Errorf("shown are %q", grey)
	}
}

// TestClose: a closed engine, and one that was never opened, return a clear error from each method.
func TestClose(t *testing.T) {
	t.Parallel()
	h := newHost(t, map[string]string{"a": "---\nwhen: always\n---\nA.\n"}, engine.Options{})
	run := h.eng.Run("r")
	client := h.eng.Client(&http.Client{})
	for range 2 {
		if err := h.eng.Close(); err != nil {
			t.Error(err)
		}
	}
	for name, r := range map[string]*engine.Run{"closed": run, "asked for later": h.eng.Run("s"),
		"none": nil, "zero": new(engine.Run), "of no engine": (*engine.Engine)(nil).Run("r"),
		"of a zero one": new(engine.Engine).Run("r"), "of no context": engine.From(t.Context())} {
		want := engine.ErrClosed
		if r == nil {
			want = eval.ErrNoRun
		}
		ctx := r.Context(t.Context())
		r.Thread("plan")
		r.Observer().UserMessage("x")
		_, whyErr := r.Why(ctx)
		_, shown := r.Transcript(ctx, nil)
		for _, err := range []error{r.Set("x", 1), r.Remind(ctx, "a"), r.End(ctx), whyErr, shown} {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for name, e := range map[string]*engine.Engine{"closed": h.eng, "zero": new(engine.Engine), "nil": nil} {
		if err := e.Register(reminder.Reminder{ID: "x", Text: "x"}); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
		if err := e.Unregister("x"); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ask(t.Context(), e.Client(nil), h.url, talk(1)); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
		_, _ = e.Evaluator(), e.Transport()
		if err := e.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ask(t.Context(), client, h.url, talk(1)); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a client: %v", err)
	}
}

// TestConcurrent is for the race detector.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	h := newHost(t, map[string]string{"a": "---\nwhile: always\n---\nA.\n"},
		engine.Options{State: t.TempDir(), Facts: []fact.Fact{{Name: "vars.n", Type: fact.Int}}})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			run := h.eng.Run(fmt.Sprint("run-", i%4))
			ctx, id := run.Context(t.Context()), fmt.Sprint("code-", i)
			for n := range 5 {
				err := errors.Join(run.Set("n", n), h.eng.RegisterFunc(reminder.Reminder{ID: id, Text: "x"},
					func(_ context.Context, r *engine.Run) bool { return r.Name() == run.Name() }))
				history := talk(n + 1)
				history[0].Content = id
				_, failed := ask(ctx, h.eng.Client(nil), h.url, history)
				if err = errors.Join(err, failed, run.Remind(ctx, "a"), h.eng.Unregister(id)); err != nil {
					t.Error(err)
				}
				_, _ = run.Transcript(ctx, nil)
			}
		})
	}
	wg.Wait()
}
