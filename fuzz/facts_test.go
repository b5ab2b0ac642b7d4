package fuzz_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/internal/response"
)

var apis = []wire.API{wire.Messages, wire.Anthropic, wire.Chat, wire.Responses, wire.Gemini, wire.Converse}

// FuzzFacts: whatever the bytes, no panic; the body is not written to; JSON is not refused for what it is
// not, what does not end as it began is, and then nothing is told of its messages; what is told fits the
// schema; blanks between values change nothing.
func FuzzFacts(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `[]`, `7`, `{"messages":[]}`, `{"messages":[7,null,"x",[],{}]}`, `{"messages":[{"role":"user","content":"hi"}],"model":"m","stream":true}`,
		`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a"},{"id":"2","name":"b","type":"tool_use"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"2","is_error":true},{"type":"text","text":"x"}]}]}`,
		`{"messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"a"}}],"content":null,"tool_calls":[]},{"role":"tool","tool_call_id":"1","content":"x"},{"role":"user","name":"hook","content":"x"}]}`,
		`{"input":[{"role":"user","content":"a"},{"type":"reasoning"},{"type":"function_call","call_id":"1","name":"a"},{"type":"function_call_output","call_id":"1","output":"x"},{"type":"item_reference","id":"r"}],"previous_response_id":"r"}`,
		`{"contents":[{"parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"a"}}]},{"parts":[{"functionResponse":{"name":"a","response":{"error":1}}}]}],"generationConfig":{"responseSchema":{}}}`,
		`{"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"1","name":"a"}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"1","status":"error"}}]}],"toolConfig":{"tools":[{}]}}`,
		`{"metadata":{"user_id":"{\"session_id\":\"s\"}"},"prompt_cache_key":"k","client_metadata":{"x-codex-turn-metadata":"{\"request_kind\":\"compaction\"}"},"system":[{"text":"You are a title generator."}],"messages":[{"role":"user","content":"<system-reminder>x</system-reminder>"}]}`,
		`{"messages":[{"role":"assistant","content":"b"},{"role":"user","content":"\u0059our task is to create a detailed summary of \ud83d\\"}]}`,
	} {
		for i := range apis {
			f.Add([]byte(body), uint8(i), "{\"thread_id\":\"t\"}")
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, which uint8, header string) {
		in := request.Incoming{API: apis[int(which)%len(apis)], Body: body,
			Header: map[string][]string{"X-Codex-Turn-Metadata": {header}, "x-reminder-turn": {header}, "Empty": nil}}
		if which >= 128 {
			in.API, in.Path, in.Header = "", header, nil
		}
		kept := bytes.Clone(body)
		q, err := request.ReadFacts(in)
		if !bytes.Equal(body, kept) {
			t.Fatal("the body was written to")
		}
		valid := json.Valid(body)
		if valid && errors.Is(err, wire.ErrSyntax) || !balanced(body) && err == nil && q.Kind != api.KindOther {
			t.Fatalf("valid: %v, but %v", valid, err)
		}
		if err != nil && (q.Messages.Known || q.CallsKnown || q.Prompt.Known || q.Response.Known ||
			len(q.Calls) > 0 || len(q.Tally()) > 0) {
			t.Fatalf("%v, and yet %+v", err, q)
		}
		frame := fact.Builtin().NewFrame()
		for _, facts := range []map[string]any{q.Facts(), q.Tally()} {
			for name, v := range facts {
				if err := frame.SetValue(name, v); err != nil {
					t.Fatal(err)
				}
			}
		}
		var wide bytes.Buffer
		if !valid || json.Indent(&wide, body, "\t", " \n") != nil {
			return
		}
		told := cmpopts.IgnoreUnexported(request.Request{})
		in.Body = wide.Bytes()
		again, errAgain := request.ReadFacts(in)
		if (err == nil) != (errAgain == nil) || err == nil && !cmp.Equal(q, again, told) {
			t.Fatalf("blanks make a difference: %v, %v\n%s", err, errAgain, cmp.Diff(q, again, told))
		}
	})
}

// balanced reports whether as many brackets are closed as were opened, outside of strings, and all strings.
func balanced(b []byte) bool {
	depth, in := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			in = !in
		case in && c == '\\':
			i++
		case in:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return depth == 0 && !in
}

// FuzzSSE: whatever the bytes of a response, no panic; what was passed through is unchanged; how it was cut
// makes no difference; and where it ends too early nothing is told that the whole does not tell.
func FuzzSSE(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join("..", "inject", "wire", "testdata", "streams", "*"))
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint16(len(b)/2), uint8(7))
	}
	for _, s := range []string{"", "data", "data:\n\n", "\r\n\r\r\n", "\xef\xbb\xbfdata: [DONE]", "[", "[]",
		"[[{}]]", "{}{}", "\x00\x00\x00\x10\x00\x00\x00\x00", `{"usage":{"iterations":[{}]}}`, ":\ndata: {\ndata: }\n\n"} {
		f.Add([]byte(s), uint16(1), uint8(0))
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16, size uint8) {
		kept := bytes.Clone(stream)
		whole := api.ReadUsage(stream)
		tap := api.NewTap()
		for i := range stream {
			_, _ = tap.Write(stream[i : i+1])
		}
		tap.End(true)
		if !bytes.Equal(stream, kept) {
			t.Fatalf("%q became %q", kept, stream)
		}
		if u := tap.Usage(); u != whole {
			t.Fatalf("byte by byte %+v, whole %+v", u, whole)
		}
		tap = api.NewTap()
		for p := stream; len(p) > 0; p = p[min(len(p), int(size)+1):] {
			_, _ = tap.Write(p[:min(len(p), int(size)+1)])
		}
		tap.End(true)
		if u := tap.Usage(); u != whole {
			t.Fatalf("in pieces of %d %+v, whole %+v", int(size)+1, u, whole)
		}
		tap = api.NewTap()
		_, _ = tap.Write(stream[:min(len(stream), int(cut))])
		tap.End(false)
		u := tap.Usage()
		for _, c := range [][2]response.Count{{u.Context, whole.Context}, {u.Response, whole.Response},
			{u.Read, whole.Read}, {u.Written, whole.Written}, {u.Reasoning, whole.Reasoning}} {
			if c[0].N < 0 || !c[0].Known && c[0].N != 0 || c[0].Known && c[0] != c[1] {
				t.Fatalf("cut at %d %+v, whole %+v", cut, u, whole)
			}
		}
	})
}
