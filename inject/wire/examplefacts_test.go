package wire_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject/wire"
)

func ExampleReadRequest() {
	q, err := readFacts(incoming{
		Path:   "/v1/messages",
		Header: map[string][]string{"X-Claude-Code-Session-Id": {"7f3a"}},
		Body: []byte(`{"model":"claude-opus-5","messages":[
			{"role":"user","content":"Fix the test."},
			{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{}},{"type":"tool_use","id":"t2","name":"Bash","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1"},{"type":"tool_result","tool_use_id":"t2","is_error":true}]}]}`),
	})
	if err != nil {
		fmt.Println(err)
	}
	facts := q.Facts()
	fmt.Println(q.Kind, q.Thread.Key())
	fmt.Println(facts["tool_used"], facts["last_tool_call_failed"], facts["user_message"], facts["prompt"])
	// Output:
	// turn 7f3a
	// [Edit Bash] true false Fix the test.
}

func ExampleRead() {
	in := incoming{Path: "/v1/messages",
		Body: []byte(`{"model":"claude-opus-5","messages":[{"role":"user","content":"Fix the test."}]}`)}
	q, c, err := readBoth(in, wire.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.API, q.Prompt.S)
	out, _ := c.Compose(nil, nil, []reminder.Due{{Text: "Run it first."}}, "")
	fmt.Printf("%s\n", out)
	// Output:
	// anthropic Fix the test.
	// {"model":"claude-opus-5","messages":[{"role":"user","content":"Fix the test."},{"role":"system","clear_at":"next_user_message","content":"<system-reminder>\nRun it first.\n</system-reminder>"}]}
}

func ExampleTap() {
	response := strings.NewReader(
		`data: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":10,"cache_read_input_tokens":4000}}}

data: {"type":"message_delta","usage":{"output_tokens":25}}

data: {"type":"message_stop"}

`)
	tap := newTap()
	_, _ = io.Copy(io.Discard, tap.Reader(response)) // to the client
	u := tap.Usage()
	fmt.Println(u.Context.N, u.Response.N, u.Reasoning.Known)
	// Output: 4010 25 false
}

func ExampleWindows() {
	own := wire.Windows{"my-deployment": 128_000}
	fmt.Println(own.Of("my-deployment-2"))
	fmt.Println(own.Of("claude-opus-5"))
	fmt.Println(own.Of("something-else"))
	// Output:
	// 128000 true
	// 1000000 true
	// 0 false
}
