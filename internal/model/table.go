package model

import (
	"strings"
	"sync"
	"time"
)

// The pages that the table is from. Windows are those of WIRE.md §4.
const (
	windows   = "the makers' pages on their models; models.dev"
	midSystem = "Anthropic: mid-conversation system messages"
	preserved = "Anthropic: preserved thinking"
	caching   = "Anthropic: prompt caching"
	pricing   = "Anthropic: pricing" // platform.claude.com/docs/en/about-claude/pricing
	roles     = "OpenAI: prompt caching guide; openai-go v3.94.0 chatcompletion.go"
	guide     = "OpenAI: prompt caching guide"
	openAI    = "OpenAI: pricing" // developers.openai.com/api/docs/pricing
	contexts  = "Google: Gemini context caching"
	gemini35  = "Google: what's new in Gemini 3.5"
	google    = "Google: Gemini pricing" // ai.google.dev/gemini-api/docs/pricing
	vLLM      = "vLLM: automatic prefix caching"

	guess     = "the page does not name the model, and the minimum is a guess"
	clearAt   = "mid-conversation-system-clear-at-2026-08-21"
	promotion = "until 2026-11-21 at least, $5 and $30 before"
	october   = "a read was $0.20 before 2026-10-07"
	newYear   = "until 2026-12-31, then twice"
)

// Windows.
var (
	million   = tokens(1_000_000)
	k200      = tokens(200_000)
	k400      = tokens(400_000)
	k1050     = tokens(1_050_000)
	gpt41     = tokens(1_047_576)
	mebi      = tokens(1_048_576)
	noWindow  = &Window{Evidence: unknown("WIRE.md §4 has no size for the model")}
	ownWindow = &Window{Evidence: unknown("whoever serves the model sets the size")}
)

// unknown returns the evidence of a value that nobody knows, with the reason.
func unknown(why string) Evidence { return Evidence{Unknown: why} }

func tokens(n int64) *Window { return &Window{n, Evidence{windows, "2026-11", ""}} }

// Lists of places. A message of its own goes before the others where the vendor has it so; a text stands
// inside a result where anything else behind results makes the model forget its thinking, or is refused.
var (
	own     = []Place{Message, User, Result}
	inside  = []Place{Result, User}
	lapsing = []Place{Native, Message, User, Result}
	parts   = []Place{User, Message, Result}
)

// Deliveries. Of a Claude model: lapses takes system messages that lapse with the turn, strict does so and
// binds its thinking, quiet takes no system message, strips takes none, and drops earlier thinking when user
// content other than tool results follows.
var (
	lapses = &Delivery{Places: lapsing, System: []Platform{Direct, Vertex}, ClearAt: clearAt,
		Evidence: Evidence{midSystem, "2026-10", ""}}
	strict = &Delivery{Places: lapsing, System: lapses.System, ClearAt: lapses.ClearAt, Binds: true,
		Evidence: Evidence{midSystem + "; " + preserved, "2026-10", ""}}
	quiet  = &Delivery{Places: own, Evidence: Evidence{caching, "2026-10", ""}}
	strips = &Delivery{Places: inside, Evidence: quiet.Evidence}

	sonnet55 = &Delivery{Places: own, Binds: true, Evidence: Evidence{Source: "third parties, on binding and " +
		"on system; the vendor's pages do not name it, so the careful side of both", Checked: "2026-10"}}
	sonnet5 = &Delivery{Places: own, Evidence: Evidence{midSystem + "; Claude Code 2.1.329 sends system",
		"2026-10", ""}}

	developer = role("developer")
	system    = role("system")
	user      = role("")

	gemini  = &Delivery{Places: parts, Evidence: Evidence{gemini35, "2026-11", ""}}
	noPlace = &Delivery{Places: own, Evidence: unknown("the models of the family differ")}
)

// weights are the models with open weights, by the beginnings of their names and the chat template that ships
// with them. Each takes texts inside, and refuses or forgets something elsewhere:
var weights = []struct {
	names, source string
	cache         *Cache
}{
	// an assistant or a tool alone may follow a tool, and roles alternate
	{"mistral devstral magistral ministral codestral mixtral pixtral",
		"mistralai/mistral-common validator.py; mistralai/mistral-common#169; template of " +
			"mistralai/Devstral-Small-2-24B-Instruct-2512", ownCache},
	// the reasoning of answers before the last user message is dropped; system stands only at the beginning
	{"qwen qwq", "template of Qwen/Qwen3-8B (last_query_index); ollama/ollama#17774", served},
	// user and assistant alternate
	{"gemma", "template of google/gemma-3-27b-it; huggingface/text-generation-inference#3198", served},
	// the reasoning of answers before the last user message is dropped
	{"glm-", "template of zai-org/GLM-4.6 (last_user_index)", ownCache},
	// the reasoning of answers up to the last one without a call is dropped
	{"kimi-", "template of moonshotai/Kimi-K2-Thinking (last_non_tool_call_assistant_msg)", ownCache},
	// the reasoning of answers before the last user message is dropped, and must come back after tools
	{"deepseek-", "encoding_dsv32.py of deepseek-ai/DeepSeek-V3.2; DeepSeek: thinking mode", ownCache},
	// the reasoning of calls before a later final answer is dropped; developer is rendered as system
	{"gpt-oss", "template of openai/gpt-oss-120b; OpenAI: harmony response format", served},
	// system stands only at the beginning
	{"llama", "raullenchai/Rapid-MLX#1543; ollama/ollama#17774", served},
}

// role returns the delivery of an OpenAI model.
func role(r string) *Delivery {
	return &Delivery{Places: own, Role: r, Evidence: Evidence{roles, "2026-11", ""}}
}

// Caches.
var (
	endings = &Cache{Kind: Endings, Minimum: 1024, TTL: 30 * time.Minute, Read: 0.1, Write: 1.25,
		Evidence: Evidence{guide, "2026-11", ""}}
	served = &Cache{Kind: Stepped, Step: 16, Minimum: 16, Outputs: true, Read: 0, Write: 1,
		Evidence: Evidence{vLLM + "; a read takes no time", "2026-11", ""}}
	steps128 = steps(128, 1024, guide)
	gemini2  = steps(1, 2048, contexts+"; the step is not documented, one token is the finest possible")
	gemini3  = steps(1, 4096, gemini2.Source)
	noCache  = &Cache{Evidence: unknown("the caching guide does not name the family")}
	ownCache = &Cache{Evidence: unknown("whoever serves the model decides how it is cached")}
)

// marks returns the cache of a Claude model.
func marks(minimum int, read float64) *Cache {
	return &Cache{Kind: Marked, Minimum: minimum, TTL: 5 * time.Minute, Read: read, Write: 1.25, Hour: 2,
		Evidence: Evidence{caching + "; pricing", "2026-10", ""}}
}

// steps returns the cache of a model that is cached in steps.
func steps(step, minimum int, source string) *Cache {
	return &Cache{Kind: Stepped, Minimum: minimum, Step: step, Read: 0.1, Write: 1,
		Evidence: Evidence{source, "2026-11", ""}}
}

// reads returns the cache with another rate of reads, which the page of prices says.
func (c Cache) reads(rate float64) *Cache {
	c.Read, c.Source = rate, c.Source+"; pricing"
	return &c
}

// note returns the cache with a remark on its source.
func (c Cache) note(remark string) *Cache {
	c.Source += "; " + remark
	return &c
}

// family is the price of a family: single models have prices, so that a new model has an unknown one
// instead of an old one's.
var family = &Price{Evidence: unknown("a family has no price, only its models have")}

// usd returns a price in dollars for prompts of any length.
func usd(in, out float64, source, checked string) *Price {
	return &Price{In: in, Out: out, Evidence: Evidence{source, checked, ""}}
}

func claude(in, out float64) *Price { return usd(in, out, pricing, "2026-10") }

// over returns the price with another one for prompts of more tokens than above.
func (p Price) over(above int, in, out float64) *Price {
	p.Above, p.LongIn, p.LongOut = above, in, out
	return &p
}

// gpt returns OpenAI's price of a model whose long prompts cost twice as much, and their answers one and a
// half times.
func gpt(in, out float64) *Price {
	return usd(in, out, openAI, "2026-10").over(272_000, 2*in, 1.5*out)
}

// note returns the price with a remark on its source.
func (p Price) note(remark string) *Price {
	p.Source += "; " + remark
	return &p
}

// entry is a Row as the table has it: many share their parts.
type entry struct {
	name     string
	window   *Window
	delivery *Delivery
	cache    *Cache
	price    *Price
}

func (e entry) row() Row { return Row{e.name, *e.window, *e.delivery, *e.cache, *e.price} }

// table has the rows. Prices are those for text at the standard tier.
var table = sync.OnceValue(func() []entry {
	rows := []entry{
		{"claude-fable-5-1", million, strict, marks(512, 0.025), claude(10, 50)},
		{"claude-fable-5", million, lapses, marks(512, 0.1), claude(10, 50)},
		{"claude-mythos-5-1", noWindow, lapses, marks(512, 0.025), claude(10, 50)},
		{"claude-mythos-5", noWindow, lapses, marks(512, 0.1), claude(10, 50)},
		{"claude-opus-5-5", million, strict, marks(512, 0.05).note("the minimum is second-hand"), claude(4, 20)},
		{"claude-opus-5", million, lapses, marks(512, 0.1), claude(5, 25)},
		{"claude-opus-4-8", million, lapses, marks(1024, 0.1), claude(5, 25)},
		{"claude-opus-4-7", million, quiet, marks(2048, 0.1), claude(5, 25)},
		{"claude-opus-4-6", k200, quiet, marks(4096, 0.1), claude(5, 25)},
		{"claude-opus-4-5", k200, quiet, marks(4096, 0.1), claude(5, 25)},
		{"claude-opus-4-1", k200, strips, marks(1024, 0.1), claude(15, 75)},
		{"claude-opus-4", k200, strips, marks(1024, 0.1), claude(15, 75)},
		{"claude-sonnet-5-5", million, sonnet55, marks(1024, 0.05), claude(2, 10).note(october)},
		{"claude-sonnet-5", million, sonnet5, marks(1024, 0.1), claude(2, 10)},
		{"claude-sonnet-4-6", k200, quiet, marks(1024, 0.1), claude(3, 15)},
		{"claude-sonnet-4-5", k200, strips, marks(1024, 0.1), claude(3, 15).over(200_000, 6, 22.5)},
		{"claude-sonnet-4", k200, strips, marks(1024, 0.1), claude(3, 15).over(200_000, 6, 22.5)},
		{"claude-haiku-5-5", noWindow, strips, marks(2048, 0.1).note(guess),
			claude(0.1, 0.5).over(100_000, 0.5, 2.5)},
		{"claude-haiku-4-5", k200, strips, marks(4096, 0.1), claude(1, 5)},
		{"claude-haiku-", k200, strips, marks(2048, 0.1).note(guess), family},
		{"claude-3-5-haiku", k200, strips, marks(2048, 0.1), claude(0.8, 4)},
		{"claude-3", k200, strips, marks(2048, 0.1).note(guess), family},
		{"claude-", k200, noPlace, marks(2048, 0.1).note(guess), family},

		{"gpt-6.1-sol", noWindow, developer, endings.reads(0.05), gpt(2, 10)},
		{"gpt-6.1-terra", noWindow, developer, endings.reads(0.05), gpt(1, 5)},
		{"gpt-6.1", noWindow, developer, endings.reads(0.05), family},
		{"gpt-6-sol", noWindow, developer, endings, gpt(2, 10)},
		{"gpt-6-luna", noWindow, developer, endings, gpt(0.1, 0.5)},
		{"gpt-6-astra", noWindow, developer, endings, gpt(10, 50)},
		{"gpt-6", noWindow, developer, endings, family},
		{"gpt-5.6", k1050, developer, endings, gpt(4, 20).note(promotion)},
		{"gpt-5.6-sol", k1050, developer, endings, gpt(4, 20).note(promotion)},
		{"gpt-5.6-terra", k1050, developer, endings, gpt(2, 12)},
		{"gpt-5.6-luna", k1050, developer, endings, gpt(0.2, 1.2)},
		{"gpt-5.5", k1050, developer, steps(2048, 1024, guide), gpt(5, 30)},
		{"gpt-5.4", k1050, developer, steps128, gpt(2.5, 15)},
		{"gpt-5.4-mini", k1050, developer, steps128, usd(0.75, 4.5, openAI, "2026-06")},
		{"gpt-5.4-nano", k1050, developer, steps128, usd(0.2, 1.25, openAI, "2026-06")},
		{"gpt-5.3", k400, developer, steps128, family},
		{"gpt-5.3-codex", k400, developer, steps128, usd(1.75, 14, openAI, "2026-09")},
		{"gpt-5.2", k400, developer, steps128, usd(1.75, 14, openAI, "2026-09")},
		{"gpt-5.2-codex", k400, developer, steps128, usd(1.75, 14, openAI, "2026-09")},
		{"gpt-5.1", k400, developer, steps128, usd(1.25, 10, openAI, "2026-09")},
		{"gpt-5.1-codex", k400, developer, steps128, usd(1.25, 10, openAI, "2026-09")},
		{"gpt-5.1-codex-max", k400, developer, steps128, usd(1.25, 10, openAI, "2026-09")},
		{"gpt-5.", noWindow, developer, steps128, family},
		{"gpt-5", k400, developer, steps128, usd(1.25, 10, openAI, "2026-09")},
		{"gpt-5-codex", k400, developer, steps128, usd(1.25, 10, openAI, "2026-09")},
		{"gpt-5-mini", k400, developer, steps128, usd(0.25, 2, openAI, "2026-09")},
		{"gpt-5-nano", k400, developer, steps128, usd(0.05, 0.4, openAI, "2026-09")},
		{"gpt-4.1", gpt41, system, steps128.reads(0.25), usd(2, 8, openAI, "2026-09")},
		{"gpt-4.1-mini", gpt41, system, steps128.reads(0.25), usd(0.4, 1.6, openAI, "2026-09")},
		{"gpt-4.1-nano", gpt41, system, steps128.reads(0.25), usd(0.1, 0.4, openAI, "2026-09")},
		{"gpt-4o", noWindow, system, steps128.reads(0.5), usd(2.5, 10, openAI, "2026-09")},
		{"gpt-4o-mini", noWindow, system, steps128.reads(0.5), usd(0.15, 0.6, openAI, "2026-09")},
		{"gpt-4", noWindow, system, steps128, family},
		{"gpt-3.5", noWindow, system, steps128, family},
		{"gpt-", noWindow, noPlace, steps128, family},
		{"chatgpt-", noWindow, system, noCache, family},
		{"codex-", noWindow, developer, noCache, family},
		{"o1-mini", noWindow, user, steps128, family},
		{"o1-preview", noWindow, user, steps128, family},
		{"o1", noWindow, developer, steps128, family},
		{"o3", noWindow, developer, steps128.reads(0.25), usd(2, 8, openAI, "2026-09")},
		{"o4-mini", noWindow, developer, steps128.reads(0.25), usd(1.1, 4.4, openAI, "2026-09")},
		{"o4", noWindow, developer, steps128, family},

		{"gemini-4-argon", noWindow, gemini, gemini3.reads(0.05),
			usd(4, 20, google, "2026-10").note("from 2026-12-01 on, half before")},
		{"gemini-4", noWindow, gemini, gemini3, family},
		{"gemini-3.8-flash", mebi, gemini, gemini3, usd(0.75, 3.75, google, "2026-10").note(newYear)},
		{"gemini-3.7-flash", mebi, gemini, gemini3, usd(0.75, 3.75, google, "2026-10").note(newYear)},
		{"gemini-3.6-flash", mebi, gemini, gemini3, usd(0.75, 3.75, google, "2026-10").note(newYear)},
		{"gemini-3.5-flash", mebi, gemini, gemini3, usd(1.5, 9, google, "2026-07")},
		{"gemini-3.5-flash-lite", mebi, gemini, gemini3, usd(0.3, 2.5, google, "2026-07")},
		{"gemini-3.1-pro", mebi, gemini, gemini3, usd(2, 12, google, "2026-05").over(200_000, 4, 18)},
		{"gemini-3.1-flash-lite", mebi, gemini, gemini3, usd(0.25, 1.5, google, "2026-05")},
		{"gemini-3-flash", mebi, gemini, gemini3, usd(0.5, 3, google, "2026-07")},
		{"gemini-3", mebi, gemini, gemini3, family},
		{"gemini-2.5-pro", mebi, gemini, gemini2, usd(1.25, 10, google, "2026-05").over(200_000, 2.5, 15)},
		{"gemini-2.5-flash", mebi, gemini, gemini2, usd(0.3, 2.5, google, "2026-05")},
		{"gemini-2.5-flash-lite", mebi, gemini, gemini2, usd(0.1, 0.4, google, "2026-05")},
		{"gemini-2.5", mebi, gemini, gemini2, family},
		{"gemini-", noWindow, gemini, gemini2, family},
	}
	for _, w := range weights {
		takes := &Delivery{Places: inside, Evidence: Evidence{w.source, "2026-11", ""}}
		for name := range strings.FieldsSeq(w.names) {
			rows = append(rows, entry{name, ownWindow, takes, w.cache, family})
		}
	}
	return rows
})
