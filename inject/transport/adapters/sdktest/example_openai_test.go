package sdktest_test

import (
	"context"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval/engine"
	"github.com/aside-go/aside/inject/transport"
)

// chatAgent is an agent by openai-go.
func chatAgent(ctx context.Context, rules, state, url string, prompts ...string) error {
	eng, err := engine.Open(ctx, engine.Options{Dirs: []string{rules}, State: state,
		Facts:     []fact.Fact{{Name: "vars.tests_green", Type: fact.Bool}},
		Transport: transport.Options{Commands: true}})
	if err != nil {
		return err
	}
	defer eng.Close()
	client := openai.NewClient(option.WithAPIKey("key"), option.WithBaseURL(url+"/v1/"),
		option.WithHTTPClient(eng.Client(nil)))
	run := eng.Run("session-1")
	run.Thread("plan")
	p := openai.ChatCompletionNewParams{Model: "gpt-5.6"}
	for i, prompt := range prompts {
		p.Messages = append(p.Messages, openai.UserMessage(prompt))
		if err := run.Set("tests_green", i != 1); err != nil {
			return err
		}
		answer, err := client.Chat.Completions.New(run.Context(ctx), p)
		if err != nil {
			return err
		}
		p.Messages = append(p.Messages, answer.Choices[0].Message.ToParam())
	}
	return nil
}

// An agent in 25 lines: openai-go.
func Example_openai() {
	example(chatAgent)
	// Output:
	// This is a plan: change no files.
	// The tests fail.
	// Short answers are wanted.
}
