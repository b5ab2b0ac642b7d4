// Package langchaingo puts reminders into the requests of github.com/tmc/langchaingo.
package langchaingo

import (
	"context"

	"github.com/tmc/langchaingo/llms"

	"github.com/aside-go/aside/inject/transport/adapters"
)

// Model returns m, whose requests tell what the host knows of the run. Give m the client of adapters.Client,
// with the option WithHTTPClient of its provider; report what became of each tool with adapters.Result.
func Model(m llms.Model) llms.Model { return model{m} }

type model struct{ llms.Model }

func (m model) GenerateContent(ctx context.Context, ms []llms.MessageContent, opts ...llms.CallOption) (
	*llms.ContentResponse, error,
) {
	return m.Model.GenerateContent(adapters.Turn(ctx, calls(ms)), ms, opts...)
}

// Call asks with a prompt alone.
func (m model) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, opts...)
}

// calls are those whose results end the messages.
func calls(ms []llms.MessageContent) (out []adapters.Call) {
	i := len(ms)
	for i > 0 && ms[i-1].Role == llms.ChatMessageTypeTool {
		i--
	}
	for k := i - 1; i < len(ms) && k >= 0 && ms[k].Role == llms.ChatMessageTypeAI; k-- {
		var here []adapters.Call
		for _, p := range ms[k].Parts {
			if c, ok := p.(llms.ToolCall); ok && c.FunctionCall != nil {
				here = append(here, adapters.Call{ID: c.ID, Tool: c.FunctionCall.Name})
			}
		}
		out = append(here, out...)
	}
	return out
}
