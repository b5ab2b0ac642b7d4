package api_test

import (
	"testing"

	"github.com/aside-go/aside/internal/api"
)

func TestEndpointOf(t *testing.T) {
	t.Parallel()
	type e = api.Endpoint
	for path, want := range map[string]e{
		"/v1/messages":                        {API: api.Anthropic},
		"/gateway/anthropic/v1/messages?b=1":  {API: api.Anthropic},
		"/messages":                           {API: api.Anthropic},
		"v1/messages":                         {API: api.Anthropic},
		"/v1/messages/":                       {API: api.Anthropic},
		"/v1/messages/count_tokens?beta=true": {API: api.Anthropic, Kind: api.KindCount},
		"/v1/messages/batches":                {Kind: api.KindOther},
		"/v1/models/claude-opus-5":            {Kind: api.KindOther},
		"/v1/chat/completions":                {API: api.Chat},
		"/openai/deployments/d/chat/completions?api-version=1": {API: api.Chat},
		"/v1/responses":                               {API: api.Responses},
		"/openai/v1/responses":                        {API: api.Responses},
		"/v1/responses/compact":                       {API: api.Responses, Kind: api.KindCompaction},
		"/v1/responses/input_tokens":                  {API: api.Responses, Kind: api.KindCount},
		"/v1/responses/resp_1":                        {Kind: api.KindOther},
		"/v1beta/models/gemini-3-pro:generateContent": {API: api.Gemini, Model: "gemini-3-pro"},
		"/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse": {API: api.Gemini, Model: "gemini-3-pro",
			Stream: true},
		"/v1beta/models/gemini-3-pro:countTokens": {API: api.Gemini, Model: "gemini-3-pro",
			Kind: api.KindCount},
		"/v1beta/models/gemini-3-pro:embedContent": {Kind: api.KindOther},
		"/v1/projects/p/locations/l/publishers/google/models/gemini-3:generateContent": {API: api.Gemini,
			Model: "gemini-3"},
		"/v1internal:generateContent": {API: api.Gemini},
		"/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5@1:rawPredict": {
			API: api.Anthropic, Model: "claude-opus-5@1"},
		"/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5@1:streamRawPredict": {
			API: api.Anthropic, Model: "claude-opus-5@1", Stream: true},
		"/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict": {
			API: api.Anthropic, Kind: api.KindCount},
		"/v1/projects/p/locations/l/publishers/mistralai/models/m:rawPredict": {
			Kind: api.KindOther},
		"/model/anthropic.claude-opus-5-v1%3A0/invoke": {
			API: api.Anthropic, Model: "anthropic.claude-opus-5-v1:0"},
		"/model/anthropic.claude-opus-5-v1:0/invoke-with-response-stream": {
			API: api.Anthropic, Model: "anthropic.claude-opus-5-v1:0", Stream: true},
		"/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fx/invoke": {
			API: api.Anthropic, Model: "arn:aws:bedrock:us-east-1:1:application-inference-profile/x"},
		"/model/meta.llama3/invoke":          {Kind: api.KindOther},
		"/model/meta.llama3/converse":        {API: api.Converse, Model: "meta.llama3"},
		"/model/meta.llama3/converse-stream": {API: api.Converse, Model: "meta.llama3", Stream: true},
		"/model/meta.llama3/count-tokens":    {API: api.Converse, Model: "meta.llama3", Kind: api.KindCount},
		"/model/meta%2/converse":             {API: api.Converse, Model: "meta%2"},
		"/model/meta.llama3/apply":           {Kind: api.KindOther},
		"":                                   {Kind: api.KindOther},
		"/":                                  {Kind: api.KindOther},
		":":                                  {Kind: api.KindOther},
		"?":                                  {Kind: api.KindOther},
		"/mymessages":                        {Kind: api.KindOther},
	} {
		if got := api.EndpointOf(path); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", path, got, want)
		}
	}
}
