package fantasy_test

import (
	"context"
	"testing"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/openai"

	asidefantasy "github.com/aside-go/aside/inject/transport/adapters/fantasy"
	"github.com/aside-go/aside/internal/test/scene"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// TestFantasy: fantasy's agent gets through the session, by "aside serve" as it is and with its adapter.
func TestFantasy(t *testing.T) {
	t.Parallel()
	for _, f := range []scene.Framework{
		{Name: "fantasy", Model: "gpt-4.1", Told: true, Retries: true, Open: openOpenAI},
		{Name: "fantasy", Model: "claude-opus-4-6", Told: true, Retries: true, Open: openAnthropic},
	} {
		f.Run(t)
	}
}

// agent is a conversation with fantasy's agent, which runs the tools itself.
type agent struct {
	scene.Setting
	agent    fantasy.Agent
	messages []fantasy.Message
}

func openOpenAI(s scene.Setting) (scene.Agent, error) {
	p, err := openai.New(openai.WithAPIKey("key"), openai.WithBaseURL(s.URL+"/v1"),
		openai.WithHTTPClient(s.Client))
	return open(s, p, err)
}

func openAnthropic(s scene.Setting) (scene.Agent, error) {
	p, err := anthropic.New(anthropic.WithAPIKey("key"), anthropic.WithBaseURL(s.URL),
		anthropic.WithHTTPClient(s.Client))
	return open(s, p, err)
}

func open(s scene.Setting, p fantasy.Provider, err error) (scene.Agent, error) {
	if err != nil {
		return nil, err
	}
	m, err := p.LanguageModel(context.Background(), s.Model)
	if err != nil {
		return nil, err
	}
	type input struct {
		Path string `json:"path"`
	}
	var tools []fantasy.AgentTool
	for _, name := range scene.Tools {
		tools = append(tools, fantasy.NewParallelAgentTool(name, name,
			func(ctx context.Context, in input, _ fantasy.ToolCall) (fantasy.ToolResponse, error) {
				text, err := s.Tool(ctx, name, in.Path)
				if err != nil {
					return fantasy.NewTextErrorResponse(err.Error()), nil
				}
				return fantasy.NewTextResponse(text), nil
			}))
	}
	return &agent{Setting: s, agent: fantasy.NewAgent(m, fantasy.WithSystemPrompt("You are an agent."),
		fantasy.WithTools(tools...), fantasy.WithPrepareStep(asidefantasy.PrepareStep))}, nil
}

func (a *agent) History() any { return a.messages }

func (a *agent) Ask(ctx context.Context, prompt string) (string, error) {
	r, err := a.answer(ctx, prompt)
	if err != nil {
		return "", err
	}
	a.messages = append(a.messages, fantasy.NewUserMessage(prompt))
	for _, s := range r.Steps {
		a.messages = append(a.messages, s.Messages...)
	}
	return r.Response.Content.Text(), nil
}

func (a *agent) answer(ctx context.Context, prompt string) (*fantasy.AgentResult, error) {
	if a.Stream {
		return a.agent.Stream(ctx, fantasy.AgentStreamCall{Prompt: prompt, Messages: a.messages})
	}
	return a.agent.Generate(ctx, fantasy.AgentCall{Prompt: prompt, Messages: a.messages})
}
