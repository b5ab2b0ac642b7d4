// Package adk puts reminders into the requests of google.golang.org/adk/v2, Google's Agent Development Kit.
//
//	m, err := gemini.NewModel(ctx, name, &genai.ClientConfig{HTTPClient: adapters.Client(ev, opts)})
//	a, err := llmagent.New(llmagent.Config{Model: asideadk.Model(m), ...})
//
// It is a module of its own, since its dependencies are many. Live sessions, which go over a WebSocket, get
// no reminders.
package adk

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"google.golang.org/adk/v2/model"
	"google.golang.org/genai"

	"github.com/aside-go/aside/inject/transport/adapters"
)

// Model returns the model that m is, and tells before each of its calls which tools have failed: those whose
// response has the member "error", as the kit writes it. m has the client of adapters.Client.
func Model(m model.LLM) model.LLM { return told{m} }

type told struct{ model.LLM }

// GenerateContent implements model.LLM.
func (m told) GenerateContent(ctx context.Context, r *model.LLMRequest,
	stream bool) iter.Seq2[*model.LLMResponse, error] {
	return m.LLM.GenerateContent(adapters.Turn(ctx, calls(ctx, r.Contents)), r, stream)
}

// GetGoogleLLMVariant tells the kit which of Google's services the model is from: it asks in this way.
func (m told) GetGoogleLLMVariant() genai.Backend {
	if g, ok := m.LLM.(interface{ GetGoogleLLMVariant() genai.Backend }); ok {
		return g.GetGoogleLLMVariant()
	}
	return genai.BackendUnspecified
}

// calls are those whose results end the messages. The kit takes the ids of calls away that it has made up,
// and writes the results in the order of the calls: so both are known by their place.
func calls(ctx context.Context, ms []*genai.Content) (out []adapters.Call) {
	i, results := len(ms), []*genai.FunctionResponse(nil)
	for i > 0 {
		before := len(results)
		var here []*genai.FunctionResponse
		for _, p := range ms[i-1].Parts {
			if p.FunctionResponse != nil {
				here = append(here, p.FunctionResponse)
			}
		}
		if results = append(here, results...); len(results) == before {
			break
		}
		i--
	}
	if i == 0 || len(results) == 0 {
		return nil
	}
	for _, p := range ms[i-1].Parts {
		c, n := p.FunctionCall, len(out)
		if c == nil {
			continue
		}
		out = append(out, adapters.Call{ID: strconv.Itoa(n), Tool: c.Name})
		if n < len(results) && results[n].Name == c.Name {
			var err error
			if failure := results[n].Response["error"]; failure != nil {
				err = fmt.Errorf("%v", failure)
			}
			adapters.Result(ctx, out[n].ID, err)
		}
	}
	return out
}
