package eval_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/internal/document"
)

// The thread types of testdata/threads, from events to the messages that are sent: after every message that a
// person submits, as part of that same message and behind its context updates, each kind of thread gets its
// own text; nothing else gets one.

const mark = "m4rk"

// threadTexts are the texts that each kind of thread must get.
var threadTexts = map[string]string{
	"root": "This is the main thread: the person reads what is written here. Work goes on until the " +
		"request is " +
		"done or a question is open.",
	"learn": "This thread learns: its findings are to be written to notes, and then it yields to its parent.",
	"plan":  "This thread plans: the plan is to be written to plans, and then it yields to its parent.",
	"fast":  "This thread is a subagent: it yields to its parent when its task is done.",
	"other": "This thread is a subagent: it yields to its parent when its task is done.",
}

// host is an agent that embeds the evaluator. Its fields are the mistakes that a host, or a rule, could make.
type host struct {
	rules map[string]string // reminder files, by name
	// keeps the requests that it sent as its history, and so adds only the texts that fired
	stores bool

	thread string
	// the event that it reports for another: "update" → "person" takes a context update for a person's message
	calls        map[string]string
	unmarked     bool // does not tell context updates from messages of a person
	put          func(history []inject.Message, due []reminder.Due) []inject.Message
	neverCommits bool
}

func newHost(t *testing.T, thread string, stores bool) *host {
	t.Helper()
	h := &host{rules: map[string]string{}, stores: stores, thread: thread, calls: map[string]string{}}
	h.put = func(history []inject.Message, due []reminder.Due) []inject.Message {
		return put(history, due, ` mark="`+mark+`"`)
	}
	files, err := filepath.Glob(filepath.Join("..", "testdata", "threads", "*.md"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		h.rules[filepath.Base(f)] = string(src)
	}
	return h
}

// request is the request of one model call, with the texts that fired for it.
type request struct{ sent, fired string }

func text(s string) inject.Block { return inject.Block{Type: "text", Text: s} }

// put returns a history with texts behind the messages that they belong to, in the tag with an attribute.
func put(history []inject.Message, due []reminder.Due, attribute string) []inject.Message {
	out := slices.Clone(history)
	for _, d := range due {
		for i := len(out) - 1; i >= 0; i-- {
			m := &out[i]
			person := !m.Auto && (len(m.Blocks) == 0 || m.Blocks[0].Type == "text")
			if m.Role != "user" || d.Attach == reminder.UserTurn && !person {
				continue
			}
			if m.Blocks == nil {
				m.Blocks = []inject.Block{text(m.Text)}
			}
			ours := text("<system-reminder" + attribute + ">\n" + d.Text + "\n</system-reminder>")
			m.Blocks = append(slices.Clone(m.Blocks), ours)
			break
		}
	}
	return out
}

// converse lives through one conversation and returns its requests: a person asks, the model calls a tool and
// answers, a context update makes the host call the model by itself, the person asks again, and once more.
func (h *host) converse(t *testing.T) []request {
	t.Helper()
	var rs []compile.Source
	for _, name := range slices.Sorted(maps.Keys(h.rules)) {
		list, diags := document.Read(name, []byte(h.rules[name]))
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		rs = append(rs, list...)
	}
	set, diags := compile.FromFiles(rs, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	ev := eval.New(set, eval.Options{Clock: stopped})
	obs := ev.Observe("run")
	if h.thread != "" {
		obs.Thread(h.thread)
	}
	var history []inject.Message
	var out []request
	add := func(event string, m inject.Message) {
		if renamed, ok := h.calls[event]; ok {
			event = renamed
		}
		switch event {
		case "person":
			obs.UserMessage("asks")
		case "tool":
			obs.ToolCall("Read", nil)
		case "response":
			obs.Response(eval.Usage{})
		}
		history = append(history, m)
	}
	send := func() {
		d, err := ev.Prepare(context.Background(), "run", obs.Turn())
		if err != nil {
			t.Fatal(err)
		}
		due := d.Due
		if h.stores {
			due = d.Fired
		}
		sent := h.put(history, due)
		if h.stores {
			history = sent
		}
		if !h.neverCommits {
			if err := d.Commit(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, request{h.order(sent), ids(d.Fired)})
	}
	update := func(s string) inject.Message {
		return inject.Message{Role: "user", Text: "update: " + s, Auto: !h.unmarked}
	}
	add("system", inject.Message{Role: "system", Text: "system: you are an agent"})
	add("update", update("the branch is main"))
	add("person", inject.Message{Role: "user", Blocks: []inject.Block{text("update: 3 files are open"),
		text("person: do it")}})
	send()
	add("response", inject.Message{Role: "assistant", Blocks: []inject.Block{text("response: I look"),
		{Type: "tool_use"}}})
	add("tool", inject.Message{Role: "user", Blocks: []inject.Block{{Type: "tool_result", Text: "contents"}}})
	send()
	add("response", inject.Message{Role: "assistant", Text: "response: done"})
	add("update", update("a file changed"))
	send()
	add("response", inject.Message{Role: "assistant", Text: "response: I see"})
	add("person", inject.Message{Role: "user", Blocks: []inject.Block{text("update: 4 files are open"),
		text("person: and this")}})
	send()
	add("response", inject.Message{Role: "assistant", Text: "response: done too"})
	add("person", inject.Message{Role: "user", Text: "person: thanks"})
	send()
	return out
}

// order writes a request as one line: messages in brackets, and in them their parts.
func (h *host) order(sent []inject.Message) string {
	want := threadTexts[h.thread]
	var b strings.Builder
	for _, m := range sent {
		var parts []string
		blocks := m.Blocks
		if blocks == nil {
			blocks = []inject.Block{text(m.Text)}
		}
		for _, bl := range blocks {
			if bl.Type != "text" {
				parts = append(parts, bl.Type)
				continue
			}
			for _, s := range inject.Segments(bl.Text, mark) {
				switch kind, _, _ := strings.Cut(s.Text, ":"); {
				case !s.Reminder:
					parts = append(parts, kind)
				case s.Body() == want:
					parts = append(parts, "REMINDER")
				default:
					parts = append(parts, "reminder: "+s.Body())
				}
			}
		}
		fmt.Fprintf(&b, "[%s]", strings.Join(parts, " "))
	}
	return b.String()
}

// check returns the mistakes in the requests of a conversation.
func (h *host) check(got []request) error {
	first, second := " REMINDER", ""
	if h.stores {
		second = first
	}
	id := h.thread
	if id == "fast" || id == "other" {
		id = "subagent"
	}
	const head = "[system][update][update person"
	const work = "][response tool_use][tool_result]"
	want := []request{
		{head + first + "]", id},
		{head + first + work, ""},
		{head + first + work + "[response][update]", ""},
		{head + second + work + "[response][update][response][update person REMINDER]", id},
		{head + second + work + "[response][update][response][update person" + second +
			"][response][person REMINDER]", id},
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("request %d:\n got  %s fired %q\n want %s fired %q", i+1, got[i].sent, got[i].fired,
				want[i].sent, want[i].fired)
		}
	}
	return nil
}

func TestThreads(t *testing.T) {
	t.Parallel()
	for thread := range threadTexts {
		for _, stores := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stores=%t", thread, stores), func(t *testing.T) {
				t.Parallel()
				h := newHost(t, thread, stores)
				if err := h.check(h.converse(t)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestThreadsCanFail breaks one condition at a time: the check must say so for some thread and some host.
func TestThreadsCanFail(t *testing.T) {
	t.Parallel()
	rule := func(file, old, changed string) func(*testing.T, *host) {
		return func(t *testing.T, h *host) {
			if !strings.Contains(h.rules[file], old) {
				t.Fatalf("%s: there is no %q", file, old)
			}
			h.rules[file] = strings.Replace(h.rules[file], old, changed, 1)
		}
	}
	type change struct {
		name   string
		thread string // the thread that must notice
		stores bool   // the host that must notice
		change func(*testing.T, *host)
	}
	var changes []change
	for file, thread := range map[string]string{"root.md": "root", "learn.md": "learn", "plan.md": "plan",
		"subagent.md": "other"} {
		trigger := "thread:" + thread
		if thread == "other" {
			trigger = "not thread:root,learn,plan"
		}
		for _, c := range [][3]string{
			{"not only after a person's message", "user_message and " + trigger, trigger},
			{"after automatic messages", "user_message and", "not user_message and"},
			{"in no thread", trigger, "thread:nobody"},
			{"once", "while:", "rearm: never\nwhen:"},
			{"not enabled", "while:", "enabled: false\nwhile:"},
			{"for a turn first", "while:", "for: 2 turns\nwhile:"},
			{"rarely", "while:", "cooldown: 5 turns\nwhile:"},
			{"one time", "while:", "max_fires: 1\nwhile:"},
			{"every other time", "while:", "max_fires: 2\nwhile:"},
			{"at the end of the history, after the tool result", "attach: user_turn", "attach: tail"},
			{"in the system prompt", "attach: user_turn", "attach: run_start"},
			{"for one call", "keep: user turn", "keep: 1 turn"},
			{"for two calls", "keep: user turn", "keep: 2 turns"},
			{"another text", "This thread", "That thread"},
		} {
			if c[1] == "This thread" && thread == "root" {
				c[1], c[2] = "This is", "That is"
			}
			changes = append(changes, change{file + " " + c[0], thread, false, rule(file, c[1], c[2])})
		}
		changes = append(changes, change{file + " is gone", thread, true,
			func(_ *testing.T, h *host) { delete(h.rules, file) }})
	}
	for _, thread := range []string{"root", "learn", "plan"} {
		changes = append(changes, change{"subagent.md takes " + thread + " for one", thread, false,
			func(t *testing.T, h *host) {
				left := strings.Trim(strings.ReplaceAll(","+"root,learn,plan"+",", ","+thread+",", ","), ",")
				rule("subagent.md", "root,learn,plan", left)(t, h)
			}})
	}
	for _, stores := range []bool{false, true} {
		puts := func(name string, f func(history []inject.Message, due []reminder.Due) []inject.Message) change {
			return change{name, "root", stores, func(_ *testing.T, h *host) { h.put = f }}
		}
		tell := func(name string, f func(h *host)) change {
			return change{name, "root", stores, func(_ *testing.T, h *host) { f(h) }}
		}
		changes = append(changes,
			tell("a context update is told as a person's message", func(h *host) { h.calls["update"] = "person" }),
			tell("a tool result is told as a person's message", func(h *host) { h.calls["tool"] = "person" }),
			tell("a response is told as a person's message", func(h *host) { h.calls["response"] = "person" }),
			tell("a person's message is not told", func(h *host) { h.calls["person"] = "update" }),
			puts("nothing is put in", func(history []inject.Message,
				_ []reminder.Due) []inject.Message {
				return history
			}),
			puts("without the mark", func(history []inject.Message, due []reminder.Due) []inject.Message {
				return put(history, due, "")
			}),
			puts("a message of its own", func(history []inject.Message, due []reminder.Due) []inject.Message {
				own := inject.Message{Role: "user", Blocks: []inject.Block{}}
				return put(append(slices.Clone(history), own), due, ` mark="`+mark+`"`)
			}),
			puts("before the context updates", func(history []inject.Message, due []reminder.Due) []inject.Message {
				out := put(history, due, ` mark="`+mark+`"`)
				for i := range out {
					if b := out[i].Blocks; len(b) > 1 && strings.HasPrefix(b[len(b)-1].Text, "<system-reminder") {
						out[i].Blocks = append([]inject.Block{b[len(b)-1]}, b[:len(b)-1]...)
					}
				}
				return out
			}),
		)
	}
	changes = append(changes, change{"the thread is not told", "root", false,
		func(_ *testing.T, h *host) { h.thread = "" }})
	changes = append(changes, change{"nothing is committed", "root", false,
		func(_ *testing.T, h *host) { h.neverCommits = true }})
	changes = append(changes, change{"context updates are not told apart", "root", false,
		func(t *testing.T, h *host) { h.unmarked = true }})
	for _, c := range changes {
		t.Run(fmt.Sprintf("%s stores=%t", c.name, c.stores), func(t *testing.T) {
			t.Parallel()
			h := newHost(t, c.thread, c.stores)
			c.change(t, h)
			got := h.converse(t)
			h.thread = c.thread
			if h.check(got) == nil {
				t.Error("nobody notices")
			}
		})
	}
}
