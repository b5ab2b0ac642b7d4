// Package genkit puts reminders into the requests of github.com/firebase/genkit/go.
//
//	oai := &openai.OpenAI{Opts: []option.RequestOption{option.WithHTTPClient(adapters.Client(ev, opts))}}
//	g := genkit.Init(ctx, genkit.WithPlugins(oai))
//	r, err := genkit.Generate(ctx, g, ai.WithMiddleware(asidegenkit.Model), ...)
package genkit

import (
	"context"

	"github.com/firebase/genkit/go/ai"

	"github.com/aside-go/aside/inject/transport/adapters"
)

// Model is middleware that tells what the host knows of the run. Give it to each generation with
// ai.WithMiddleware; and give the plugin of the model the client of adapters.Client, as with
// option.WithHTTPClient among the Opts of compat_oai. A tool that fails ends the generation; of a tool that
// makes a text of its failure, only the host can tell, with adapters.Result.
func Model(next ai.ModelFunc) ai.ModelFunc {
	return func(ctx context.Context, r *ai.ModelRequest, stream ai.ModelStreamCallback) (
		*ai.ModelResponse, error,
	) {
		return next(adapters.Turn(ctx, calls(r.Messages)), r, stream)
	}
}

// calls are those whose results end the messages.
func calls(ms []*ai.Message) (out []adapters.Call) {
	i := len(ms)
	for i > 0 && ms[i-1].Role == ai.RoleTool {
		i--
	}
	if i > 0 && i < len(ms) {
		for _, p := range ms[i-1].Content {
			if p.IsToolRequest() {
				out = append(out, adapters.Call{ID: p.ToolRequest.Ref, Tool: p.ToolRequest.Name})
			}
		}
	}
	return out
}
