package langchaingo_test

import (
	"context"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/aside-go/aside/inject/transport/adapters"
	"github.com/aside-go/aside/inject/transport/adapters/langchaingo"
	"github.com/aside-go/aside/internal/test/scene"
	"github.com/aside-go/aside/internal/test/testkit"
)

// langChain is an agent by langchaingo.
type langChain struct {
	scene.Setting
	model    llms.Model
	split    bool // the provider sends but the first part of a message
	messages []llms.MessageContent
}

func openLangChain(s scene.Setting) (scene.Agent, error) {
	m, err := openai.New(openai.WithToken("key"), openai.WithBaseURL(s.URL+"/v1"), openai.WithModel(s.Model),
		openai.WithHTTPClient(s.Client))
	return chained(s, m, false, err)
}

func openLangChainAnthropic(s scene.Setting) (scene.Agent, error) {
	m, err := anthropic.New(anthropic.WithToken("key"), anthropic.WithBaseURL(s.URL+"/v1"),
		anthropic.WithModel(s.Model), anthropic.WithHTTPClient(s.Client))
	return chained(s, m, true, err)
}

func chained(s scene.Setting, m llms.Model, split bool, err error) (scene.Agent, error) {
	return &langChain{Setting: s, model: langchaingo.Model(m), split: split, messages: []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "You are an agent.")}}, err
}

func (a *langChain) History() any { return a.messages }

func (a *langChain) Ask(ctx context.Context, prompt string) (string, error) {
	opts := []llms.CallOption{llms.WithTools(nil), llms.WithMaxTokens(4000)}
	var tools []llms.Tool
	for _, name := range scene.Tools {
		tools = append(tools, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: name,
			Description: name, Parameters: scene.Schema}})
	}
	opts[0] = llms.WithTools(tools)
	if a.Stream {
		opts = append(opts, llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
	}
	a.messages = append(a.messages, llms.TextParts(llms.ChatMessageTypeHuman, prompt))
	for {
		res, err := a.model.GenerateContent(ctx, a.messages, opts...)
		if err != nil {
			return "", err
		}
		said := llms.MessageContent{Role: llms.ChatMessageTypeAI}
		text := ""
		var calls []llms.ToolCall
		for _, c := range res.Choices {
			text += c.Content
			calls = append(calls, c.ToolCalls...)
		}
		if text != "" {
			said.Parts = append(said.Parts, llms.TextContent{Text: text})
		}
		for _, c := range calls {
			said.Parts = append(said.Parts, c)
		}
		if a.messages = append(a.messages, said); a.split {
			a.messages = a.messages[:len(a.messages)-1]
			for _, p := range said.Parts {
				a.messages = append(a.messages, llms.MessageContent{Role: said.Role, Parts: []llms.ContentPart{p}})
			}
		}
		if len(calls) == 0 {
			return text, nil
		}
		for _, c := range calls {
			out, err := a.Tool(ctx, c.FunctionCall.Name, scene.Path(c.FunctionCall.Arguments))
			if adapters.Result(ctx, c.ID, err); err != nil {
				out = "Error: " + err.Error()
			}
			a.messages = append(a.messages, llms.MessageContent{Role: llms.ChatMessageTypeTool,
				Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: c.ID, Name: c.FunctionCall.Name,
					Content: out}}})
		}
	}
}

// TestSession: langchaingo gets through the session, by "aside serve" as it is and with its adapter.
func TestSession(t *testing.T) {
	t.Parallel()
	scene.Framework{Name: "langchaingo", Model: "gpt-4.1", Told: true, Open: openLangChain}.Run(t)
	scene.Framework{Name: "langchaingo", Model: "claude-opus-4-6", Told: true,
		Open: openLangChainAnthropic}.Run(t)
}

func TestMain(m *testing.M) { testkit.Main(m) }
