// Package goopenai puts reminders into the requests of github.com/sashabaranov/go-openai.
package goopenai

import (
	"context"
	"net/http"

	"github.com/sashabaranov/go-openai"

	"github.com/aside-go/aside/inject/transport/adapters"
)

// Client is an openai.Client whose chat completions tell what the host knows of the run. Give the client the
// configuration, with the result of adapters.Client as its HTTPClient; report what became of each tool with
// adapters.Result.
type Client struct{ *openai.Client }

// New returns a Client that asks over client, which adapters.Client has made.
func New(config openai.ClientConfig, client *http.Client) Client {
	config.HTTPClient = client
	return Client{openai.NewClientWithConfig(config)}
}

// CreateChatCompletion is that of openai.Client.
func (c Client) CreateChatCompletion(ctx context.Context, r openai.ChatCompletionRequest) (
	openai.ChatCompletionResponse, error,
) {
	return c.Client.CreateChatCompletion(adapters.Turn(ctx, calls(r.Messages)), r)
}

// CreateChatCompletionStream is that of openai.Client.
func (c Client) CreateChatCompletionStream(ctx context.Context, r openai.ChatCompletionRequest) (
	*openai.ChatCompletionStream, error,
) {
	return c.Client.CreateChatCompletionStream(adapters.Turn(ctx, calls(r.Messages)), r)
}

// calls are those whose results end the messages.
func calls(ms []openai.ChatCompletionMessage) (out []adapters.Call) {
	i := len(ms)
	for i > 0 && ms[i-1].Role == openai.ChatMessageRoleTool {
		i--
	}
	if i > 0 && i < len(ms) {
		for _, c := range ms[i-1].ToolCalls {
			out = append(out, adapters.Call{ID: c.ID, Tool: c.Function.Name})
		}
	}
	return out
}
