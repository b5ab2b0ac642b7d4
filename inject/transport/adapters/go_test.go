package adapters_test

import (
	"net/http/httptest"
	"testing"

	"github.com/aside-go/aside/inject/transport/adapters/internal/scene"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestGo: each framework for Go gets through the session, by "aside serve" as it is and with its adapter.
func TestGo(t *testing.T) {
	t.Parallel()
	for _, f := range []scene.Framework{
		{Name: "go-openai", Model: "gpt-4.1", Told: true, Open: openGoOpenAI},
		{Name: "langchaingo", Model: "gpt-4.1", Told: true, Open: openLangChain},
		{Name: "langchaingo", Model: "claude-opus-4-6", Told: true, Open: openLangChainAnthropic},
		{Name: "eino", Model: "gpt-4.1", Told: true, Open: openEino},
		{Name: "genkit", Model: "gpt-4.1", Open: openGenkit, Retries: true},
	} {
		f.Run(t)
	}
}

// fake is an API that answers with the replies, and then with a word.
func fake(replies ...modelapi.Reply) *httptest.Server {
	return httptest.NewServer(modelapi.New(modelapi.Options{Script: modelapi.Turns(replies...)}))
}
