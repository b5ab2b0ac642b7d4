package price

import (
	"regexp"
	"strings"
)

// claude returns the rates of a Claude model: a cache write costs 1.25 times plain input, and a write for an hour 2 times.
func claude(in, out, read float64) Rates { return Rates{in, out, read, 1.25 * in, 2 * in} }

// charged returns the rates of a model for which a cache write costs 1.25 times plain input, however long the entry lives.
func charged(in, out, read float64) Rates { return Rates{in, out, read, 1.25 * in, 1.25 * in} }

// free returns the rates of a model for which a cache write costs the same as plain input.
func free(in, out, read float64) Rates { return Rates{in, out, read, in, in} }

// longer returns OpenAI's rates for long prompts: input costs twice as much, output one and a half times.
func longer(r Rates) Rates { return Rates{2 * r.In, 1.5 * r.Out, 2 * r.Read, 2 * r.Write, 2 * r.Hour} }

const (
	anthropic = "Anthropic: pricing"     // platform.claude.com/docs/en/about-claude/pricing
	openAI    = "OpenAI: pricing"        // developers.openai.com/api/docs/pricing
	google    = "Google: Gemini pricing" // ai.google.dev/gemini-api/docs/pricing

	promotion = "; until 2026-11-21 at least, $5 and $30 before"
	past200k  = 200_000
	past272k  = 272_000
)

// same matches what may follow a model's name in an id of the same model: a date, a platform's version, the window. An id with anything
// else is another model, whose price is not known.
var same = regexp.MustCompile(`^(-latest|-preview)?([-@]\d{4}-?\d\d-?\d\d)?(-preview)?(-v\d+(:\d+)?)?(\[1m\])?$`)

// find returns the row of a model, whatever prefix a platform or gateway has put before its name.
func find(model string) (Row, bool) {
	for rest := model; ; {
		for _, r := range table {
			if after, ok := strings.CutPrefix(rest, r.Prefix); ok && same.MatchString(after) {
				return r, true
			}
		}
		at := strings.IndexAny(rest, "./")
		if at < 0 {
			return Row{}, false
		}
		rest = rest[at+1:]
	}
}

// plain returns a row with one price for prompts of any length.
func plain(prefix string, r Rates, checked, source string) Row {
	return Row{Prefix: prefix, Rates: r, Checked: checked, Source: source}
}

// tiered returns a row with another price for prompts of more than above tokens.
func tiered(prefix string, r Rates, above int, long Rates, checked, source string) Row {
	return Row{Prefix: prefix, Rates: r, Above: above, Long: long, Checked: checked, Source: source}
}

// table has the vendors' prices for text at the standard tier. Its prefixes name models and not families, so that a new model is unknown
// instead of having the price of an old one.
var table = []Row{
	plain("claude-fable-5-1", claude(10, 50, 0.25), "2026-10", anthropic),
	plain("claude-fable-5", claude(10, 50, 1), "2026-10", anthropic),
	plain("claude-mythos-5-1", claude(10, 50, 0.25), "2026-10", anthropic),
	plain("claude-mythos-5", claude(10, 50, 1), "2026-10", anthropic),
	plain("claude-opus-5-5", claude(4, 20, 0.2), "2026-10", anthropic),
	plain("claude-opus-5", claude(5, 25, 0.5), "2026-10", anthropic),
	plain("claude-opus-4-8", claude(5, 25, 0.5), "2026-10", anthropic),
	plain("claude-opus-4-7", claude(5, 25, 0.5), "2026-10", anthropic),
	plain("claude-opus-4-6", claude(5, 25, 0.5), "2026-10", anthropic),
	plain("claude-opus-4-5", claude(5, 25, 0.5), "2026-10", anthropic),
	plain("claude-opus-4-1", claude(15, 75, 1.5), "2026-10", anthropic),
	plain("claude-opus-4", claude(15, 75, 1.5), "2026-10", anthropic),
	plain("claude-sonnet-5-5", claude(2, 10, 0.1), "2026-10", anthropic+"; a read was $0.20 before 2026-10-07"),
	plain("claude-sonnet-5", claude(2, 10, 0.2), "2026-10", anthropic),
	plain("claude-sonnet-4-6", claude(3, 15, 0.3), "2026-10", anthropic),
	tiered("claude-sonnet-4-5", claude(3, 15, 0.3), past200k, claude(6, 22.5, 0.6), "2026-10", anthropic),
	tiered("claude-sonnet-4", claude(3, 15, 0.3), past200k, claude(6, 22.5, 0.6), "2026-10", anthropic),
	tiered("claude-haiku-5-5", claude(0.1, 0.5, 0.01), 100_000, claude(0.5, 2.5, 0.05), "2026-10", anthropic),
	plain("claude-haiku-4-5", claude(1, 5, 0.1), "2026-10", anthropic),
	plain("claude-3-5-haiku", claude(0.8, 4, 0.08), "2026-10", anthropic),

	tiered("gpt-6.1-sol", charged(2, 10, 0.1), past272k, longer(charged(2, 10, 0.1)), "2026-10", openAI),
	tiered("gpt-6.1-terra", charged(1, 5, 0.05), past272k, longer(charged(1, 5, 0.05)), "2026-10", openAI),
	tiered("gpt-6-sol", charged(2, 10, 0.2), past272k, longer(charged(2, 10, 0.2)), "2026-10", openAI),
	tiered("gpt-6-luna", charged(0.1, 0.5, 0.01), past272k, longer(charged(0.1, 0.5, 0.01)), "2026-10", openAI),
	tiered("gpt-6-astra", charged(10, 50, 1), past272k, longer(charged(10, 50, 1)), "2026-10", openAI),
	tiered("gpt-5.6", charged(4, 20, 0.4), past272k, longer(charged(4, 20, 0.4)), "2026-10", openAI+promotion),
	tiered("gpt-5.6-sol", charged(4, 20, 0.4), past272k, longer(charged(4, 20, 0.4)), "2026-10", openAI+promotion),
	tiered("gpt-5.6-terra", charged(2, 12, 0.2), past272k, longer(charged(2, 12, 0.2)), "2026-10", openAI),
	tiered("gpt-5.6-luna", charged(0.2, 1.2, 0.02), past272k, longer(charged(0.2, 1.2, 0.02)), "2026-10", openAI),
	tiered("gpt-5.5", free(5, 30, 0.5), past272k, longer(free(5, 30, 0.5)), "2026-10", openAI),
	tiered("gpt-5.4", free(2.5, 15, 0.25), past272k, longer(free(2.5, 15, 0.25)), "2026-10", openAI),
	plain("gpt-5.4-mini", free(0.75, 4.5, 0.075), "2026-06", openAI),
	plain("gpt-5.4-nano", free(0.2, 1.25, 0.02), "2026-06", openAI),
	plain("gpt-5.3-codex", free(1.75, 14, 0.175), "2026-09", openAI),
	plain("gpt-5.2-codex", free(1.75, 14, 0.175), "2026-09", openAI),
	plain("gpt-5.2", free(1.75, 14, 0.175), "2026-09", openAI),
	plain("gpt-5.1-codex", free(1.25, 10, 0.125), "2026-09", openAI),
	plain("gpt-5.1-codex-max", free(1.25, 10, 0.125), "2026-09", openAI),
	plain("gpt-5.1", free(1.25, 10, 0.125), "2026-09", openAI),
	plain("gpt-5-codex", free(1.25, 10, 0.125), "2026-09", openAI),
	plain("gpt-5", free(1.25, 10, 0.125), "2026-09", openAI),
	plain("gpt-5-mini", free(0.25, 2, 0.025), "2026-09", openAI),
	plain("gpt-5-nano", free(0.05, 0.4, 0.005), "2026-09", openAI),
	plain("gpt-4.1", free(2, 8, 0.5), "2026-09", openAI),
	plain("gpt-4.1-mini", free(0.4, 1.6, 0.1), "2026-09", openAI),
	plain("gpt-4.1-nano", free(0.1, 0.4, 0.025), "2026-09", openAI),
	plain("gpt-4o", free(2.5, 10, 1.25), "2026-09", openAI),
	plain("gpt-4o-mini", free(0.15, 0.6, 0.075), "2026-09", openAI),
	plain("o3", free(2, 8, 0.5), "2026-09", openAI),
	plain("o4-mini", free(1.1, 4.4, 0.275), "2026-09", openAI),

	plain("gemini-4-argon", free(2, 10, 0.1), "2026-10", google+"; until 2026-11-30, then twice"),
	plain("gemini-3.8-flash", free(0.75, 3.75, 0.075), "2026-10", google+"; until 2026-12-31, then twice"),
	plain("gemini-3.7-flash", free(0.75, 3.75, 0.075), "2026-10", google+"; until 2026-12-31, then twice"),
	plain("gemini-3.6-flash", free(0.75, 3.75, 0.075), "2026-10", google+"; until 2026-12-31, then twice"),
	plain("gemini-3.5-flash", free(1.5, 9, 0.15), "2026-07", google),
	plain("gemini-3.5-flash-lite", free(0.3, 2.5, 0.03), "2026-07", google),
	tiered("gemini-3.1-pro", free(2, 12, 0.2), past200k, free(4, 18, 0.4), "2026-05", google),
	plain("gemini-3.1-flash-lite", free(0.25, 1.5, 0.025), "2026-05", google),
	plain("gemini-3-flash", free(0.5, 3, 0.05), "2026-07", google),
	tiered("gemini-2.5-pro", free(1.25, 10, 0.125), past200k, free(2.5, 15, 0.25), "2026-05", google),
	plain("gemini-2.5-flash", free(0.3, 2.5, 0.03), "2026-05", google),
	plain("gemini-2.5-flash-lite", free(0.1, 0.4, 0.01), "2026-05", google),
}
