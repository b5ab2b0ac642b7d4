package sdktest_test

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/inject/transport"
)

// claudeAgent is an agent by anthropic-sdk-go.
func claudeAgent(ctx context.Context, rules, state, url string, prompts ...string) error {
	eng, err := engine.Open(ctx, engine.Options{Dirs: []string{rules}, State: state,
		Facts:     []fact.Fact{{Name: "vars.tests_green", Type: fact.Bool}},
		Transport: transport.Options{Commands: true}})
	if err != nil {
		return err
	}
	defer eng.Close()
	client := anthropic.NewClient(option.WithAPIKey("key"), option.WithBaseURL(url),
		option.WithHTTPClient(eng.Client(nil)))
	run := eng.Run("session-1")
	run.Thread("plan")
	var p anthropic.MessageNewParams
	p.Model, p.MaxTokens = "claude-opus-5-5", 1000
	for i, prompt := range prompts {
		p.Messages = append(p.Messages, anthropic.NewUserMessage(anthropic.NewTextBlock(prompt)))
		if err := run.Set("tests_green", i != 1); err != nil {
			return err
		}
		answer, err := client.Messages.New(run.Context(ctx), p)
		if err != nil {
			return err
		}
		p.Messages = append(p.Messages, answer.ToParam())
	}
	return nil
}

// An agent in 25 lines: anthropic-sdk-go.
func Example_anthropic() {
	example(claudeAgent)
	// Output:
	// This is a plan: change no files.
	// The tests fail.
	// Short answers are wanted.
}
