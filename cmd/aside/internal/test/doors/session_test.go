package doors_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"pgregory.net/rapid"
)

// The place where the sessions play.
const (
	project = "/p"
	home    = "/home/ann"
	model   = "claude-sonnet-4-5"
	window  = 200_000 // tokens that the model's context window holds
)

var begin = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// a call is one use of a tool, with its result.
type call struct {
	Tool   string
	Input  map[string]any
	Output string
	Failed bool
	ID     string
}

// step is one turn: what has happened between the model call before it and its own.
type step struct {
	Answer    string // text of the answer before, "" if that was calls alone
	Calls     []call // that the answer before made
	Compacted bool
	Prompt    string // that a person submitted; "": none
	At        time.Time
	// usage of the model call before
	Context, Response int64
}

// conversation is a session, as what its turns learn.
type conversation []step

// callID is an id that stands nowhere else.
func callID(n int) string { return fmt.Sprintf("toolu_%016d", n) }

// unique is the host whose ids stand nowhere else.
const unique = "an id for each"

// hosts are ways in which a host, or the model behind it, names calls: the j-th of answer i, after n others.
// Whichever it is, each door decides the same.
var hosts = map[string]func(i, j, n int) string{
	unique:                func(_, _, n int) string { return callID(n) },
	"anew in each answer": func(_, j, _ int) string { return fmt.Sprintf("call_%d", j) },
	"one for all":         func(int, int, int) string { return "call_0" },
	"renamed on the way": func(i, _, n int) string {
		return fmt.Sprintf("%s_%d", []string{"toolu", "resumed"}[i/3%2], n)
	},
}

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

var (
	commands = []string{
		"git push", "cd a && git push -f origin main", `echo "git push"`, "go test ./...",
		"cd x; go test -run 'A|B' ./y | tail", "sudo git push", `sh -c "go test ./z"`, "rm -rf build",
		"ls -la # git push", "git  push --tags", "echo 'unclosed", "FOO=1 go test",
		"for f in *; do git push $f; done", "cat <<X\ngit push\nX",
	}
	files = []string{
		"/p/src/a.go", "/p/src/b/c.go", "/p/.env", "/p/db/up.sql", "/p/../etc/hosts", "/etc/passwd",
		"/home/ann/.env",
		"/p/src/./a.go", "/pq/src/a.go", "/p/weiß/ü.go",
	}
	outputs = []string{"ok", "FAIL x\nexit 1", "ok  \tpkg\t0.1s\n", "", "not ok: timeout", "<b> & \"quoted\" é",
		"warning: FAIL"}
	prompts = []string{
		"please deploy it", "go on", "fix the test", "Deploy now", "what does <b> mean?",
		"a prompt\nof two lines", "no\ttab",
	}
)

func drawCall(t *rapid.T) call {
	pick := func(name string, list []string) string { return rapid.SampledFrom(list).Draw(t, name) }
	c := call{Output: pick("output", outputs), Failed: rapid.IntRange(0, 3).Draw(t, "failed") == 0}
	switch rapid.IntRange(0, 9).Draw(t, "tool") {
	case 0, 1, 2:
		c.Tool, c.Input = "Bash", map[string]any{"command": pick("command", commands), "description": "d"}
	case 3:
		c.Tool, c.Input = "Edit", map[string]any{"file_path": pick("file", files), "old_string": "x",
			"new_string": "y"}
	case 4:
		c.Tool, c.Input = "Write", map[string]any{"file_path": pick("file", files), "content": "go test"}
	case 5:
		c.Tool, c.Input = "Read", map[string]any{"file_path": pick("file", files)}
	case 6:
		c.Tool, c.Input = "TodoWrite", map[string]any{"todos": []any{map[string]any{"content": "git push",
			"status": "pending"}}}
	case 7:
		c.Tool, c.Input = "Grep", map[string]any{"pattern": pick("pattern", []string{"TODO", "a.*b", "FAIL"}),
			"path": "/p"}
	case 8:
		c.Tool, c.Input = "WebFetch", map[string]any{"prompt": "p",
			"url": pick("url", []string{"https://example.com/a",
				"http://x.test"})}
	default:
		c.Tool, c.Input = "mcp__hub__merge", map[string]any{"number": 7,
			"base": pick("base", []string{"main", "next"}),
			"a":    []any{true, nil, "<x>"}}
	}
	return c
}

// drawConversation draws a session of 3 to 14 turns. Each turn answers either a prompt or calls.
func drawConversation(t *rapid.T) (c conversation) {
	at, context, calls := begin, int64(0), 0
	host := rapid.SampledFrom(slices.Sorted(maps.Keys(hosts))).Draw(t, "ids")
	id, least := hosts[host], 1
	if host != unique { // equal events within five seconds are one that came twice, where no file says more
		least = 6
	}
	for i := range rapid.IntRange(3, 14).Draw(t, "turns") {
		at = at.Add(time.Duration(rapid.IntRange(least, 600).Draw(t, "after")) * time.Second)
		s := step{At: at}
		if i > 0 {
			context = min(context+int64(rapid.IntRange(1, 30_000).Draw(t, "context")), window-1)
			s.Context, s.Response = context, int64(rapid.IntRange(1, 1500).Draw(t, "response"))
		}
		if i > 0 && rapid.IntRange(0, 3).Draw(t, "calls") > 0 {
			for range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "batch") {
				made := drawCall(t)
				made.ID = id(i, len(s.Calls), calls)
				// of two equal calls of one answer under one id, no event of hooks says which has failed
				if slices.ContainsFunc(s.Calls, func(c call) bool {
					return c.ID == made.ID && c.Tool == made.Tool && reflect.DeepEqual(c.Input, made.Input)
				}) {
					continue
				}
				s.Calls, calls = append(s.Calls, made), calls+1
			}
			if rapid.Bool().Draw(t, "says") {
				s.Answer = "I will look."
			}
		} else {
			if i > 0 {
				s.Answer = "It is done."
			}
			s.Prompt = fmt.Sprintf("%s (%d)", rapid.SampledFrom(prompts).Draw(t, "prompt"), i)
			// Hooks take a compaction directly behind another for the second event of the same one.
			if i > 1 && !c[i-1].Compacted && rapid.IntRange(0, 3).Draw(t, "compacted") == 0 {
				s.Compacted, context = true, 1000
			}
		}
		c = append(c, s)
	}
	return c
}
