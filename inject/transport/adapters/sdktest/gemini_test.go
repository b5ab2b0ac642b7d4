package sdktest_test

import (
	"context"

	"google.golang.org/genai"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// gemini is an agent by genai, whose Chat keeps the history.
type gemini struct {
	chat   *genai.Chat
	stream bool
	next   []*genai.Part
}

func newGemini(ctx context.Context, way way, m mode) (*gemini, error) {
	return geminiAt(ctx, way, m, genai.ClientConfig{APIKey: "key", Backend: genai.BackendGeminiAPI})
}

// onVertex has project and region in the path.
func onVertex(ctx context.Context, way way, m mode) (*gemini, error) {
	return geminiAt(ctx, way, m, genai.ClientConfig{Backend: genai.BackendVertexAI, Project: "p",
		Location: "us-central1"})
}

func geminiAt(ctx context.Context, way way, m mode, config genai.ClientConfig) (*gemini, error) {
	attempts, wait := int32(m.retries+1), 0.001
	config.HTTPClient = way.client
	config.HTTPOptions = genai.HTTPOptions{BaseURL: way.url,
		RetryOptions: &genai.HTTPRetryOptions{Attempts: &attempts, InitialDelay: &wait, MaxDelay: &wait}}
	c, err := genai.NewClient(ctx, &config)
	if err != nil {
		return nil, err
	}
	var fs []*genai.FunctionDeclaration
	for _, name := range tools {
		fs = append(fs, &genai.FunctionDeclaration{Name: name, ParametersJsonSchema: schema})
	}
	chat, err := c.Chats.Create(ctx, m.model, &genai.GenerateContentConfig{
		SystemInstruction: genai.NewContentFromText("You are an agent.", genai.RoleUser),
		Tools:             []*genai.Tool{{FunctionDeclarations: fs}},
		ThinkingConfig:    &genai.ThinkingConfig{IncludeThoughts: true},
	}, nil)
	return &gemini{chat: chat, stream: m.stream}, err
}

func (g *gemini) User(text string) { g.next = append(g.next, genai.NewPartFromText(text)) }

func (g *gemini) Results(rs []result) {
	for _, r := range rs {
		member := "output"
		if r.Failed {
			member = "error"
		}
		g.next = append(g.next, &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: r.ID, Name: r.Name,
			Response: map[string]any{member: r.Text}}})
	}
}

func (g *gemini) History() string { return encoded(g.chat.History(false)) }

func (g *gemini) Ask(ctx context.Context) (answer, error) {
	parts := g.next
	var a answer
	take := func(res *genai.GenerateContentResponse) {
		if u := res.UsageMetadata; u != nil {
			a.Prompt, a.Output = int64(u.PromptTokenCount), int64(u.CandidatesTokenCount+u.ThoughtsTokenCount)
		}
		if len(res.Candidates) == 0 || res.Candidates[0].Content == nil {
			return
		}
		for _, p := range res.Candidates[0].Content.Parts {
			switch {
			case p.FunctionCall != nil:
				a.Calls = append(a.Calls, modelapi.Call{ID: p.FunctionCall.ID, Name: p.FunctionCall.Name,
					Args: encoded(p.FunctionCall.Args)})
			case p.Thought:
				a.Thinking += p.Text
			default:
				a.Text += p.Text
			}
		}
	}
	if g.stream {
		for res, err := range g.chat.SendStream(ctx, parts...) {
			if err != nil {
				return a, err
			}
			take(res)
		}
	} else {
		res, err := g.chat.Send(ctx, parts...)
		if err != nil {
			return a, err
		}
		take(res)
	}
	g.next = nil
	return a, nil
}
