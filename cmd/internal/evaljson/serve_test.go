package evaljson_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

func server(t *testing.T, rs ...reminder.Reminder) *evaljson.Server {
	t.Helper()
	schema, err := fact.NewSchema(fact.Fact{Name: "vars.n", Type: fact.Int})
	if err != nil {
		t.Fatal(err)
	}
	set, ds := compile.New(rs, compile.Options{Schema: schema})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	return &evaljson.Server{Eval: eval.New(set, eval.Options{})}
}

// ask has one line answered.
func ask(t *testing.T, s *evaljson.Server, line string) string {
	t.Helper()
	var b strings.Builder
	if err := s.Serve(context.Background(), strings.NewReader(line), &evaljson.Lines{Out: &b}); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	near := reminder.Reminder{ID: "near", Trigger: "context_usage > 75%", Text: "full <now>"}
	failed := reminder.Reminder{ID: "failed", Mode: reminder.While, Trigger: "tool_failed:Bash",
		Text: "f", Priority: 3}
	fine := reminder.Reminder{ID: "fine", Mode: reminder.While,
		Trigger: "after_tool:Bash and not last_tool_call_failed", Text: "ok"}
	for _, c := range []struct{ name, line, want string }{
		{"nothing", `{}`, `{"fired":[],"kept":[],"errors":[]}`},
		{"fires", `{"facts":{"context_usage":0.8}}`,
			`{"fired":[{"id":"near","text":"full <now>","priority":0,"tier":"guidance","attach":"tail","keep":"user turn","manual":false}],"kept":[],"errors":[]}`},
		{"by hand", `{"remind":["near"]}`,
			`{"fired":[{"id":"near","text":"full <now>","priority":0,"tier":"guidance","attach":"tail","keep":"user turn","manual":true}],"kept":[],"errors":[]}`},
		{"a tool failed", `{"facts":{"tools":["Edit","Bash"],"failed":["Bash"]}}`,
			`{"fired":[{"id":"failed","text":"f","priority":3,"tier":"guidance","attach":"tail","keep":"1 turn","manual":false}],"kept":[],"errors":[]}`},
		{"another tool failed", `{"facts":{"tools":["Edit","Bash"],"failed":["Edit"]}}`,
			`{"fired":[],"kept":[],"errors":[]}`},
		{"no tool failed", `{"facts":{"tools":["Bash"]}}`,
			`{"fired":[{"id":"fine","text":"ok","priority":0,"tier":"guidance","attach":"tail","keep":"1 turn","manual":false}],"kept":[],"errors":[]}`},
		{"unknown whether a tool failed", `{"facts":{"tools":["Bash"],"failed":"unknown"}}`,
			`{"fired":[],"kept":[],"errors":[]}`},
		{"unknown whether one failed, said outright", `{"facts":{"tools":["Bash"],"last_tool_call_failed":null}}`,
			`{"fired":[],"kept":[],"errors":[]}`},
		{"unknown facts", `{"facts":{"context_usage":null,"tools":"unknown","compacted":"unknown","vars":{"n":null}}}`, `{"fired":[],"kept":[],"errors":[]}`},
		{"all that is wrong at once",
			`{"facts":{"context_usage":"x","turn_count":1.5,"vars":{"m":1}},"remind":["nar"],"when":1}`,
			`{"fired":[],"kept":[],"errors":["facts: fact \"context_usage\" is a ratio, x is none",` +
				`"facts: fact \"turn_count\": 1.5 is not a whole number up to 9007199254740992",` +
				`"facts: there is no fact \"vars.m\"; did you mean vars.n?",` +
				`"unknown key \"when\""]}`},
		{"facts and names", `{"facts":{"turn_count":true,"vars":{"m":1}},"remind":["nar"]}`,
			`{"fired":[],"kept":[],"errors":["facts: fact \"turn_count\" is an int, true is none","facts: there is no fact \"vars.m\"; did you mean vars.n?"]}`},
		{"a name", `{"remind":["nar"]}`,
			`{"fired":[],"kept":[],"errors":["remind: there is no reminder \"nar\": did you mean near?"]}`},
		{"checks of all doors", `{"facts":{"context_usage":80,"message_count":-1,"tools":["A"],"tool_used":["A"]}}`,
			`{"fired":[],"kept":[],"errors":["facts: context_usage is a ratio, from 0 to 1; did you mean 0.8, which is 80%?",` +
				`"facts: message_count counts messages and cannot be -1; leave out a fact that is not known",` +
				`"facts: tools beside tool_used; leave one of them out"]}`},
		{"not JSON", `{"facts"`, `{"fired":[],"kept":[],"errors":["not JSON: the text ends too early"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := ask(t, server(t, near, failed, fine), c.line); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.line, got, c.want)
			}
		})
	}
}

// TestRefusedChangesNothing: after a refused line the edge is still there, and no turn was counted.
func TestRefusedChangesNothing(t *testing.T) {
	t.Parallel()
	s := server(t, reminder.Reminder{ID: "second", Trigger: "turn_count == 2", Text: "x"},
		reminder.Reminder{ID: "near", Trigger: "context_usage > 75%", Text: "x"})
	ask(t, s, `{}`)
	for _, bad := range []string{`{"facts":{"context_usage":0.8,"turn_cuont":2}}`,
		`{"facts":{"context_usage":0.8},"remind":["x"]}`, `{"at":"x"}`, `nonsense`} {
		if got := ask(t, s, bad); !strings.HasPrefix(got, `{"fired":[],"kept":[],"errors":["`) {
			t.Errorf("%s: %s", bad, got)
		}
	}
	got := ask(t, s, `{"facts":{"context_usage":0.8}}`)
	if !strings.Contains(got, `"id":"second"`) || !strings.Contains(got, `"id":"near"`) {
		t.Error(got)
	}
}

// TestS2SameKey: the same key again is the same answer, byte for byte.
func TestS2SameKey(t *testing.T) {
	t.Parallel()
	s := server(t, reminder.Reminder{ID: "r", Trigger: "context_usage > 75%",
		Text: "{{.context_usage | percent}}"})
	first := ask(t, s, `{"key":"a","facts":{"context_usage":0.8}}`)
	if again := ask(t, s, `{"key":"a","facts":{"context_usage":0.1}}`); again != first ||
		!strings.Contains(first, "80%") {
		t.Errorf("%s\n%s", first, again)
	}
	ask(t, s, `{"key":"b"}`)
	if old := ask(t, s, `{"key":"a"}`); old != `{"fired":[],"kept":[],"errors":["key \"a\" is older than the run's last turn"]}` {
		t.Error(old)
	}
}

// TestFlush: an answer is there before the next line is written.
func TestFlush(t *testing.T) {
	t.Parallel()
	s := server(t)
	in, feed := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background(), in, &evaljson.Lines{Out: out}) }()
	r := bufio.NewReader(answers)
	for range 3 {
		if _, err := io.WriteString(feed, "{}\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := r.ReadString('\n'); err != nil || line != `{"fired":[],"kept":[],"errors":[]}`+"\n" {
			t.Fatal(line, err)
		}
	}
	feed.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	s := server(t)
	in := io.MultiReader(strings.NewReader(`{"run":"`), io.LimitReader(endless{}, evaljson.MaxLine),
		strings.NewReader("\"}\r\n\n  \n{}"))
	var b strings.Builder
	if err := s.Serve(context.Background(), in, &evaljson.Lines{Out: &b}); err != nil {
		t.Fatal(err)
	}
	if want := `{"fired":[],"kept":[],"errors":["the line is longer than 32 MiB"]}` + "\n" +
		`{"fired":[],"kept":[],"errors":[]}` + "\n"; b.String() != want {
		t.Errorf("%.300q", b.String())
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// held is a store in which another process holds every run.
type held struct{ state.Store }

func (held) Save(ctx context.Context, _ string, _ state.Revision, _ *state.Snapshot) (state.Revision, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

// TestHeldRun: a line whose run does not come free is answered all the same, and the next line, too.
func TestHeldRun(t *testing.T) {
	t.Parallel()
	s := server(t)
	set := s.Eval.Set()
	s.Unnamed, s.Eval = s.Eval, eval.New(set, eval.Options{Store: held{state.NewMemory()}})
	s.Patience = 20 * time.Millisecond
	want := `{"fired":[],"kept":[],"errors":["the run \"r\" could not be written for 20ms: another process ` +
		`may hold the run; send the turn again"]}` + "\n" + `{"fired":[],"kept":[],"errors":[]}`
	if got := ask(t, s, `{"run":"r"}`+"\n{}"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	none := &evaljson.Lines{Out: io.Discard}
	if err := s.Serve(ctx, strings.NewReader(`{"run":"r"}`), none); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestMoments: a call is asked to be held back once, the end of the work is a moment of its own, and a part
// adds to its turn.
func TestMoments(t *testing.T) {
	t.Parallel()
	s := server(t, reminder.Reminder{ID: "p", Trigger: "before_tool:Bash(git push*)", Pause: true, Text: "look"},
		reminder.Reminder{ID: "s", Trigger: "stopping", Text: "stop"},
		reminder.Reminder{ID: "both", Mode: reminder.While, Trigger: "tool_used == Edit and tool_used == Read",
			Text: "b"})
	s.Eval = eval.New(s.Eval.Set(), eval.Options{Clock: standing})
	for _, c := range []struct{ line, fired, paused string }{
		{`{"facts":{"user_message":true,"tools":["Edit"]}}`, "", ""},
		{`{"more":true,"facts":{"tools":["Read"]}}`, "both", ""},
		{`{"before":{"tool":"Bash","command":"cd a && git push"}}`, "p", "p"},
		{`{"before":{"tool":"Bash","command":"git push # of the same answer"}}`, "p", "p"},
		{`{"facts":{"tools":[]}}`, "", ""},
		{`{"before":{"tool":"Bash","command":"cd a && git push"}}`, "", ""},
		{`{"before":{"tool":"Bash","command":"ls"}}`, "", ""},
		{`{"stopping":true}`, "s", ""},
		{`{"stopping":false,"more":false,"before":null}`, "", ""},
	} {
		got := decode(t, ask(t, s, c.line))
		if strings.Join(got.fired(), " ") != c.fired || strings.Join(got.Paused, " ") != c.paused ||
			len(got.Errors) > 0 {
			t.Errorf("%s: %+v, want %q fired and %q paused", c.line, got, c.fired, c.paused)
		}
	}
	for line, want := range map[string]string{
		`{"before":{"tool":"A"},"stopping":true}`: "before and stopping are two moments, and a line has one",
		`{"before":{"tool":"A"},"key":"k"}`:       "key: the moment that before names is not a turn",
		`{"stopping":true,"remind":["p"]}`:        "remind: the moment that stopping names is not a turn",
		`{"stopping":true,"more":true}`:           "more: the moment that stopping names is not a turn",
		`{"stopping":1}`:                          "stopping: neither true nor false",
		`{"before":{"tool":"A","failed":true}}`:   "before: a call that is about to be executed has no failed",
		`{"before":{}}`:                           "before: a call without a tool; write {tool: NAME}",
		`{"facts":{},"facts":{}}`:                 "facts is given twice",
	} {
		if got := decode(t, ask(t, s, line)); len(got.Errors) != 1 || got.Errors[0] != want {
			t.Errorf("%s: %q, want %q", line, got.Errors, want)
		}
	}
}

// standing is a clock by which no answer is later than another.
func standing() time.Time { return time.Date(2026, 9, 20, 9, 0, 0, 0, time.UTC) }

// TestPauses: a model that writes a command in eight ways is held back once, equal calls of one answer are
// held back together, a person's next message agrees, and a model that tries another command each time is
// held back twice in a user turn.
func TestPauses(t *testing.T) {
	t.Parallel()
	s := server(t, reminder.Reminder{ID: "p", Trigger: "before_tool:@shell(rm -rf*)", Pause: true, Text: "look"})
	s.Eval = eval.New(s.Eval.Set(), eval.Options{Clock: standing})
	paused := func(command string) bool {
		line, err := json.Marshal(map[string]any{"before": map[string]string{"tool": "Bash", "command": command}})
		if err != nil {
			t.Fatal(err)
		}
		got := decode(t, ask(t, s, string(line)))
		if len(got.Errors) > 0 || len(got.Fired) != len(got.Paused) {
			t.Errorf("%s: %+v", line, got)
		}
		return len(got.Paused) > 0
	}
	expect := func(command string, held bool) {
		t.Helper()
		if got := paused(command); got != held {
			t.Errorf("%q: held back %t", command, got)
		}
	}
	answer := func() { ask(t, s, `{"facts":{"tools":[]}}`) }
	person := func() { ask(t, s, `{"facts":{"user_message":true,"tools":[]}}`) }
	person()
	for range 3 { // at once
		expect("rm -rf build", true)
	}
	for _, command := range []string{"rm -rf build", "rm -rf build/", "rm -rf build//", " rm  -rf build",
		"rm -rf 'build'", `rm -rf "build" 2>&1`, "rm -rf build # now", "cd x && sudo rm -rf build/"} {
		answer()
		expect(command, false)
	}
	person()
	expect("rm -rf build", false) // which is a yes
	held := 0
	for i := range 8 {
		answer()
		for try := 0; paused(fmt.Sprint("rm -rf ", i)); try++ {
			if held++; try > 0 {
				t.Fatalf("%d: held back again in a later answer", i)
			}
			answer()
		}
	}
	if held != 2 {
		t.Errorf("of eight commands %d were held back", held)
	}
}

// TestHeldOut: the text of a firing that is held out is not in the answer, and its outcome is.
func TestHeldOut(t *testing.T) {
	t.Parallel()
	s := server(t, reminder.Reminder{ID: "r", Trigger: "user_message", Expect: "after_tool:TodoWrite", Within: 2,
		Holdout: 0.5, Text: "do it"})
	s.Eval = eval.New(s.Eval.Set(), eval.Options{Holdout: reminder.HoldoutHeld})
	got := ask(t, s, `{"facts":{"user_message":true,"tools":[]}}`+"\n"+`{"facts":{"tools":["TodoWrite"]}}`)
	if strings.Contains(got, "do it") || !strings.Contains(got, `"held_out":true}],"kept":[]`) ||
		!strings.Contains(got, `"outcomes":[{"after":1,"held_out":true,"id":"r","outcome":"heeded"}]`) {
		t.Error(got)
	}
}

func TestBrokenPipes(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	if err := server(t).Serve(context.Background(), strings.NewReader("{}\n"),
		&evaljson.Lines{Out: failing{gone}}); !errors.Is(err, gone) {
		t.Error(err)
	}
	none := &evaljson.Lines{Out: io.Discard}
	if err := server(t).Serve(context.Background(), failing{gone}, none); !errors.Is(err, gone) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := server(t).Serve(ctx, strings.NewReader("{}\n"), none); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }
