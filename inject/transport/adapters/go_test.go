package adapters_test

import (
	"testing"

	"github.com/aside-go/aside/inject/transport/adapters/internal/scene"
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
