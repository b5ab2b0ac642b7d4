package goopenai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"

	"github.com/sashabaranov/go-openai"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/inject/transport/adapters"
	"github.com/aside-go/aside/inject/transport/adapters/goopenai"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// A tool fails. OpenAI's API has no word for that, so the host tells it.
func Example() {
	set, _ := compile.New([]reminder.Reminder{{ID: "failed", Trigger: "tool_failed:Bash",
		Text: "The command failed. Say so."}}, compile.Options{})
	ev := eval.New(set, eval.Options{Decided: func(_ context.Context, run string, d *eval.Decision) {
		for _, f := range d.Fired {
			fmt.Printf("%s, turn %d: %s\n", run, d.Turn, f.Text)
		}
	}})
	api := httptest.NewServer(modelapi.New(modelapi.Options{Script: modelapi.Turns(
		modelapi.Reply{Parts: []modelapi.Part{modelapi.Use("call_1", "Bash", `{"command":"make"}`)}})}))
	defer api.Close()
	config := openai.DefaultConfig("key")
	config.BaseURL = api.URL
	client := goopenai.New(config, adapters.Client(ev, transport.Options{}))

	ctx, _ := adapters.Begin(context.Background(), ev, "run-7")
	request := openai.ChatCompletionRequest{Model: "gpt-4.1", Messages: []openai.ChatCompletionMessage{
		{Role: "user", Content: "Build it."}}}
	for {
		response, err := client.CreateChatCompletion(ctx, request)
		if err != nil {
			fmt.Println(err)
			return
		}
		said := response.Choices[0].Message
		request.Messages = append(request.Messages, said)
		if len(said.ToolCalls) == 0 {
			break
		}
		for _, c := range said.ToolCalls {
			adapters.Result(ctx, c.ID, errors.New("exit status 2"))
			request.Messages = append(request.Messages, openai.ChatCompletionMessage{Role: "tool", ToolCallID: c.ID,
				Content: "make: no rule"})
		}
	}
	// Output: run-7, turn 2: The command failed. Say so.
}
