package wiretest

import (
	"strings"
	"time"
)

// Model is what one kind of model takes and refuses, and how its prompts are cached. The vendors' lists change from month
// to month, so tests may give their own.
type Model struct {
	Prefix string // of the id, or of what follows a '.' or '/' in it; the longest prefix wins

	System         bool // takes system messages in mid-conversation
	ClearAt        bool // takes turn-scoped ones
	Binds          bool // thinking is valid only behind the very prompt it was made for
	StripsThinking bool // forgets earlier thinking when a user message holds more than tool results
	NoPrefill      bool // refuses requests that end with an answer

	AfterResponse After // what text behind a functionResponse in one Content does
	NoModelEnd    bool  // refuses requests that end with a model turn

	SystemFirst bool // the chat template takes a system message only at the beginning

	Cache Caching
}

// After is what becomes of text behind a functionResponse in one Content.
type After uint8

// What becomes of it.
const (
	Accepted After = iota
	Refused
	Emptied // the reply is empty
)

// CacheRule is how a prompt is cached.
type CacheRule uint8

// The rules.
const (
	Uncached CacheRule = iota
	Marked             // at breakpoints of the client, found again by looking back 20 positions (Anthropic, Converse)
	Stepped            // automatically, at every Step tokens (OpenAI before 5.6, Gemini, vLLM)
	Endings            // automatically, at the end of the latest eligible message (OpenAI from 5.6 on)
)

// Caching is how prompts of a model are cached, and at what price: multiples of the price of a token that is not.
type Caching struct {
	Rule    CacheRule
	Minimum int           // tokens; what is shorter is silently not cached
	Step    int           // tokens
	Outputs bool          // answers are cached too; of Stepped
	TTL     time.Duration // of entries without a mark that says otherwise; 0: for ever
	Read    float64
	Write   float64
	Hour    float64 // a write that lives an hour
}

const minutes = 5 * time.Minute

// marks is how Claude models cache.
func marks(minimum int, read float64) Caching {
	return Caching{Rule: Marked, Minimum: minimum, TTL: minutes, Read: read, Write: 1.25, Hour: 2}
}

func steps(step, minimum int) Caching {
	return Caching{Rule: Stepped, Minimum: minimum, Step: step, Read: 0.1, Write: 1}
}

// Models returns the table as it was in autumn 2026. Which models take clear_at is assumed to be those that take system
// messages; which refuse prefill is said only of "newer" ones.
func Models() []Model {
	endings := Caching{Rule: Endings, Minimum: 1024, TTL: 30 * time.Minute, Read: 0.1, Write: 1.25}
	local := Caching{Rule: Stepped, Step: 16, Minimum: 16, Outputs: true, Read: 0, Write: 1}
	return []Model{
		{Prefix: "claude-fable-5-1", System: true, ClearAt: true, Binds: true, NoPrefill: true, Cache: marks(512, 0.025)},
		{Prefix: "claude-fable-5", System: true, ClearAt: true, NoPrefill: true, Cache: marks(512, 0.1)},
		{Prefix: "claude-mythos-5-1", System: true, ClearAt: true, NoPrefill: true, Cache: marks(512, 0.025)},
		{Prefix: "claude-mythos-5", System: true, ClearAt: true, NoPrefill: true, Cache: marks(512, 0.1)},
		{Prefix: "claude-opus-5-5", System: true, ClearAt: true, Binds: true, NoPrefill: true, Cache: marks(512, 0.05)},
		{Prefix: "claude-opus-5", System: true, ClearAt: true, NoPrefill: true, Cache: marks(512, 0.1)},
		{Prefix: "claude-opus-4-8", System: true, ClearAt: true, NoPrefill: true, Cache: marks(1024, 0.1)},
		{Prefix: "claude-opus-4-7", NoPrefill: true, Cache: marks(2048, 0.1)},
		{Prefix: "claude-opus-4-6", NoPrefill: true, Cache: marks(4096, 0.1)},
		{Prefix: "claude-opus-4-5", Cache: marks(4096, 0.1)},
		{Prefix: "claude-opus-4", StripsThinking: true, Cache: marks(1024, 0.1)},
		{Prefix: "claude-sonnet-5-5", Binds: true, NoPrefill: true, Cache: marks(1024, 0.1)}, // the strict side of what third parties say
		{Prefix: "claude-sonnet-5", NoPrefill: true, Cache: marks(1024, 0.1)},
		{Prefix: "claude-sonnet-4-6", Cache: marks(1024, 0.1)},
		{Prefix: "claude-sonnet-4", StripsThinking: true, Cache: marks(1024, 0.1)},
		{Prefix: "claude-haiku-4-5", StripsThinking: true, Cache: marks(4096, 0.1)},
		{Prefix: "claude-", StripsThinking: true, Cache: marks(2048, 0.1)},
		{Prefix: "gpt-5.5", Cache: steps(2048, 1024)},
		{Prefix: "gpt-5.6", Cache: endings},
		{Prefix: "gpt-6", Cache: endings},
		{Prefix: "gpt-", Cache: steps(128, 1024)},
		{Prefix: "o1", Cache: steps(128, 1024)},
		{Prefix: "o3", Cache: steps(128, 1024)},
		{Prefix: "o4", Cache: steps(128, 1024)},
		{Prefix: "gemini-3.5-flash", AfterResponse: Emptied, NoModelEnd: true, Cache: steps(1, 4096)},
		{Prefix: "gemini-3", AfterResponse: Refused, NoModelEnd: true, Cache: steps(1, 4096)},
		{Prefix: "gemini-4", AfterResponse: Refused, NoModelEnd: true, Cache: steps(1, 4096)},
		{Prefix: "gemini-", Cache: steps(1, 2048)},
		{Prefix: "qwen", SystemFirst: true, Cache: local},
		{Prefix: "llama", SystemFirst: true, Cache: local},
		{Prefix: "gemma", SystemFirst: true, Cache: local},
	}
}

// find returns the row of a model; the zero Model if there is none, which takes what all take and caches nothing.
func find(models []Model, id string) Model {
	var best Model
	for rest := id; ; {
		for _, m := range models {
			if strings.HasPrefix(rest, m.Prefix) && len(m.Prefix) > len(best.Prefix) {
				best = m
			}
		}
		i := strings.IndexAny(rest, "./")
		if i < 0 {
			return best
		}
		rest = rest[i+1:]
	}
}
