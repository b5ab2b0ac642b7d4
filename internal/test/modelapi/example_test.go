package modelapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/aside-go/aside/internal/test/modelapi"
)

func ExampleCheck() {
	body := `{"model":"claude-haiku-4-5","max_tokens":100,"messages":[{"role":"user","content":"hi"},{"role":"system","content":"be brief"}]}`
	no := modelapi.Check(modelapi.Request{Path: "/v1/messages", Body: []byte(body)}, nil)
	fmt.Println(no.Rule)
	fmt.Println(no)
	// Output:
	// a system message to a model that takes none
	// anthropic: 400 messages.1: role 'system' is not supported on this model (a system message to a model that takes none)
}

func ExampleFake() {
	fake := modelapi.New(modelapi.Options{
		Script: modelapi.Turns(modelapi.Reply{Parts: []modelapi.Part{modelapi.Use("toolu_1", "Bash",
			`{"command":"ls"}`)}}),
		Faults: map[int]modelapi.Fault{1: {Status: 529}},
	})
	api := httptest.NewServer(fake)
	defer api.Close()
	for range 2 {
		res, err := http.Post(api.URL+"/v1/chat/completions", "application/json",
			strings.NewReader(`{"model":"gpt-5.6","messages":[{"role":"user","content":"hi"}]}`))
		if err != nil {
			fmt.Println(err)
			return
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		fmt.Println(res.StatusCode)
	}
	last := fake.Records()[1]
	fmt.Println(last.Prompt.Conversation(), last.Answer.Reply.Parts[0].Call.Name, last.Answer.Usage.Prompt)
	// Output:
	// 529
	// 200
	// [user: hi] Bash 1
}
