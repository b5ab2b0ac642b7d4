package genkit_test

import (
	"context"
	"slices"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	oai "github.com/firebase/genkit/go/plugins/compat_oai/openai"
	"github.com/openai/openai-go/option"

	asidegenkit "github.com/aside-go/aside/inject/transport/adapters/genkit"
	"github.com/aside-go/aside/internal/test/scene"
	"github.com/aside-go/aside/internal/test/testkit"
)

// generator is an agent by genkit, which runs the tools itself.
type generator struct {
	scene.Setting
	kit      *genkit.Genkit
	options  []ai.GenerateOption
	messages []*ai.Message
}

func openGenkit(s scene.Setting) (scene.Agent, error) {
	plugin := &oai.OpenAI{APIKey: "key", Opts: []option.RequestOption{option.WithBaseURL(s.URL + "/v1"),
		option.WithHTTPClient(s.Client)}}
	g := &generator{Setting: s, kit: genkit.Init(context.Background(), genkit.WithPlugins(plugin))}
	var tools []ai.ToolRef
	for _, name := range scene.Tools {
		tools = append(tools, genkit.DefineTool(g.kit, name, name,
			func(ctx *ai.ToolContext, in struct {
				Path string `json:"path"`
			}) (string, error) {
				text, err := s.Tool(ctx, name, in.Path)
				if err != nil {
					return "Error: " + err.Error(), nil
				}
				return text, nil
			}))
	}
	g.messages = []*ai.Message{ai.NewSystemTextMessage("You are an agent.")}
	g.options = []ai.GenerateOption{ai.WithModel(plugin.Model(g.kit, s.Model)), ai.WithTools(tools...),
		ai.WithMaxTurns(20), ai.WithMiddleware(asidegenkit.Model, g.keep)}
	if s.Stream {
		g.options = append(g.options, ai.WithStreaming(func(context.Context, *ai.ModelResponseChunk) error {
			return nil
		}))
	}
	return g, nil
}

func (g *generator) History() any { return g.messages }

func (g *generator) Ask(ctx context.Context, prompt string) (string, error) {
	g.messages = append(g.messages, ai.NewUserTextMessage(prompt))
	r, err := genkit.Generate(ctx, g.kit, append(g.options[:len(g.options):len(g.options)],
		ai.WithMessages(g.messages...))...)
	if err != nil {
		return "", err
	}
	g.messages = append(g.messages, r.Message)
	return r.Text(), nil
}

// keep keeps the messages of the last request: a response that was streamed has no history.
func (g *generator) keep(next ai.ModelFunc) ai.ModelFunc {
	return func(ctx context.Context, r *ai.ModelRequest, stream ai.ModelStreamCallback) (*ai.ModelResponse,
		error) {
		g.messages = slices.Clone(r.Messages)
		return next(ctx, r, stream)
	}
}

// TestSession: genkit gets through the session, by "aside serve" as it is and with its adapter.
func TestSession(t *testing.T) {
	t.Parallel()
	scene.Framework{Name: "genkit", Model: "gpt-4.1", Open: openGenkit, Retries: true}.Run(t)
}

func TestMain(m *testing.M) { testkit.Main(m) }
