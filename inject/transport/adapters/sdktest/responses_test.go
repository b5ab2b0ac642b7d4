package sdktest_test

import (
	"context"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// responder is an agent by openai-go, Responses. It sends the whole conversation each time, or, if chained,
// what is new and the name of the response before.
type responder struct {
	client   openai.Client
	model    string
	stream   bool
	chained  bool
	items    responses.ResponseInputParam
	previous string
}

func newResponder(way way, m mode, opts ...option.RequestOption) *responder {
	return &responder{client: openai.NewClient(append(openaiOptions(way, m), opts...)...), model: m.model,
		stream: m.stream}
}

func newChained(way way, m mode, opts ...option.RequestOption) *responder {
	r := newResponder(way, m, opts...)
	r.chained = true
	return r
}

func (r *responder) User(text string) {
	r.items = append(r.items, responses.ResponseInputItemParamOfMessage(text,
		responses.EasyInputMessageRoleUser))
}

func (r *responder) Results(rs []result) {
	for _, x := range rs {
		it := responses.ResponseInputItemParamOfFunctionCallOutput(x.Text)
		it.OfFunctionCallOutput.CallID = openai.String(x.ID)
		r.items = append(r.items, it)
	}
}

func (r *responder) History() string { return encoded(r.items) }

func (r *responder) params() responses.ResponseNewParams {
	p := responses.ResponseNewParams{Model: r.model, Instructions: openai.String("You are an agent."),
		Store: openai.Bool(r.chained)}
	p.Input.OfInputItemList = r.items
	if r.previous != "" {
		p.PreviousResponseID = openai.String(r.previous)
	}
	if !r.chained {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	for _, name := range tools {
		p.Tools = append(p.Tools, responses.ToolParamOfFunction(name, schema, false))
	}
	return p
}

func (r *responder) Ask(ctx context.Context) (answer, error) {
	var res *responses.Response
	if r.stream {
		s := r.client.Responses.NewStreaming(ctx, r.params())
		for s.Next() {
			if e := s.Current(); e.Type == "response.completed" {
				done := e.Response
				res = &done
			}
		}
		if err := s.Err(); err != nil {
			return answer{}, err
		}
	} else {
		var err error
		if res, err = r.client.Responses.New(ctx, r.params()); err != nil {
			return answer{}, err
		}
	}
	if r.chained {
		r.items, r.previous = nil, res.ID
	}
	a := answer{Text: res.OutputText(), Prompt: res.Usage.InputTokens, Output: res.Usage.OutputTokens}
	for _, it := range res.Output {
		if !r.chained {
			r.items = append(r.items, param.Override[responses.ResponseInputItemUnionParam](
				json.RawMessage(it.RawJSON())))
		}
		if it.Type == "function_call" {
			a.Calls = append(a.Calls, modelapi.Call{ID: it.CallID, Name: it.Name, Args: it.Arguments.OfString})
		}
	}
	return a, nil
}
