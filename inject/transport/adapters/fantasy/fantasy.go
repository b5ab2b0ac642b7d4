// Package fantasy puts reminders into the requests of charm.land/fantasy (charmbracelet/fantasy).
//
//	p, err := anthropic.New(anthropic.WithHTTPClient(adapters.Client(ev, opts)), ...)
//	a := fantasy.NewAgent(model, fantasy.WithPrepareStep(asidefantasy.PrepareStep), ...)
//
// It is a module of its own, since some of what it needs does not go with what genkit needs.
package fantasy

import (
	"context"

	"charm.land/fantasy"

	"github.com/aside-go/aside/inject/transport/adapters"
)

// PrepareStep tells, before each model call, which tools have failed. Give it to an agent with
// fantasy.WithPrepareStep, or call it from a PrepareStep of your own; and give the provider the client of
// adapters.Client with its option WithHTTPClient.
func PrepareStep(ctx context.Context, o fantasy.PrepareStepFunctionOptions) (
	context.Context, fantasy.PrepareStepResult, error,
) {
	i := len(o.Messages)
	for i > 0 && o.Messages[i-1].Role == fantasy.MessageRoleTool {
		for _, p := range o.Messages[i-1].Content {
			if r, ok := fantasy.AsMessagePart[fantasy.ToolResultPart](p); ok {
				failure, _ := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentError](r.Output)
				adapters.Result(ctx, r.ToolCallID, failure.Error)
			}
		}
		i--
	}
	var calls []adapters.Call
	if i > 0 && i < len(o.Messages) {
		for _, p := range o.Messages[i-1].Content {
			if c, ok := fantasy.AsMessagePart[fantasy.ToolCallPart](p); ok {
				calls = append(calls, adapters.Call{ID: c.ToolCallID, Tool: c.ToolName})
			}
		}
	}
	return adapters.Turn(ctx, calls), fantasy.PrepareStepResult{}, nil
}
