package eino_test

import (
	"context"
	"slices"
	"testing"

	openai "github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"

	"github.com/aside-go/aside/inject/transport/adapters/eino"
	"github.com/aside-go/aside/internal/test/scene"
	"github.com/aside-go/aside/internal/test/testkit"
)

// einoReact is eino's ready-made agent.
type einoReact struct {
	scene.Setting
	agent    *react.Agent
	messages []*schema.Message
}

// tolerant tells the model of tools that fail.
var tolerant = compose.ToolMiddleware{
	Invokable: func(next compose.InvokableToolEndpoint) compose.InvokableToolEndpoint {
		return func(ctx context.Context, in *compose.ToolInput) (*compose.ToolOutput, error) {
			out, err := next(ctx, in)
			if err != nil {
				return &compose.ToolOutput{Result: "Error: " + err.Error()}, nil
			}
			return out, nil
		}
	},
}

func openEino(s scene.Setting) (scene.Agent, error) {
	ctx := context.Background()
	m, err := openai.NewChatModel(ctx, &openai.ChatModelConfig{APIKey: "key", BaseURL: s.URL + "/v1",
		Model: s.Model, HTTPClient: s.Client})
	if err != nil {
		return nil, err
	}
	path := map[string]*schema.ParameterInfo{"path": {Type: schema.String}}
	var tools []tool.BaseTool
	for _, name := range scene.Tools {
		tools = append(tools, utils.NewTool(&schema.ToolInfo{Name: name, Desc: name,
			ParamsOneOf: schema.NewParamsOneOfByParams(path)},
			func(ctx context.Context, in struct{ Path string }) (string, error) { return s.Tool(ctx, name, in.Path) }))
	}
	a := &einoReact{Setting: s, messages: []*schema.Message{schema.SystemMessage("You are an agent.")}}
	a.agent, err = react.NewAgent(ctx, &react.AgentConfig{ToolCallingModel: m, MaxStep: 40,
		MessageRewriter: func(_ context.Context, ms []*schema.Message) []*schema.Message {
			a.messages = slices.Clone(ms) // what the agent has stored
			return ms
		},
		ToolsConfig: compose.ToolsNodeConfig{Tools: tools, ToolCallMiddlewares: []compose.ToolMiddleware{tolerant}},
		StreamToolCallChecker: func(_ context.Context, out *schema.StreamReader[*schema.Message]) (bool, error) {
			m, err := schema.ConcatMessageStream(out)
			return err == nil && len(m.ToolCalls) > 0, err
		}})
	return a, err
}

func (a *einoReact) History() any { return a.messages }

func (a *einoReact) Ask(ctx context.Context, prompt string) (string, error) {
	opt := agent.WithComposeOptions(compose.WithCallbacks(eino.Handler()))
	in := append(a.messages, schema.UserMessage(prompt))
	said, err := a.answer(ctx, in, opt)
	if err != nil {
		return "", err
	}
	a.messages = append(a.messages, said)
	return said.Content, nil
}

func (a *einoReact) answer(ctx context.Context, in []*schema.Message, opt agent.AgentOption) (
	*schema.Message, error,
) {
	if !a.Stream {
		return a.agent.Generate(ctx, in, opt)
	}
	out, err := a.agent.Stream(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	return schema.ConcatMessageStream(out)
}

// TestSession: eino gets through the session, by "aside serve" as it is and with its adapter.
func TestSession(t *testing.T) {
	t.Parallel()
	scene.Framework{Name: "eino", Model: "gpt-4.1", Told: true, Open: openEino}.Run(t)
}

func TestMain(m *testing.M) { testkit.Main(m) }
