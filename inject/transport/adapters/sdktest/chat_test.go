package sdktest_test

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// chat is an agent by openai-go, Chat Completions.
type chat struct {
	client openai.Client
	model  string
	stream bool
	ms     []openai.ChatCompletionMessageParamUnion
}

func openaiOptions(way way, m mode) []option.RequestOption {
	opts := []option.RequestOption{option.WithAPIKey("key"), option.WithBaseURL(way.url + "/v1/"),
		option.WithHTTPClient(way.client), option.WithMaxRetries(m.retries)}
	if m.hook != nil {
		opts = append(opts, option.WithMiddleware(m.hook))
	}
	return opts
}

func newChat(way way, m mode, opts ...option.RequestOption) *chat {
	c := &chat{client: openai.NewClient(append(openaiOptions(way, m), opts...)...), model: m.model,
		stream: m.stream}
	c.ms = append(c.ms, openai.SystemMessage("You are an agent."))
	return c
}

// onAzure has the deployment in the path.
func onAzure(way way, m mode) *chat {
	return newChat(way, m, option.WithBaseURL(way.url+"/openai/deployments/"+m.model+"/"),
		option.WithQuery("api-version", "2025-04-01-preview"))
}

func (c *chat) User(text string) { c.ms = append(c.ms, openai.UserMessage(text)) }

func (c *chat) Results(rs []result) {
	for _, r := range rs {
		c.ms = append(c.ms, openai.ToolMessage(r.Text, r.ID))
	}
}

func (c *chat) History() string { return encoded(c.ms) }

func (c *chat) params() openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{Model: c.model, Messages: c.ms}
	for _, name := range tools {
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: name,
			Parameters: schema}))
	}
	if c.stream {
		p.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	return p
}

func (c *chat) Ask(ctx context.Context) (answer, error) {
	var all openai.ChatCompletion
	if c.stream {
		s := c.client.Chat.Completions.NewStreaming(ctx, c.params())
		acc := openai.ChatCompletionAccumulator{}
		for s.Next() {
			if !acc.AddChunk(s.Current()) {
				return answer{}, errors.New("a chunk does not fit the others")
			}
		}
		if err := s.Err(); err != nil {
			return answer{}, err
		}
		all = acc.ChatCompletion
	} else {
		res, err := c.client.Chat.Completions.New(ctx, c.params())
		if err != nil {
			return answer{}, err
		}
		all = *res
	}
	m := all.Choices[0].Message
	c.ms = append(c.ms, m.ToParam())
	a := answer{Text: m.Content, Prompt: all.Usage.PromptTokens, Output: all.Usage.CompletionTokens}
	for _, x := range m.ToolCalls {
		a.Calls = append(a.Calls, modelapi.Call{ID: x.ID, Name: x.Function.Name, Args: x.Function.Arguments})
	}
	return a, nil
}
