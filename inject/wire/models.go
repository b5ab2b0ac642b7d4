package wire

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/contextwindow"
)

// Model is a row of the table of models: what the models whose ids begin with Prefix accept and refuse. No other place names
// models. Rows age, so each says its source and when it was checked last.
type Model struct {
	Prefix  string     // of the id, without a platform's or vendor's part in front ("models/", "us.anthropic.")
	System  []Platform // where the model takes a system message in mid-conversation
	ClearAt string     // the value of the anthropic-beta header with which those messages may have clear_at; "": they may not
	Binds   bool       // thinking is valid only behind the very bytes behind which it was produced
	Strips  bool       // user content other than tool results makes the API drop earlier thinking
	Role    string     // of a message of ours behind the others: "developer" or "system"; "": "user"
	Checked string     // year and month, as in "2026-10"
	Source  string
}

// Platform is where a model is reached. It is told by the body.
type Platform string

// The platforms, as far as they accept different things.
const (
	Direct  Platform = "claude"  // the vendor's own API, and platforms with the same Messages API
	Vertex  Platform = "vertex"  // anthropic_version vertex-…
	Invoke  Platform = "bedrock" // anthropic_version bedrock-…: InvokeModel
	Unknown Platform = ""
)

// clearAt is the beta header's value for system messages that lapse with the turn (Anthropic: mid-conversation system messages).
const clearAt = "mid-conversation-system-clear-at-2026-08-21"

const (
	midSystem = "Anthropic: mid-conversation system messages"
	preserved = "Anthropic: preserved thinking"
	caching   = "Anthropic: prompt caching"
	openAI    = "OpenAI: prompt caching guide; openai-go v3.94.0 chatcompletion.go"
)

// rows is the table. The row with the longest prefix counts. A model without a row is taken to accept what every model accepts.
var rows = []Model{
	{Prefix: "claude-fable-5-1", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Binds: true, Checked: "2026-10", Source: midSystem + "; " + preserved},
	{Prefix: "claude-fable-5", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Checked: "2026-10", Source: midSystem},
	{Prefix: "claude-mythos-5", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Checked: "2026-10", Source: midSystem},
	{Prefix: "claude-opus-5-5", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Binds: true, Checked: "2026-10", Source: midSystem + "; " + preserved},
	{Prefix: "claude-opus-5", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Checked: "2026-10", Source: midSystem},
	{Prefix: "claude-opus-4-8", System: []Platform{Direct, Vertex}, ClearAt: clearAt, Checked: "2026-10", Source: midSystem},
	{Prefix: "claude-opus-4-7", Checked: "2026-10", Source: caching},
	{Prefix: "claude-opus-4-6", Checked: "2026-10", Source: caching},
	{Prefix: "claude-opus-4-5", Checked: "2026-10", Source: caching},
	{Prefix: "claude-opus-4", Strips: true, Checked: "2026-10", Source: caching},
	{Prefix: "claude-sonnet-5-5", Binds: true, Checked: "2026-10", Source: "third parties, on binding and on system; the vendor's pages do not name it, so the careful side of both"},
	{Prefix: "claude-sonnet-5", Checked: "2026-10", Source: midSystem + "; Claude Code 2.1.329 sends system all the same"},
	{Prefix: "claude-sonnet-4-6", Checked: "2026-10", Source: caching},
	{Prefix: "claude-sonnet-4", Strips: true, Checked: "2026-10", Source: caching},
	{Prefix: "claude-haiku-", Strips: true, Checked: "2026-10", Source: caching},
	{Prefix: "claude-3", Strips: true, Checked: "2026-10", Source: caching},

	{Prefix: "gpt-6", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "gpt-5", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "o1-mini", Checked: "2026-11", Source: openAI},
	{Prefix: "o1-preview", Checked: "2026-11", Source: openAI},
	{Prefix: "o1", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "o3", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "o4", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "codex-", Role: "developer", Checked: "2026-11", Source: openAI},
	{Prefix: "gpt-4", Role: "system", Checked: "2026-11", Source: openAI},
	{Prefix: "gpt-3.5", Role: "system", Checked: "2026-11", Source: openAI},
	{Prefix: "chatgpt-", Role: "system", Checked: "2026-11", Source: openAI},
}

// Models returns a copy of the table. The System lists in it are shared and must not be written to.
func Models() []Model { return slices.Clone(rows) }

// row returns the row of a model: the one with the longest prefix in o.Models, else in the table; the zero Model if there is
// none.
func (o Options) row(id string) Model {
	if n := strings.LastIndexByte(id, '/'); n >= 0 {
		id = id[n+1:]
	}
	if n := strings.LastIndex(id, "anthropic."); n >= 0 {
		id = id[n+len("anthropic."):]
	}
	if m, ok := longest(o.Models, id); ok {
		return m
	}
	m, _ := longest(rows, contextwindow.AsMaker(id))
	return m
}

func longest(rows []Model, id string) (best Model, ok bool) {
	at := -1
	for i := range rows {
		if strings.HasPrefix(id, rows[i].Prefix) && (at < 0 || len(rows[i].Prefix) > len(rows[at].Prefix)) {
			at = i
		}
	}
	if at < 0 {
		return best, false
	}
	return rows[at], true
}
