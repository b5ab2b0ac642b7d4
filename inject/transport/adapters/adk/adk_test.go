package adk_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/model/gemini"
	"google.golang.org/adk/v2/model/openaimodel"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	asideadk "github.com/aside-go/aside/inject/transport/adapters/adk"
	"github.com/aside-go/aside/internal/test/scene"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// TestADK: an agent of the kit gets through the session, by "aside serve" as it is and with its adapter.
func TestADK(t *testing.T) {
	t.Parallel()
	for _, f := range []scene.Framework{
		{Name: "adk", Model: "gemini-3-pro", Told: true, Open: openGemini},
		// this API has no word for a failure
		{Name: "adk", Model: "gpt-4.1", Told: true, Retries: true, Open: openOpenAI},
	} {
		f.Run(t)
	}
}

// TestVariant: the kit asks the model which of Google's services it is from, and the adapter passes that on.
func TestVariant(t *testing.T) {
	t.Parallel()
	for _, backend := range []genai.Backend{genai.BackendGeminiAPI, genai.BackendVertexAI} {
		c := &genai.ClientConfig{APIKey: "key", Backend: backend}
		m, err := gemini.NewModel(t.Context(), "gemini-3-pro", c)
		if err != nil {
			t.Fatal(err)
		}
		got := asideadk.Model(m).(interface{ GetGoogleLLMVariant() genai.Backend }).GetGoogleLLMVariant()
		if got != backend {
			t.Errorf("%v, want %v", got, backend)
		}
	}
}

// conversation is a session of the kit's runner, which runs the tools itself.
type conversation struct {
	scene.Setting
	runner   *runner.Runner
	sessions session.Service
}

const app, user, id = "app", "user", "session"

func openGemini(s scene.Setting) (scene.Agent, error) {
	m, err := gemini.NewModel(context.Background(), s.Model, &genai.ClientConfig{APIKey: "key",
		Backend: genai.BackendGeminiAPI, HTTPClient: s.Client, HTTPOptions: genai.HTTPOptions{BaseURL: s.URL}})
	return open(s, m, err)
}

func openOpenAI(s scene.Setting) (scene.Agent, error) {
	m, err := openaimodel.NewModel(context.Background(), s.Model, &openaimodel.ClientConfig{APIKey: "key",
		BaseURL: s.URL + "/v1", HTTPClient: s.Client})
	return open(s, m, err)
}

func open(s scene.Setting, m model.LLM, err error) (scene.Agent, error) {
	if err != nil {
		return nil, err
	}
	type input struct {
		Path string `json:"path"`
	}
	var tools []tool.Tool
	for _, name := range scene.Tools {
		t, err := functiontool.New(functiontool.Config{Name: name, Description: name},
			func(ctx agent.Context, in input) (map[string]any, error) {
				text, err := s.Tool(ctx, name, in.Path)
				return map[string]any{"text": text}, err
			})
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	a, err := llmagent.New(llmagent.Config{Name: "agent", Model: asideadk.Model(m),
		Instruction: "You are an agent.", Tools: tools})
	if err != nil {
		return nil, err
	}
	c := &conversation{Setting: s, sessions: session.InMemoryService()}
	c.runner, err = runner.New(runner.Config{AppName: app, Agent: a, SessionService: c.sessions,
		AutoCreateSession: true})
	return c, err
}

func (c *conversation) Ask(ctx context.Context, prompt string) (text string, err error) {
	how := agent.RunConfig{StreamingMode: agent.StreamingModeNone}
	if c.Stream {
		how.StreamingMode = agent.StreamingModeSSE
	}
	for e, err := range c.runner.Run(ctx, user, id, genai.NewContentFromText(prompt, genai.RoleUser), how) {
		switch {
		case err != nil:
			return "", err
		case e.ErrorCode != "":
			return "", errors.New(e.ErrorMessage)
		case e.Content == nil || e.Partial || !e.IsFinalResponse():
			continue
		}
		text = ""
		for _, p := range e.Content.Parts {
			if !p.Thought {
				text += p.Text
			}
		}
	}
	return text, nil
}

func (c *conversation) History() any {
	r, err := c.sessions.Get(context.Background(), &session.GetRequest{AppName: app, UserID: user,
		SessionID: id})
	if err != nil {
		return fmt.Sprint(err)
	}
	var events []*session.Event
	for e := range r.Session.Events().All() {
		events = append(events, e)
	}
	return events
}
