// Package model holds the one table of models: the window of each, the texts that its API takes, the rules
// of its prompt cache, and its price. No other product code names a model. To add a model is to add a row
// to table.go.
//
// A row has a value in each column, or the reason why the value is unknown (Evidence.Unknown). Nothing is
// guessed: a window, a capability or a price that no source names stays unknown. Rows age, so each value
// has a source and the month of the last comparison with it.
//
// The package is small and pure, since each hook reads it. The values of users go before the table; Longest
// finds those by the same rules. Everything may be used concurrently.
package model

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Row is the knowledge of a model, or of a family of models.
type Row struct {
	// Name is the model's id as its maker spells it, or the beginning of the ids of a family. Of says which
	// ids a row is for.
	Name     string
	Window   Window
	Delivery Delivery
	Cache    Cache
	Price    Price
}

// Evidence says where a value comes from.
type Evidence struct {
	Source  string // the page or vendor that says so
	Checked string // year and month of the last comparison, as in "2026-10"
	Unknown string // the reason why no value is known; "": the value is known
}

// Window is the size of a context window.
type Window struct {
	Tokens int64
	Evidence
}

// Platform is the place where a model is reached.
type Platform string

// The platforms, as far as they take different requests.
const (
	Direct Platform = "claude"  // the maker's own API, and platforms with the same Messages API
	Vertex Platform = "vertex"  // anthropic_version vertex-…
	Invoke Platform = "bedrock" // anthropic_version bedrock-…: InvokeModel
)

// Place is a place at the end of a request where a text may stand.
type Place string

// The places. Each is one behind a person's message, or one behind the results of tools, or both.
const (
	Native  Place = "native"  // a system message that lapses with the turn
	Message Place = "message" // a message of its own; where roles must alternate, a block that ends the user's
	User    Place = "user"    // the end of the user's own text; nothing behind the results of tools
	Result  Place = "result"  // the end of the last tool result; nothing behind a person's message
)

// Places returns all places.
func Places() []Place { return []Place{Native, Message, User, Result} }

// Delivery says which texts of ours a model takes, and where.
type Delivery struct {
	Places  []Place    // where it takes a text, best first; nil: as its API does. Not to be written to
	System  []Platform // where it takes a system message in mid-conversation; not to be written to
	ClearAt string     // the value of the anthropic-beta header for messages with clear_at; "": it takes none
	Binds   bool       // thinking is valid only behind the very bytes behind which it was produced
	Role    string     // of a message of ours behind the others: "developer" or "system"; "": "user"
	Evidence
}

// CacheKind is a way to cache prompts.
type CacheKind uint8

// The kinds.
const (
	Uncached CacheKind = iota
	Marked             // at breakpoints of the client; each looks back 20 positions (Anthropic, Converse)
	Stepped            // without breakpoints, at every Step tokens (OpenAI before 5.6, Gemini, vLLM)
	Endings            // without breakpoints, at the end of the last eligible message (OpenAI from 5.6 on)
)

// Cache says how prompts of a model are cached. Rates are multiples of the price of a token that is neither
// read from the cache nor written to it. The zero Cache caches nothing.
type Cache struct {
	Kind    CacheKind
	Minimum int           // in tokens; a shorter prefix is not cached
	Step    int           // of Stepped, in tokens
	Outputs bool          // of Stepped: answers are cached too
	TTL     time.Duration // lifetime of entries, unless a breakpoint says otherwise; 0: for ever
	Read    float64       // rate of a token that is read from the cache
	Write   float64       // rate of a token that is written to the cache
	Hour    float64       // rate of a token that is written for an hour; 0: the rate is Write
	Evidence
}

// Price is the price of a model in dollars for a million tokens. Reads and writes of the cache follow from
// In by the rates of Cache. A request whose prompt has more than Above tokens costs LongIn and LongOut in
// full; Above 0: there is no such limit.
type Price struct {
	In, Out         float64
	Above           int
	LongIn, LongOut float64
	Evidence
}

// Of returns the row of a model: the row with the longest name with which the id begins, in one of its
// spellings. The window, the delivery and the cache of a row hold for all these ids. The price holds only
// for the model itself: for the name, followed by nothing but a date, a platform's version, "-latest",
// "-preview" or the window. Any other id has an unknown price. An id without a row has the zero Row, except
// that all columns say that they are unknown.
func Of(id string) Row {
	id = id[strings.LastIndexByte(id, '/')+1:]
	rows := table()
	best, after := longest(id, len(rows), func(i int) string { return rows[i].name })
	if best < 0 {
		none := unknown("the model has no row")
		return Row{Window: Window{0, none}, Delivery: Delivery{Evidence: none}, Cache: Cache{Evidence: none},
			Price: Price{Evidence: none}}
	}
	r := rows[best].row()
	if r.Price.Unknown == "" && !isVersion(after) {
		r.Price = Price{Evidence: unknown("only " + r.Name + " itself has a price")}
	}
	return r
}

// long ends the ids of models that are used with a window of a million tokens, as Claude Code writes them.
const long = "[1m]"

// Holds returns the size of a model's window in tokens, given that a prompt of used tokens went into it; ok
// is false where the size is unknown. A window that held more than its size must be another window, and
// then nothing is known. own has sizes by prefix of the id. They go before the table; a size of 0 makes the
// window unknown.
func Holds(own map[string]int64, id string, used int64) (tokens int64, ok bool) {
	prefixes := slices.Sorted(maps.Keys(own))
	switch best := Longest(id, len(prefixes), func(i int) string { return prefixes[i] }); {
	case best >= 0:
		tokens = max(own[prefixes[best]], 0)
	case strings.HasSuffix(id, long):
		tokens = 1_000_000
	default:
		tokens = Of(id).Window.Tokens
	}
	return tokens, tokens > 0 && used <= tokens
}

// Provider returns the provider of a model, as far as its id tells; "": unknown.
func Provider(id string) string {
	if name, ok := strings.CutPrefix(id, "claude-"); ok && name != "" {
		return "anthropic"
	}
	return ""
}
