package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/sample"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/test/testkit"
)

// rules compiles what testdata/rules.yaml holds.
func rules(t testing.TB) *compile.Set {
	t.Helper()
	return compiled(t, reminders(t)...)
}

func reminders(t testing.TB) []reminder.Reminder {
	t.Helper()
	file := filepath.Join("testdata", "rules.yaml")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rs, diags := document.Read(file, src)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	list := make([]reminder.Reminder, len(rs))
	for i, r := range rs {
		list[i] = r.Reminder
	}
	return list
}

func compiled(t testing.TB, rs ...reminder.Reminder) *compile.Set {
	t.Helper()
	set, diags := compile.New(rs, compile.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return set
}

func sessions(t testing.TB) fs.FS {
	t.Helper()
	sub, err := fs.Sub(sample.Sessions, "sample")
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// run replays and returns both outputs.
func run(t testing.TB, o replay.Options) (out, errs string, err error) {
	t.Helper()
	var outBuf, errBuf bytes.Buffer
	o.Out, o.Err = &outBuf, &errBuf
	err = replay.Run(context.Background(), o)
	return outBuf.String(), errBuf.String(), err
}

func TestSample(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]replay.Options{
		"sample.txt":      {},
		"sample-v.txt":    {Verbose: true, Width: 120},
		"sample-ansi.txt": {Color: true, ASCII: true},
		"sample.jsonl":    {JSON: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Files, o.Paths, o.Set = sessions(t), []string{"."}, rules(t)
			out, errs, err := run(t, o)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, filepath.Join("testdata", name), out)
			if want := "e42a9c18-3b75-4f60-8d9c-27d1b05e6f43.jsonl:"; !strings.HasPrefix(errs, want) ||
				!strings.Contains(errs, "cut off") || strings.Count(errs, "\n") != 1 {
				t.Errorf("told besides: %q", errs)
			}
			if again, _, _ := run(t, o); again != out {
				t.Error("the same again is not the same")
			}
		})
	}
}

// turnLine is a line of the JSON as CLI.md shows it; a member that is not here makes decoding fail.
type turnLine struct {
	Source string         `json:"source"`
	Run    string         `json:"run"`
	Thread string         `json:"thread_type"`
	Turn   int            `json:"turn"`
	Moment string         `json:"moment"`
	At     string         `json:"at"`
	Facts  map[string]any `json:"facts"`
	Fired  []struct {
		ID       string `json:"id"`
		Priority int    `json:"priority"`
		Tier     string `json:"tier"`
		Tokens   int    `json:"tokens"`
		Manual   bool   `json:"manual"`
		Why      string `json:"why"`
		Text     string `json:"text"`
	} `json:"fired"`
	Held []struct{ ID, Why string } `json:"held"`
}

type summaryLine struct {
	Summary struct {
		Turns     int `json:"turns"`
		Runs      int `json:"runs"`
		Reminders []struct {
			ID     string `json:"id"`
			Fires  int    `json:"fires"`
			First  int    `json:"first"`
			Last   int    `json:"last"`
			Tokens int    `json:"tokens"`
			Never  string `json:"never"`
		} `json:"reminders"`
	} `json:"summary"`
}

// decode reads JSON output back, strictly.
func decode(t testing.TB, out string) (turns []turnLine, sum summaryLine) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for i, line := range lines {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		var err error
		if i == len(lines)-1 {
			err = d.Decode(&sum)
		} else {
			var turn turnLine
			err = d.Decode(&turn)
			turns = append(turns, turn)
		}
		if err != nil {
			t.Fatalf("line %d: %v: %s", i+1, err, line)
		}
	}
	return turns, sum
}

// TestJSON holds the lines together: the summary is what the lines say, and facts can be read back as facts.
func TestJSON(t *testing.T) {
	t.Parallel()
	out, _, err := run(t, replay.Options{Files: sessions(t), Paths: []string{"."}, Set: rules(t), JSON: true})
	if err != nil {
		t.Fatal(err)
	}
	turns, sum := decode(t, out)
	frame := fact.Builtin().NewFrame()
	fires, runs := map[string][]int{}, map[string]bool{}
	tokens := map[string]int{}
	for i, turn := range turns {
		if !runs[turn.Run] != (turn.Turn == 1) || (i > 0 && turn.Turn > 1 && turn.Turn != turns[i-1].Turn+1) {
			t.Errorf("line %d is turn %d of %s", i+1, turn.Turn, turn.Run)
		}
		runs[turn.Run] = true
		for name, v := range turn.Facts {
			if err := frame.SetValue(name, v); err != nil {
				t.Errorf("line %d: %v", i+1, err)
			}
		}
		for _, f := range turn.Fired {
			fires[f.ID] = append(fires[f.ID], turn.Turn)
			tokens[f.ID] += f.Tokens
			if f.Why == "" || f.Text == "" || f.Tokens != (len(f.Text)+3)/4 || f.Tier == "" {
				t.Errorf("line %d: %+v", i+1, f)
			}
		}
	}
	if sum.Summary.Turns != len(turns) || sum.Summary.Runs != len(runs) || len(turns) < 45 || len(runs) != 3 {
		t.Errorf("%d turns in %d runs, the summary says %d in %d", len(turns), len(runs), sum.Summary.Turns,
			sum.Summary.Runs)
	}
	for _, r := range sum.Summary.Reminders {
		at := fires[r.ID]
		if r.Fires != len(at) || r.Tokens != tokens[r.ID] || (r.Never == "") != (r.Fires > 0) || r.Fires > 0 &&
			(r.First != at[0] || r.Last != at[len(at)-1]) {
			t.Errorf("%s fired on %v, the summary says %+v", r.ID, at, r)
		}
	}
}

// TestSampleTeaches holds what the sample is there to show, by the turns on which it shows it.
func TestSampleTeaches(t *testing.T) {
	t.Parallel()
	out, _, err := run(t, replay.Options{Files: sessions(t), Paths: []string{
		"b1e6f0c2-7d34-4a59-9e21-5c8a3f6d0b17.jsonl"}, Set: rules(t), JSON: true})
	if err != nil {
		t.Fatal(err)
	}
	turns, _ := decode(t, out)
	got := map[string][]int{}
	held := map[int]string{}
	for _, turn := range turns {
		for _, f := range turn.Fired {
			got[f.ID] = append(got[f.ID], turn.Turn)
		}
		for _, h := range turn.Held {
			if h.ID == "tests" {
				held[turn.Turn] = h.Why
			}
		}
	}
	want := map[string][]int{"after-compaction": {38}, "careful": {18}, "circles": {28}, "full": {35},
		"pause": {42}, "tests": {6, 21, 32}, "thrice": {12}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if held[15] != "cooldown: 1 turn left" {
		t.Errorf("on turn 15 tests is held by %q", held[15])
	}
}

func TestEndings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, content string) string {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	log := `{"id":"one","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}`
	good := put("good.jsonl", log)
	for _, c := range []struct {
		name   string
		paths  []string
		code   int
		out    string // somewhere in the output; "" if there is none, not even a summary
		errors string // somewhere beside it
	}{
		{"fine", []string{good}, 0, "1 turn in 1 run", ""},
		{"empty", []string{put("empty.jsonl", "")}, 0, "", "empty.jsonl: empty, 0 turns"},
		{"no model call", []string{put("quiet.jsonl", `{"type":"mode","mode":"default","sessionId":"s"}`)}, 0, "",
			"quiet.jsonl: a Claude Code session without a model call, 0 turns"},
		{"text", []string{put("diary.txt", "nothing happened\n")}, 1, "", "diary.txt: error[R0801]"},
		{"binary", []string{put("image.bin", "\x89PNG\r\n\x1a\n\x00\x00")}, 1, "", "image.bin: error[R0801]"},
		{"the others are replayed", []string{put("diary.txt", "x\n"), good}, 1, "1 turn in 1 run", "error[R0801]"},
		{"missing", []string{filepath.Join(dir, "gone.jsonl")}, 3, "", "gone.jsonl: no such file or directory"},
		{"no name", []string{""}, 3, "", `aside: "": no such file or directory`},
		{"missing, the others are replayed", []string{filepath.Join(dir, "gone.jsonl"), good}, 3, "1 turn in 1 run",
			"gone.jsonl"},
		{"a directory", []string{filepath.Dir(put("many/one.jsonl", log)), put("many/two.json", log),
			put("many/other.json", "{}")}, 1, "2 turns in 2 runs", "other.json"},
		{"a directory with something else in it", []string{filepath.Dir(put("mixed/one.jsonl", log)),
			filepath.Dir(put("mixed/package.json", "{}"))}, 0, "1 turn in 1 run", "package.json"},
		{"a directory without recordings", []string{filepath.Dir(put("none/readme.md", "x"))}, 1, "",
			"error[R0802]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := run(t, replay.Options{Paths: c.paths})
			if code := replay.ExitCode(err); code != c.code {
				t.Errorf("exit code %d (%v), want %d", code, err, c.code)
			}
			if !strings.Contains(out, c.out) || !strings.Contains(errs, c.errors) || (c.out == "" && out != "") ||
				(c.errors == "" && errs != "") {
				t.Errorf("output:\n%s\nbeside it:\n%s", out, errs)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	var out, errs bytes.Buffer
	stop := func(b []byte) (int, error) {
		cancel()
		return out.Write(b)
	}
	err := replay.Run(ctx, replay.Options{Files: sessions(t), Paths: []string{"."}, Out: writer(stop),
		Err: &errs, JSON: true})
	if code := replay.ExitCode(err); code != 130 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d (%v), told %q", code, err, errs.String())
	}
	if turns, sum := decode(t, out.String()); len(turns) == 0 || len(turns) != sum.Summary.Turns ||
		sum.Summary.Runs == 3 {
		t.Errorf("%d turns were shown, the summary says %+v", len(turns), sum.Summary)
	}
}

// TestNotesInOrder: what is said beside the result stands behind what it is about, where both go to one
// terminal.
func TestNotesInOrder(t *testing.T) {
	t.Parallel()
	var both bytes.Buffer
	if err := replay.Run(context.Background(), replay.Options{Files: sessions(t),
		Paths: []string{"."}, Out: &both,
		Err: &both}); err != nil {
		t.Fatal(err)
	}
	run, note, end := strings.Index(both.String(), "run 3"), strings.Index(both.String(),
		"cut off"), strings.Index(both.String(), "53 turns in")
	if run < 0 || note < run || end < note {
		t.Errorf("run 3 at %d, the note about it at %d, the summary at %d", run, note, end)
	}
}

// TestTurnsOfRuns: with several runs the summary says how its turns are to be read, however narrow it is.
func TestTurnsOfRuns(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		80: "  fires  first run:turn  last run:turn  tokens\n",
		45: "\n  (first and last are run:turn)\n",
	} {
		out, _, err := run(t, replay.Options{Files: sessions(t), Paths: []string{"."}, Set: rules(t), Width: width})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out, want) {
			t.Errorf("no %q at %d columns", want, width)
		}
		out, _, err = run(t, replay.Options{Files: sessions(t), Paths: []string{
			"e42a9c18-3b75-4f60-8d9c-27d1b05e6f43.jsonl"}, Set: rules(t), Width: width})
		if err != nil || strings.Contains(out, "run:turn") || !strings.Contains(out,
			"  fires   first    last  tokens\n") {
			t.Errorf("one run at %d columns: %v\n%s", width, err, out)
		}
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

func TestFullDisk(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left")
	err := replay.Run(context.Background(), replay.Options{Files: sessions(t), Paths: []string{"."},
		Out: writer(func([]byte) (int, error) { return 0, full })})
	if !errors.Is(err, full) || replay.ExitCode(err) != 3 {
		t.Errorf("%v", err)
	}
}

// TestTerminal holds what a terminal needs: nothing wider than it, no colour unless asked for, nothing that a
// recording smuggles in.
func TestTerminal(t *testing.T) {
	t.Parallel()
	hostile := fstest.MapFS{"x.jsonl": {
		Data: []byte(`{"id":"\u001b[2Jid","model":"m\u0007","messages":[{"role":"user","content":"\u001b[31mred\u0000\u202e \u65e5\u672c\u8a9e\u306e\u9577\u3044\u6587\u7ae0\u65e5\u672c\u8a9e\u306e\u9577\u3044\u6587\u7ae0\u65e5\u672c\u8a9e\u306e\u9577\u3044\u6587\u7ae0\u65e5\u672c\u8a9e\u306e\u9577\u3044\u6587\u7ae0"},{"role":"assistant","content":"x"}]}`)}}
	for _, width := range []int{40, 80, 120} {
		for _, ascii := range []bool{false, true} {
			for name, files := range map[string]fs.FS{"sample": sessions(t), "hostile": hostile} {
				out, _, err := run(t, replay.Options{Files: files, Paths: []string{"."}, Set: rules(t), Width: width,
					ASCII: ascii, Verbose: true})
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(out) {
					line = strings.TrimSuffix(line, "\n")
					wide := 0
					for _, r := range line {
						wide++
						if r >= 0x3000 && r < 0xA000 {
							wide++
						}
						if r < ' ' || r == 0x7f || r == 0x202e || (ascii && name == "sample" && r >= utf8.RuneSelf) {
							t.Errorf("%s, width %d, ascii %v: %q", name, width, ascii, line)
						}
					}
					if wide > width {
						t.Errorf("%s: %d columns of %d: %q", name, wide, width, line)
					}
				}
			}
		}
	}
}

// TestNamesOnTerminal: nor does the name of a file get to do anything to a terminal.
func TestNamesOnTerminal(t *testing.T) {
	t.Parallel()
	name := "a\x1b[2Jb\u202ec.jsonl"
	for _, content := range []string{"", "x\n", aSession("s", "Read")[:80]} {
		out, errs, _ := run(t, replay.Options{Files: fstest.MapFS{name: {Data: []byte(content)}},
			Paths: []string{name}, Set: rules(t)})
		if strings.ContainsAny(out+errs, "\x1b\u202e") || !strings.Contains(errs, "a [2Jb c.jsonl") {
			t.Errorf("%q, %q", out, errs)
		}
	}
}

// TestWindow holds how big the window is taken to be.
func TestWindow(t *testing.T) {
	t.Parallel()
	line := func(id string, tokens, model string) string {
		return `{"parentUuid":null,"isSidechain":false,"sessionId":"s","message":{"model":"` + model + `","id":"` +
			id + `","role":"assistant","content":[],"usage":{"input_tokens":` + tokens +
			`}},"type":"assistant","timestamp":"2026-01-01T10:00:00Z"}` + "\n"
	}
	small := line("a", "100000", "claude-opus-4-6") + line("b", "200001", "claude-opus-4-6") + line("c",
		"150000", "claude-opus-4-6") + line("d", "100000", "claude-opus-4-6")
	for _, c := range []struct {
		name, in string
		window   int
		want     []any
	}{
		{"what held more than it holds is another one", small, 0, []any{nil, 0.5, nil, nil}},
		{"what the user says holds", small, 400_000, []any{nil, 0.25, 0.5000025, 0.375}},
		{"a long window by the model's id", line("a", "100000", "claude-opus-4-6[1m]") + line("b", "1",
			"claude-opus-4-6[1m]"), 0, []any{nil, 0.1}},
		{"an unknown model", line("a", "100000", "mine") + line("b", "1", "mine"), 0, []any{nil, nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, _, err := run(t, replay.Options{Files: fstest.MapFS{"s.jsonl": {Data: []byte(c.in)}},
				Paths: []string{"s.jsonl"}, Window: c.window, JSON: true})
			if err != nil {
				t.Fatal(err)
			}
			turns, _ := decode(t, out)
			var got []any
			for _, turn := range turns {
				got = append(got, turn.Facts["context_usage"])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("context_usage %v, want %v", got, c.want)
			}
		})
	}
}

// TestWindowIsTheRuns holds that what one run shows about the window is not held against the next.
func TestWindowIsTheRuns(t *testing.T) {
	t.Parallel()
	line := func(id, tokens string) string {
		return `{"parentUuid":null,"isSidechain":false,"sessionId":"s","message":{"model":"claude-opus-4-6","id":"` + id + `","role":"assistant","content":[],"usage":{"input_tokens":` + tokens + `}},"type":"assistant"}` + "\n"
	}
	files := fstest.MapFS{"a.jsonl": {Data: []byte(line("a", "300000") + line("b", "300000"))},
		"b.jsonl": {Data: []byte(line("a", "50000") + line("b", "1"))}}
	out, _, err := run(t, replay.Options{Files: files, Paths: []string{"."}, JSON: true})
	if err != nil {
		t.Fatal(err)
	}
	turns, _ := decode(t, out)
	if len(turns) != 4 || turns[1].Facts["context_usage"] != nil || turns[3].Facts["context_usage"] != 0.25 {
		t.Errorf("%+v", turns)
	}
}

// TestUnknownOutcome holds that a call whose result does not say how it went is neither a failure nor a
// success.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	const log = `{"messages":[{"role":"user","content":"hi"},
	{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"look"}}]},{"role":"tool","tool_call_id":"1","content":"?"},
	{"role":"assistant","tool_calls":[{"id":"2","function":{"name":"look"}},{"id":"3","function":{"name":"look"}}]},{"role":"tool","tool_call_id":"2","content":"?"},{"role":"tool","tool_call_id":"3","content":"?","is_error":true},
	{"role":"assistant","content":"done"},{"role":"user","content":"bye"},{"role":"assistant","content":"bye"}]}`
	out, _, err := run(t, replay.Options{Files: fstest.MapFS{"a.json": {Data: []byte(strings.ReplaceAll(log,
		"\n", " "))}}, Paths: []string{"a.json"}, JSON: true})
	if err != nil {
		t.Fatal(err)
	}
	turns, _ := decode(t, out)
	var got []any
	for _, turn := range turns {
		got = append(got, turn.Facts["last_tool_call_failed"])
	}
	if want := []any{false, nil, true, false}; !slices.Equal(got, want) {
		t.Errorf("last_tool_call_failed %v, want %v", got, want)
	}
}
