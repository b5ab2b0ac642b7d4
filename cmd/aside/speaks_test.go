//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
)

// spoken is a session of Claude Code's with our hooks, whose requests may go through an aside serve.
type spoken struct {
	t        *testing.T
	dir      string
	messages []map[string]any // of the conversation, with the texts of hooks
	agent    string           // whose request is made: a subagent, or the session's own
	got      string           // the latest request that the API has read
	api      *httptest.Server
}

// hook sends an event to the hooks, and returns the texts that they say.
func (s *spoken) hook(name string, more map[string]any) string {
	s.t.Helper()
	e := map[string]any{"hook_event_name": name, "session_id": "s-1", "cwd": s.dir}
	for k, v := range more {
		e[k] = v
	}
	b, err := json.Marshal(e)
	if err != nil {
		s.t.Fatal(err)
	}
	r := exe.Invoke(s.t, s.dir, strings.NewReader(string(b)), "hook", "--agent", "claude-code", "--timeout",
		"60s")
	if r.Code != 0 || r.Err != "" {
		s.t.Fatalf("%s: %+v", name, r)
	}
	return textsOf(r.Out)
}

// says adds a message to the conversation.
func (s *spoken) says(role string, content any) {
	s.messages = append(s.messages, map[string]any{"role": role, "content": content})
}

// request sends the conversation to a server, or straight to the API, and returns our texts behind the last
// answer in what the API has read.
func (s *spoken) request(through *process.Server) string {
	s.t.Helper()
	at := s.api.URL
	if through != nil {
		at = through.URL
	}
	b, err := json.Marshal(map[string]any{"model": "claude-haiku-4-5", "max_tokens": 9, "messages": s.messages,
		"tools": []any{map[string]any{"name": "Bash", "input_schema": map[string]any{"type": "object"}}}})
	if err != nil {
		s.t.Fatal(err)
	}
	q, err := http.NewRequest("POST", at+"/v1/messages", strings.NewReader(string(b)))
	if err != nil {
		s.t.Fatal(err)
	}
	q.Header.Set("X-Claude-Code-Session-Id", "s-1")
	if s.agent != "" {
		q.Header.Set("X-Claude-Code-Agent-Id", s.agent)
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, res.Body)
	if err != nil || res.StatusCode != 200 || res.Body.Close() != nil {
		s.t.Fatal(res.Status, err)
	}
	return textsOf(s.got[strings.LastIndex(s.got, `"assistant"`)+1:])
}

// textsOf are the texts of ours in a text, in order.
func textsOf(of string) string {
	ours := regexp.MustCompile(`(User|Once|Tool|Third|Hand|Before|Away|Sub)!|no reminder named \S+`)
	found := ours.FindAllString(of, -1)
	slices.Sort(found)
	return strings.Join(found, " ")
}

// TestOneSpeaks: of the hooks of an agent and a server through which its requests go, exactly one says each
// text, whatever comes and goes.
func TestOneSpeaks(t *testing.T) {
	t.Parallel()
	s := &spoken{t: t, dir: t.TempDir()}
	s.api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		s.got = string(b)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"message","role":"assistant","model":"claude-haiku-4-5",`+
			`"content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":9,"output_tokens":1}}`)
	}))
	defer s.api.Close()
	for id, rule := range map[string]string{"user": "when: user_message", "once": "when: turn_count >= 1",
		"tool": "while: after_tool:Bash", "third": "when: turn_count >= 3", "hand": "when: manual",
		"before": "when: before_tool:Bash", "away": `when: prompt contains "straight"`,
		"sub": "when: not thread:root"} {
		text := strings.ToUpper(id[:1]) + id[1:] + "!"
		process.Put(t, s.dir, "home/.aside/reminders/"+id+".md", "---\n"+rule+"\n---\n"+text+"\n")
	}
	n, between := 0, func(at *process.Server) *process.Server { return at }
	// a prompt, and the request behind it: what hooks say, and what the model reads in all
	prompt := func(text string, through *process.Server, hooks, all string) {
		t.Helper()
		n++
		said := s.hook("UserPromptSubmit", map[string]any{"prompt": text, "prompt_id": fmt.Sprint("p", n)})
		if said != hooks {
			t.Errorf("prompt %d: hooks say %q, want %q", n, said, hooks)
		}
		s.says("user", text+"\n"+said)
		if got := s.request(between(through)); got != all {
			t.Errorf("prompt %d: the model reads %q, want %q", n, got, all)
		}
	}
	// a call, and the request with its result
	call := func(through *process.Server, hooks, all string) {
		t.Helper()
		n++
		id, input := fmt.Sprint("toolu_", n), map[string]any{"command": fmt.Sprint("echo ", n)}
		s.says("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": input}})
		before := s.hook("PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": id, "tool_input": input})
		if before != "Before!" {
			t.Errorf("before call %d hooks say %q", n, before)
		}
		said := s.hook("PostToolBatch", map[string]any{"tool_calls": []any{map[string]any{"tool_name": "Bash",
			"tool_use_id": id, "tool_input": input, "tool_response": "x"}}})
		if said != hooks {
			t.Errorf("call %d: hooks say %q, want %q", n, said, hooks)
		}
		s.says("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "x"},
			map[string]any{"type": "text", "text": "so " + said}})
		if got := s.request(through); got != all {
			t.Errorf("call %d: the model reads %q, want %q", n, got, all)
		}
	}
	answer := func() {
		s.says("assistant", "ok")
		s.hook("Stop", map[string]any{"stop_hook_active": false})
	}

	one := exe.Serve(t, s.dir, nil, "--upstream", s.api.URL)
	prompt("go", one, "Once! User!", "Once! User!") // turn 1: the server is there and has carried nothing
	call(one, "", "Tool!")
	answer()
	prompt("on", one, "", "Third! User!")
	answer()
	prompt("/remind hand", one, "", "Hand! User!")
	answer()
	prompt("/remind hnad", one, "", `User! no reminder named \"hnad\".`)
	answer()
	one.Signal(syscall.SIGTERM)
	one.End()
	prompt("again", nil, "User!", "User!") // and what the server has said is not said again
	call(nil, "Tool!", "Tool!")
	answer()
	two := exe.Serve(t, s.dir, nil, "--upstream", s.api.URL)
	prompt("and now", two, "User!", "User!")
	call(two, "", "Tool!")
	answer()
	prompt("straight", nil, "", "") // which nobody knows yet: it is said with what comes next
	call(nil, "Away! Tool! User!", "Away! Tool! User!")
	answer()
	prompt("still", nil, "User!", "User!")
	answer()
	prompt("back", two, "User!", "User!")
	call(two, "", "Tool!")
	answer()
	again := func(at *process.Server) *process.Server { // it ends, and another one is there
		at.Signal(syscall.SIGTERM)
		at.End()
		return exe.Serve(t, s.dir, nil, "--upstream", s.api.URL)
	}
	three := two
	between = func(at *process.Server) *process.Server {
		three = again(at)
		return three
	}
	prompt("once more", two, "", "User!")

	// a subagent that begins before the next server has carried anything of the session
	three = again(three)
	start := map[string]any{"agent_id": "a-1", "agent_type": "Explore"}
	if said := s.hook("SubagentStart", start); said != "Once! Sub!" {
		t.Errorf("at the subagent's start hooks say %q", said)
	}
	call(three, "Tool!", "Tool!")
	main := s.messages
	s.messages, s.agent = []map[string]any{{"role": "user", "content": "look there Once! Sub!"}}, "a-1"
	if got := s.request(three); got != "Once! Sub!" {
		t.Errorf("the subagent reads %q", got)
	}
	s.messages, s.agent = main, ""
	answer()
}
