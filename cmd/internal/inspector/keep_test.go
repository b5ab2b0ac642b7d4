package inspector_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/inspector"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
)

// TestOwns: which requests the page takes, and which go on to the API as they came.
func TestOwns(t *testing.T) {
	t.Parallel()
	w := open(t, inspector.Options{}, rules)
	res, page := w.get("/")
	if !strings.Contains(page, "<title>aside: runs</title>") ||
		!strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		t.Error(res.Header, page)
	}
	policy := res.Header.Get("Content-Security-Policy")
	if strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'") {
		t.Error(policy)
	}
	if strings.Contains(page, "<style") || strings.Contains(page, " style=") ||
		strings.Contains(page, "onclick") {
		t.Error("the page has styles or scripts of its own")
	}
	if _, body := w.get("/", "Accept: */*", "X-Api-Key: k"); strings.Contains(body, "<html") {
		t.Error("a client of the API gets the page")
	}
	for _, path := range []string{"/aside/events", "/aside/runs/x", "/aside/said/x"} {
		if res, _ := w.get(path, "Host: evil.example"); res.StatusCode != http.StatusForbidden {
			t.Errorf("%s under another name: %s", path, res.Status)
		}
	}
	if res, _ := w.get("/aside/runs/x",
		"Sec-Fetch-Site: cross-site"); res.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Error(res.Header)
	}
	for path, status := range map[string]int{"/aside/runs/none": 200, "/aside/said/none": 404,
		"/aside/none":      404,
		"/aside/play/none": 405} {
		if res, body := w.get(path); res.StatusCode != status {
			t.Errorf("%s: %s %s", path, res.Status, body)
		}
	}
	w = open(t, inspector.Options{Guard: guarded(t)}, rules)
	for header, status := range map[string]int{"X-None: x": 401, "X-Aside-Token: wrong": 401,
		"X-Aside-Token: reader": 200} {
		if res, _ := w.get("/aside/runs/x", header); res.StatusCode != status {
			t.Errorf("%s: %s", header, res.Status)
		}
	}
}

// TestNoWords: law I12. Without Keep nothing that a user, a model or a tool has said is to be had.
func TestNoWords(t *testing.T) {
	t.Parallel()
	const secret = "zx81-secret"
	w := open(t, inspector.Options{}, `{reminders: [
	  {id: each, while: "user_message or used(\"Bash\")", content: Now.},
	  {id: asks, when: "prompt contains \"`+secret[:4]+`\" or output contains \"never\" or command contains \"never\"", content: Asked.}]}`)
	w.says("r", said("Fix it. "+secret))
	w.answers("r", said("I look. "+secret), map[string]any{"type": "tool_use", "id": "t1", "name": "Bash",
		"input": map[string]any{"command": "cat " + secret, "description": secret}})
	w.says("r", map[string]any{"type": "tool_result", "tool_use_id": "t1", "content": "out " + secret})
	for _, path := range []string{"/aside/runs/r", "/aside/said/r", "/aside/why/r"} {
		if _, body := w.get(path); strings.Contains(body, secret) || len(body) < 3 {
			t.Errorf("%s: %s", path, body)
		}
	}
	if _, body := w.get("/aside/runs/r"); !strings.Contains(body, `"fires":3`) {
		t.Error(body)
	}
}

// clock is a time that a test moves, and what waits for it.
type clock struct {
	mu   sync.Mutex
	at   time.Time
	then []func()
	due  []time.Time
}

func (c *clock) now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *clock) after(d time.Duration, do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.then, c.due = append(c.then, do), append(c.due, c.at.Add(d))
}

// move lets time pass.
func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	c.at = c.at.Add(d)
	var now []func()
	for i := 0; i < len(c.due); {
		if c.due[i].After(c.at) {
			i++
			continue
		}
		now = append(now, c.then[i])
		c.then, c.due = append(c.then[:i], c.then[i+1:]...), append(c.due[:i], c.due[i+1:]...)
	}
	c.mu.Unlock()
	for _, do := range now {
		do()
	}
}

// lone is an evaluator whose decisions an Inspector is told.
func lone(t testing.TB, x *inspector.Inspector) func(run string, facts map[string]any) {
	t.Helper()
	set, ds := compile.New([]reminder.Reminder{{ID: "each", Mode: reminder.While, Trigger: "turn_count > 0",
		Text: "Now."}},
		compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	ev := eval.New(set, eval.Options{Decided: x.Decided})
	return func(run string, facts map[string]any) {
		if _, err := ev.Decide(context.Background(), run, eval.Turn{Facts: facts}); err != nil {
			t.Error(err)
		}
	}
}

// TestKeep: words are there for their time and no longer, whether or not anybody asks; law I12.
func TestKeep(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	x := inspector.Within(inspector.Options{Guard: access.New(nil, access.Limits{}), Keep: time.Minute,
		Now: c.now, After: c.after},
		10, 1000, 1000)
	turn := lone(t, x)
	asked := func() string {
		rec := httptest.NewRecorder()
		x.ServeHTTP(rec, httptest.NewRequest("GET", "http://localhost/aside/said/r", nil))
		return rec.Body.String()
	}
	turn("r", map[string]any{"prompt": "first words", "user_message": true})
	c.move(40 * time.Second)
	turn("r", map[string]any{"prompt": "second words", "user_message": true})
	if got := asked(); !strings.Contains(got, "first words") || !strings.Contains(got, "second words") {
		t.Error(got)
	}
	c.move(30 * time.Second)
	if got := asked(); strings.Contains(got, "first words") || !strings.Contains(got, "second words") {
		t.Error(got)
	}
	if got := asked(); strings.Count(got, `"turn":`) != 1 {
		t.Errorf("a turn without its words is told: %s", got)
	}
	c.move(time.Hour)
	if _, turns, words := x.Kept(); turns != 2 || words != 0 {
		t.Errorf("%d turns, %d bytes of words after their time", turns, words)
	}
	if got := asked(); strings.Contains(got, "words") {
		t.Error(got)
	}
}

// TestBounds: however many runs, turns and words there are, what is kept is bounded.
func TestBounds(t *testing.T) {
	t.Parallel()
	x := inspector.Within(inspector.Options{Guard: access.New(nil, access.Limits{}), Keep: time.Hour,
		After: func(time.Duration, func()) {}}, 10, 200, 1000)
	turn := lone(t, x)
	for i := range 500 {
		turn("long", map[string]any{"prompt": strings.Repeat("x", 1000), "user_message": true})
		turn(fmt.Sprint("run-", i), map[string]any{"prompt": strings.Repeat("y", 1000)})
	}
	runs, turns, words := x.Kept()
	if runs > 10 || turns > 200 || words > 1000 || runs < 5 || turns < 80 || words < 900 {
		t.Errorf("%d runs, %d turns, %d bytes of words are kept", runs, turns, words)
	}
	rec := httptest.NewRecorder()
	x.ServeHTTP(rec, httptest.NewRequest("GET", "http://localhost/aside/runs/long", nil))
	if body := rec.Body.String(); !strings.Contains(body, `"turns":500`) || strings.Contains(body,
		`"before":0`) {
		t.Error(body[:200])
	}
}

// stuck is a browser that takes nothing until it is told to.
type stuck struct {
	*httptest.ResponseRecorder
	began, go1 chan struct{}
	once       sync.Once
}

func (s *stuck) Write(b []byte) (int, error) {
	s.once.Do(func() { close(s.began) })
	<-s.go1
	return s.ResponseRecorder.Write(b)
}

// TestStuck: a browser that takes nothing holds up no turn, and learns of the last state when it goes on.
func TestStuck(t *testing.T) {
	t.Parallel()
	x := inspector.New(inspector.Options{Guard: access.New(nil, access.Limits{})})
	turn := lone(t, x)
	turn("r", nil)
	ctx, cancel := context.WithCancel(context.Background())
	s := &stuck{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{}), go1: make(chan struct{})}
	over := make(chan struct{})
	go func() {
		defer close(over)
		x.ServeHTTP(s, httptest.NewRequest("GET", "http://localhost/aside/events", nil).WithContext(ctx))
	}()
	<-s.began
	for range 1000 {
		turn("r", nil)
	}
	defer cancel()
	close(s.go1)
	x.Close()
	<-over
	if got := s.Body.String(); !strings.Contains(got, `"turns":1`) {
		t.Error(got)
	}
	news := httptest.NewRecorder()
	x.ServeHTTP(news, httptest.NewRequest("GET", "http://localhost/aside/events", nil))
	if got := news.Body.String(); strings.Count(got, "data: ") != 1 || !strings.Contains(got, `"turns":1001`) {
		t.Error(got)
	}
}
