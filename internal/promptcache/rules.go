package promptcache

import (
	"slices"
	"strings"
	"time"
)

// Kind is how prompts are cached.
type Kind uint8

// The kinds.
const (
	Uncached Kind = iota
	Marked        // at breakpoints that the client sets; a breakpoint looks back 20 positions for an entry (Anthropic, Converse)
	Stepped       // by itself, at every Step tokens (OpenAI before 5.6, Gemini, vLLM)
	Endings       // by itself, at the end of the last eligible message (OpenAI from 5.6 on)
)

// Rules say how prompts of a model are cached, and at what price. Prices are multiples of the price of a token that has nothing
// to do with the cache. The zero Rules cache nothing.
type Rules struct {
	Kind    Kind
	Minimum int           // in tokens; a shorter prefix is silently not cached
	Step    int           // of Stepped, in tokens
	Outputs bool          // of Stepped: answers are cached too
	TTL     time.Duration // lifetime of entries, unless a mark says otherwise; 0: for ever
	Read    float64       // price of a token that is read from the cache
	Write   float64       // price of a token that is written to it
	Hour    float64       // price of a token that is written for an hour
}

// Row says how the models are cached whose ids begin with Prefix.
type Row struct {
	Prefix string // of the id, or of a part of it behind a '.' or '/'
	Rules
	Checked string // year and month
	Source  string
}

const (
	anthropic = "Anthropic: prompt caching; pricing"
	openAI    = "OpenAI: prompt caching guide"
	google    = "Google: Gemini context caching"
	local     = "vLLM: automatic prefix caching"
)

// marks returns how Claude models are cached.
func marks(minimum int, read float64) Rules {
	return Rules{Kind: Marked, Minimum: minimum, TTL: 5 * time.Minute, Read: read, Write: 1.25, Hour: 2}
}

// steps returns how models are cached that cache in steps.
func steps(step, minimum int) Rules {
	return Rules{Kind: Stepped, Minimum: minimum, Step: step, Read: 0.1, Write: 1}
}

var (
	endings = Rules{Kind: Endings, Minimum: 1024, TTL: 30 * time.Minute, Read: 0.1, Write: 1.25}
	cheap   = Rules{Kind: Endings, Minimum: 1024, TTL: 30 * time.Minute, Read: 0.05, Write: 1.25}
	served  = Rules{Kind: Stepped, Step: 16, Minimum: 16, Outputs: true, Read: 0, Write: 1} // on one's own machine: what counts is the time of prefill
)

// rows is the table. The row with the longest prefix counts. The step of Gemini's cache is not documented; one token is the
// finest possible.
var rows = []Row{
	{"claude-fable-5-1", marks(512, 0.025), "2026-10", anthropic},
	{"claude-fable-5", marks(512, 0.1), "2026-10", anthropic},
	{"claude-mythos-5-1", marks(512, 0.025), "2026-10", anthropic},
	{"claude-mythos-5", marks(512, 0.1), "2026-10", anthropic},
	{"claude-opus-5-5", marks(512, 0.05), "2026-10", anthropic + "; the minimum is second-hand"},
	{"claude-opus-5", marks(512, 0.1), "2026-10", anthropic},
	{"claude-opus-4-8", marks(1024, 0.1), "2026-10", anthropic},
	{"claude-opus-4-7", marks(2048, 0.1), "2026-10", anthropic},
	{"claude-opus-4-6", marks(4096, 0.1), "2026-10", anthropic},
	{"claude-opus-4-5", marks(4096, 0.1), "2026-10", anthropic},
	{"claude-opus-4", marks(1024, 0.1), "2026-10", anthropic},
	{"claude-sonnet-5-5", marks(1024, 0.05), "2026-11", anthropic + "; a read was a tenth before 2026-10-07"},
	{"claude-sonnet-5", marks(1024, 0.1), "2026-10", anthropic},
	{"claude-sonnet-4-6", marks(1024, 0.1), "2026-10", anthropic},
	{"claude-sonnet-4", marks(1024, 0.1), "2026-10", anthropic},
	{"claude-haiku-4-5", marks(4096, 0.1), "2026-10", anthropic},
	{"claude-", marks(2048, 0.1), "2026-10", anthropic + "; of models without a row of their own the minimum is a guess"},
	{"gpt-5.5", steps(2048, 1024), "2026-11", openAI},
	{"gpt-5.6", endings, "2026-11", openAI},
	{"gpt-6", endings, "2026-11", openAI},
	{"gpt-6.1", cheap, "2026-10", openAI + "; pricing"},
	{"gpt-", steps(128, 1024), "2026-11", openAI},
	{"o1", steps(128, 1024), "2026-11", openAI},
	{"o3", steps(128, 1024), "2026-11", openAI},
	{"o4", steps(128, 1024), "2026-11", openAI},
	{"gemini-3", steps(1, 4096), "2026-11", google},
	{"gemini-4", steps(1, 4096), "2026-11", google},
	{"gemini-", steps(1, 2048), "2026-11", google},
	{"qwen", served, "2026-11", local},
	{"llama", served, "2026-11", local},
	{"gemma", served, "2026-11", local},
}

// Table returns a copy of the table.
func Table() []Row { return slices.Clone(rows) }

// Of returns how a model is cached; ok is false if that is unknown.
func Of(model string) (r Rules, ok bool) {
	n := Longest(model, len(rows), func(i int) string { return rows[i].Prefix })
	if n < 0 {
		return r, false
	}
	return rows[n].Rules, true
}

// Longest returns the index of the longest of n prefixes with which a model's id begins, or a part of the id behind a '.' or '/',
// since platforms and gateways put names in front; -1 if there is none. Some gateways write claude-opus-4.8 for claude-opus-4-8.
func Longest(model string, n int, prefix func(i int) string) int {
	best := -1
	for rest := model; ; {
		as := rest
		if strings.HasPrefix(rest, "claude-") {
			as = strings.ReplaceAll(rest, ".", "-")
		}
		for i := range n {
			if p := prefix(i); p != "" && (strings.HasPrefix(rest, p) || strings.HasPrefix(as, p)) && (best < 0 || len(p) > len(prefix(best))) {
				best = i
			}
		}
		at := strings.IndexAny(rest, "./")
		if at < 0 {
			return best
		}
		rest = rest[at+1:]
	}
}
