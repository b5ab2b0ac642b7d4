package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/agent/session"
)

const (
	person   = `{"isSidechain":false,"type":"user","message":{"role":"user","content":"Hello."},"uuid":"u"}`
	response = `{"isSidechain":false,"type":"assistant","message":{"model":"claude-opus-5","id":"m","content":[],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":3}},"uuid":"a"}`
)

func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// past reads a file as a hook does.
func past(t testing.TB, agent, path string) session.Facts {
	t.Helper()
	p, err := session.Read(context.Background(), session.File{Agent: agent, Path: path, First: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestHostileLines: whatever stands in a file, what else stands there is read, and nothing breaks.
func TestHostileLines(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1<<20)
	for name, line := range map[string]string{
		"binary":            "\x00\x01\xff\xfe" + strings.Repeat("\x80\n\x00", 1000),
		"nothing":           strings.Repeat("\n", 100_000),
		"null":              "null",
		"deep":              deep,
		"deep in a message": `{"type":"assistant","isSidechain":true,"message":{"usage":{"input_tokens":9},"content":` + deep + strings.Repeat("]", 1<<20) + `}}`,
		"deep objects": `{"type":"user","message":` + strings.Repeat(`{"a":`, 1<<18) + "1" +
			strings.Repeat("}", 1<<18) + "}",
		"deep, unclosed": `{"type":"assistant","message":` + strings.Repeat(`{"a":`, 1<<18),
		"types": `{"type":"assistant","isSidechain":"yes","message":[{"usage":7}],"uuid":{}}` + "\n" +
			`{"type":["assistant"]}` + "\n" +
			`{"type":"assistant","message":{"model":{},"content":"x","usage":{"input_tokens":"7","iterations":{"a":1}}},"isSidechain":true}`,
		"numbers":           `{"type":"assistant","isSidechain":true,"message":{"usage":{"input_tokens":-1,"output_tokens":1e300}}}`,
		"a string unclosed": `{"type":"assistant","message":{"model":"claude`,
		"no JSON":           `{"type":"assistant","message":{"usage":{"input_tokens":9},}}`,
		"two on a line":     `{"type":"assistant","message":{"model":"claude` + person,
		"invalid UTF-8":     "{\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"\xff\xfe\"}}",
		"escapes":           `{"type":"user","isMeta":true,"message":{"content":"\ud800\u0000\"`,
		"a long line":       strings.Repeat("x", 20<<20),
		"a long JSON":       `{"type":"attachment","attachment":{"x":"` + strings.Repeat("x", 2<<20) + `"}}`,
		"carriage returns":  "\r\n\r\n",
		"a byte order mark": "\xef\xbb\xbf" + `{"type":"mode"}`,
		"names that are big": `{"type":"assistant","isSidechain":true,"message":{"id":"` + strings.Repeat("i",
			100_000) + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, content := range []string{person + "\n" + response + "\n" + line, line + "\n" + person + "\n" +
				response + "\n", person + "\n" + line + "\n" + response + "\n"} {
				if p := past(t, "claude-code", file(t, "s.jsonl", content)); p.ContextTokens == nil ||
					*p.ContextTokens != 7 || p.Model != "claude-opus-5" {
					t.Errorf("of a file of %d bytes: %+v", len(content), p)
				}
			}
			past(t, "gemini", file(t, "s.jsonl", strings.ReplaceAll(line, "assistant", "gemini")))
			past(t, "codex", file(t, "s.jsonl", line))
			past(t, "codex", file(t, "s.jsonl", strings.ReplaceAll(line, "assistant", "event_msg")))
		})
	}
}

// TestSubagentIDs: an id is a part of a path.
func TestSubagentIDs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	main := filepath.Join(dir, "s.jsonl")
	for _, f := range []string{"s/subagents/agent-a1.jsonl", "s/subagents/flow/agent-a2.jsonl",
		"s/agent-a3.jsonl", "agent-a4.jsonl"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f), []byte(strings.Replace(response, "false", "true", 1)+"\n"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	for id, there := range map[string]bool{"a1": true, "a2": true, "a3": false, "a4": false, "../a3": false,
		"x/../../../agent-a4": false, "": false, ".": false, "*": false, strings.Repeat("a", 300): false} {
		if got := session.Subagent(main, id) != ""; got != there {
			t.Errorf("%q: %v", id, got)
		}
		p, err := session.Read(t.Context(), session.File{Agent: "claude-code", Path: main, Subagent: id,
			First: true})
		if err != nil || id != "" && (p.ContextTokens != nil) != there || p.UserTurns != nil {
			t.Errorf("%q: %+v %v", id, p, err)
		}
	}
}

// TestCodexThreads: the file of a session tells nothing of a subagent, whose id it has not.
func TestCodexThreads(t *testing.T) {
	t.Parallel()
	line := `{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"output_tokens":1,"total_tokens":9},"model_context_window":100}}}` + "\n"
	path := file(t, "rollout-2026-10-01T08-00-00-0199f0aa-1111.jsonl", line)
	for id, there := range map[string]bool{"": true, "0199f0aa-1111": true, "0199f0aa-2222": false, "/": false} {
		p, err := session.Read(t.Context(), session.File{Agent: "codex", Path: path, Subagent: id})
		if err != nil || (p.ContextTokens != nil) != there {
			t.Errorf("%q: %+v %v", id, p, err)
		}
	}
}

// sparse is a file of so many bytes that ends with lines; most of it takes no room.
func sparse(t testing.TB, size int64, end string) string {
	t.Helper()
	path := file(t, "s.jsonl", person+"\n")
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("\n"+end), size-int64(len(end))-1); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLargeFiles: of a large file no more is held in memory than its end.
func TestLargeFiles(t *testing.T) { // not parallel: it measures
	for _, c := range []struct {
		end   string
		known bool
		most  uint64
	}{
		{response + "\n", true, 4 << 20},
		{response + "\n" + strings.Repeat(`{"type":"progress","data":"`+strings.Repeat("x", 1000)+`"}`+"\n", 3000),
			true, 32 << 20},
		{`{"type":"mode"}` + "\n", false, 320 << 20},
	} {
		path := sparse(t, 500<<20, c.end)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p := past(t, "claude-code", path)
		runtime.ReadMemStats(&after)
		if (p.ContextTokens != nil) != c.known || p.UserTurns != nil {
			t.Errorf("%.40q: %+v", c.end, p)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > c.most {
			t.Errorf("%.40q: %d bytes were allocated", c.end, n)
		}
	}
}

func FuzzClaudeCode(f *testing.F) {
	seed(f, "claude-code")
	f.Fuzz(func(t *testing.T, content []byte) { fuzz(t, "claude-code", content) })
}

func FuzzCodex(f *testing.F) {
	seed(f, "codex")
	f.Fuzz(func(t *testing.T, content []byte) { fuzz(t, "codex", content) })
}

func seed(f *testing.F, agent string) {
	paths, _ := filepath.Glob(filepath.Join("testdata", agent, "*.jsonl"))
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}

// fuzz holds what is true of any file: numbers are not below 0, and a line that is cut off behind the others
// changes nothing.
func fuzz(t *testing.T, agent string, content []byte) {
	dir := t.TempDir()
	read := func(content []byte) session.Facts {
		path := filepath.Join(dir, "s.jsonl")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return past(t, agent, path)
	}
	p := read(content)
	for _, n := range []*int64{p.ContextTokens, p.ContextWindow, p.ResponseTokens, p.UserTurns} {
		if n != nil && *n < 0 {
			t.Errorf("%+v", p)
		}
	}
	if len(content) == 0 || content[len(content)-1] != '\n' {
		return
	}
	torn := read(append(content,
		`{"type":"assistant","message":{"model":"x","id":"m9","usage":{"input_tokens":12`...))
	if fmt.Sprint(deref(p)) != fmt.Sprint(deref(torn)) {
		t.Errorf("%v\n%v", deref(p), deref(torn))
	}
}

func deref(p session.Facts) (all []any) {
	for _, n := range []*int64{p.ContextTokens, p.ContextWindow, p.ResponseTokens, p.UserTurns} {
		if n == nil {
			all = append(all, nil)
			continue
		}
		all = append(all, *n)
	}
	return append(all, p.Response, p.Model, p.Failed, p.At)
}

// BenchmarkPast reads the end of a file of 50 MB, as each hook does.
func BenchmarkPast(b *testing.B) {
	var end strings.Builder
	for i := range 1000 {
		end.WriteString(person + "\n" + strings.Replace(response, `"m"`, fmt.Sprintf(`"m%d"`, i), 1) + "\n")
	}
	path := sparse(b, 50<<20, end.String())
	b.ReportAllocs()
	for b.Loop() {
		if p, err := session.Read(b.Context(), session.File{Agent: "claude-code", Path: path}); err != nil ||
			p.ContextTokens == nil {
			b.Fatal(p, err)
		}
	}
}
