package transport_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/aside-go/aside/inject/transport"
)

// canned answers each request with the next of its responses: a JSON value, or the events of a stream, which
// breaks off where the last one is missing.
type canned struct {
	left []string
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	body, kind := c.left[0], "application/json"
	c.left = c.left[1:]
	if strings.HasPrefix(body, "data:") {
		kind = "text/event-stream"
	}
	from := io.Reader(strings.NewReader(body))
	if !strings.HasSuffix(body, "}") && !strings.Contains(body, "completed") && !strings.Contains(body, "stop") {
		from = io.MultiReader(from, iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {kind}}, ContentLength: -1,
		Body: io.NopCloser(from), Request: r}, nil
}

const (
	summary   = `{"type":"compaction","content":"They fixed the parser, and the tests pass. What is left is the page."}`
	failed    = `{"type":"compaction","content":null}`
	encrypted = `{"type":"compaction","id":"cmp_00000000000000000001","encrypted_content":"gAAAAABoISn2mYq0sJcQ"}`
)

func block(text string) string { return `{"type":"text","text":"` + text + `"}` }

// message is an answer of Anthropic's with these blocks.
func message(blocks ...string) string {
	return `{"type":"message","id":"msg_01","role":"assistant","model":"claude-haiku-4-5","content":[` +
		strings.Join(blocks, ",") + `],"usage":{"input_tokens":100,"output_tokens":9}}`
}

// streamed is the same as a stream.
func streamed(management string, blocks ...string) string {
	var b strings.Builder
	event := func(s string) { b.WriteString("data: " + s + "\n\n") }
	event(`{"type":"message_start","message":{"id":"msg_01","model":"claude-haiku-4-5","content":[],` +
		`"usage":{"input_tokens":100,"output_tokens":1}}}`)
	for i, is := range blocks {
		n := strconv.Itoa(i)
		begin, delta := `{"type":"text","text":""}`, strings.Replace(is, `"text"`, `"text_delta"`, 1)
		if strings.Contains(is, `"compaction"`) {
			begin, delta = failed, strings.Replace(is, `"compaction"`, `"compaction_delta"`, 1)
		}
		event(`{"type":"content_block_start","index":` + n + `,"content_block":` + begin + `}`)
		event(`{"type":"content_block_delta","index":` + n + `,"delta":` + delta + `}`)
		event(`{"type":"content_block_stop","index":` + n + `}`)
	}
	event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}` + management + `}`)
	event(`{"type":"message_stop"}`)
	return b.String()
}

// output is an answer of Responses with these items.
func output(id string, items ...string) string {
	return `{"id":"` + id + `","object":"response","status":"completed","model":"gpt-5.6","output":[` +
		strings.Join(items, ",") + `],"usage":{"input_tokens":100,"output_tokens":9}}`
}

func item(text string) string {
	return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `"}]}`
}

// outputStreamed is the same as a stream.
func outputStreamed(id string, items ...string) string {
	var b strings.Builder
	for _, i := range items {
		b.WriteString(`data: {"type":"response.output_item.done","item":` + i + "}\n\n")
	}
	return b.String() + `data: {"type":"response.completed","response":` + output(id, items...) + "}\n\n"
}

// TestCompaction: a compaction by the API is one turn's `compacted`, however the API and the client tell it,
// and the conversation goes on with its run, whatever the client drops. Where nothing can tell, the fact is
// unknown.
func TestCompaction(t *testing.T) {
	t.Parallel()
	const long = "The parser reads both forms now, and its tests pass on this machine and the other."
	ask := func(s string) string { return `{"role":"user","content":"` + s + `"}` }
	answer := func(blocks ...string) string {
		return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
	}
	claude := func(messages ...string) string {
		return `{"model":"claude-haiku-4-5","max_tokens":9,"messages":[` + strings.Join(messages, ",") + `]}`
	}
	gpt := func(items ...string) string { return `{"model":"gpt-5.6","input":[` + strings.Join(items, ",") + `]}` }
	next := func(id, text string) string {
		return `{"model":"gpt-5.6","previous_response_id":"` + id + `","input":"` + text + `"}`
	}
	const cleared = `,"context_management":{"applied_edits":[{"type":"clear_tool_uses_20250919",` +
		`"cleared_tool_uses":%,"cleared_input_tokens":900}]}`
	edits := func(n string) string { return strings.Replace(cleared, "%", n, 1) }
	r1, r2, r3 := keptID(1), keptID(2), keptID(3)
	a1, a2 := answer(block(long)), answer(summary, block("It goes on."))
	for _, c := range []struct {
		name      string
		path      string
		requests  []string
		responses []string
		turns     []int // of the requests
		fired     int   // the turn with which compacted fires, 0: none
		unknown   int   // the turn with which it is unknown
	}{
		{name: "a block, with all of the history", path: "/v1/messages",
			requests: []string{claude(ask("go")), claude(ask("go"), a1, ask("on")),
				claude(ask("go"), a1, ask("on"), a2, ask("more")),
				claude(ask("go"), a1, ask("on"), a2, ask("more"), answer(block("yes")), ask("end"))},
			responses: []string{message(block(long)), message(summary, block("It goes on.")),
				message(block("yes")), message(block("end"))},
			turns: []int{1, 2, 3, 4}, fired: 3},
		{name: "a block in a stream, and what is before it dropped", path: "/v1/messages",
			requests: []string{claude(ask("go")), claude(ask("go"), a1, ask("on")), claude(a2, ask("more")),
				claude(a2, ask("more"), answer(block("yes")), ask("end"))},
			responses: []string{streamed("", block(long)), streamed("", summary, block("It goes on.")),
				streamed("", block("yes")), streamed("", block("end"))},
			turns: []int{1, 2, 3, 4}, fired: 3},
		{name: "a block that was asked for alone", path: "/v1/messages",
			requests: []string{claude(ask("go")),
				strings.Replace(claude(ask("go"), a1, ask("on")), `{`, `{"compaction":{"type":"summarize"},`, 1),
				claude(answer(summary), ask("more")),
				claude(answer(summary), ask("more"), answer(block("yes")), ask("end"))},
			responses: []string{message(block(long)), message(summary), message(block("yes")), message(block("end"))},
			turns:     []int{1, 0, 2, 3}, fired: 2},
		{name: "a compaction that has failed", path: "/v1/messages",
			requests:  []string{claude(ask("go")), claude(ask("go"), answer(failed, block(long)), ask("on"))},
			responses: []string{message(failed, block(long)), message(block("yes"))},
			turns:     []int{1, 2}},
		{name: "results that the API has cleared, and no more the next time", path: "/v1/messages",
			requests: []string{claude(ask("go")), claude(ask("go"), a1, ask("on")),
				claude(ask("go"), a1, ask("on"), answer(block("yes")), ask("end"))},
			responses: []string{strings.TrimSuffix(message(block(long)), "}") + edits("3") + "}",
				streamed(edits("3"), block("yes")), message(block("end"))},
			turns: []int{1, 2, 3}, fired: 2},
		{name: "an item, with all of the list", path: "/v1/responses",
			requests: []string{gpt(ask("go")), gpt(ask("go"), item(long), ask("on")),
				gpt(ask("go"), item(long), ask("on"), encrypted, item("It goes on."), ask("more")),
				gpt(ask("go"), item(long), ask("on"), encrypted, item("It goes on."), ask("more"), item("yes"),
					ask("end"))},
			responses: []string{output(r1, item(long)), output(r2, encrypted, item("It goes on.")),
				output(r3, item("yes")), output(r1, item("end"))},
			turns: []int{1, 2, 3, 4}, fired: 3},
		{name: "an item in a stream, and what is before it dropped", path: "/v1/responses",
			requests: []string{gpt(ask("go")), gpt(ask("go"), item(long), ask("on")),
				gpt(encrypted, item("It goes on."), ask("more")),
				gpt(encrypted, item("It goes on."), ask("more"), item("yes"), ask("end"))},
			responses: []string{outputStreamed(r1, item(long)), outputStreamed(r2, encrypted, item("It goes on.")),
				outputStreamed(r3, item("yes")), outputStreamed(r1, item("end"))},
			turns: []int{1, 2, 3, 4}, fired: 3},
		{name: "a list that the API has compacted", path: "/v1/responses",
			requests: []string{gpt(ask("go")), "/compact" + gpt(ask("go"), item(long), ask("on")),
				gpt(ask("go"), ask("on"), encrypted, ask("more")),
				gpt(ask("go"), ask("on"), encrypted, ask("more"), item("yes"), ask("end"))},
			responses: []string{output(r1, item(long)), output(r2, ask("go"), ask("on"), encrypted),
				output(r3, item("yes")), output(r1, item("end"))},
			turns: []int{1, 0, 2, 3}, fired: 2},
		{name: "a list that ends in an answer, all of it compacted", path: "/v1/responses",
			requests: []string{gpt(ask("go")), gpt(ask("go"), item(long), ask("on")),
				"/compact" + gpt(ask("go"), item(long), ask("on"), item("It goes on, and nothing is left.")),
				gpt(encrypted, ask("on")), gpt(encrypted, ask("on"), item("yes"), ask("end"))},
			responses: []string{output(r1, item(long)), output(r2, item("It goes on, and nothing is left.")),
				output(r3, encrypted), output(r1, item("yes")), output(r2, item("end"))},
			turns: []int{1, 2, 0, 3, 4}, fired: 3},
		{name: "a response that the API keeps, compacted by its id", path: "/v1/responses",
			requests: []string{gpt(ask("go")), next(r1, "on"),
				`/compact{"model":"gpt-5.6","previous_response_id":"` + r2 + `"}`,
				gpt(encrypted, ask("on")), gpt(encrypted, ask("on"), item("yes"), ask("end"))},
			responses: []string{output(r1, item(long)), output(r2, item("yes")), output(r3, encrypted),
				output(keptID(4), item("yes")), output(keptID(5), item("end"))},
			turns: []int{1, 2, 0, 3, 4}, fired: 3},
		{name: "a response that the API keeps", path: "/v1/responses",
			requests: []string{gpt(ask("go")), next(r1, "on"), next(r2, "more"), next(r3, "end")},
			responses: []string{output(r1, item(long)), outputStreamed(r2, encrypted, item("so")), output(r3),
				output(r1)},
			turns: []int{1, 2, 3, 4}, fired: 3},
		{name: "a response that the API keeps, of which only the id has come", path: "/v1/responses",
			requests: []string{gpt(ask("go")), next(r1, "on"), next(r2, "more")},
			responses: []string{`data: {"type":"response.created","response":{"id":"` + r1 + `"}}` + "\n\n",
				output(r2, item("so")), output(r3)},
			turns: []int{1, 2, 3}, unknown: 2},
	} {
		for _, named := range []bool{false, true} {
			t.Run(c.name+", named "+strconv.FormatBool(named), func(t *testing.T) {
				t.Parallel()
				api := &canned{left: slices.Clone(c.responses)}
				w := newWorld(t, rules(t, "c: compacted", "no! not compacted", "f: turn_count >= 1"),
					setting{base: func(http.RoundTripper) http.RoundTripper { return api }})
				if named {
					w.header.Set(transport.RunHeader, "run")
				}
				for i, body := range c.requests {
					path := c.path
					if rest, compacts := strings.CutPrefix(body, "/compact"); compacts {
						path, body = path+"/compact", rest
					}
					if !json.Valid([]byte(body)) {
						t.Fatal(body)
					}
					w.post(path, body)
					r := w.reports[len(w.reports)-1]
					if r.Turn != c.turns[i] || r.Passed != "" {
						t.Errorf("request %d is turn %d, want %d: %+v", i, r.Turn, c.turns[i], r)
					}
					if r.Turn == 0 {
						continue
					}
					fires := func(id string) bool {
						return slices.ContainsFunc(r.Fired, func(f transport.Fire) bool { return f.ID == id })
					}
					if fires("c") != (r.Turn == c.fired) || fires("no") != (r.Turn != c.fired && r.Turn != c.unknown) {
						t.Errorf("turn %d: %+v", r.Turn, r.Fired)
					}
				}
			})
		}
	}
}
