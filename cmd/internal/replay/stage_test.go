package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// aTurn is a line with a model call of a session file.
func aTurn(session string, n int, tool string) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"sessionId":%q,"type":"assistant","timestamp":"2026-01-01T10:%02d:00Z","message":{"id":"m%d","model":"claude-opus-4-6","role":"assistant","content":[{"type":"tool_use","id":"c%d","name":%q,"input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":%d,"output_tokens":5}}}`+"\n", session, n, n, n, tool, 1000*n)
}

// aSession is a session file whose calls are of tools, one a turn.
func aSession(name string, tools ...string) string {
	var b strings.Builder
	for i, tool := range tools {
		b.WriteString(aTurn(name, i+1, tool))
	}
	return b.String()
}

// seenView records what a view is shown.
type seenView struct {
	events []string
	open   map[int]bool
	report *replay.Report
}

func (v *seenView) Turn(s *replay.Step) {
	v.events = append(v.events, fmt.Sprintf("%d %s turn %d", s.RunN, s.Run.ID, s.N))
	if v.open == nil {
		v.open = map[int]bool{}
	}
	if s.First == v.open[s.RunN] {
		v.events = append(v.events, "begun twice, or not at all")
	}
	v.open[s.RunN] = true
}

func (v *seenView) RunOver(r *replay.Rest) {
	after := "nothing"
	if r.After != nil {
		after = fmt.Sprint("turn ", r.After.N)
	}
	v.events = append(v.events, fmt.Sprintf("%d %s over before %s", r.RunN, r.Run.ID, after))
	if !v.open[r.RunN] {
		v.events = append(v.events, "over and not open")
	}
	delete(v.open, r.RunN)
}

func (v *seenView) End(r *replay.Report) {
	v.events = append(v.events, fmt.Sprintf("end, %d turns, %d runs, %d files, interrupted %v", r.Turns, r.Runs,
		r.Files, r.Interrupted))
	v.report = r
}

// TestView holds what a view is shown, and in what order.
func TestView(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"a.jsonl": {Data: []byte(aSession("a", "Read", "Bash"))},
		"b.jsonl": {Data: []byte(`{"messages":[{"role":"user","content":"hi"}],"model":"m","stream":true}` + "\n" +
			`{"messages":[{"role":"user","content":"ho"}],"model":"m","stream":true}` + "\n" +
			`{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"x"},{"role":"user","content":"more"}],"model":"m","stream":true}`)},
		"c.jsonl": {Data: []byte(`{"id":"c1","messages":[{"role":"assistant","content":"x"}]}` + "\n" +
			`{"id":"c2","messages":[{"role":"assistant","content":"x"}]}`)},
		"d.jsonl": {},
	}
	v := &seenView{}
	if err := replay.Run(context.Background(), replay.Options{Files: files, Paths: []string{"."}, Set: rules(t),
		Views: []replay.View{v}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 a turn 1", "1 a turn 2", "1 a over before turn 3",
		"2 request-1 turn 1", "3 request-2 turn 1", "2 request-1 turn 2", "3 request-2 over before turn " +
			"2", "2 request-1 over before turn 3",
		"4 c1 turn 1", "4 c1 over before turn 2", "5 c2 turn 1", "5 c2 over before turn 2",
		"end, 7 turns, 5 runs, 4 files, interrupted false",
	}
	if diff := cmp.Diff(want, v.events); diff != "" {
		t.Error(diff)
	}
}

// TestExtra: what a view says of the whole stands in the summary.
func TestExtra(t *testing.T) {
	t.Parallel()
	v := &extraView{}
	out, _, err := run(t, replay.Options{Files: fstest.MapFS{"a.jsonl": {Data: []byte(aSession("a", "Read"))}},
		Paths: []string{"."}, Views: []replay.View{v}, JSON: true,
		Set: compiled(t, reminder.Reminder{ID: "r", Text: "x"})})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"summary":{"turns":1,"runs":1,"reminders":[{"id":"r","fires":1,"first":1,"last":1,"tokens":1,"never":"","cost":2}],"cost":{"all":3}}}` + "\n"
	if !strings.HasSuffix(out, want) {
		t.Errorf("%s\nwant\n%s", out, want)
	}
}

type extraView struct{ seenView }

func (*extraView) End(r *replay.Report) {
	r.Extra = map[string]any{"cost": map[string]int{"all": 3}}
	r.Reminders[0].Extra = map[string]any{"cost": 2}
}

// TestTogether: a session, which comes with its subagents, says the same alone and among others.
func TestTogether(t *testing.T) {
	t.Parallel()
	t.Run("short", func(t *testing.T) { together(t, testkit.Data(t, "transcripts")) })
	t.Run("long", func(t *testing.T) { together(t, testkit.Beside(t, "transcripts")) })
}

func together(t *testing.T, dir string) {
	files, err := transcript.Find(nil, dir)
	if err != nil || len(files) < 2 {
		t.Fatal(len(files), err)
	}
	turns := func(path string) string {
		out, errs, err := run(t, replay.Options{Paths: []string{path}, Set: rules(t), JSON: true})
		if err != nil || errs != "" {
			t.Fatal(err, errs)
		}
		return out[:strings.LastIndex(out, `{"summary":`)]
	}
	var alone strings.Builder
	for _, f := range files {
		if !strings.Contains(f.Path, "subagents") {
			alone.WriteString(turns(f.Path))
		}
	}
	if got := turns(dir); got != alone.String() {
		t.Errorf("%d bytes together, %d bytes one by one", len(got), alone.Len())
	}
}

// TestManyFiles: a directory of thousands, some of which are none, one of which is not there any more.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	for i := range 3000 {
		text := aSession(fmt.Sprint("s", i), "Read", "Edit")
		switch i % 100 {
		case 7:
			text = ""
		case 8:
			text = "no session\n"
		case 9:
			text = text[:len(text)-20]
		}
		files[fmt.Sprintf("p/%04d.jsonl", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	out, errs, err := run(t, replay.Options{Files: gone{files, "p/0500.jsonl"}, Paths: []string{"p"},
		Set: rules(t), JSON: true})
	if code := replay.ExitCode(err); code != 3 {
		t.Errorf("exit code %d, %v", code, err)
	}
	turns, sum := decode(t, out)
	if want := 3000 - 30 - 30 - 1; sum.Summary.Runs != want || sum.Summary.Turns != 2*want-30 ||
		len(turns) != sum.Summary.Turns {
		t.Errorf("%d runs, %d turns, %d lines; want %d runs", sum.Summary.Runs, sum.Summary.Turns, len(turns), want)
	}
	if n := strings.Count(errs, "cut off"); n != 30 {
		t.Errorf("%d files are said to be cut off", n)
	}
	if n := strings.Count(errs, "is not a transcript"); n != 30 || strings.Count(errs, "\n") != 61 ||
		!strings.Contains(errs, "p/0500.jsonl: it was here\n") {
		t.Errorf("told besides: %d lines, %d of them of files that are none", strings.Count(errs, "\n"), n)
	}
	last := ""
	for _, turn := range turns {
		if turn.Source < last {
			t.Fatalf("%s comes after %s", turn.Source, last)
		}
		last = turn.Source
	}
}

// gone are files of which one cannot be opened.
type gone struct {
	fs.FS
	name string
}

func (g gone) Open(name string) (fs.File, error) {
	if name == g.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it was here")}
	}
	return g.FS.Open(name)
}

// TestInterruptedFiles: whenever the interrupt comes, what was shown is whole, nothing goes on behind it, and
// it is said how far that is.
func TestInterruptedFiles(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	files := fstest.MapFS{}
	for i := range 40 {
		files[fmt.Sprintf("%02d.jsonl", i)] = &fstest.MapFile{Data: []byte(aSession(fmt.Sprint("s", i),
			slices.Repeat([]string{"Read"}, 50)...))}
	}
	for _, after := range []int{1, 49, 50, 51, 333, 1999} {
		ctx, cancel := context.WithCancel(context.Background())
		var out, errs bytes.Buffer
		v := &stopView{at: after, stop: cancel}
		err := replay.Run(ctx, replay.Options{
			Files: files, Paths: []string{"."}, Set: rules(t), Out: &out, Err: &errs, JSON: true, Views: []replay.View{
				v},
		})
		cancel()
		turns, sum := decode(t, out.String())
		said := fmt.Sprintf("interrupted after %d file", v.report.Files)
		if code := replay.ExitCode(err); code != 130 || !v.report.Interrupted || len(turns) != sum.Summary.Turns ||
			len(turns) != after || len(v.open) > 0 || !strings.Contains(errs.String(), said) {
			t.Errorf("after %d: exit code %d, %d turns, %d in the summary, %d runs left open, told %q",
				after, code, len(turns), sum.Summary.Turns, len(v.open), errs.String())
		}
	}
}

type stopView struct {
	seenView
	at   int
	stop func()
}

func (v *stopView) Turn(s *replay.Step) {
	v.seenView.Turn(s)
	if v.at--; v.at == 0 {
		v.stop()
	}
}

// TestBrokenOutput: once nobody takes the output any more, nothing is read any more either.
func TestBrokenOutput(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	files := fstest.MapFS{}
	for i := range 200 {
		files[fmt.Sprintf("%03d.jsonl", i)] = &fstest.MapFile{Data: []byte(aSession(fmt.Sprint("s", i),
			slices.Repeat([]string{"Read"}, 50)...))}
	}
	full := errors.New("full")
	v := &seenView{}
	err := replay.Run(context.Background(), replay.Options{Files: files, Paths: []string{"."},
		Out: writer(func([]byte) (int, error) { return 0, full }), JSON: true, Views: []replay.View{v}})
	if !errors.Is(err, full) || errors.Is(err, replay.ErrInterrupted) || replay.ExitCode(err) != 3 ||
		v.report.Turns > 5000 {
		t.Errorf("%v after %d turns", err, v.report.Turns)
	}
}

// TestAsItComes: what is read from a pipe is shown before the pipe ends.
func TestAsItComes(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	shown := make(chan string)
	done := make(chan error)
	go func() {
		done <- replay.Run(context.Background(), replay.Options{Files: piped{r}, Paths: []string{"p"},
			Views: []replay.View{chanView(shown)}})
	}()
	for i := range 3 {
		if _, err := io.WriteString(w, aTurn("s", i+1, "Read")); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-shown:
			if want := fmt.Sprint("turn ", i+1); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("nothing is shown")
		}
	}
	w.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type chanView chan string

func (v chanView) Turn(s *replay.Step) { v <- fmt.Sprint("turn ", s.N) }
func (chanView) RunOver(*replay.Rest)  {}
func (chanView) End(*replay.Report)    {}

// piped is a file system whose one file is a pipe.
type piped struct{ r io.Reader }

func (p piped) Open(string) (fs.File, error)     { return pipe{p.r}, nil }
func (p piped) Stat(string) (fs.FileInfo, error) { return pipe{p.r}.Stat() }

type pipe struct{ io.Reader }

func (pipe) Close() error                 { return nil }
func (p pipe) Stat() (fs.FileInfo, error) { return p, nil }
func (pipe) Name() string                 { return "p" }
func (pipe) Size() int64                  { return 0 }
func (pipe) Mode() fs.FileMode            { return fs.ModeNamedPipe }
func (pipe) ModTime() time.Time           { return time.Time{} }
func (pipe) IsDir() bool                  { return false }
func (pipe) Sys() any                     { return nil }

// TestFilters: what is left out is not shown and not counted, and changes nothing of what is.
func TestFilters(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	files := fstest.MapFS{
		"new.jsonl": {Data: []byte(aSession("new", "Read", "Edit", "Read", "Bash")),
			ModTime: day.AddDate(0, 0, 2)},
		"new/subagents/agent-x.jsonl": {Data: []byte(strings.ReplaceAll(aSession("new", "Read"),
			`"isSidechain":false`, `"isSidechain":true,"agentId":"x"`)), ModTime: day.AddDate(0, 0, 2)},
		"old.jsonl": {Data: []byte(aSession("old", "Read", "Edit")), ModTime: day},
	}
	set := compiled(t, reminder.Reminder{ID: "first", Text: "x"}, reminder.Reminder{ID: "read",
		Mode: reminder.While, Trigger: "after_tool:Read", Text: "x"},
		reminder.Reminder{ID: "again", Mode: reminder.While, Trigger: `turns_since("read") == 1`, Text: "x"})
	for name, c := range map[string]struct {
		o    replay.Options
		want string
		code int
	}{
		"everything": {replay.Options{},
			"new 1 first; new 2 read; new 3 again; new 4 read; new/agent-x 1 first; old 1 first; old 2 read", 0},
		"one run": {replay.Options{RunID: "old"}, "old 1 first; old 2 read", 0},
		"a run and its own": {replay.Options{RunID: "new"},
			"new 1 first; new 2 read; new 3 again; new 4 read; new/agent-x 1 first", 0},
		"a subagent":   {replay.Options{RunID: "new/agent-x"}, "new/agent-x 1 first", 0},
		"no run":       {replay.Options{RunID: "ew"}, "", 1},
		"one reminder": {replay.Options{Only: []string{"again"}}, "new 3 again", 0},
		"by pattern": {replay.Options{Only: []string{"a*", "f*"}},
			"new 1 first; new 3 again; new/agent-x 1 first; old 1 first", 0},
		"since a day": {replay.Options{Since: day.AddDate(0, 0, 1)}, "", 0},
		"since a minute": {replay.Options{Since: day.Add(10*time.Hour + 3*time.Minute), RunID: "new"},
			"new 3 again; new 4 read", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := c.o
			o.Files, o.Paths, o.Set, o.JSON = files, []string{"."}, set, true
			out, errs, err := run(t, o)
			if code := replay.ExitCode(err); code != c.code || code > 0 && !strings.Contains(errs,
				`there is no run "ew"`) {
				t.Fatalf("exit code %d, %v, %q", code, err, errs)
			}
			turns, sum := decode(t, out)
			var got []string
			fires := map[string]int{}
			for _, turn := range turns {
				for _, f := range turn.Fired {
					got = append(got, fmt.Sprintf("%s %d %s", turn.Run, turn.Turn, f.ID))
					fires[f.ID]++
				}
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
			counted := map[string]int{}
			for _, r := range sum.Summary.Reminders {
				if r.Fires > 0 {
					counted[r.ID] = r.Fires
				}
				if o.Only != nil && fires[r.ID] == 0 {
					t.Errorf("the summary is of %s", r.ID)
				}
			}
			if !maps.Equal(fires, counted) || sum.Summary.Turns != len(turns) {
				t.Errorf("fires %v, counted %v; %d turns, counted %d", fires, counted, len(turns), sum.Summary.Turns)
			}
			if older := !o.Since.IsZero() && strings.Contains(errs,
				"not written to since"); older != (name == "since a day" || name == "since a minute") {
				t.Errorf("told besides: %q", errs)
			}
		})
	}
}
