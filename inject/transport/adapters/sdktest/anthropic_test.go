package sdktest_test

import (
	"context"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// claude is an agent by anthropic-sdk-go.
type claude struct {
	client anthropic.Client
	model  string
	stream bool
	ms     []anthropic.MessageParam
}

func newClaude(way way, m mode, opts ...option.RequestOption) *claude {
	all := []option.RequestOption{option.WithAPIKey("key"), option.WithHTTPClient(way.client),
		option.WithMaxRetries(m.retries)}
	if m.hook != nil {
		all = append(all, option.WithMiddleware(m.hook))
	}
	all = append(append(all, opts...), option.WithBaseURL(way.url))
	return &claude{client: anthropic.NewClient(all...), model: m.model, stream: m.stream}
}

// onBedrock speaks to InvokeModel, with a key in a header in place of a signature.
func onBedrock(way way, m mode) *claude {
	return newClaude(way, m, bedrock.WithConfig(aws.Config{Region: "us-east-1",
		BearerAuthTokenProvider: bedrock.NewStaticBearerTokenProvider("token")}))
}

func (c *claude) User(text string) {
	c.ms = append(c.ms, anthropic.NewUserMessage(anthropic.NewTextBlock(text)))
}

func (c *claude) Results(rs []result) {
	var blocks []anthropic.ContentBlockParamUnion
	for _, r := range rs {
		blocks = append(blocks, anthropic.NewToolResultBlock(r.ID, r.Text, r.Failed))
	}
	c.ms = append(c.ms, anthropic.NewUserMessage(blocks...))
}

func (c *claude) History() string { return encoded(c.ms) }

// params has a cache breakpoint on the system prompt and one that moves with the last message.
func (c *claude) params() anthropic.MessageNewParams {
	mark := anthropic.NewCacheControlEphemeralParam()
	p := anthropic.MessageNewParams{
		Model:     anthropic.Model(c.model),
		MaxTokens: 4000,
		System:    []anthropic.TextBlockParam{{Text: "You are an agent.", CacheControl: mark}},
		Messages:  append([]anthropic.MessageParam(nil), c.ms...),
		Thinking:  anthropic.ThinkingConfigParamOfEnabled(2000),
	}
	for _, name := range tools {
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{Name: name,
			InputSchema: anthropic.ToolInputSchemaParam{Properties: schema["properties"]}}})
	}
	last := &p.Messages[len(p.Messages)-1]
	last.Content = append([]anthropic.ContentBlockParamUnion(nil), last.Content...)
	switch b := &last.Content[len(last.Content)-1]; {
	case b.OfText != nil:
		t := *b.OfText
		t.CacheControl = mark
		b.OfText = &t
	case b.OfToolResult != nil:
		r := *b.OfToolResult
		r.CacheControl = mark
		b.OfToolResult = &r
	}
	return p
}

func (c *claude) Ask(ctx context.Context) (answer, error) {
	m := &anthropic.Message{}
	if c.stream {
		s := c.client.Messages.NewStreaming(ctx, c.params())
		for s.Next() {
			if err := m.Accumulate(s.Current()); err != nil {
				return answer{}, err
			}
		}
		if err := s.Err(); err != nil {
			return answer{}, err
		}
	} else {
		var err error
		if m, err = c.client.Messages.New(ctx, c.params()); err != nil {
			return answer{}, err
		}
	}
	c.ms = append(c.ms, m.ToParam())
	a := answer{Prompt: m.Usage.InputTokens + m.Usage.CacheReadInputTokens + m.Usage.CacheCreationInputTokens,
		Output: m.Usage.OutputTokens}
	for _, b := range m.Content {
		a.Text += b.Text
		a.Thinking += b.Thinking
		if strings.HasSuffix(b.Type, "tool_use") {
			a.Calls = append(a.Calls, modelapi.Call{ID: b.ID, Name: b.Name, Args: string(b.Input)})
		}
	}
	return a, nil
}
