package api_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/response"
)

// took writes a usage as prompt/output, then what is known of caches and reasoning; ? is unknown.
func took(u response.Usage) string {
	s := func(c response.Count) string {
		if c.Known {
			return fmt.Sprint(c.N)
		}
		if c.N != 0 {
			return "unknown, but a number"
		}
		return "?"
	}
	return s(u.Context) + "/" + s(u.Response) + " read " + s(u.Read) + " written " + s(u.Written) +
		" reasoning " + s(u.Reasoning)
}

const nothing = "?/? read ? written ? reasoning ?"

// streams are the files of inject/wire/testdata/streams: usage, id, model.
var streams = map[string][3]string{
	"anthropic.sse":            {"4312/57 read 4000 written 300 reasoning 21", "msg_1", "claude-opus-5"},
	"anthropic-crlf.sse":       {"4312/57 read 4000 written 300 reasoning 21", "msg_1", "claude-opus-5"},
	"anthropic-cr.sse":         {"4312/57 read 4000 written 300 reasoning 21", "msg_1", "claude-opus-5"},
	"anthropic-iterations.sse": {"5400/90 read 5000 written 0 reasoning ?", "msg_1", "claude-opus-5"},
	"anthropic-late.sse":       {"800/5 read ? written ? reasoning ?", "msg_2", "glm"},
	"anthropic-error.sse":      {"4312/? read 4000 written 300 reasoning ?", "msg_1", "claude-opus-5"},
	"anthropic.json":           {"100/6 read 90 written 0 reasoning ?", "msg_3", "claude-opus-5"},
	"anthropic-refused.json":   {nothing, "", ""},
	"bedrock-anthropic.bin":    {"4312/57 read 4000 written 300 reasoning 21", "msg_1", "claude-opus-5"},
	"chat.sse":                 {"1200/40 read 1024 written 128 reasoning 16", "chatcmpl-1", "gpt-5.6"},
	"chat-unasked.sse":         {nothing, "chatcmpl-1", "gpt-5.6"},
	"chat-every-chunk.sse":     {"9/3 read ? written ? reasoning ?", "chatcmpl-1", "gpt-5.6"},
	"chat.json":                {"1200/40 read 1024 written 128 reasoning 16", "chatcmpl-1", "gpt-5.6"},
	"chat-gateway.json":        {"1200/40 read 1024 written 0 reasoning ?", "chatcmpl-1", "gpt-5.6"},
	"responses.sse":            {"1200/40 read 1024 written 64 reasoning 16", "resp_1", "gpt-5.6"},
	"responses-incomplete.sse": {"1200/40 read 1024 written 64 reasoning 16", "resp_1", "gpt-5.6"},
	"responses-failed.sse":     {nothing, "resp_1", "gpt-5.6"},
	"responses.json":           {"1200/40 read 1024 written 64 reasoning 16", "resp_1", "gpt-5.6"},
	"gemini.sse":               {"520/40 read 400 written ? reasoning 31", "r1", "gemini-3-pro"},
	"gemini-array.json":        {"520/40 read 400 written ? reasoning 31", "r1", "gemini-3-pro"},
	"gemini.json":              {"520/40 read 400 written ? reasoning 31", "r1", "gemini-3-pro"},
	"gemini-blocked.json":      {"500/? read ? written ? reasoning ?", "", "gemini-3-pro"},
	"gemini-interactions.json": {"520/40 read 400 written ? reasoning 31", "v1_1", "gemini-3-pro"},
	"gemini-interactions.sse":  {"520/40 read 400 written ? reasoning 31", "v1_1", "gemini-3-pro"},
	"converse.json":            {"1300/30 read 1000 written 200 reasoning ?", "", ""},
	"converse.bin":             {"1300/30 read 1000 written 200 reasoning ?", "", ""},
}

func eachStream(t *testing.T, f func(t *testing.T, stream []byte, want [3]string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "inject", "wire", "testdata", "streams", "*"))
	if err != nil || len(files) != len(streams) {
		t.Fatalf("%d files, %d are known: %v", len(files), len(streams), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		want, ok := streams[name]
		if !ok {
			t.Fatalf("%s: nobody knows what it says", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f(t, b, want)
		})
	}
}

func sums(u response.Usage) [3]string { return [3]string{took(u), u.ID, u.Model} }

func TestStreams(t *testing.T) {
	t.Parallel()
	eachStream(t, func(t *testing.T, stream []byte, want [3]string) {
		if got := sums(api.ReadUsage(stream)); got != want {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
	})
}

// TestSplits: however a stream is cut, it says the same.
func TestSplits(t *testing.T) {
	t.Parallel()
	eachStream(t, func(t *testing.T, stream []byte, want [3]string) {
		for i := range len(stream) + 1 {
			tap := api.NewTap()
			for _, p := range [][]byte{stream[:i], nil, stream[i:]} {
				if n, err := tap.Write(p); n != len(p) || err != nil {
					t.Fatal(n, err)
				}
			}
			tap.End(true)
			if got := sums(tap.Usage()); got != want {
				t.Fatalf("cut at %d:\n got %q\nwant %q", i, got, want)
			}
		}
		for size := range 7 {
			tap := api.NewTap()
			for p := stream; len(p) > 0; p = p[min(len(p), size+1):] {
				_, _ = tap.Write(p[:min(len(p), size+1)])
			}
			tap.End(true)
			if got := sums(tap.Usage()); got != want {
				t.Fatalf("in pieces of %d:\n got %q\nwant %q", size+1, got, want)
			}
		}
	})
}

// TestCuts: events that are passed over where they come whole say nothing where they come byte by byte, at
// any moment.
func TestCuts(t *testing.T) {
	t.Parallel()
	events := []string{
		`event: content_block_delta|data: {"type":"content_block_delta","delta":{"text":"words"}}`, `data: {"type":"message_stop"}`, `data: [DONE]`, `data:[DONE]`, `data: x[DONE]`,
		`data: {"type":"message_start","message":{"id":"m","model":"c","usage":{"input_tokens":3,"output_tokens":1}}}`, `data: {"type":"message_start"}`, `data: {"message":{"id":"of|data: two"}}`,
		`data: {"type":"message_delta","usage":{"output_tokens":7}}`, `data: {"type":"message_delta","usage":null}`, `data: {"usage":null,"usage":{"prompt_tokens":5}}`,
		`data: {"type":"x","delta":"usage message_start response.completed failed DONE] \"usage\":{} model d"}`, `data: {"usage" :|data: {"prompt_tokens":4}}`, `data: {"us|data: age":{"prompt_tokens":8}}`,
		`data: {"type":"response.completed","response":{"id":"r","usage":{"input_tokens":6}}}`, `data: {"type":"response.failed"}`, `data: {"type":"response.incomplete"}`,
		`data: {"id":"i","choices":[],"usage":null}`, `data: {"model":"g","choices":[]}`, `data: {"responseId":"r","modelVersion":"v","usageMetadata":{"promptTokenCount":9}}`, `data: {"\u0069d":"no"}`,
		`: comment`, `data`, `id: 7|retry: 1`, `data: {"usage":{"prompt_tokens":1|: comment|data:}}`, ``, `data: {broken "usage":{"prompt_tokens":2}}`,
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			ends := []string{"\n", "\n", "\r\n", "\r"}
			end := ends[r.IntN(len(ends))]
			e := events[r.IntN(len(events))]
			if r.IntN(3) == 0 {
				e = e[:r.IntN(len(e)+1)]
			}
			b.WriteString(strings.ReplaceAll(e, "|", end) + end)
			if r.IntN(8) > 0 {
				b.WriteString(ends[r.IntN(len(ends))])
			}
		}
		stream, bytewise, pieces := b.String(), api.NewTap(), api.NewTap()
		for at := 0; at < len(stream); {
			p := []byte(stream[at:][:1+r.IntN(len(stream)-at)])
			_, _ = pieces.Write(p)
			for i := range p {
				_, _ = bytewise.Write(p[i : i+1])
			}
			if at += len(p); pieces.Usage() != bytewise.Usage() || pieces.Certain() != bytewise.Certain() {
				t.Fatalf("%q %t, byte by byte %q %t\n%q|%q", sums(pieces.Usage()), pieces.Certain(),
					sums(bytewise.Usage()), bytewise.Certain(), stream[:at], stream[at:])
			}
		}
		pieces.End(true)
		bytewise.End(true)
		if pieces.Usage() != bytewise.Usage() {
			t.Fatalf("%q, byte by byte %q\n%q", sums(pieces.Usage()), sums(bytewise.Usage()), stream)
		}
	}
}

// TestAborts: a stream that ends where it should not says what the whole one says, or nothing.
func TestAborts(t *testing.T) {
	t.Parallel()
	eachStream(t, func(t *testing.T, stream []byte, want [3]string) {
		known := 0
		for i := range len(stream) + 1 {
			tap := api.NewTap()
			_, _ = tap.Write(stream[:i])
			before := sums(tap.Usage())
			tap.End(false)
			got := sums(tap.Usage())
			if got != before {
				t.Fatalf("cut at %d: %q becomes %q by its end", i, before, got)
			}
			if got[0] != nothing {
				known++
			}
			for j, s := range got {
				if s != want[j] && s != [...]string{nothing, "", ""}[j] {
					t.Fatalf("cut at %d: %q, the whole says %q", i, got, want)
				}
			}
		}
		if bytes.HasSuffix(stream, []byte("}")) && known != 1 && want[0] != nothing {
			t.Errorf("one value is known at its end alone, not %d times", known)
		}
	})
}

// TestEnds: without a last mark a stream that ended as it should counts, and its output only if it was told.
func TestEnds(t *testing.T) {
	t.Parallel()
	const start = `data: {"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}` +
		"\n\n"
	for _, c := range []struct{ name, stream, want string }{
		{"a delta that knows no prompt",
			`data: {"type":"message_start","message":{"usage":{"input_tokens":3,"cache_read_input_tokens":40,"output_tokens":1}}}` + "\n\n" +
				`data: {"type":"message_delta","usage":{"input_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"output_tokens":7}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n", "43/7 read 40 written ? reasoning ?"},
		{"a delta of what came from a cache",
			start + `data: {"type":"message_delta","usage":{"input_tokens":0,"cache_read_input_tokens":9,"output_tokens":7}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n", "9/7 read 9 written ? reasoning ?"},
		{"no delta", start, "3/? read ? written ? reasoning ?"},
		{"no stop", start + `data: {"type":"message_delta","usage":{"output_tokens":7}}` + "\n\n",
			"3/7 read ? written ? reasoning ?"},
		{"no blank line", start + `data: {"type":"message_delta","usage":{"output_tokens":7}}`,
			"3/7 read ? written ? reasoning ?"},
		{"half an event", start + `data: {"type":"message_delta","usage":{"output_tokens":7}`,
			"3/? read ? written ? reasoning ?"},
		{"two deltas", start + `data: {"type":"message_delta","usage":{"output_tokens":7}}` + "\n\n" +
			`data: {"type":"message_delta","usage":{"output_tokens":9}}` + "\n\n", "3/9 read ? written ? reasoning ?"},
		{"a prompt of nothing", `{"usage":{"prompt_tokens":0,"completion_tokens":0}}`,
			"?/0 read ? written ? reasoning ?"},
		{"no numbers", `{"usage":{"prompt_tokens":"7","completion_tokens":-1,"input_tokens":1.5,"output_tokens":1e3}}`, nothing},
		{"too large", `{"usage":{"prompt_tokens":99999999999999999999,"completion_tokens":9007199254740993}}`,
			nothing},
		{"null", `{"usage":null}`, nothing},
		{"a list", `{"usage":[{"prompt_tokens":7}]}`, nothing},
		{"elsewhere", `{"choices":[{"usage":{"prompt_tokens":7}}],"x":{"usage":{"prompt_tokens":7}},"prompt_tokens":7}`, nothing},
		{"twice", `{"usage":{"prompt_tokens":7},"usage":{"prompt_tokens":8,"prompt_tokens":9}}`,
			"9/? read ? written ? reasoning ?"},
		{"a number over two lines", "data: {\"usage\":{\"prompt_tokens\":1\ndata: 2}}\n\ndata: [DONE]\n\n",
			nothing},
		{"a blank over two lines", "data: {\"usage\":{\"prompt_tokens\":\ndata: 2}}\n\ndata: [DONE]\n\n",
			"2/? read ? written ? reasoning ?"},
		{"chunks count by themselves",
			`[{"usageMetadata":{"promptTokenCount":4,"thoughtsTokenCount":3}},{"usageMetadata":{"promptTokenCount":5}}]`, "5/? read ? written ? reasoning ?"},
		{"a wrong bracket", `{"usage":{"prompt_tokens":7}]`, nothing},
		{"a wrong bracket in a list", `[{"usage":{"prompt_tokens":7}}}`, nothing},
		{"deep", `{"a":` + strings.Repeat("[", body.MaxDepth) + strings.Repeat("]", body.MaxDepth) +
			`,"usage":{"prompt_tokens":7}}`, "7/? read ? written ? reasoning ?"},
		{"too deep", `{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) +
			`,"usage":{"prompt_tokens":7}}`, nothing},
		{"not JSON", "data: hello\n\ndata: [DONE]\n\n", nothing},
		{"nothing", "", nothing},
		{"blanks", " \n\r\n", nothing},
		{"a page", "<html>" + start, nothing},
		{"after the end", "data: {\"usage\":{\"prompt_tokens\":7}}\n\ndata: [DONE]\n\ndata: " +
			"{\"usage\":{\"prompt_tokens\":8}}\n\n", "7/? read ? written ? reasoning ?"},
		{"a broken frame", "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00 and more", nothing},
	} {
		if got := took(api.ReadUsage([]byte(c.stream))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestLongID: a name that is too long is none, rather than half of one.
func TestLongID(t *testing.T) {
	t.Parallel()
	if u := api.ReadUsage([]byte(`{"id":"` + strings.Repeat("x", 129) + `","model":"` +
		strings.Repeat("m", 128) +
		`"}`)); u.ID != "" || len(u.Model) != 128 {
		t.Errorf("%+v", u)
	}
}

// TestLongLine: an event of some megabytes is read; one of any length takes no more memory than the longest
// that is read, and says nothing.
func TestLongLine(t *testing.T) {
	piece := bytes.Repeat([]byte(`a word, \"quoted\" `), 1000)
	for pieces, want := range map[int]string{
		400:    "7/2 read ? written ? reasoning ?",
		20_000: nothing,
	} {
		tap := api.NewTap()
		write := func(s string) { _, _ = io.WriteString(tap, s) }
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		write(`data: {"type":"response.completed","` + strings.Repeat("k", 100) + `":"`)
		for range pieces {
			_, _ = tap.Write(piece)
		}
		write(`","response":{"usage":{"input_tokens":7,"output_tokens":2}}}` + "\n\n")
		runtime.ReadMemStats(&after)
		if got := took(tap.Usage()); got != want {
			t.Errorf("%d bytes: %s, want %s", pieces*len(piece), got, want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
			t.Errorf("%d bytes for a line of %d", n, pieces*len(piece))
		}
	}
}

func ExampleNewTap() {
	response := strings.NewReader(
		`data: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":10,"cache_read_input_tokens":4000}}}

data: {"type":"message_delta","usage":{"output_tokens":25}}

data: {"type":"message_stop"}

`)
	tap := api.NewTap()
	_, _ = io.Copy(io.Discard, io.TeeReader(response, tap)) // to the client
	tap.End(true)
	u := tap.Usage()
	fmt.Println(u.Context.N, u.Response.N, u.Reasoning.Known)
	// Output: 4010 25 false
}

// TestBill: what a response is billed for holds every model call that the server made for it.
func TestBill(t *testing.T) {
	t.Parallel()
	of := func(plain, read, written, hour, output int64) response.Bill {
		return response.Bill{Known: true, Tokens: model.Tokens{Plain: plain, Read: read, Written: written,
			Hour: hour, Output: output}}
	}
	for _, c := range []struct {
		body string
		want response.Bill
	}{
		{`{"usage":{"input_tokens":12,"cache_read_input_tokens":4000,"cache_creation_input_tokens":300,` +
			`"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":200},"output_tokens":57}}`,
			of(12, 4000, 300, 200, 57)},
		{`{"usage":{"input_tokens":12,"output_tokens":5}}`, of(12, 0, 0, 0, 5)},
		{`{"usage":{"input_tokens":500,"output_tokens":90,"iterations":[` +
			`{"type":"message","input_tokens":100,"cache_read_input_tokens":7,"output_tokens":30},` +
			`{"type":"compaction","input_tokens":400,"output_tokens":60,"cache_creation_input_tokens":9,` +
			`"cache_creation":{"ephemeral_1h_input_tokens":9}}]}}`, of(500, 7, 9, 9, 90)},
		{`{"usage":{"prompt_tokens":1200,"completion_tokens":40,` +
			`"prompt_tokens_details":{"cached_tokens":1024,"cache_write_tokens":128}}}`, of(48, 1024, 128, 0, 40)},
		{`{"usageMetadata":{"promptTokenCount":500,"toolUsePromptTokenCount":20,"cachedContentTokenCount":400,` +
			`"candidatesTokenCount":9,"thoughtsTokenCount":31}}`, of(120, 400, 0, 0, 40)},
		{`{"usage":{"inputTokens":100,"cacheReadInputTokens":1000,"cacheWriteInputTokens":200,"outputTokens":30}}`,
			of(100, 1000, 200, 0, 30)},
		{`{"usage":{"input_tokens":12}}`, response.Bill{}},                  // no output
		{`{"usage":{"output_tokens":12}}`, response.Bill{}},                 // no prompt
		{`{"usage":{"input_tokens":0,"output_tokens":9}}`, response.Bill{}}, // no measurement
		{`{"usage":{"prompt_tokens":5,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":9}}}`,
			response.Bill{}}, // more cached than there is
		{`{"error":{}}`, response.Bill{}},
	} {
		if got := api.ReadUsage([]byte(c.body)).Bill; got != c.want {
			t.Errorf("%s\n%+v, want %+v", c.body, got, c.want)
		}
	}
}
