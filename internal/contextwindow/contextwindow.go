// Package contextwindow knows how many tokens the context windows of models hold. It is apart from inject/wire, whose Windows it
// answers for, because a hook needs nothing else of that, and starts sooner without it. It may be used concurrently.
package contextwindow

import "strings"

// row says what models whose id begins with prefix hold. Of several that fit the longest counts.
type row struct {
	prefix string
	tokens int64  // 0: not known, although a shorter prefix has a row
	seen   string // when the row was last compared with what the maker says
}

// rows is WIRE.md §4, from the makers' pages on their models and the list of models.dev. TestWindowTable holds it and
// that page together.
var rows = [...]row{
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

// Of returns the size of a model's window in tokens; ok is false for a model of which nobody knows it. Any prefix of the model's id in own
// goes before the table; own may be nil. wire.Windows.Of says the rest.
func Of(own map[string]int64, model string) (tokens int64, ok bool) {
	names := [...]string{model, bareModel(model)}
	best := -1
	for _, name := range names {
		for prefix, n := range own {
			if strings.HasPrefix(name, prefix) && len(prefix) > best {
				best, tokens = len(prefix), n
			}
		}
	}
	if best >= 0 {
		return max(tokens, 0), tokens > 0
	}
	if strings.HasSuffix(model, long) {
		return 1_000_000, true
	}
	for _, name := range names {
		name = AsMaker(name)
		for _, r := range rows {
			if strings.HasPrefix(name, r.prefix) && len(r.prefix) > best {
				best, tokens = len(r.prefix), r.tokens
			}
		}
	}
	return tokens, tokens > 0
}

// Holds returns the size of a model's window, given that a prompt of used tokens went into it. A window that held more
// than it is said to hold is another one, and then nothing is known.
func Holds(own map[string]int64, model string, used int64) (tokens int64, ok bool) {
	tokens, ok = Of(own, model)
	return tokens, ok && used <= tokens
}

// bareModel returns a model id without what platforms put in front of it.
func bareModel(model string) string {
	model = model[strings.LastIndexByte(model, '/')+1:]
	if _, after, ok := strings.Cut(model, "anthropic."); ok {
		return after
	}
	return model
}

// AsMaker returns a model id without a platform's prefix as its maker spells it: OpenRouter and Copilot write claude-opus-4.8 for
// claude-opus-4-8.
func AsMaker(model string) string {
	if strings.HasPrefix(model, "claude-") {
		return strings.ReplaceAll(model, ".", "-")
	}
	return model
}
