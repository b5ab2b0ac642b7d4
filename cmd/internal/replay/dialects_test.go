package replay_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// told is a turn of a recorded session, without anything of the format that it was recorded in.
type told struct {
	Prompts   []string // before it
	Compacted bool     // before it
	Texts     []string
	Calls     []used
	Usage     struct {
		Fresh   int `json:"input_tokens"`
		Written int `json:"cache_creation_input_tokens"`
		Read    int `json:"cache_read_input_tokens"`
		Output  int `json:"output_tokens"`
	}
	At, ID string
}

type used struct {
	ID, Name, Result string
	Input            json.RawMessage
	Failed           bool
}

func (t *told) prompt() int { return t.Usage.Fresh + t.Usage.Written + t.Usage.Read }

// retell reads a session of Claude Code by decoding each line whole, so that it can be told in the words of
// others.
func retell(tb testing.TB, path string) (turns []told) {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	next := told{}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<28)
	for sc.Scan() {
		var o struct {
			Type, Subtype, Timestamp string
			IsSidechain, IsMeta      bool
			IsCompactSummary         bool
			Message                  struct {
				ID, Model string
				Content   json.RawMessage
				Usage     json.RawMessage
			}
		}
		if json.Unmarshal(sc.Bytes(), &o) != nil || o.IsSidechain {
			continue
		}
		if o.Subtype == "compact_boundary" {
			next.Compacted = true
		}
		var blocks []struct {
			Type, Text, ID, Name string
			ToolUseID            string `json:"tool_use_id"`
			Input, Content       json.RawMessage
			IsError              bool `json:"is_error"`
		}
		var text string
		if json.Unmarshal(o.Message.Content, &text) != nil {
			_ = json.Unmarshal(o.Message.Content, &blocks)
		}
		switch o.Type {
		case "user":
			if text != "" && !o.IsMeta && !o.IsCompactSummary && !strings.HasPrefix(text, "<") {
				next.Prompts = append(next.Prompts, text)
			}
			for _, b := range blocks {
				for i := range turns {
					for j := range turns[i].Calls {
						if c := &turns[i].Calls[j]; b.Type == "tool_result" && c.ID == b.ToolUseID {
							c.Result, c.Failed = string(b.Content), b.IsError
							if json.Unmarshal(b.Content, &text) == nil {
								c.Result = text
							}
						}
					}
				}
			}
		case "assistant":
			if o.Message.Model == "<synthetic>" {
				continue
			}
			if len(turns) == 0 || turns[len(turns)-1].ID != o.Message.ID {
				next.ID, next.At = o.Message.ID, o.Timestamp
				turns = append(turns, next)
				next = told{}
			}
			t := &turns[len(turns)-1]
			_ = json.Unmarshal(o.Message.Usage, &t.Usage)
			for _, b := range blocks {
				switch b.Type {
				case "text":
					t.Texts = append(t.Texts, b.Text)
				case "tool_use":
					t.Calls = append(t.Calls, used{ID: b.ID, Name: b.Name, Input: b.Input})
				}
			}
		}
	}
	if err := sc.Err(); err != nil {
		tb.Fatal(err)
	}
	return turns
}

type object = map[string]any

// log is a file of JSON lines that is being written.
type log struct{ bytes.Buffer }

func (l *log) add(v any) {
	enc := json.NewEncoder(&l.Buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // nothing here is not JSON
	}
}

// rawJSON is v as JSON.
func rawJSON(v any) json.RawMessage {
	var l log
	l.add(v)
	return bytes.TrimSpace(l.Bytes())
}

// asCodex tells a session as Codex CLI records it.
func asCodex(turns []told) []byte {
	var l log
	rec := func(at, kind string, payload object) { // in the order in which Codex writes its members
		rest := maps.Clone(payload)
		delete(rest, "type")
		body := rawJSON(rest)
		if typ, ok := payload["type"]; ok {
			body = append([]byte(fmt.Sprintf(`{"type":%q`, typ)), bytes.Replace(body, []byte("{"), []byte(","), 1)...)
		}
		l.add(struct {
			Timestamp string          `json:"timestamp"`
			Type      string          `json:"type"`
			Payload   json.RawMessage `json:"payload"`
		}{at, kind, body})
	}
	words := func(role, kind, text string) object {
		return object{"type": "message", "role": role, "content": []object{{"type": kind, "text": text}}}
	}
	rec(turns[0].At, "session_meta", object{"id": "s", "cwd": "/p", "source": "exec"})
	rec(turns[0].At, "turn_context", object{"model": "gpt-5.6"})
	total := 0
	for _, t := range turns {
		if t.Compacted {
			rec(t.At, "compacted", object{"message": "x"})
		}
		for _, p := range t.Prompts {
			rec(t.At, "response_item", words("user", "input_text", p))
		}
		for _, s := range t.Texts {
			rec(t.At, "response_item", words("assistant", "output_text", s))
		}
		for _, c := range t.Calls {
			rec(t.At, "response_item", object{"type": "function_call", "name": c.Name, "arguments": string(c.Input),
				"call_id": c.ID})
		}
		if len(t.Texts)+len(t.Calls) == 0 {
			rec(t.At, "response_item", object{"type": "reasoning", "summary": []any{}})
		}
		total += t.prompt() + t.Usage.Output
		usage := object{"input_tokens": t.prompt(), "cached_input_tokens": t.Usage.Read,
			"output_tokens": t.Usage.Output, "total_tokens": t.prompt()}
		const id = "00000001-0000-7000-8000-000000000001"
		rec(t.At, "token_usage_record", object{"thread_id": id, "turn_id": id, "session_id": id, "root_turn_id": id,
			"response_id": "resp_1", "usage": usage, "turn_token_usage": usage, "thread_token_usage": usage})
		for _, c := range t.Calls {
			code := map[bool]int{true: 1}[c.Failed]
			rec(t.At, "event_msg", object{"type": "item_completed", "thread_id": id, "turn_id": id,
				"item": object{"type": "CommandExecution", "id": c.ID, "command": []string{"/bin/bash", "-lc",
					string(c.Input)}, "source": "unified_exec_startup", "status": map[bool]string{
					true: "failed", false: "completed"}[c.Failed], "aggregated_output": c.Result, "exit_code": code}})
			rec(t.At, "response_item", object{"type": "function_call_output", "call_id": c.ID,
				"output": fmt.Sprintf("Wall time: 1\nProcess exited with code %d\nOutput:\n%s", code, c.Result)})
		}
		rec(t.At, "event_msg", object{"type": "token_count", "info": object{"total_token_usage": object{
			"total_tokens": total}, "last_token_usage": usage, "model_context_window": 200000}, "rate_limits": object{
			"limit_id": "codex", "limit_name": nil, "primary": nil, "secondary": nil, "plan_type": nil}})
	}
	return l.Bytes()
}

// asGemini tells a session as Gemini CLI records it.
func asGemini(turns []told) []byte {
	var l log
	l.add(object{"sessionId": "s", "projectHash": "0", "kind": "main"})
	for i, t := range turns {
		if t.Compacted {
			l.add(object{"$set": object{"messages": []object{{"id": "s", "type": "user", "content": "A summary."}}}})
		}
		for j, p := range t.Prompts {
			l.add(object{"id": fmt.Sprint("u", i, "-", j), "timestamp": t.At, "type": "user",
				"content": []object{{"text": p}}})
		}
		said := object{"id": t.ID, "timestamp": t.At, "type": "gemini", "content": strings.Join(t.Texts, "\n\n"),
			"model":  "gemini-2.5-pro",
			"tokens": object{"input": t.prompt(), "cached": t.Usage.Read, "output": t.Usage.Output}}
		l.add(said)
		l.add(object{"$set": object{"lastUpdated": t.At}})
		if len(t.Calls) == 0 {
			continue
		}
		var calls, parts []object
		for _, c := range t.Calls {
			part := object{"functionResponse": object{"id": c.ID, "name": c.Name,
				"response": object{"output": c.Result}}}
			calls = append(calls, object{"id": c.ID, "name": c.Name, "args": c.Input,
				"status": map[bool]string{true: "error", false: "success"}[c.Failed], "result": []object{part}})
			parts = append(parts, part)
		}
		said["toolCalls"] = calls
		l.add(said)
		l.add(object{"id": "r" + t.ID, "timestamp": t.At, "type": "user", "content": parts})
	}
	return l.Bytes()
}

// logOf tells a session as a log of requests to an API, with responses. The messages are written by the API's
// own words.
func logOf(turns []told, model string, body func(messages []object) object,
	words func(role, text string) object, said func(*told) []object, results func(*told) []object, response func(
		*told) object) []byte {
	var l log
	var messages []object
	for i := range turns {
		t := &turns[i]
		if t.Compacted {
			messages = []object{words("user", "This session is being continued. What was: a summary.")}
		}
		for _, p := range t.Prompts {
			messages = append(messages, words("user", p))
		}
		b := body(messages)
		b["model"] = model
		l.add(object{"request": b, "response": response(t), "time": t.At})
		messages = append(messages, said(t)...)
		messages = append(messages, results(t)...)
	}
	return l.Bytes()
}

// asMessages tells a session as a log of requests to Anthropic's API.
func asMessages(turns []told) []byte {
	return logOf(turns, "claude-opus-4-6",
		func(m []object) object {
			return object{"max_tokens": 100, "system": "x", "messages": m,
				"metadata": object{"user_id": `{"session_id":"s"}`}, "tools": []object{{"name": "Bash",
					"input_schema": object{}}}}
		},
		func(role, text string) object { return object{"role": role, "content": text} },
		func(t *told) []object {
			var blocks []object
			for _, s := range t.Texts {
				blocks = append(blocks, object{"type": "text", "text": s})
			}
			for _, c := range t.Calls {
				blocks = append(blocks, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.Input})
			}
			if len(blocks) == 0 {
				blocks = []object{{"type": "text", "text": "…"}}
			}
			return []object{{"role": "assistant", "content": blocks}}
		},
		func(t *told) []object {
			var blocks []object
			for _, c := range t.Calls {
				blocks = append(blocks, object{"type": "tool_result", "tool_use_id": c.ID, "content": c.Result,
					"is_error": c.Failed})
			}
			if len(blocks) == 0 {
				return nil
			}
			return []object{{"role": "user", "content": blocks}}
		},
		func(t *told) object {
			return object{"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": []any{},
				"usage": object{
					"input_tokens": t.Usage.Fresh, "cache_creation_input_tokens": t.Usage.Written,
					"cache_read_input_tokens": t.Usage.Read, "output_tokens": t.Usage.Output}}
		})
}

// asChat tells a session as a log of requests to OpenAI's Chat Completions.
func asChat(turns []told) []byte {
	return logOf(turns, "gpt-5.2",
		func(m []object) object {
			return object{"stream": false, "messages": m, "prompt_cache_key": "s",
				"tools": []object{{"type": "function", "function": object{"name": "Bash"}}}}
		},
		func(role, text string) object { return object{"role": role, "content": text} },
		func(t *told) []object {
			m := object{"role": "assistant", "content": strings.Join(t.Texts, "\n\n")}
			var calls []object
			for _, c := range t.Calls {
				calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name,
					"arguments": string(c.Input)}})
			}
			if calls != nil {
				m["tool_calls"] = calls
			}
			return []object{m}
		},
		func(t *told) (out []object) {
			for _, c := range t.Calls {
				out = append(out, object{"role": "tool", "tool_call_id": c.ID, "content": c.Result})
			}
			return out
		},
		func(t *told) object {
			return object{"object": "chat.completion", "choices": []object{{"finish_reason": "stop"}},
				"usage": object{"prompt_tokens": t.prompt(), "completion_tokens": t.Usage.Output}}
		})
}

// asItems tells a session as a log of requests to OpenAI's Responses.
func asItems(turns []told) []byte {
	return logOf(turns, "gpt-5.6",
		func(m []object) object {
			return object{"store": false, "input": m, "prompt_cache_key": "s",
				"tools": []object{{"type": "function", "name": "Bash"}}}
		},
		func(role, text string) object {
			return object{"role": role, "content": []object{{"type": "input_text", "text": text}}}
		},
		func(t *told) (out []object) {
			for _, s := range t.Texts {
				out = append(out, object{"type": "message", "role": "assistant",
					"content": []object{{"type": "output_text", "text": s}}})
			}
			for _, c := range t.Calls {
				out = append(out, object{"type": "function_call", "call_id": c.ID, "name": c.Name,
					"arguments": string(c.Input)})
			}
			if out == nil {
				out = []object{{"type": "message", "role": "assistant", "content": []object{{"type": "output_text",
					"text": "…"}}}}
			}
			return out
		},
		func(t *told) (out []object) {
			for _, c := range t.Calls {
				out = append(out, object{"type": "function_call_output", "call_id": c.ID, "output": c.Result})
			}
			return out
		},
		func(t *told) object {
			return object{"object": "response", "status": "completed", "usage": object{"input_tokens": t.prompt(),
				"output_tokens": t.Usage.Output}}
		})
}

// asParts tells a session as a log of requests to Gemini's API.
func asParts(turns []told) []byte {
	return logOf(turns, "gemini-2.5-pro",
		func(m []object) object {
			return object{"contents": m, "tools": []object{{"functionDeclarations": []object{{"name": "Bash"}}}}}
		},
		func(role, text string) object { return object{"role": role, "parts": []object{{"text": text}}} },
		func(t *told) []object {
			var parts []object
			for _, s := range t.Texts {
				parts = append(parts, object{"text": s})
			}
			for _, c := range t.Calls {
				parts = append(parts, object{"functionCall": object{"name": c.Name, "args": c.Input}})
			}
			if parts == nil {
				parts = []object{{"text": "…"}}
			}
			return []object{{"role": "model", "parts": parts}}
		},
		func(t *told) []object {
			var parts []object
			for _, c := range t.Calls {
				response := object{"output": c.Result}
				if c.Failed {
					response = object{"error": c.Result}
				}
				parts = append(parts, object{"functionResponse": object{"name": c.Name, "response": response}})
			}
			if parts == nil {
				return nil
			}
			return []object{{"role": "user", "parts": parts}}
		},
		func(t *told) object {
			return object{"candidates": []object{{"finishReason": "STOP"}},
				"usageMetadata": object{"promptTokenCount": t.prompt(), "candidatesTokenCount": t.Usage.Output,
					"totalTokenCount": t.prompt() + t.Usage.Output}}
		})
}

// dialects are the ways to tell a session.
var dialects = []struct {
	name  string
	tell  func([]told) []byte
	fails bool // it says of calls how they went
	named bool // it says which run a request is of; else a history that was replaced is another run
}{
	{"codex", asCodex, true, true},
	{"gemini", asGemini, true, true},
	{"log-anthropic", asMessages, true, true},
	{"log-chat", asChat, false, true},
	{"log-responses", asItems, false, true},
	{"log-gemini", asParts, true, false},
}

// TestDialects: a session is the same in whatever words it is told, fact by fact and firing by firing.
func TestDialects(t *testing.T) {
	t.Parallel()
	const session = "8463c716-a2ea-4c14-9efa-87158ebd9f20.jsonl"
	t.Run("short", func(t *testing.T) {
		allDialects(t, testkit.Data(t, "transcripts", "claude-code",
			session), 11, 11)
	})
	t.Run("long", func(t *testing.T) { // the compaction is before turn 72
		allDialects(t, testkit.Beside(t, "transcripts", "claude-code", session), 143, 80)
	})
}

// allDialects tells the session at path, of so many turns, in all dialects; a log tells only the first ones,
// since each request holds all that was before.
func allDialects(t *testing.T, path string, total, logged int) {
	turns := retell(t, path)
	if len(turns) != total {
		t.Fatalf("%d turns", len(turns))
	}
	for _, d := range dialects {
		turns := turns
		if strings.HasPrefix(d.name, "log-") {
			turns = turns[:logged]
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{"s.jsonl": {Data: d.tell(turns)}}
			out, errs, err := run(t, replay.Options{Files: files, Paths: []string{"s.jsonl"}, Set: rules(t),
				JSON: true, Window: 200_000})
			if err != nil || errs != "" {
				t.Fatal(err, errs)
			}
			got, sum := decode(t, out)
			runs := 1
			if !d.named && slices.ContainsFunc(turns, func(turn told) bool { return turn.Compacted }) {
				runs = 2
			}
			if len(got) != len(turns) || sum.Summary.Runs != runs {
				t.Fatalf("%d turns in %d runs, want %d in %d", len(got), sum.Summary.Runs, len(turns), runs)
			}
			for i, turn := range got {
				want := object{"compacted": turns[i].Compacted, "user_message": len(turns[i].Prompts) > 0,
					"turn_count": float64(i + 1), "tool_used": nil, "last_tool_call_failed": false}
				if i > 0 {
					var tools []any
					failed := false
					for _, c := range turns[i-1].Calls {
						tools = append(tools, c.Name)
						failed = failed || c.Failed
					}
					if tools != nil {
						want["tool_used"] = tools
					}
					want["last_tool_call_failed"] = failed
					if !turns[i].Compacted {
						want["context_tokens"] = float64(turns[i-1].prompt())
					}
				}
				if !d.fails {
					delete(want, "last_tool_call_failed")
				}
				have := object{}
				for name := range want {
					have[name] = turn.Facts[name]
				}
				if list, ok := have["tool_used"].([]any); ok && len(list) == 0 {
					have["tool_used"] = nil
				}
				// the request holds nothing of what was before
				if turns[i].Compacted && strings.HasPrefix(d.name, "log") {
					have["tool_used"], have["last_tool_call_failed"] = want["tool_used"], want["last_tool_call_failed"]
					have["user_message"] = want["user_message"] // and the summary looks like a person's
					if !d.fails {
						delete(have, "last_tool_call_failed")
					}
				}
				if !d.named {
					have["compacted"], have["turn_count"] = want["compacted"], want["turn_count"]
				}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("turn %d:\n%s", i+1, diff)
				}
			}
		})
	}
}

// TestResumed: of a file whose records never say that the session went on, that is not known.
func TestResumed(t *testing.T) {
	t.Parallel()
	set := compiled(t, reminder.Reminder{ID: "new", Trigger: "not resumed", Text: "New."})
	for file, want := range map[string]string{
		"codex-resumed.jsonl":  "not resumed (which this host has not told)",
		"gemini-resumed.jsonl": "because not resumed",
	} {
		o := replay.Options{Files: os.DirFS("../transcript/testdata"), Paths: []string{file}, Set: set}
		if got, errs, err := run(t, o); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v\n%s%s", file, err, errs, got)
		}
	}
}
