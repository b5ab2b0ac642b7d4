package request_test

import (
	"fmt"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/request"
)

func ExampleReadFacts() {
	q, err := request.ReadFacts(request.Incoming{
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
	in := request.Incoming{Path: "/v1/messages",
		Body: []byte(`{"model":"claude-opus-5","messages":[{"role":"user","content":"Fix the test."}]}`)}
	q, c, err := request.Read(in, body.Options{Takes: api.Takes(nil)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.API, q.Prompt.S)
	out, _ := c.Edit(nil, []reminder.Due{{Text: "Run it first."}})
	fmt.Printf("%s\n", out.AppendTo(nil))
	// Output:
	// anthropic Fix the test.
	// {"model":"claude-opus-5","messages":[{"role":"user","content":"Fix the test."},{"role":"system","clear_at":"next_user_message","content":"<system-reminder>\nRun it first.\n</system-reminder>"}]}
}
