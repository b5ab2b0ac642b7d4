package modelapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// serve sends a request to a fake, without a network.
func serve(f *modelapi.Fake, r modelapi.Request) *httptest.ResponseRecorder {
	req := httptest.NewRequest("POST", "http://fake"+r.Path, strings.NewReader(string(r.Body)))
	for k, v := range r.Header {
		req.Header[k] = v
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, req)
	return w
}

var whole = modelapi.Reply{Parts: []modelapi.Part{{Thinking: "let me see"}, {Text: "reading both"},
	modelapi.Use("c1", "Bash", `{"command":"ls"}`), modelapi.Use("c2", "Bash", `{"command":"pwd"}`)}}

func streams() *modelapi.Fake { return modelapi.New(modelapi.Options{Script: modelapi.Turns(whole)}) }

// sse splits a stream into names and data.
func sse(t *testing.T, s string) (names []string, data []map[string]any) {
	t.Helper()
	for _, e := range strings.Split(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")), "\n\n") {
		name, rest, ok := strings.Cut(e, "\ndata: ")
		if !ok {
			name, rest = "", strings.TrimPrefix(e, "data: ")
		}
		names = append(names, strings.TrimPrefix(name, "event: "))
		data = append(data, object(t, rest))
	}
	return names, data
}

func object(t *testing.T, s string) map[string]any {
	t.Helper()
	if s == "[DONE]" {
		return nil
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		t.Fatalf("%v: %s", err, s)
	}
	return m
}

// at follows names into an object, numbers into a list.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// join puts together all strings at a path.
func join(data []map[string]any, path ...any) (out string) {
	for _, d := range data {
		s, _ := at(d, path...).(string)
		out += s
	}
	return out
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestStreamAnthropic(t *testing.T) {
	t.Parallel()
	w := serve(streams(), messages(opus5, `"stream":true`, say("user", big("q", 100))))
	names, data := sse(t, w.Body.String())
	order := strings.Join(slices.Compact(names), " ")
	one := "content_block_start content_block_delta content_block_stop "
	same(t, "order", order, "message_start content_block_start ping content_block_delta content_block_stop "+
		""+one+one+one+"message_delta message_stop")
	same(t, "input", at(data[0], "message", "usage", "input_tokens"), any(100.0))
	same(t, "thinking", join(data, "delta", "thinking"), "let me see")
	same(t, "text", join(data, "delta", "text"), "reading both")
	same(t, "arguments", join(data, "delta", "partial_json"), `{"command":"ls"}{"command":"pwd"}`)
	last := data[len(data)-2]
	same(t, "stop", at(last, "delta", "stop_reason"), any("tool_use"))
	same(t, "cumulative", at(last, "usage", "input_tokens"), any(100.0))
	same(t, "output", at(last, "usage", "output_tokens"), any(16.0))
	same(t, "thinking tokens", at(last, "usage", "output_tokens_details", "thinking_tokens"), any(3.0))
	body := object(t, serve(streams(), messages(opus5, "", say("user", big("q", 100)))).Body.String())
	same(t, "signature", at(body, "content", 0, "signature"), any(join(data, "delta", "signature")))
	same(t, "second call", at(body, "content", 3, "input", "command"), any("pwd"))
}

func TestStreamChat(t *testing.T) {
	t.Parallel()
	ask := func(fields string) string {
		return serve(streams(), request("/v1/chat/completions",
			`{"model":"gpt-5.6","stream":true,`+fields+`"messages":[`+say("user", big("q", 1100))+`]}`)).Body.String()
	}
	_, data := sse(t, ask(`"stream_options":{"include_usage":true},`))
	same(t, "role", at(data[0], "choices", 0, "delta", "role"), any("assistant"))
	same(t, "text", join(data, "choices", 0, "delta", "content"), "reading both")
	same(t, "arguments", join(data, "choices", 0, "delta", "tool_calls", 0, "function", "arguments"),
		`{"command":"ls"}{"command":"pwd"}`)
	same(t, "stop", join(data, "choices", 0, "finish_reason"), "tool_calls")
	n := len(data)
	same(t, "done", data[n-1] == nil, true)
	same(t, "usage is in a chunk without choices", len(at(data[n-2], "choices").([]any)), 0)
	same(t, "prompt", at(data[n-2], "usage", "prompt_tokens"), any(1100.0))
	same(t, "written", at(data[n-2], "usage", "prompt_tokens_details", "cache_write_tokens"), any(1100.0))
	if s := ask(""); strings.Contains(s, "usage") || !strings.HasSuffix(s, "data: [DONE]\n\n") {
		t.Error("usage that nobody asked for")
	}
}

func TestStreamResponses(t *testing.T) {
	t.Parallel()
	names, data := sse(t, serve(streams(), responses(`"stream":true`,
		say("user", big("q", 1100)))).Body.String())
	same(t, "begin", strings.Join(names[:4], " "),
		"response.created response.in_progress response.output_item.added response.output_item.done")
	same(t, "end", names[len(names)-1], "response.completed")
	same(t, "text", joinOf(names, data, "response.output_text.delta"), "reading both")
	same(t, "arguments", joinOf(names, data, "response.function_call_arguments.delta"),
		`{"command":"ls"}{"command":"pwd"}`)
	for i, d := range data {
		same(t, "number", d["sequence_number"], any(float64(i)))
		same(t, "type", d["type"], any(names[i]))
	}
	last := data[len(data)-1]
	same(t, "input", at(last, "response", "usage", "input_tokens"), any(1100.0))
	same(t, "reasoning", at(last, "response", "usage", "output_tokens_details", "reasoning_tokens"), any(3.0))
	same(t, "call", at(last, "response", "output", 3, "call_id"), any("c2"))
	same(t, "no usage before", at(data[0], "response", "usage"), any(nil))
}

func joinOf(names []string, data []map[string]any, name string) (out string) {
	for i, d := range data {
		if names[i] == name {
			out += d["delta"].(string)
		}
	}
	return out
}

// TestStreamGemini: server-sent events, or one array that is written bit by bit.
func TestStreamGemini(t *testing.T) {
	t.Parallel()
	ask := func(query string) string {
		return serve(streams(), request("/v1beta/models/gemini-3.8-flash:streamGenerateContent"+query,
			`{"contents":[`+content("user", part(big("q", 100)))+`]}`)).Body.String()
	}
	_, events := sse(t, ask("?alt=sse"))
	var list []map[string]any
	if err := json.Unmarshal([]byte(ask("")), &list); err != nil {
		t.Fatal(err)
	}
	for form, data := range map[string][]map[string]any{"sse": events, "array": list} {
		same(t, form+": text", join(data, "candidates", 0, "content", "parts", 0, "text"), "let me seereading both")
		for _, d := range data {
			same(t, form+": usage in every chunk", at(d, "usageMetadata", "promptTokenCount"), any(100.0))
		}
		last := data[len(data)-1]
		same(t, form+": parallel calls", at(last, "candidates", 0, "content", "parts", 1, "functionCall",
			"id"), any("c2"))
		same(t, form+": end", at(last, "candidates", 0, "finishReason"), any("STOP"))
		same(t, form+": thoughts", at(last, "usageMetadata", "thoughtsTokenCount"), any(3.0))
	}
}

// frames reads AWS's event stream.
func frames(t *testing.T, b []byte) (names []string, data []map[string]any) {
	t.Helper()
	for len(b) > 0 {
		n, h := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
		if crc32.ChecksumIEEE(b[:8]) != binary.BigEndian.Uint32(b[8:]) ||
			crc32.ChecksumIEEE(b[:n-4]) != binary.BigEndian.Uint32(b[n-4:]) {
			t.Fatal("a wrong checksum")
		}
		head := b[12 : 12+h] // length, ":event-type", 7, length, name
		names = append(names, string(head[15:15+head[14]]))
		data = append(data, object(t, string(b[12+h:n-4])))
		b = b[n:]
	}
	return names, data
}

func TestStreamConverse(t *testing.T) {
	t.Parallel()
	w := serve(streams(), request("/model/anthropic.claude-opus-5-v1:0/converse-stream",
		`{"messages":[`+blocks("user", part(big("q", 100)))+`]}`))
	names, data := frames(t, w.Body.Bytes())
	same(t, "order", strings.Join(slices.Compact(names), " "),
		"messageStart contentBlockDelta contentBlockStop contentBlockDelta contentBlockStop "+
			"contentBlockStart contentBlockDelta contentBlockStop contentBlockStart contentBlockDelta "+
			"contentBlockStop "+
			"messageStop metadata")
	same(t, "text", join(data, "delta", "text"), "reading both")
	same(t, "thinking", join(data, "delta", "reasoningContent", "text"), "let me see")
	same(t, "arguments", join(data, "delta", "toolUse", "input"), `{"command":"ls"}{"command":"pwd"}`)
	same(t, "input", at(data[len(data)-1], "usage", "inputTokens"), any(100.0))
	w = serve(streams(), request("/model/anthropic.claude-opus-5-v1:0/invoke-with-response-stream",
		`{"anthropic_version":"bedrock-2023-05-31","max_tokens":1,"messages":[`+say("user", "q")+`]}`))
	names, data = frames(t, w.Body.Bytes())
	first, err := base64.StdEncoding.DecodeString(data[0]["bytes"].(string))
	if names[0] != "chunk" || err != nil || !strings.Contains(string(first), "message_start") {
		t.Errorf("%s %s %v", names[0], first, err)
	}
}

// TestCount: only counting is not a turn of the script.
func TestCount(t *testing.T) {
	t.Parallel()
	f := streams()
	same(t, "anthropic", serve(f, request("/v1/messages/count_tokens",
		`{"model":"claude-opus-5","messages":[`+say("user", big("q",
			100))+`]}`)).Body.String(), `{"input_tokens":100}`)
	same(t, "gemini", serve(f, request("/v1beta/models/gemini-3.8-flash:countTokens",
		`{"contents":[`+content("user", part(big("q", 100)))+`]}`)).Body.String(), `{"totalTokens":100}`)
	same(t, "responses", serve(f, request("/v1/responses/input_tokens", `{"model":"gpt-5.6","input":"`+big("q",
		100)+`"}`)).Body.String(), `{"object":"response.input_tokens","input_tokens":100}`)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	r := messages(opus5, `"stream":true`, say("user", "q"))
	full := serve(streams(), r).Body.String()
	post := func(ctx context.Context, fault modelapi.Fault) (int, string, error) {
		srv := httptest.NewServer(modelapi.New(modelapi.Options{Script: modelapi.Turns(whole),
			Faults: map[int]modelapi.Fault{1: fault}}))
		t.Cleanup(srv.Close)
		req, _ := http.NewRequestWithContext(ctx, "POST", srv.URL+r.Path, bytes.NewReader(r.Body))
		res, err := srv.Client().Do(req)
		if err != nil {
			return 0, "", err
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return res.StatusCode, string(b), err
	}
	for status, kind := range map[int]string{429: "rate_limit_error", 529: "overloaded_error",
		500: "api_error"} {
		code, body, err := post(t.Context(), modelapi.Fault{Status: status})
		if code != status || !strings.Contains(body, kind) || err != nil {
			t.Errorf("%d %s %v", code, body, err)
		}
	}
	if code, body, err := post(t.Context(), modelapi.Fault{Garbage: true}); code != 200 ||
		json.Valid([]byte(body)) || err != nil {
		t.Errorf("%d %s %v", code, body, err)
	}
	if _, body, err := post(t.Context(), modelapi.Fault{Cut: true, After: 3}); err != nil ||
		!strings.HasPrefix(full, body) || strings.Count(body, "event: ") != 3 {
		t.Errorf("%v\n%s", err, body)
	}
	if _, body, err := post(t.Context(), modelapi.Fault{Reset: true, After: 3}); err == nil ||
		len(body) >= len(full) {
		t.Errorf("%v\n%s", err, body)
	}
	if _, body, err := post(t.Context(), modelapi.Fault{Chunk: 7}); err != nil || body != full {
		t.Errorf("%v\n%s", err, body)
	}
	ctx, cancel := context.WithCancel(t.Context())
	resume, pace := make(chan struct{}), make(chan struct{})
	go func() { // the client gives up when three chunks are through
		for range 3 {
			pace <- struct{}{}
		}
		cancel()
	}()
	if _, _, err := post(ctx, modelapi.Fault{Stall: true, After: 3, Pace: pace}); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	close(resume)
	if _, body, err := post(t.Context(), modelapi.Fault{Stall: true, After: 3, Resume: resume}); err != nil ||
		body != full {
		t.Errorf("%v\n%s", err, body)
	}
}
