package suggest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// TestProposals holds what each rule that can be proposed promises: it is in canonical form, nothing is to be
// said of it, and its rule test passes where it is written and sees each part of it true and false.
func TestProposals(t *testing.T) {
	t.Parallel()
	var all []*candidate
	for from := 0; from < len(testCommands); from += 4 { // all test commands, as many at once as there may be
		runs := make([]int, len(testCommands))
		for i := from; i < min(from+4, len(runs)); i++ {
			runs[i] = 1
		}
		all = append(all, made("test-before-end", "test-before-end", mostUsed(runs)))
	}
	all = append(all, candidates([]string{"go test"})...)
	for _, c := range all {
		if out, ds := document.Format(c.id+".md", c.rule); len(ds) > 0 || string(out) != string(c.rule) {
			t.Errorf("%s: not in canonical form: %v\n%s", c.id, ds, out)
		}
		set, ds := compile.FromFiles([]compile.Source{c.source}, compile.Options{})
		for _, d := range lint.Run(set, ds, map[string][]byte{c.id + ".md": c.rule}, lint.Options{}) {
			t.Errorf("%s\n%s", d, c.rule)
		}
		for _, name := range []string{"claude-code", "codex"} {
			for _, d := range lint.Run(set, ds, map[string][]byte{c.id + ".md": c.rule}, lint.Options{Agent: name}) {
				if a, _ := agent.Host(name); !strings.Contains(d.Message, " only at times: ") {
					t.Errorf("for %s: %s", a.Title, d)
				}
			}
		}
		dir := t.TempDir()
		var test string
		for _, f := range c.files() {
			test = filepath.Join(dir, filepath.FromSlash(f.Name))
			if os.MkdirAll(filepath.Dir(test), 0o755) != nil || os.WriteFile(test, f.Text, 0o644) != nil {
				t.Fatal("cannot write", test)
			}
		}
		rep, err := ruletest.Run(t.Context(), []string{test}, ruletest.Options{Coverage: true})
		var b strings.Builder
		if err != nil || rep.WriteText(&b) != nil || !rep.OK() || rep.Coverage.Percent() != 100 {
			t.Errorf("%s: %v\n%s%s", c.id, err, c.rule, b.String())
		}
	}
	if len(all) < len(programs)+5 {
		t.Error(len(all), "candidates")
	}
}

// turn is a turn of a made-up session of Claude Code: calls as "Tool subject", "!" before one that fails. A
// turn without calls ends the work, and a person speaks before it if it says so.
type turn struct {
	calls     []string
	asked     bool
	compacted bool
}

// recorded tells turns in the form of a session file. Each text of it is a secret.
func recorded(id string, turns []turn) *fstest.MapFile {
	var b strings.Builder
	line := func(kind string, more map[string]any) {
		o := map[string]any{"type": kind, "isSidechain": false, "sessionId": id, "cwd": "/p/SECRET",
			"timestamp": "2026-01-05T10:00:00Z"}
		for k, v := range more {
			o[k] = v
		}
		text, _ := json.Marshal(o)
		b.Write(append(text, '\n'))
	}
	line("user", map[string]any{"message": map[string]any{"role": "user", "content": "SECRET"}})
	for i, turn := range turns {
		if turn.compacted {
			line("system", map[string]any{"subtype": "compact_boundary"})
		}
		if turn.asked {
			line("user", map[string]any{"message": map[string]any{"role": "user", "content": "SECRET, go on"}})
		}
		content, results := []any{map[string]any{"type": "text", "text": "SECRET"}}, []any{}
		for j, call := range turn.calls {
			call, failed := strings.CutPrefix(call, "!")
			tool, subject, _ := strings.Cut(call, " ")
			key := map[string]string{"Bash": "command", "Edit": "file_path", "Read": "file_path"}[tool]
			at := fmt.Sprint("c", i, "-", j)
			content = append(content, map[string]any{"type": "tool_use", "id": at, "name": tool,
				"input": map[string]any{key: subject}})
			results = append(results, map[string]any{"type": "tool_result", "tool_use_id": at, "is_error": failed,
				"content": "SECRET"})
		}
		line("assistant", map[string]any{"message": map[string]any{"id": fmt.Sprint("m", i),
			"model": "claude-opus-5",
			"role":  "assistant", "content": content, "usage": map[string]any{"input_tokens": 10,
				"output_tokens": 1}}})
		if len(results) > 0 {
			line("user", map[string]any{"message": map[string]any{"role": "user", "content": results}})
		}
	}
	return &fstest.MapFile{Data: []byte(b.String())}
}

// calls are turns with a call each.
func calls(of ...string) (turns []turn) {
	for _, c := range of {
		turns = append(turns, turn{calls: []string{c}})
	}
	return turns
}

// habits are sessions with each of the patterns twice.
func habits() fstest.MapFS {
	files := fstest.MapFS{}
	add := func(name string, turns ...turn) {
		for i := range 2 {
			id := fmt.Sprint(name, i)
			files[id+".jsonl"] = recorded(id, turns)
		}
	}
	// the end is after turn 3, the tests are reported on turn 6
	add("test", slices.Concat(calls("Read /p/SECRET/x.go", "Edit /p/SECRET/x.go"),
		[]turn{{}, {calls: []string{"Read /p/SECRET/y.go"}, asked: true}}, calls("Bash go test ./SECRET",
			"Bash ls"))...)
	// the third failure is reported on turn 4, the success on turn 7
	add("fail", calls("!Bash npm install SECRET", "!Bash npm ci SECRET", "!Bash npm ci", "!Bash npm ci",
		"!Bash SECRET=1 npm ci", "Bash npm ci", "Bash ls")...)
	// two of the three turns after the compaction read what was read before it
	add("again", slices.Concat(calls("Read /p/SECRET/a.go", "Read /p/SECRET/b.go"),
		[]turn{{calls: []string{"Bash ls"}, compacted: true}},
		calls("Read /p/SECRET/a.go", "Read /p/SECRET/b.go", "Read /p/SECRET/c.go", "Bash ls"))...)
	var stale []string
	for range 16 {
		stale = append(stale, "Bash ls")
	}
	// the edit is reported on turn 19, and nothing follows but two turns
	add("stale", calls(slices.Concat([]string{"TodoWrite"}, stale, []string{"Edit /p/SECRET/a.md", "Bash ls",
		"Bash ls", "Bash ls"})...)...)
	add("force", calls("!Bash git push SECRET", "Bash git push --force SECRET", "Bash true", "Bash git status",
		"Bash true")...)
	return files
}

func propose(t *testing.T, files fstest.MapFS, own ...reminder.Reminder) *Report {
	t.Helper()
	set, ds := compile.New(own, compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	r, err := Propose(t.Context(), replay.Options{Files: files, Paths: []string{"."}}, set)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPropose holds the proposals from sessions whose patterns a person can count, and that nothing of the
// sessions is in them.
func TestPropose(t *testing.T) {
	t.Parallel()
	r := propose(t, habits())
	got := map[string]string{}
	for _, p := range r.Proposals {
		got[p.ID] = fmt.Sprintf("%d sessions, %d firings, %d turns lost, %d heeded, %d ignored, %d open",
			p.Sessions,
			p.Fires, *p.Lost, p.Effect.Heeded, p.Effect.Ignored, p.Effect.Open)
	}
	want := map[string]string{
		"test-before-end":     "2 sessions, 2 firings, 2 turns lost, 2 heeded, 0 ignored, 0 open",
		"failing-npm":         "2 sessions, 2 firings, 2 turns lost, 2 heeded, 0 ignored, 0 open",
		"reading-again":       "2 sessions, 2 firings, 2 turns lost, 0 heeded, 0 ignored, 2 open",
		"todo-list":           "2 sessions, 2 firings, 2 turns lost, 0 heeded, 0 ignored, 2 open",
		"force-after-failure": "2 sessions, 2 firings, 2 turns lost, 0 heeded, 2 ignored, 0 open",
	}
	for id := range want {
		if got[id] != want[id] {
			t.Errorf("%s: %s, want %s", id, got[id], want[id])
		}
	}
	if len(got) != len(want) || r.Sessions != 10 {
		t.Errorf("%d sessions: %v", r.Sessions, got)
	}
	if len(r.Others) != 0 { // failing-npm stands for failing-commands
		t.Errorf("%+v", r.Others)
	}
	if b, err := json.Marshal(r); err != nil || strings.Contains(string(b), "SECRET") {
		t.Errorf("%v: a text of a session is in the proposals:\n%s", err, b)
	}
	for _, p := range r.Proposals {
		if p.ID == "test-before-end" && !strings.Contains(p.Rule, "@shell(go test*)") {
			t.Error(p.Rule)
		}
	}
}

// TestForks: where each session was forked, what the fork has copied counts once, in the proposals and in
// their base rates.
func TestForks(t *testing.T) {
	t.Parallel()
	forked := habits()
	for name, file := range habits() {
		id := strings.TrimSuffix(name, ".jsonl")
		own, of := fmt.Sprintf(`"sessionId":%q`, id), fmt.Sprintf(`"forkedFrom":{"sessionId":%q}`, id)
		forked[id+"f.jsonl"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(file.Data), own,
			fmt.Sprintf(`"sessionId":"%sf",`, id)+of))}
	}
	of := func(files fstest.MapFS) string {
		r := propose(t, files)
		b, err := json.MarshalIndent(r.Proposals, "", " ")
		return fmt.Sprint(string(b), r.Turns, " turns ", err)
	}
	if got, want := of(forked), of(habits()); got != want {
		t.Errorf("with forks\n%s\nwithout\n%s", got, want)
	}
}

// TestOwn holds what is not proposed: what a rule of the same id or one that speaks at the same places
// covers, what one session shows alone, and what models do anyway. A rule that speaks everywhere covers
// nothing.
func TestOwn(t *testing.T) {
	t.Parallel()
	why := func(files fstest.MapFS, own ...reminder.Reminder) map[string]string {
		all := map[string]string{}
		r := propose(t, files, own...)
		for _, p := range slices.Concat(r.Proposals, r.Others) {
			all[p.ID] = p.Why
		}
		return all
	}
	all := why(habits(), reminder.Reminder{ID: "mine",
		Trigger: `turns_since_tool("@todo") > 14 and after_tool:@edit`,
		Text:    "x"}, reminder.Reminder{ID: "reading-again", Trigger: "never", Text: "x"},
		reminder.Reminder{ID: "busy", Mode: reminder.While, Trigger: "always", Text: "x"},
		reminder.Reminder{ID: "loud", Mode: reminder.While, Trigger: "failures_in_row >= 3", Text: "x"})
	for id, want := range map[string]string{"todo-list": "mine speaks there", "reading-again": "you have it",
		"test-before-end": "", "force-after-failure": "", "failing-npm": "loud speaks there"} {
		if got := all[id]; got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	one := fstest.MapFS{"todo.jsonl": habits()["stale0.jsonl"]}
	if all := why(one); len(all) != 1 || all["todo-list"] != "in one session alone" {
		t.Error(all)
	}
	many := fstest.MapFS{}
	for i := range 10 {
		id := fmt.Sprint("s", i)
		many[id+".jsonl"] = recorded(id, calls("!Bash make", "!Bash make", "!Bash make", "Bash make", "Bash ls"))
	}
	if all := why(many); all["failing-make"] != "the model does it anyway" {
		t.Error(all)
	}
	mixed := fstest.MapFS{}
	for i, program := range []string{"npm", "make", "weird-SECRET"} {
		id := fmt.Sprint("s", i)
		mixed[id+".jsonl"] = recorded(id, calls("!Bash "+program, "!Bash x", "!Bash "+program, "Bash ls"))
	}
	seldom := reminder.Reminder{ID: "seldom", Trigger: "tool_failed:@shell(npm*)", Text: "x"}
	if all := why(mixed, seldom); len(all) != 1 || all[general] != "" {
		t.Error(all)
	}
	if all := why(fstest.MapFS{"none.jsonl": recorded("none", calls("Bash ls", "Bash ls"))}); len(all) != 0 {
		t.Error(all)
	}
}

// TestInterrupted: nothing is proposed of sessions that were not read to the end.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Propose(ctx, replay.Options{Files: habits(), Paths: []string{"."}}, nil)
	if replay.ExitCode(err) != 130 || len(r.Proposals) != 0 {
		t.Error(r, err)
	}
}
