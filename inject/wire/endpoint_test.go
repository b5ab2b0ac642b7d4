package wire_test

import (
	"testing"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
)

func TestEndpointOf(t *testing.T) {
	t.Parallel()
	type e = api.Endpoint
	for path, want := range map[string]e{
		"/v1/messages":                        {API: wire.Anthropic},
		"/gateway/anthropic/v1/messages?b=1":  {API: wire.Anthropic},
		"/messages":                           {API: wire.Anthropic},
		"v1/messages":                         {API: wire.Anthropic},
		"/v1/messages/":                       {API: wire.Anthropic},
		"/v1/messages/count_tokens?beta=true": {API: wire.Anthropic, Kind: kindCount},
		"/v1/messages/batches":                {Kind: kindOther},
		"/v1/models/claude-opus-5":            {Kind: kindOther},
		"/v1/chat/completions":                {API: wire.Chat},
		"/openai/deployments/d/chat/completions?api-version=1": {API: wire.Chat},
		"/v1/responses":                               {API: wire.Responses},
		"/openai/v1/responses":                        {API: wire.Responses},
		"/v1/responses/compact":                       {API: wire.Responses, Kind: kindCompaction},
		"/v1/responses/input_tokens":                  {API: wire.Responses, Kind: kindCount},
		"/v1/responses/resp_1":                        {Kind: kindOther},
		"/v1beta/models/gemini-3-pro:generateContent": {API: wire.Gemini, Model: "gemini-3-pro"},
		"/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse": {API: wire.Gemini, Model: "gemini-3-pro",
			Stream: true},
		"/v1beta/models/gemini-3-pro:countTokens": {API: wire.Gemini, Model: "gemini-3-pro",
			Kind: kindCount},
		"/v1beta/models/gemini-3-pro:embedContent": {Kind: kindOther},
		"/v1/projects/p/locations/l/publishers/google/models/gemini-3:generateContent": {API: wire.Gemini,
			Model: "gemini-3"},
		"/v1internal:generateContent": {API: wire.Gemini},
		"/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5@1:rawPredict": {
			API: wire.Anthropic, Model: "claude-opus-5@1"},
		"/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-5@1:streamRawPredict": {
			API: wire.Anthropic, Model: "claude-opus-5@1", Stream: true},
		"/v1/projects/p/locations/l/publishers/anthropic/models/count-tokens:rawPredict": {
			API: wire.Anthropic, Kind: kindCount},
		"/v1/projects/p/locations/l/publishers/mistralai/models/m:rawPredict": {
			Kind: kindOther},
		"/model/anthropic.claude-opus-5-v1%3A0/invoke": {
			API: wire.Anthropic, Model: "anthropic.claude-opus-5-v1:0"},
		"/model/anthropic.claude-opus-5-v1:0/invoke-with-response-stream": {
			API: wire.Anthropic, Model: "anthropic.claude-opus-5-v1:0", Stream: true},
		"/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fx/invoke": {
			API: wire.Anthropic, Model: "arn:aws:bedrock:us-east-1:1:application-inference-profile/x"},
		"/model/meta.llama3/invoke":          {Kind: kindOther},
		"/model/meta.llama3/converse":        {API: wire.Converse, Model: "meta.llama3"},
		"/model/meta.llama3/converse-stream": {API: wire.Converse, Model: "meta.llama3", Stream: true},
		"/model/meta.llama3/count-tokens":    {API: wire.Converse, Model: "meta.llama3", Kind: kindCount},
		"/model/meta%2/converse":             {API: wire.Converse, Model: "meta%2"},
		"/model/meta.llama3/apply":           {Kind: kindOther},
		"":                                   {Kind: kindOther},
		"/":                                  {Kind: kindOther},
		":":                                  {Kind: kindOther},
		"?":                                  {Kind: kindOther},
		"/mymessages":                        {Kind: kindOther},
	} {
		if got := endpointOf(path); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", path, got, want)
		}
	}
}
