// Package eino puts reminders into the requests of github.com/cloudwego/eino.
package eino

import (
	"context"

	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	handlers "github.com/cloudwego/eino/utils/callbacks"

	"github.com/aside-go/aside/inject/transport/adapters"
)

// Handler returns a handler that tells which tools have failed. Give it to all graphs and agents with
// callbacks.AppendGlobalHandlers, or to one with compose.WithCallbacks; and give the chat model the client of
// adapters.Client as the HTTPClient of its configuration. A tool that fails ends a run of eino, but for a
// ToolMiddleware that makes a text of the error: the handler sees the error before.
func Handler() callbacks.Handler {
	return handlers.NewHandlerHelper().ChatModel(&handlers.ModelCallbackHandler{
		OnStart: func(ctx context.Context, _ *callbacks.RunInfo, in *model.CallbackInput) context.Context {
			if ctx.Value(inputKey{}) == in { // an agent within a tool has the handlers of the one around it, too
				return ctx
			}
			return adapters.Turn(context.WithValue(ctx, inputKey{}, in), calls(in.Messages))
		},
	}).Tool(&handlers.ToolCallbackHandler{
		OnEnd: func(ctx context.Context, _ *callbacks.RunInfo, _ *tool.CallbackOutput) context.Context {
			adapters.Result(ctx, compose.GetToolCallID(ctx), nil)
			return ctx
		},
		OnEndWithStreamOutput: func(ctx context.Context, _ *callbacks.RunInfo,
			out *schema.StreamReader[*tool.CallbackOutput],
		) context.Context {
			out.Close()
			adapters.Result(ctx, compose.GetToolCallID(ctx), nil)
			return ctx
		},
		OnError: func(ctx context.Context, _ *callbacks.RunInfo, err error) context.Context {
			adapters.Result(ctx, compose.GetToolCallID(ctx), err)
			return ctx
		},
	}).Handler()
}

type inputKey struct{}

// calls are those whose results end the messages.
func calls(ms []*schema.Message) (out []adapters.Call) {
	i := len(ms)
	for i > 0 && ms[i-1].Role == schema.Tool {
		i--
	}
	if i > 0 && i < len(ms) {
		for _, c := range ms[i-1].ToolCalls {
			out = append(out, adapters.Call{ID: c.ID, Tool: c.Function.Name})
		}
	}
	return out
}
