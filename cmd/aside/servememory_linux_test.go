package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// Bounds of the memory of serve, in MB: while conversations run, when they have ended, and when they have
// ended and their clients keep 1,000 connections.
const (
	busyMemory = 400
	idleMemory = 100
	keptMemory = 130
)

// TestServeMemory: while 1,000 conversations wait for their answers at the same time, each with a body of its
// own that grows to 60 KB, serve takes no more memory than it may, and ten seconds after the last answer most
// of it is back with the system, whether the clients keep their connections or not. With -long -v it says
// how much; else there are fewer conversations.
func TestServeMemory(t *testing.T) {
	t.Parallel()
	for name, bound := range map[string]int{"connections end": idleMemory, "connections stay": keptMemory} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			process.Put(t, dir, "r.yaml", "reminders:\n"+
				"  - {id: edit, trigger: \"after_tool:Edit\", content: The tests have not been run.}\n"+
				"  - {id: long, trigger: \"turn_gt:5\", content: This has taken a while.}\n"+
				"  - {id: each, trigger: \"every 3 turns\", content: Work in small steps.}\n")
			n := testkit.Repeat(10, 100)
			if testkit.Long() {
				n = 1_000
			}
			api := newMeeting(n)
			up := httptest.NewServer(api)
			t.Cleanup(up.Close)
			s := process.Program(testkit.Built(t, "aside")).Serve(t, dir, nil,
				"--log-level", "error", "--rules", "r.yaml", "--upstream",
				up.URL)
			before := memoryOf(t, s.PID(), "VmRSS")
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n,
				DisableKeepAlives: bound == idleMemory}}
			var all sync.WaitGroup
			begun := time.Now()
			for i := range n {
				all.Go(func() {
					defer api.leave()
					remember(t, client, s.URL, i)
				})
			}
			all.Wait()
			took, most := time.Since(begun), memoryOf(t, s.PID(), "VmHWM")
			least := most
			for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && least >= bound; {
				time.Sleep(100 * time.Millisecond)
				least = memoryOf(t, s.PID(), "VmRSS")
			}
			t.Logf("%d conversations in %v: %d MB before, at most %d MB, then %d MB", n, took.Round(time.Second),
				before, most, least)
			if most > busyMemory || least >= bound {
				t.Errorf("at most %d MB, then %d MB", most, least)
			}
			client.CloseIdleConnections()
		})
	}
}

// memoryOf returns a line of a process's status that says an amount of memory, in MB.
func memoryOf(t *testing.T, pid int, line string) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), line+":")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb >> 10
}

// converse has a conversation of eight requests: a prompt of 16 KB, and results of 6 KB.
func remember(t *testing.T, client *http.Client, url string, n int) {
	said := func(what string, size int) string {
		return strings.Repeat(fmt.Sprintf("%s of conversation %d. ", what, n), size/26)
	}
	var body strings.Builder
	fmt.Fprintf(&body, `{"model":"claude-opus-4-5","max_tokens":99,"system":%q,"tools":[{"name":"Edit",`+
		`"input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"task %d"}`,
		said("Rules", 16<<10), n)
	for step := range 8 {
		resp, err := client.Post(url+"/v1/messages", "application/json", strings.NewReader(body.String()+"]}"))
		if err != nil {
			t.Error(err)
			return
		}
		b, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("conversation %d: %d %s (%v)", n, resp.StatusCode, b, err)
			return
		}
		id := memoryCall(n, step)
		fmt.Fprintf(&body, `,{"role":"assistant","content":[%s]},{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":%q,"content":%q}]}`, called(id), id, said("Result", 6<<10))
	}
}

func memoryCall(n, step int) string { return fmt.Sprintf("toolu_%012d_%06d", n, step) }

func called(id string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Edit","input":{"path":"%s.go"}}`, id, id)
}

// meeting is an API that answers so many requests at the same time: none before all have come.
type meeting struct {
	mu    sync.Mutex
	wants int
	came  int
	all   chan struct{} // closed when all have come
}

func newMeeting(wants int) *meeting { return &meeting{wants: wants, all: make(chan struct{})} }

// open lets the requests go if all have come.
func (m *meeting) open() {
	if m.came >= m.wants {
		close(m.all)
		m.came, m.all = 0, make(chan struct{})
	}
}

// leave says that one conversation is over.
func (m *meeting) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wants--
	m.open()
}

func (m *meeting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var n int
	_, rest, _ := strings.Cut(string(b), `"content":"task `)
	if _, err := fmt.Sscan(rest[:strings.IndexByte(rest, '"')], &n); err != nil {
		panic(err) // the test's own request
	}
	step := strings.Count(string(b), `"role":"assistant"`)
	m.mu.Lock()
	all := m.all
	m.came++
	m.open()
	m.mu.Unlock()
	select {
	case <-all:
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":"msg_%d_%d","type":"message","role":"assistant","model":"claude-opus-4-5",`+
		`"content":[%s],"stop_reason":"tool_use","usage":{"input_tokens":9000,"output_tokens":30}}`, n, step,
		called(memoryCall(n, step)))
}
