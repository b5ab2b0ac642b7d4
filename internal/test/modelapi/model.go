package modelapi

import (
	"slices"
	"sync"

	"github.com/aside-go/aside/internal/model"
)

// Model is what one kind of model accepts and refuses, and how its prompts are cached. The vendors' lists
// change from month to month, so tests may give their own.
type Model struct {
	Prefix string // of the id, or of a part of it behind a '.' or '/'; the longest prefix counts

	System         bool // accepts system messages in mid-conversation
	ClearAt        bool // accepts system messages that lapse with the turn
	Binds          bool // thinking is valid only behind the very prompt it was made for
	StripsThinking bool // drops earlier thinking when a user message holds more than tool results
	NoPrefill      bool // refuses requests that end with an answer

	AfterResponse After // what text behind a functionResponse in the same Content does
	NoModelEnd    bool  // refuses requests that end with a model turn

	SystemFirst bool      // the chat template accepts a system message only at the beginning
	Template    *Template // that of a server for open weights; nil: there is none

	Cache model.Cache
}

// After is what text behind a functionResponse in the same Content does.
type After uint8

// The effects of such text.
const (
	Accepted After = iota
	Refused
	Emptied // the reply is empty
)

// Models returns the table as of autumn 2026. Two columns are partly guessed: the models that accept clear_at
// are taken to be those that accept system messages, and of the refusal of prefill the vendor says only that
// "newer" models do.
func Models() []Model { return slices.Clone(table()) }

var table = sync.OnceValue(func() []Model {
	rows := []Model{
		{Prefix: "claude-fable-5-1", System: true, ClearAt: true, Binds: true, NoPrefill: true},
		{Prefix: "claude-fable-5", System: true, ClearAt: true, NoPrefill: true},
		{Prefix: "claude-mythos-5-1", System: true, ClearAt: true, NoPrefill: true},
		{Prefix: "claude-mythos-5", System: true, ClearAt: true, NoPrefill: true},
		{Prefix: "claude-opus-5-5", System: true, ClearAt: true, Binds: true, NoPrefill: true},
		{Prefix: "claude-opus-5", System: true, ClearAt: true, NoPrefill: true},
		{Prefix: "claude-opus-4-8", System: true, ClearAt: true, NoPrefill: true},
		{Prefix: "claude-opus-4-7", NoPrefill: true},
		{Prefix: "claude-opus-4-6", NoPrefill: true},
		{Prefix: "claude-opus-4-5"},
		{Prefix: "claude-opus-4", StripsThinking: true},
		{Prefix: "claude-sonnet-5-5", Binds: true, NoPrefill: true}, // the strict side of what third parties say
		{Prefix: "claude-sonnet-5", NoPrefill: true},
		{Prefix: "claude-sonnet-4-6"},
		{Prefix: "claude-sonnet-4", StripsThinking: true},
		{Prefix: "claude-haiku-4-5", StripsThinking: true},
		{Prefix: "claude-", StripsThinking: true},
		{Prefix: "gpt-5.5"},
		{Prefix: "gpt-5.6"},
		{Prefix: "gpt-6"},
		{Prefix: "gpt-"},
		{Prefix: "o1"},
		{Prefix: "o3"},
		{Prefix: "o4"},
		{Prefix: "gemini-3.5-flash", AfterResponse: Emptied, NoModelEnd: true},
		{Prefix: "gemini-3", AfterResponse: Refused, NoModelEnd: true},
		{Prefix: "gemini-4", AfterResponse: Refused, NoModelEnd: true},
		{Prefix: "gemini-"},
		{Prefix: "qwen", SystemFirst: true},
	}
	for prefix, t := range Templates() {
		rows = append(rows, Model{Prefix: prefix, Template: t,
			SystemFirst: slices.Contains([]string{"qwen3", "llama", "gemma", "mistral", "devstral"}, prefix)})
	}
	for i := range rows {
		rows[i].Cache = model.Of(rows[i].Prefix).Cache
	}
	return rows
})

// find returns the row of a model. Without a row it is the zero Model, which accepts what every model accepts
// and caches nothing.
func find(models []Model, id string) Model {
	n, _ := model.Longest(id, len(models), func(i int) string { return models[i].Prefix })
	if n < 0 {
		return Model{}
	}
	return models[n]
}
