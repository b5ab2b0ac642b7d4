package sdktest_test

import (
	"context"

	"google.golang.org/genai"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/inject/transport"
)

// geminiAgent is an agent by genai, whose Chat keeps the history.
func geminiAgent(ctx context.Context, rules, state, url string, prompts ...string) error {
	eng, err := engine.Open(ctx, engine.Options{Dirs: []string{rules}, State: state,
		Facts:     []fact.Fact{{Name: "vars.tests_green", Type: fact.Bool}},
		Transport: transport.Options{Commands: true}})
	if err != nil {
		return err
	}
	defer eng.Close()
	client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "key", Backend: genai.BackendGeminiAPI,
		HTTPClient: eng.Client(nil), HTTPOptions: genai.HTTPOptions{BaseURL: url}})
	if err != nil {
		return err
	}
	run := eng.Run("session-1")
	run.Thread("plan")
	chat, err := client.Chats.Create(ctx, "gemini-3-pro", nil, nil)
	for i, prompt := range prompts {
		if err == nil {
			err = run.Set("tests_green", i != 1)
		}
		if err == nil {
			_, err = chat.SendMessage(run.Context(ctx), genai.Part{Text: prompt})
		}
	}
	return err
}

// An agent in 25 lines: genai.
func Example_genai() {
	example(geminiAgent)
	// Output:
	// This is a plan: change no files.
	// The tests fail.
	// Short answers are wanted.
}
