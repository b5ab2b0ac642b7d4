package goopenai_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/sashabaranov/go-openai"

	"github.com/aside-go/aside/inject/transport/adapters"
	"github.com/aside-go/aside/inject/transport/adapters/goopenai"
	"github.com/aside-go/aside/internal/test/scene"
	"github.com/aside-go/aside/internal/test/testkit"
)

// goOpenAI is an agent by go-openai.
type goOpenAI struct {
	scene.Setting
	client   goopenai.Client
	messages []openai.ChatCompletionMessage
}

func openGoOpenAI(s scene.Setting) (scene.Agent, error) {
	c := openai.DefaultConfig("key")
	c.BaseURL = s.URL + "/v1"
	return &goOpenAI{Setting: s, client: goopenai.New(c, s.Client), messages: []openai.ChatCompletionMessage{
		{Role: "system", Content: "You are an agent."}}}, nil
}

func (a *goOpenAI) History() any { return a.messages }

func (a *goOpenAI) Ask(ctx context.Context, prompt string) (string, error) {
	a.messages = append(a.messages, openai.ChatCompletionMessage{Role: "user", Content: prompt})
	for {
		m, err := a.complete(ctx)
		if err != nil {
			return "", err
		}
		a.messages = append(a.messages, m)
		if len(m.ToolCalls) == 0 {
			return m.Content, nil
		}
		for _, c := range m.ToolCalls {
			text, err := a.Tool(ctx, c.Function.Name, scene.Path(c.Function.Arguments))
			if adapters.Result(ctx, c.ID, err); err != nil {
				text = "Error: " + err.Error()
			}
			a.messages = append(a.messages, openai.ChatCompletionMessage{Role: "tool", ToolCallID: c.ID,
				Content: text})
		}
	}
}

func (a *goOpenAI) complete(ctx context.Context) (m openai.ChatCompletionMessage, err error) {
	r := openai.ChatCompletionRequest{Model: a.Model, Messages: a.messages}
	for _, name := range scene.Tools {
		r.Tools = append(r.Tools, openai.Tool{Type: "function", Function: &openai.FunctionDefinition{Name: name,
			Parameters: scene.Schema}})
	}
	if !a.Stream {
		res, err := a.client.CreateChatCompletion(ctx, r)
		if err != nil {
			return m, err
		}
		return res.Choices[0].Message, nil
	}
	stream, err := a.client.CreateChatCompletionStream(ctx, r)
	if err != nil {
		return m, err
	}
	defer stream.Close()
	m.Role = "assistant"
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return m, err
		}
		if len(chunk.Choices) == 0 {
			continue
		}
		d := chunk.Choices[0].Delta
		m.Content += d.Content
		for _, c := range d.ToolCalls {
			for len(m.ToolCalls) <= *c.Index {
				m.ToolCalls = append(m.ToolCalls, openai.ToolCall{Type: "function"})
			}
			to := &m.ToolCalls[*c.Index]
			to.ID += c.ID
			to.Function.Name += c.Function.Name
			to.Function.Arguments += c.Function.Arguments
		}
	}
}

// TestSession: go-openai gets through the session, by "aside serve" as it is and with its adapter.
func TestSession(t *testing.T) {
	t.Parallel()
	scene.Framework{Name: "go-openai", Model: "gpt-4.1", Told: true, Open: openGoOpenAI}.Run(t)
}

func TestMain(m *testing.M) { testkit.Main(m) }
