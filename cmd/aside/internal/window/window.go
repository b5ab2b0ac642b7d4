// Package window knows how many tokens the context windows of models hold. It is a table and two rules; no other package
// names a model. It may be used concurrently.
package window

import "strings"

// row says what models whose id begins with Prefix hold. Of several that fit the longest counts.
type row struct {
	Prefix string
	Tokens int64  // 0: not known, although a shorter prefix has a row
	Seen   string // when the row was last compared with what the maker says
}

// table is WIRE.md §4. TestTable holds the two together.
var table = [...]row{
	{"claude-", 200_000, "2026-11"},
	{"claude-fable-5", 1_000_000, "2026-11"},
	{"claude-opus-5", 1_000_000, "2026-11"},
	{"claude-opus-4-7", 1_000_000, "2026-11"},
	{"claude-opus-4-8", 1_000_000, "2026-11"},
	{"claude-sonnet-5", 1_000_000, "2026-11"},
	{"claude-haiku-4-5", 200_000, "2026-11"},
	{"claude-sonnet-4-5", 200_000, "2026-11"},
	{"gpt-5", 400_000, "2026-11"},
	{"gpt-5.", 0, "2026-11"},
	{"gpt-5.1", 400_000, "2026-11"},
	{"gpt-5.2", 400_000, "2026-11"},
	{"gpt-5.3", 400_000, "2026-11"},
	{"gpt-5.4", 1_050_000, "2026-11"},
	{"gpt-5.5", 1_050_000, "2026-11"},
	{"gpt-5.6", 1_050_000, "2026-11"},
	{"gpt-4.1", 1_047_576, "2026-11"},
	{"gemini-2.5", 1_048_576, "2026-11"},
	{"gemini-3", 1_048_576, "2026-11"},
}

// long ends the ids of models that are used with a window of a million tokens, as Claude Code writes them.
const long = "[1m]"

// Of returns the size of a model's window in tokens; ok is false for a model that the table does not know.
// Ids may have the prefixes of other platforms ("us.anthropic.claude-…", "openai/gpt-…").
func Of(model string) (tokens int64, ok bool) {
	if strings.HasSuffix(model, long) {
		return 1_000_000, true
	}
	best := row{}
	for _, name := range [...]string{model, bare(model)} {
		for _, r := range table {
			if strings.HasPrefix(name, r.Prefix) && len(r.Prefix) > len(best.Prefix) {
				best = r
			}
		}
	}
	return best.Tokens, best.Tokens > 0
}

// bare returns a model id without what platforms put in front of it.
func bare(model string) string {
	model = model[strings.LastIndexByte(model, '/')+1:]
	if _, after, ok := strings.Cut(model, "anthropic."); ok {
		return after
	}
	return model
}

// Holds returns the size of a model's window, given that a prompt of used tokens went into it. A window that held more
// than it is said to hold is another one, and then nothing is known.
func Holds(model string, used int64) (tokens int64, ok bool) {
	tokens, ok = Of(model)
	return tokens, ok && used <= tokens
}
