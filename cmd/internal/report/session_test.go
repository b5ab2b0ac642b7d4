package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/report"
	"github.com/aside-go/aside/cmd/internal/sample"
	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
)

// session writes a session file of Claude Code, a model call at a time.
type session struct {
	b  strings.Builder
	at time.Time
	n  int
	id string
}

func newSession(id string) *session {
	return &session{at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), id: id}
}

type object = map[string]any

func (s *session) line(kind string, wait time.Duration, more object) {
	s.at = s.at.Add(wait)
	s.n++
	o := object{"type": kind, "uuid": fmt.Sprintf("u%d", s.n), "parentUuid": nil, "sessionId": s.id,
		"timestamp": s.at.Format("2006-01-02T15:04:05.000Z"), "version": "2.1.39", "isSidechain": false}
	for k, v := range more {
		o[k] = v
	}
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	s.b.Write(b)
	s.b.WriteByte('\n')
}

// says is a message of the user.
func (s *session) says(text string) {
	s.line("user", time.Minute, object{"message": object{"role": "user", "content": text}})
}

// compacts is a compaction.
func (s *session) compacts() {
	s.line("system", time.Second, object{"subtype": "compact_boundary",
		"compactMetadata": object{"trigger": "auto", "preTokens": 150_000}})
	s.line("user", time.Second, object{"isCompactSummary": true, "message": object{"role": "user",
		"content": "What was done so far."}})
}

// calls is a model call that took a prompt of so many tokens and calls tools; one whose name ends in ! fails.
func (s *session) calls(context int, tools ...string) {
	s.n++
	id := fmt.Sprintf("m%d", s.n)
	content := []any{object{"type": "text", "text": "Next."}}
	for i, name := range tools {
		content = append(content, object{"type": "tool_use", "id": fmt.Sprintf("%s-%d", id, i),
			"name": strings.TrimSuffix(name, "!"), "input": object{}})
	}
	s.line("assistant", 20*time.Second, object{"message": object{"id": id, "type": "message",
		"role": "assistant", "model": "claude-opus-4-6", "content": content,
		"usage": object{"input_tokens": 10, "cache_read_input_tokens": context - 10,
			"cache_creation_input_tokens": 0, "output_tokens": 50}}})
	for i, name := range tools {
		s.line("user", 5*time.Second, object{"message": object{"role": "user", "content": []any{
			object{"type": "tool_result", "tool_use_id": fmt.Sprintf("%s-%d", id, i), "content": "done",
				"is_error": strings.HasSuffix(name, "!")}}}})
	}
}

func compiled(t testing.TB, rs ...reminder.Reminder) *compile.Set {
	t.Helper()
	set, diags := compile.New(rs, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return set
}

// starters are the rules that aside init writes.
func starters(t testing.TB) *compile.Set {
	t.Helper()
	rs, diags := starter.Reminders()
	set, more := compile.FromFiles(rs, compile.Options{})
	if diags = append(diags, more...); diags.HasErrors() {
		t.Fatal(diags)
	}
	return set
}

// played shows a replay of files to a page; nil files are the machine's.
func played(t testing.TB, page *report.Page, set *compile.Set, files fs.FS, paths ...string) *report.Page {
	t.Helper()
	var errs bytes.Buffer
	err := replay.Run(context.Background(), replay.Options{Files: files, Paths: paths, Set: set,
		Views: []replay.View{page}, Err: &errs})
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return page
}

// pageOf is the page of session files by name.
func pageOf(t testing.TB, set *compile.Set, sessions map[string]*session) string {
	t.Helper()
	files := fstest.MapFS{}
	for name, s := range sessions {
		files[name] = &fstest.MapFile{Data: []byte(s.b.String())}
	}
	return written(t, played(t, report.New(set), set, files, "."))
}

// samplePage is the page of the sample with the starter rules.
func samplePage(t testing.TB) string {
	t.Helper()
	set := starters(t)
	return written(t, played(t, report.New(set), set, sample.Sessions, "sample"))
}

func written(t testing.TB, page *report.Page) string {
	t.Helper()
	var b bytes.Buffer
	n, err := page.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d of %d bytes, %v", n, b.Len(), err)
	}
	return b.String()
}

// long is a session of n turns with a bit of everything.
func long(n int) *session {
	s := newSession("long")
	tools := []string{"Bash", "Read", "Edit", "Grep", "Bash!", "Write", "Glob", "Task", "WebSearch", "TodoWrite"}
	full := 20_000
	for i := range n {
		if i%60 == 0 {
			s.says(fmt.Sprintf("Step %d, please.", i/60+1))
		}
		if full += 900 + i%7*100; full > 190_000 {
			s.compacts()
			full = 30_000
		}
		s.calls(full, tools[i*i%len(tools)], tools[i%3])
	}
	return s
}

// gaugeRules are the rules for the session that gauge writes.
func gaugeRules(t testing.TB) *compile.Set {
	return compiled(t,
		reminder.Reminder{ID: "run-tests", Description: "asks for tests", Trigger: "after_tool:Edit,Write",
			Cooldown: reminder.Span{Turns: 10}, Text: "Files have changed. Run the tests."},
		reminder.Reminder{ID: "nearly-full", Tier: reminder.Safety, Trigger: "context_usage > 60%",
			Rearm: "context_usage < 40%", Text: "{{.context_usage | percent}} full."},
		reminder.Reminder{ID: "each-message", Tier: reminder.Correctness, Mode: reminder.While,
			Trigger: "user_message and turn_gt:3", Text: "The user said: {{.prompt}}"},
		reminder.Reminder{ID: "never-deploys", Trigger: "after_tool:Deploy", Text: "Careful."},
	)
}
